/* The picture of several recorded files. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_OVERLAY_H
#define PLOT_PLOT_OVERLAY_H

#include "plot/figure.h"

/* Tables and what each is called. */
struct overlay {
    int count;
    struct noe_table **table;
    const char **path;
};

/* The expressions `y` against `x` (NULL: time) of all tables over one another; if `y`
 * is NULL, the crossings of sections beside one another. */
enum noe_status overlay_make(struct figure *picture, const struct overlay *overlay, const char *x,
                             const char *y, struct noe_error *error);

#endif
