/* Decimation of curves for plotting. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_DECIMATE_H
#define PLOT_DECIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* All functions work in place on n points (x, y) and return the number of points kept. NaN is a
 * gap. */

/* For a graph with nondecreasing x: keeps the minimum and the maximum of y in each of equal
 * intervals, so that fast oscillations keep their envelope. At most `max` points stay (max >=
 * 4). */
size_t decimate_envelope(size_t n, double *x, double *y, size_t max);
/* For a path in a plane of the given width and height: removes points that are closer than a
 * thousandth of the size to the line through the points kept. */
size_t decimate_path(size_t n, double *x, double *y, double width, double height);
/* For a point cloud in a rectangle: keeps one point per cell of the finest grid that has at most
 * `max` occupied cells. */
size_t decimate_dots(size_t n, double *x, double *y, const double rectangle[4], size_t max);

/* True if the path turns so sharply between points that connecting lines would not show it. */
bool decimate_is_coarse(size_t n, const double *x, const double *y, double width, double height);

#endif
