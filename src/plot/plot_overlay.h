/* Figure of several files. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_OVERLAY_H
#define PLOT_PLOT_OVERLAY_H

#include "plot/figure.h"

/* Tables and their labels. */
struct overlay {
    int count;
    struct noe_table **table;
    const char **path;
};

/* Plots the expressions `y` against `x` (NULL: time) of all tables in common panels. If `y` is
 * NULL, plots the Poincare sections of the tables in separate panels. */
enum noe_status overlay_make(struct figure *picture, const struct overlay *overlay, const char *x,
                             const char *y, struct noe_error *error);

#endif
