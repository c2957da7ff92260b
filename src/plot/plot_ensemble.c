/* The pictures of an ensemble. A table of statistics has the columns t and, of each number, "name
 * mean", "name min", ..., "name bin40"; a table of ends has the columns member, what varies, energy
 * and the other numbers. */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "plot/plot_ensemble_final.h"
#include "plot/plot_ensemble_time.h"
#include "output/table.h"

enum { SHOWN = 4 }; /* numbers, where each has two panels */

static const char *const words[] = {"", "fan", "density", "histogram", "heat"};
enum { KINDS = sizeof words / sizeof *words };

const char *members_kinds(void) { return "fan, density, histogram, heat"; }

int members_kind_find(const char *word) {
    for (int i = 1; i < KINDS; i++)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

bool members_need_ends(enum members_kind kind) { return kind == MEMBERS_HEAT; }

bool members_have_statistics(const struct noe_table *table) {
    return table->ncolumns > 1 && strcmp(table->column[0], "t") == 0 &&
           strcmp(table->column[1], "energy mean") == 0;
}

bool members_have_ends(const struct noe_table *table) {
    return strcmp(table->column[0], "member") == 0 && table_column_find(table, "energy") > 0;
}

/* The next name of a list; false: there are no more. */
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

/* The column where the numbers of `name` begin, or -1. */
static int find_number(const struct noe_table *table, const char *name) {
    char column[PICTURE_WORDS];
    if (members_have_ends(table)) {
        const int found = table_column_find(table, name);
        return found >= table_column_find(table, "energy") ? found : -1;
    }
    snprintf(column, sizeof column, "%s mean", name);
    return table_column_find(table, column);
}

static enum noe_status add_panels(struct picture *picture, const struct noe_table *table,
                                  enum members_kind kind, int column, struct noe_error *error) {
    switch (kind) {
    case MEMBERS_FAN: return members_time_fan(picture, table, column, error);
    case MEMBERS_DENSITY: return members_time_density(picture, table, column, error);
    case MEMBERS_HEAT: return members_ends_heat(picture, table, column, error);
    default:
        return members_have_ends(table) ? members_ends_histogram(picture, table, column, error)
                                        : members_time_histogram(picture, table, column, error);
    }
}

/* Those named, or all, the energy only if it is alone. */
static enum noe_status choose_columns(const struct noe_table *table, const char *numbers,
                                      int *count, int column[PICTURE_PANELS],
                                      struct noe_error *error) {
    char name[PICTURE_LABEL];
    const bool has_ends = members_have_ends(table);
    const int first = has_ends ? table_column_find(table, "energy") : 1;
    const int stride = has_ends ? 1 : members_time_stride(table);
    *count = 0;
    while (numbers && *count < PICTURE_PANELS && next_name(&numbers, sizeof name, name)) {
        column[*count] = find_number(table, name);
        if (column[(*count)++] < 0)
            return status_set(error, NOE_BAD_INPUT, "the ensemble has no number '%s'", name);
    }
    for (int c = first + stride; !numbers && c < table->ncolumns && *count < PICTURE_PANELS;
         c += stride)
        column[(*count)++] = c;
    if (*count == 0) column[(*count)++] = first;
    return NOE_OK;
}

static enum noe_status check_kind(const struct noe_table *table, enum members_kind kind,
                                  struct noe_error *error) {
    const bool has_ends = members_have_ends(table);
    if (kind == MEMBERS_HEAT && !has_ends)
        return status_set(
            error, NOE_BAD_INPUT,
            "a heat map is drawn of ends: record them with 'noether ensemble --final'");
    if ((kind == MEMBERS_FAN || kind == MEMBERS_DENSITY) && has_ends)
        return status_set(error, NOE_BAD_INPUT,
                          "'%s' shows statistics over time, this file has ends: record it without "
                          "--final",
                          words[kind]);
    return NOE_OK;
}

enum noe_status members_make(struct picture *picture, const struct noe_table *table,
                             const struct members_view *view, struct noe_error *error) {
    int count, column[PICTURE_PANELS];
    enum members_kind kind = view->kind;
    *picture = (struct picture){0};
    enum noe_status status = check_kind(table, kind, error);
    if (status == NOE_OK) status = choose_columns(table, view->numbers, &count, column, error);
    if (status != NOE_OK) return status;
    const bool has_two = kind == MEMBERS_USUAL && members_have_statistics(table);
    if (has_two) kind = table->nrows > 1 ? MEMBERS_FAN : MEMBERS_HISTOGRAM;
    if (kind == MEMBERS_USUAL)
        kind = members_ends_have_grid(table) ? MEMBERS_HEAT : MEMBERS_HISTOGRAM;
    if (has_two && count > SHOWN) count = SHOWN;
    for (int i = 0; i < count && status == NOE_OK; i++)
        status = add_panels(picture, table, kind, column[i], error);
    for (int i = 0; i < count && has_two && kind == MEMBERS_FAN && status == NOE_OK; i++)
        status = add_panels(picture, table, MEMBERS_HISTOGRAM, column[i], error);
    return status == NOE_OK ? picture_finish(picture, table, view->name, error) : status;
}
