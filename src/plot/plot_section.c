/* Figure of Poincare sections. Columns: section, t, energy, the member if there are several orbits,
 * then the recorded quantities, which are NaN in rows of other sections. With several sections the
 * names are "section: expression". */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_section.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/table.h"

enum { SECTION, TIME, ENERGY, MEMBER };

bool plot_section_are_in(const struct noe_table *table) {
    return table->ncolumns > MEMBER && strcmp(table->column[SECTION], "section") == 0 &&
           strcmp(table->column[TIME], "t") == 0 && strcmp(table->column[ENERGY], "energy") == 0;
}

static bool has_members(const struct noe_table *table) {
    return strcmp(table->column[MEMBER], "member") == 0;
}

/* Rows of one section, and its first two recorded columns (-1: missing). */
struct rows {
    size_t count, first;
    int column[2];
};

/* A column belongs to the section if it is a number in the section's first row. Values that are not
 * finite are not drawn. */
static struct rows find_rows(const struct noe_table *table, int section) {
    struct rows rows = {.column = {-1, -1}};
    const real *sections = table_column(table, SECTION);
    for (size_t r = table->nrows; r-- > 0;) {
        if (sections[r] != section) continue;
        rows.count++;
        rows.first = r;
    }
    for (int c = MEMBER + has_members(table);
         c < table->ncolumns && rows.count && rows.column[1] < 0; c++)
        if (!isnan((double)table_column(table, c)[rows.first]))
            rows.column[rows.column[0] >= 0] = c;
    return rows;
}

/* The values of a column in the rows of a section. With several colours, only those of members
 * number `colour` modulo FIGURE_CURVES. */
static size_t gather(const struct noe_table *table, int section, int colour, int column,
                     real *values) {
    const real *sections = table_column(table, SECTION), *from = table_column(table, column);
    const real *members = has_members(table) ? table_column(table, MEMBER) : NULL;
    size_t count = 0;
    for (size_t r = 0; r < table->nrows; r++) {
        const int own = members ? (int)((long)members[r] % FIGURE_CURVES) : 0;
        if (sections[r] == section && own == colour) values[count++] = from[r];
    }
    return count;
}

/* Splits "cut: y'" into "cut" and "y'". */
static const char *split(const char *name, size_t size, char *section) {
    const char *colon = strstr(name, ": ");
    snprintf(section, size, "%.*s", colon ? (int)(colon - name) : 0, name);
    return colon ? colon + 2 : name;
}

static enum noe_status add_section(struct figure *picture, const struct noe_table *table,
                                   const char *label, int section, real *x, real *y,
                                   struct noe_error *error) {
    const struct rows rows = find_rows(table, section);
    char name[64] = "", title[FIGURE_WORDS];
    if (rows.column[0] < 0) return NOE_OK;
    const bool is_plane = rows.column[1] >= 0;
    const int across = is_plane ? rows.column[0] : TIME;
    const int up = is_plane ? rows.column[1] : rows.column[0];
    const char *y_label = split(table->column[up], sizeof name, name);
    const char *x_label = split(table->column[across], sizeof title, title);
    snprintf(title, sizeof title, "%s%s%s%s%zu crossings", label, *label ? ": " : "", name,
             *name ? ": " : "", rows.count);
    struct figure_panel *panel = figure_add_panel(picture, title, x_label, y_label);
    if (!panel) return NOE_OK;
    panel->is_scatter = true;
    panel->hides_legend = has_members(table);
    enum noe_status status = NOE_OK;
    for (int colour = 0; colour < FIGURE_CURVES && status == NOE_OK; colour++) {
        const size_t count = gather(table, section, colour, across, x);
        gather(table, section, colour, up, y);
        if (count) status = figure_add_curve(panel, y_label, count, x, y, error);
    }
    return status;
}

enum noe_status plot_section_add(struct figure *picture, const struct noe_table *table,
                                 const char *label, struct noe_error *error) {
    real *x = malloc((table->nrows + 1) * sizeof *x), *y = malloc((table->nrows + 1) * sizeof *y);
    enum noe_status status = x && y ? NOE_OK : status_set(error, NOE_NO_MEMORY, "out of memory");
    for (int section = 1; section <= FIGURE_PANELS && status == NOE_OK; section++)
        status = add_section(picture, table, label, section, x, y, error);
    free(x);
    free(y);
    return status;
}

enum noe_status plot_section_make(struct figure *picture, const struct noe_table *table,
                                  const char *name, struct noe_error *error) {
    *picture = (struct figure){0};
    const enum noe_status status = plot_section_add(picture, table, "", error);
    return status == NOE_OK ? figure_finish(picture, table, name, error) : status;
}
