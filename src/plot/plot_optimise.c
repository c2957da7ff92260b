/* Figure of a minimisation: value, gradient and configuration over the iterations. */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_optimise.h"

#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/table.h"

enum { ITERATION, VALUE, GRADIENT, OTHERS };

bool plot_optimise_are(const struct noe_table *table) {
    static const char *const first[OTHERS] = {"iteration", "value", "gradient_norm"};
    for (int i = 0; i < OTHERS; i++)
        if (i >= table->ncolumns || strcmp(table->column[i], first[i]) != 0) return false;
    return true;
}

static enum noe_status add(struct figure_panel *panel, const struct noe_table *table, int column,
                           struct noe_error *error) {
    return figure_add_curve(panel, table->column[column], table->nrows,
                            table_column(table, ITERATION), table_column(table, column), error);
}

/* Lower end of a logarithmic axis, a little below the smallest positive number. */
static double floor_of(size_t n, const real *x, real min) {
    real smallest = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > min && (smallest == 0 || x[i] < smallest)) smallest = x[i];
    return (double)(smallest > 0 ? smallest / 2 : 1);
}

/* Difference of each value from the smallest. Zeros are gaps on a logarithmic axis. */
static enum noe_status add_excess(struct figure_panel *panel, const struct noe_table *table,
                                  struct noe_error *error) {
    const real *value = table_column(table, VALUE);
    real min = value[0], *excess = malloc(table->nrows * sizeof *excess);
    if (!excess) return status_set(error, NOE_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < table->nrows; i++)
        if (value[i] < min) min = value[i];
    for (size_t i = 0; i < table->nrows; i++)
        excess[i] = value[i] > min ? value[i] - min : (real)NAN;
    const enum noe_status status = figure_add_curve(panel, "value", table->nrows,
                                                    table_column(table, ITERATION), excess, error);
    const real round_off = NOE_EPSILON * (noe_abs(min) > 0 ? noe_abs(min) : value[0]);
    panel->has_log_y = true;
    panel->y_floor = floor_of(table->nrows, excess, round_off > 0 ? round_off : 0);
    free(excess);
    return status;
}

enum noe_status plot_optimise_make(struct figure *picture, const struct noe_table *table,
                                   const char *name, struct noe_error *error) {
    struct figure_panel *panel =
        figure_add_panel(picture, "Value", "iteration", "above the smallest");
    enum noe_status status = add_excess(panel, table, error);
    panel = figure_add_panel(picture, "Gradient", "iteration", "norm");
    if (status == NOE_OK) status = add(panel, table, GRADIENT, error);
    panel->has_log_y = true;
    panel->y_floor = floor_of(table->nrows, table_column(table, GRADIENT), 0);
    panel = figure_add_panel(picture, "Configuration", "iteration", "");
    for (int i = OTHERS; i < table->ncolumns && status == NOE_OK; i++)
        status = add(panel, table, i, error);
    return status == NOE_OK ? figure_finish(picture, table, name, error) : status;
}
