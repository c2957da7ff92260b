/* Heat maps in a gnuplot script. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_GNUPLOT_HEATMAP_H
#define PLOT_GNUPLOT_HEATMAP_H

#include <stdio.h>

#include "plot/figure.h"

/* Writes the data of the heat map of panel p, if it has one. */
void gnuplot_heatmap_data(FILE *script, int p, const struct figure_image *image);
/* Writes ranges, palette, and a colour scale to the right of a frame, in fractions of the page. */
void gnuplot_heatmap_frame(FILE *script, const struct figure_image *image, double right, double low,
                           double high);
/* Writes the heat map as the first element of a plot command; `has_more` if others follow. */
void gnuplot_heatmap_write(FILE *script, int p, bool has_more);

#endif
