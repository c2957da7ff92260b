/* Drawing a picture with gnuplot. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

#include "plot/figure.h"

/* Can the extension of `path` be drawn? */
bool gnuplot_draws(const char *path);
/* The extensions that can be drawn, in words. */
const char *gnuplot_kinds(void);
/* Draws the picture into the file `path`, whose extension chooses the kind. */
enum noe_status gnuplot_draw(const struct figure *picture, const char *path,
                             struct noe_error *error);

#endif
