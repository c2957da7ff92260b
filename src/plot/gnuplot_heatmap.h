/* Colours over a rectangle, in the script of gnuplot. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_GNUPLOT_IMAGE_H
#define OUTPUT_GNUPLOT_IMAGE_H

#include <stdio.h>

#include "plot/figure.h"

/* The numbers of the image of panel p; nothing if it has none. */
void gnuplot_image_data(FILE *script, int p, const struct picture_image *image);
/* Ranges, colours, and their scale to the right of a frame, given in parts of the page. */
void gnuplot_image_frame(FILE *script, const struct picture_image *image, double right, double low,
                         double high);
/* The image as the first thing that a panel plots; `has_more`: something follows. */
void gnuplot_image_write(FILE *script, int p, bool has_more);

#endif
