/* Fit of a shape to values in given directions, by linear least squares. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "study/shape/shape.h"

enum { ITERATIONS = 2000 };

/* SMALL: relative residual at which the iteration stops. FREEDOM: relative size of a solution above
 * which a coefficient counts as undetermined. */
static const real SMALL = 100 * NOE_EPSILON, FREEDOM = 1e8;

/* The equations Y c = values, with one row of harmonics per direction. Rows are recomputed on
 * demand, because for high bands they do not fit into memory. */
struct normal_equations {
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
static void apply(struct normal_equations *e, const real *c, real *r) {
    for (size_t i = 0; i < e->count; i++) {
        shape_harmonics(e->band, e->direction + 3 * i, e->row);
        r[i] = dot(e->unknowns, e->row, c);
    }
}

/* s = Y^T r. */
static void apply_transposed(struct normal_equations *e, const real *r, real *s) {
    memset(s, 0, e->unknowns * sizeof *s);
    for (size_t i = 0; i < e->count; i++) {
        shape_harmonics(e->band, e->direction + 3 * i, e->row);
        for (size_t k = 0; k < e->unknowns; k++) s[k] += r[i] * e->row[k];
    }
}

/* Conjugate gradients for Y^T Y c = s (Hestenes and Stiefel 1952), from c = 0. s becomes the
 * residual. `room` holds p, Y^T Y p and Y p. False if it does not converge. */
static bool solve(struct normal_equations *e, real *s, real *c, real *room) {
    const size_t m = e->count, n = e->unknowns;
    real *p = room, *bent = p + n, *image = bent + n;
    memcpy(p, s, n * sizeof *p);
    memset(c, 0, n * sizeof *c);
    real size = dot(n, s, s);
    const real enough = SMALL * SMALL * size;
    for (int k = 0; k < ITERATIONS && size > enough; k++) {
        apply(e, p, image);
        apply_transposed(e, image, bent);
        const real step = size / dot(m, image, image);
        for (size_t i = 0; i < n; i++) {
            c[i] += step * p[i];
            s[i] -= step * bent[i];
        }
        const real next = dot(n, s, s);
        for (size_t i = 0; i < n; i++) p[i] = s[i] + next / size * p[i];
        size = next;
    }
    return size <= enough;
}

/* True if the directions determine all coefficients. A random right-hand side has a component along
 * each of them, so its solution is large if one is nearly undetermined. */
static bool is_determined(struct normal_equations *e, real *s, real *c, real *room) {
    struct splitmix random = splitmix_open(1, 0);
    for (size_t i = 0; i < e->unknowns; i++) s[i] = (real)splitmix_normal(&random);
    const real typical = dot(e->unknowns, s, s) / ((real)e->count * (real)e->count);
    return solve(e, s, c, room) && dot(e->unknowns, c, c) <= FREEDOM * FREEDOM * typical;
}

static enum noe_status set_directions(struct normal_equations *e, const real *points,
                                      const real *values, struct noe_error *error) {
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

/* Root mean square of Y c - values. */
static real misfit(struct normal_equations *e, const real *c, const real *values, real *image) {
    real sum = 0;
    apply(e, c, image);
    for (size_t i = 0; i < e->count; i++) sum += (image[i] - values[i]) * (image[i] - values[i]);
    return noe_sqrt(sum / (real)e->count);
}

static enum noe_status fit(struct normal_equations *e, const real *values, real *c, real *room,
                           struct noe_error *error) {
    real *s = room, *rest = s + e->unknowns;
    bool is_solved = is_determined(e, s, c, rest);
    if (is_solved) {
        apply_transposed(e, values, s);
        is_solved = solve(e, s, c, rest);
    }
    if (is_solved) return NOE_OK;
    return status_set(error, NOE_NOT_CONVERGED,
                      "the directions of the %zu values leave coefficients of band %d nearly "
                      "undetermined: take a lower band",
                      e->count, e->band);
}

enum noe_status noe_shape_fit(struct noe_shape **shape, int band, long count,
                              const noe_real *points, const noe_real *values, noe_real *residual,
                              struct noe_error *error) {
    enum noe_status status = noe_shape_create(shape, band, error);
    if (status != NOE_OK) return status;
    struct normal_equations e = {.band = band, .count = (size_t)(count > 0 ? count : 0)};
    e.unknowns = (size_t)band * (size_t)band;
    real *block = calloc(4 * e.count + 4 * e.unknowns + 1, sizeof *block);
    if (e.count < e.unknowns) {
        status = status_set(error, NOE_BAD_INPUT,
                            "%zu values cannot determine the %zu coefficients of band %d: give "
                            "more, or take a lower band",
                            e.count, e.unknowns, band);
    } else if (!block) {
        status = status_set(error, NOE_NO_MEMORY, "out of memory to fit a shape");
    } else {
        real *room = block + 3 * e.count + e.unknowns;
        e.direction = block;
        e.row = block + 3 * e.count;
        status = set_directions(&e, points, values, error);
        if (status == NOE_OK) status = fit(&e, values, (*shape)->c, room, error);
        if (status == NOE_OK && residual) *residual = misfit(&e, (*shape)->c, values, room);
    }
    free(block);
    if (status == NOE_OK) return NOE_OK;
    noe_shape_free(*shape);
    *shape = NULL;
    return status;
}
