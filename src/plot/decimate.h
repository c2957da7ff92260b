/* Fewer points for the same picture of a curve. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_DECIMATE_H
#define PLOT_DECIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* All work in place on n points (x, y) and return how many are left; NaN is a gap. */

/* For x that never decreases: of each stretch the smallest and the largest y, so that fast
 * oscillations keep their envelope. At most `most` points stay (most >= 4). */
size_t decimate_envelope(size_t n, double *x, double *y, size_t max);
/* For a path in a plane of the given width and height: leaves out points within a thousandth of
 * them from the line through the ones kept. */
size_t decimate_path(size_t n, double *x, double *y, double width, double height);
/* For a cloud of dots in a rectangle: one dot per cell of a grid, fine enough for `most` dots. */
size_t decimate_dots(size_t n, double *x, double *y, const double rectangle[4], size_t max);

/* Are the points so far apart that lines between them would not show the path? */
bool decimate_is_coarse(size_t n, const double *x, const double *y, double width, double height);

#endif
