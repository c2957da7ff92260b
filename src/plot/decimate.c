/* Decimation of curves for plotting. */
/* SPDX-License-Identifier: MIT */
#include "plot/decimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t keep(size_t count, double *x, double *y, size_t from) {
    x[count] = x[from];
    y[count] = y[from];
    return count + 1;
}

size_t decimate_envelope(size_t n, double *x, double *y, size_t max) {
    if (n <= max) return n;
    const size_t buckets = max / 2 - 1; /* two points each, besides the two end points */
    size_t count = 1;
    for (size_t b = 0; b < buckets; b++) {
        const size_t first = 1 + (size_t)((double)(n - 2) * (double)b / (double)buckets);
        const size_t end = 1 + (size_t)((double)(n - 2) * (double)(b + 1) / (double)buckets);
        size_t low = first, high = first;
        for (size_t i = first; i < end; i++) {
            if (!(y[i] >= y[low])) low = isnan(y[i]) && !isnan(y[low]) ? low : i;
            if (!(y[i] <= y[high])) high = isnan(y[i]) && !isnan(y[high]) ? high : i;
        }
        count = keep(count, x, y, low < high ? low : high);
        if (low != high) count = keep(count, x, y, low < high ? high : low);
    }
    return keep(count, x, y, n - 1);
}

/* The sector of directions from the last kept point in which all later points are close to one
 * line. */
struct wedge {
    double angle, low, high, reach; /* low, high relative to angle; reach: largest distance */
    bool is_open;                   /* no direction yet */
};

/* Narrows the sector by the point at (dx, dy) from the apex. False if the point lies outside. */
static bool wedge_take(struct wedge *wedge, double dx, double dy, double tolerance) {
    const double distance = hypot(dx, dy);
    if (isnan(distance)) return false;
    if (distance <= tolerance) return wedge->reach <= 2 * tolerance;
    const double angle = atan2(dy, dx), half = asin(tolerance / distance);
    if (wedge->is_open) {
        *wedge = (struct wedge){.angle = angle, .low = -half, .high = half, .reach = distance};
        return true;
    }
    const double turn = remainder(angle - wedge->angle, 2 * M_PI);
    if (turn < wedge->low || turn > wedge->high) return false;
    if (distance < wedge->reach - tolerance) return false; /* the path reverses */
    wedge->low = fmax(wedge->low, turn - half);
    wedge->high = fmin(wedge->high, turn + half);
    wedge->reach = fmax(wedge->reach, distance);
    return true;
}

size_t decimate_path(size_t n, double *x, double *y, double width, double height) {
    if (n < 3) return n;
    const double tolerance = 1e-3, sx = width > 0 ? 1 / width : 0, sy = height > 0 ? 1 / height : 0;
    struct wedge wedge = {.is_open = true};
    size_t count = 1, last = 0; /* number of points kept, index of the last of them */
    for (size_t i = 1; i < n; i++) {
        const double ax = x[count - 1], ay = y[count - 1];
        if (wedge_take(&wedge, sx * (x[i] - ax), sy * (y[i] - ay), tolerance)) continue;
        if (last != i - 1) count = keep(count, x, y, i - 1);
        last = i - 1;
        wedge = (struct wedge){.is_open = true};
        if (wedge_take(&wedge, sx * (x[i] - x[count - 1]), sy * (y[i] - y[count - 1]), tolerance))
            continue;
        count = keep(count, x, y, i); /* a gap begins or ends at i */
        last = i;
    }
    return last == n - 1 ? count : keep(count, x, y, n - 1);
}

static size_t cell_of(double x, double y, const double rectangle[4], size_t cells) {
    const double width = rectangle[1] - rectangle[0], height = rectangle[3] - rectangle[2];
    const double u = width > 0 ? (x - rectangle[0]) / width : 0;
    const double v = height > 0 ? (y - rectangle[2]) / height : 0;
    const double last = (double)cells - 1;
    return (size_t)fmin(u * (double)cells, last) * cells + (size_t)fmin(v * (double)cells, last);
}

size_t decimate_dots(size_t n, double *x, double *y, const double rectangle[4], size_t max) {
    enum { FINEST = 1024 };
    if (n <= max) return n;
    unsigned char *seen = malloc((size_t)FINEST * FINEST);
    if (!seen) return n;
    for (size_t cells = FINEST; cells >= 2; cells /= 2) {
        memset(seen, 0, cells * cells);
        size_t count = 0;
        for (size_t i = 0; i < n && count <= max; i++) {
            if (isnan(x[i]) || isnan(y[i])) continue;
            unsigned char *cell = seen + cell_of(x[i], y[i], rectangle, cells);
            count += !*cell;
            *cell = 1;
        }
        if (count > max) continue;
        count = 0;
        for (size_t i = 0; i < n; i++) {
            if (isnan(x[i]) || isnan(y[i])) continue;
            unsigned char *cell = seen + cell_of(x[i], y[i], rectangle, cells);
            if (*cell) count = keep(count, x, y, i);
            *cell = 0;
        }
        n = count;
        break;
    }
    free(seen);
    return n;
}

bool decimate_is_coarse(size_t n, const double *x, const double *y, double width, double height) {
    const double sx = width > 0 ? 1 / width : 0, sy = height > 0 ? 1 / height : 0;
    double turned = 0;
    size_t counted = 0;
    for (size_t i = 2; i < n; i++) {
        const double ax = sx * (x[i - 1] - x[i - 2]), ay = sy * (y[i - 1] - y[i - 2]);
        const double bx = sx * (x[i] - x[i - 1]), by = sy * (y[i] - y[i - 1]);
        if (!(hypot(ax, ay) + hypot(bx, by) > 0.01)) continue; /* too short to be visible */
        turned += fabs(atan2(ax * by - ay * bx, ax * bx + ay * by));
        counted++;
    }
    return counted > 20 && turned > 0.5 * (double)counted;
}
