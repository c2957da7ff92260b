/* Figures of an ensemble. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_ENSEMBLE_H
#define PLOT_PLOT_ENSEMBLE_H

#include "plot/figure.h"

enum plot_ensemble_kind {
    PLOT_ENSEMBLE_USUAL,     /* chosen by the kind of table */
    PLOT_ENSEMBLE_FAN,       /* quantiles over time */
    PLOT_ENSEMBLE_DENSITY,   /* density of members over time */
    PLOT_ENSEMBLE_HISTOGRAM, /* histogram of members at the end */
    PLOT_ENSEMBLE_HEAT /* final values over the parameter grid: a heat map over two parameters,
                          points over one */
};

/* True for a table of statistics, and of final states, as written by noether ensemble. */
bool plot_ensemble_have_statistics(const struct noe_table *table);
bool plot_ensemble_have_ends(const struct noe_table *table);
/* Names of the kinds of figures, separated by commas, and the kind of a name (-1: unknown). */
const char *plot_ensemble_kinds(void);
int plot_ensemble_kind_find(const char *word);
/* True if this kind of figure needs final states. The others need statistics or accept both. */
bool plot_ensemble_need_ends(enum plot_ensemble_kind kind);

/* Selection to be drawn: `numbers` are names separated by commas (NULL: all). `name` is the title
 * if the table has none. */
struct plot_ensemble_view {
    enum plot_ensemble_kind kind;
    const char *numbers, *name;
};
enum noe_status plot_ensemble_make(struct figure *picture, const struct noe_table *table,
                                   const struct plot_ensemble_view *view, struct noe_error *error);

#endif
