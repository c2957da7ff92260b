/* Figures of an ensemble. A table of statistics has the column t and for each quantity the columns
 * "name mean", "name min", ..., "name bin40". A table of final states has the columns member,
 * varied parameters, energy and the other quantities. */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/table.h"
#include "plot/plot_ensemble_final.h"
#include "plot/plot_ensemble_time.h"

enum { SHOWN = 4 }; /* number of quantities shown if each has two panels */

static const char *const words[] = {"", "fan", "density", "histogram", "heat"};
enum { KINDS = sizeof words / sizeof *words };

const char *plot_ensemble_kinds(void) { return "fan, density, histogram, heat"; }

int plot_ensemble_kind_find(const char *word) {
    for (int i = 1; i < KINDS; i++)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

bool plot_ensemble_need_ends(enum plot_ensemble_kind kind) { return kind == PLOT_ENSEMBLE_HEAT; }

bool plot_ensemble_have_statistics(const struct noe_table *table) {
    return table->ncolumns > 1 && strcmp(table->column[0], "t") == 0 &&
           strcmp(table->column[1], "energy mean") == 0;
}

bool plot_ensemble_have_ends(const struct noe_table *table) {
    return strcmp(table->column[0], "member") == 0 && table_column_find(table, "energy") > 0;
}

/* The next name of a list; false after the last. */
static bool next_name(const char **list, size_t size, char *name) {
    const char *at = *list;
    while (*at == ' ' || *at == ',') at++;
    const size_t length = strcspn(at, ",");
    size_t kept = length;
    while (kept > 0 && at[kept - 1] == ' ') kept--;
    snprintf(name, size, "%.*s", (int)kept, at);
    *list = at + length;
    return kept > 0;
}

/* First column of the quantity `name`, or -1. */
static int find_number(const struct noe_table *table, const char *name) {
    char column[FIGURE_WORDS];
    if (plot_ensemble_have_ends(table)) {
        const int found = table_column_find(table, name);
        return found >= table_column_find(table, "energy") ? found : -1;
    }
    snprintf(column, sizeof column, "%s mean", name);
    return table_column_find(table, column);
}

static enum noe_status add_panels(struct figure *picture, const struct noe_table *table,
                                  enum plot_ensemble_kind kind, int column,
                                  struct noe_error *error) {
    switch (kind) {
    case PLOT_ENSEMBLE_FAN: return plot_ensemble_time_fan(picture, table, column, error);
    case PLOT_ENSEMBLE_DENSITY: return plot_ensemble_time_density(picture, table, column, error);
    case PLOT_ENSEMBLE_HEAT: return plot_ensemble_ends_heat(picture, table, column, error);
    default:
        return plot_ensemble_have_ends(table)
                   ? plot_ensemble_ends_histogram(picture, table, column, error)
                   : plot_ensemble_time_histogram(picture, table, column, error);
    }
}

/* Columns of the named quantities, or of all. The energy is included only if it is the only one. */
static enum noe_status choose_columns(const struct noe_table *table, const char *numbers,
                                      int *count, int column[FIGURE_PANELS],
                                      struct noe_error *error) {
    char name[FIGURE_LABEL];
    const bool has_ends = plot_ensemble_have_ends(table);
    const int first = has_ends ? table_column_find(table, "energy") : 1;
    const int stride = has_ends ? 1 : plot_ensemble_time_stride(table);
    *count = 0;
    while (numbers && *count < FIGURE_PANELS && next_name(&numbers, sizeof name, name)) {
        column[*count] = find_number(table, name);
        if (column[(*count)++] < 0)
            return status_set(error, NOE_BAD_INPUT, "the ensemble has no number '%s'", name);
    }
    for (int c = first + stride; !numbers && c < table->ncolumns && *count < FIGURE_PANELS;
         c += stride)
        if (!has_ends || strncmp(table->column[c], "end.", 4) != 0) column[(*count)++] = c;
    if (*count == 0) column[(*count)++] = first;
    enum noe_status status = NOE_OK;
    for (int i = 0; i < *count && !has_ends && status == NOE_OK; i++)
        status = plot_ensemble_time_check(table, column[i], error);
    return status;
}

static enum noe_status check_kind(const struct noe_table *table, enum plot_ensemble_kind kind,
                                  struct noe_error *error) {
    const bool has_ends = plot_ensemble_have_ends(table);
    if (kind == PLOT_ENSEMBLE_HEAT && !has_ends)
        return status_set(
            error, NOE_BAD_INPUT,
            "a heat map is drawn of ends: record them with 'noether ensemble --final'");
    if ((kind == PLOT_ENSEMBLE_FAN || kind == PLOT_ENSEMBLE_DENSITY) && has_ends)
        return status_set(error, NOE_BAD_INPUT,
                          "'%s' shows statistics over time, this file has ends: record it without "
                          "--final",
                          words[kind]);
    return NOE_OK;
}

enum noe_status plot_ensemble_make(struct figure *picture, const struct noe_table *table,
                                   const struct plot_ensemble_view *view, struct noe_error *error) {
    int count, column[FIGURE_PANELS];
    enum plot_ensemble_kind kind = view->kind;
    *picture = (struct figure){0};
    enum noe_status status = check_kind(table, kind, error);
    if (status == NOE_OK) status = choose_columns(table, view->numbers, &count, column, error);
    if (status != NOE_OK) return status;
    const bool has_two = kind == PLOT_ENSEMBLE_USUAL && plot_ensemble_have_statistics(table);
    if (has_two) kind = table->nrows > 1 ? PLOT_ENSEMBLE_FAN : PLOT_ENSEMBLE_HISTOGRAM;
    if (kind == PLOT_ENSEMBLE_USUAL)
        kind = plot_ensemble_ends_have_grid(table) ? PLOT_ENSEMBLE_HEAT : PLOT_ENSEMBLE_HISTOGRAM;
    if (has_two && count > SHOWN) count = SHOWN;
    for (int i = 0; i < count && status == NOE_OK; i++)
        status = add_panels(picture, table, kind, column[i], error);
    for (int i = 0; i < count && has_two && kind == PLOT_ENSEMBLE_FAN && status == NOE_OK; i++)
        status = add_panels(picture, table, PLOT_ENSEMBLE_HISTOGRAM, column[i], error);
    return status == NOE_OK ? figure_finish(picture, table, view->name, error) : status;
}
