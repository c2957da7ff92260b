/* A shape from values in directions, by least squares. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "study/shape.h"

enum { ITERATIONS = 2000 };

/* The equations Y c = values, with a row of harmonics for each direction. Rows are made anew
 * whenever they are needed: for high bands they do not fit into memory. */
struct equations {
    int band;
    size_t count, unknowns;
    real *direction; /* unit vectors */
    real *row;
};

static real dot(size_t n, const real *a, const real *b) {
    real sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* r = Y c. */
static void apply(struct equations *e, const real *c, real *r) {
    for (size_t i = 0; i < e->count; i++) {
        shape_harmonics(e->band, e->direction + 3 * i, e->row);
        r[i] = dot(e->unknowns, e->row, c);
    }
}

/* s = Y^T r. */
static void apply_transposed(struct equations *e, const real *r, real *s) {
    memset(s, 0, e->unknowns * sizeof *s);
    for (size_t i = 0; i < e->count; i++) {
        shape_harmonics(e->band, e->direction + 3 * i, e->row);
        for (size_t k = 0; k < e->unknowns; k++) s[k] += r[i] * e->row[k];
    }
}

/* Conjugate gradients for Y^T Y c = Y^T values (Hestenes and Stiefel 1952): r = values - Y c and
 * s = Y^T r. `room` holds r, Y p, s and p. False: the directions leave some coefficients nearly
 * undetermined. */
static bool solve(struct equations *e, const real *values, real *c, real *room) {
    const size_t m = e->count, n = e->unknowns;
    real *r = room, *image = r + m, *s = image + m, *p = s + n;
    memcpy(r, values, m * sizeof *r);
    apply_transposed(e, r, s);
    memcpy(p, s, n * sizeof *p);
    real size = dot(n, s, s);
    const real first = size, small = 1000 * NOE_EPSILON;
    for (int k = 0; k < ITERATIONS; k++) {
        if (size <= small * small * first) return true;
        apply(e, p, image);
        const real step = size / dot(m, image, image);
        for (size_t i = 0; i < n; i++) c[i] += step * p[i];
        for (size_t i = 0; i < m; i++) r[i] -= step * image[i];
        apply_transposed(e, r, s);
        const real next = dot(n, s, s);
        for (size_t i = 0; i < n; i++) p[i] = s[i] + next / size * p[i];
        size = next;
    }
    return size <= small * first; /* what is left is round-off of the residual */
}

static enum noe_status set_directions(struct equations *e, const real *points, const real *values,
                                      struct noe_error *error) {
    for (size_t i = 0; i < e->count; i++) {
        const real *x = points + 3 * i;
        const real size = noe_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        if (!(size > 0) || !real_is_finite(size) || !real_is_finite(values[i]))
            return status_set(error, NOE_BAD_INPUT, "point %zu has no direction or no finite value",
                              i + 1);
        for (int k = 0; k < 3; k++) e->direction[3 * i + (size_t)k] = x[k] / size;
    }
    return NOE_OK;
}

enum noe_status noe_shape_fit(struct noe_shape **shape, int band, long count,
                              const noe_real *points, const noe_real *values, noe_real *residual,
                              struct noe_error *error) {
    enum noe_status status = noe_shape_create(shape, band, error);
    if (status != NOE_OK) return status;
    struct equations e = {.band = band, .count = (size_t)(count > 0 ? count : 0)};
    e.unknowns = (size_t)band * (size_t)band;
    real *room = calloc(5 * e.count + 3 * e.unknowns + 1, sizeof *room);
    if (e.count < e.unknowns) {
        status = status_set(error, NOE_BAD_INPUT,
                            "%zu values cannot determine the %zu coefficients of band %d: give "
                            "more, or take a lower band",
                            e.count, e.unknowns, band);
    } else if (!room) {
        status = status_set(error, NOE_NO_MEMORY, "out of memory to fit a shape");
    } else {
        e.direction = room;
        e.row = room + 3 * e.count;
        status = set_directions(&e, points, values, error);
        if (status == NOE_OK && !solve(&e, values, (*shape)->c, e.row + e.unknowns))
            status = status_set(error, NOE_NOT_CONVERGED,
                                "the directions of the %zu values leave coefficients of band %d "
                                "nearly undetermined: take a lower band",
                                e.count, band);
        if (residual) /* r stands behind the row */
            *residual = noe_sqrt(dot(e.count, e.row + e.unknowns, e.row + e.unknowns) /
                                 (real)(e.count ? e.count : 1));
    }
    free(room);
    if (status == NOE_OK) return NOE_OK;
    noe_shape_free(*shape);
    *shape = NULL;
    return status;
}
