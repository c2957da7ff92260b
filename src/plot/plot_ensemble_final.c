/* Panels of the final states of an ensemble. */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_ensemble_final.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/table.h"
#include "plot/plot_ensemble_time.h"

enum { CELLS = 40, DIRECTIONS = 2 };

/* Parameters that vary on a grid. They repeat periodically with the member number, the last one
 * with the shortest period. */
struct grid {
    int count; /* -1: more dimensions than can be drawn */
    int column[DIRECTIONS], size[DIRECTIONS];
};

/* Number of values that a column takes before it repeats, if each lasts for `every` rows; 0 if it
 * is not periodic. */
static size_t period(const struct noe_table *table, int column, size_t every) {
    const real *value = table_column(table, column);
    size_t size = 1;
    while (size * every < table->nrows && value[size * every] != value[0]) size++;
    for (size_t r = 0; r < table->nrows; r++)
        if (value[r] != value[r / every % size * every]) return 0;
    return size;
}

/* A random parameter has a new value for every member and so is not part of a grid, unless it is
 * the only parameter. */
static struct grid find_grid(const struct noe_table *table) {
    struct grid grid = {0};
    const int energy = table_column_find(table, "energy");
    size_t every = 1;
    for (int c = energy - 1; c > 0 && table->nrows > 0; c--) {
        const size_t size = period(table, c, every);
        const bool is_random = size * every == table->nrows && every == 1 && energy > 2;
        if (size < 2 || is_random) continue;
        if (grid.count == DIRECTIONS) return (struct grid){.count = -1};
        grid.column[grid.count] = c;
        grid.size[grid.count++] = (int)size;
        every *= size;
    }
    return grid;
}

bool plot_ensemble_ends_have_grid(const struct noe_table *table) {
    return find_grid(table).count > 0;
}

enum noe_status plot_ensemble_ends_histogram(struct figure *picture, const struct noe_table *table,
                                             int column, struct noe_error *error) {
    const real *value = table_column(table, column);
    double range[2] = {INFINITY, -INFINITY}, share[CELLS] = {0};
    char title[FIGURE_WORDS];
    for (size_t r = 0; r < table->nrows; r++) {
        if (!real_is_finite(value[r])) continue;
        range[0] = fmin(range[0], (double)value[r]);
        range[1] = fmax(range[1], (double)value[r]);
    }
    if (!(range[0] <= range[1])) return NOE_OK;
    for (size_t r = 0; r < table->nrows; r++) {
        if (!real_is_finite(value[r])) continue;
        const double place =
            range[1] > range[0] ? ((double)value[r] - range[0]) / (range[1] - range[0]) * CELLS : 0;
        share[place >= CELLS ? CELLS - 1 : (int)place] += 1;
    }
    snprintf(title, sizeof title, "members by %s at the end", table->column[column]);
    return plot_ensemble_time_stairs(picture, title, table->column[column], CELLS, share, range,
                                     error);
}

/* Mean over the members at each grid point. Failed members are skipped. */
static void fill_image(const struct noe_table *table, const struct grid *grid, int column,
                       struct figure_image *image) {
    const size_t points = (size_t)grid->size[0] * (size_t)grid->size[1];
    const real *value = table_column(table, column);
    for (size_t point = 0; point < points; point++) {
        const size_t i = point / (size_t)grid->size[0], j = point % (size_t)grid->size[0];
        double sum = 0;
        long count = 0;
        for (size_t r = point; r < table->nrows; r += points) {
            if (!real_is_finite(value[r])) continue;
            sum += (double)value[r];
            count++;
        }
        image->value[j * (size_t)image->cols + i] = count ? sum / (double)count : NAN;
    }
}

static void set_range(const struct noe_table *table, const struct grid *grid, int direction,
                      size_t every, double *first, double *last) {
    const real *value = table_column(table, grid->column[direction]);
    *first = (double)value[0];
    *last = (double)value[(size_t)(grid->size[direction] - 1) * every];
}

static enum noe_status add_image(struct figure *picture, const struct noe_table *table,
                                 const struct grid *grid, int column, struct noe_error *error) {
    struct figure_image image = {.cols = grid->size[1], .rows = grid->size[0]};
    struct figure_panel *panel =
        figure_add_panel(picture, table->column[column], table->column[grid->column[1]],
                         table->column[grid->column[0]]);
    if (!panel) return NOE_OK;
    image.value = malloc((size_t)image.cols * (size_t)image.rows * sizeof *image.value);
    if (!image.value) return status_set(error, NOE_NO_MEMORY, "out of memory");
    set_range(table, grid, 0, 1, &image.low, &image.high);
    set_range(table, grid, 1, (size_t)grid->size[0], &image.left, &image.right);
    fill_image(table, grid, column, &image);
    panel->image = image;
    return NOE_OK;
}

enum noe_status plot_ensemble_ends_heat(struct figure *picture, const struct noe_table *table,
                                        int column, struct noe_error *error) {
    const struct grid grid = find_grid(table);
    if (grid.count == 2) return add_image(picture, table, &grid, column, error);
    if (grid.count != 1)
        return status_set(error, NOE_BAD_INPUT,
                          "a heat map needs one or two numbers that vary on a grid, as 'vary a = 0 "
                          ".. 1, 50' states; this ensemble has %s",
                          grid.count ? "more" : "none");
    const int across = grid.column[0];
    struct figure_panel *panel = figure_add_panel(picture, table->column[column],
                                                  table->column[across], table->column[column]);
    if (!panel) return NOE_OK;
    panel->is_scatter = true;
    return figure_add_curve(panel, table->column[column], table->nrows, table_column(table, across),
                            table_column(table, column), error);
}
