/* Colours over a rectangle, in the script of gnuplot. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_GNUPLOT_HEATMAP_H
#define PLOT_GNUPLOT_HEATMAP_H

#include <stdio.h>

#include "plot/figure.h"

/* The numbers of the image of panel p; nothing if it has none. */
void gnuplot_heatmap_data(FILE *script, int p, const struct figure_image *image);
/* Ranges, colours, and their scale to the right of a frame, given in parts of the page. */
void gnuplot_heatmap_frame(FILE *script, const struct figure_image *image, double right, double low,
                           double high);
/* The image as the first thing that a panel plots; `has_more`: something follows. */
void gnuplot_heatmap_write(FILE *script, int p, bool has_more);

#endif
