/* The pictures of an ensemble. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_ENSEMBLE_H
#define PLOT_PLOT_ENSEMBLE_H

#include "plot/figure.h"

enum plot_ensemble_kind {
    PLOT_ENSEMBLE_USUAL,     /* what fits the table */
    PLOT_ENSEMBLE_FAN,       /* quantiles over time */
    PLOT_ENSEMBLE_DENSITY,   /* where members are, over time */
    PLOT_ENSEMBLE_HISTOGRAM, /* where members are at the end */
    PLOT_ENSEMBLE_HEAT /* ends over the grid of what varies: colours over two numbers, points over
                          one */
};

/* Is it a table of statistics, or of ends, as noether ensemble records them? */
bool plot_ensemble_have_statistics(const struct noe_table *table);
bool plot_ensemble_have_ends(const struct noe_table *table);
/* The words for kinds of pictures, separated by commas, and the kind of a word; -1: there is none.
 */
const char *plot_ensemble_kinds(void);
int plot_ensemble_kind_find(const char *word);
/* Does a picture of this kind need ends? Else it needs statistics, or both serve. */
bool plot_ensemble_need_ends(enum plot_ensemble_kind kind);

/* What is to be drawn: `numbers` are names separated by commas; NULL: all. `name` stands for a
 * title where the table has none. */
struct plot_ensemble_view {
    enum plot_ensemble_kind kind;
    const char *numbers, *name;
};
enum noe_status plot_ensemble_make(struct figure *picture, const struct noe_table *table,
                                   const struct plot_ensemble_view *view, struct noe_error *error);

#endif
