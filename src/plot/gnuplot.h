/* Drawing a figure with gnuplot. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

#include "plot/figure.h"

/* True if the extension of `path` is a supported image format. */
bool gnuplot_draws(const char *path);
/* List of the supported extensions. */
const char *gnuplot_kinds(void);
/* Draws the figure into the file `path`, whose extension selects the image format. */
enum noe_status gnuplot_draw(const struct figure *picture, const char *path,
                             struct noe_error *error);

#endif
