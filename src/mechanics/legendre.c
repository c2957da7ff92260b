/* The inverse Legendre transform. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/legendre.h"

#include <string.h>

/* L_v and L_vv at (t,q,v), into p and the first block. */
void legendre_evaluate(struct legendre *l, real t, const real *q, const real *v) {
    const struct noe_system *s = legendre_system(l);
    if (s->momentum)
        s->momentum(l->system, t, q, v, l->p, l->blocks);
    else
        s->second(l->system, t, q, v, l->p, l->w, l->blocks);
}

/* 1/L_vv into `inverse`; false if L_vv has an entry off the diagonal. */
static bool invert_diagonal(struct legendre *l) {
    const struct noe_system *s = legendre_system(l);
    for (int e = 0; e < s->nz; e++) {
        const int i = s->row ? s->row[e] : e / s->n, j = s->row ? s->col[e] : e % s->n;
        if (i != j && mask_any(l->blocks[e] != 0)) return false;
        if (i == j) l->inverse[i] = 1 / l->blocks[e];
    }
    return true;
}

static bool is_one_number(int n, const real *x) {
    for (int i = 1; i < n; i++)
        if (mask_any(x[i] != x[0])) return false;
    return true;
}

void legendre_prepare(struct legendre *l, const real *point) {
    const struct noe_system *s = legendre_system(l);
    if (!(s->traits & NOE_CONSTANT_MASS)) return;
    memset(l->inverse, 0, (size_t)s->n * sizeof *l->inverse);
    legendre_evaluate(l, real_broadcast(0), point, l->inverse);
    l->is_diagonal = invert_diagonal(l);
    l->is_uniform = l->is_diagonal && is_one_number(s->n, l->inverse);
    l->is_singular = mask_not(linear_factor(&l->mass, s->n, l->blocks));
}

/* One Newton correction d for L_v(t,q,v) = p at the last evaluated v. False if the mass matrix is
 * singular. */
static mask correction(struct legendre *l, const real *p) {
    const int n = legendre_system(l)->n;
    for (int i = 0; i < n; i++) l->d[i] = p[i] - l->p[i];
    if (legendre_system(l)->traits & NOE_CONSTANT_MASS) {
        legendre_solve(l, l->d);
        return mask_broadcast(true);
    }
    const mask is_regular = linear_factor(&l->mass, n, l->blocks);
    linear_solve(&l->mass, n, l->d);
    return is_regular;
}

/* Newton iteration for an L that is not quadratic in v, until the corrections stop shrinking. */
static noe_lane_status iterate(struct legendre *l, real t, const real *q, const real *p, real *v) {
    enum { ITERATIONS_MAX = 60 };
    const int n = legendre_system(l)->n;
    real *x = l->inverse; /* unused memory here, because the mass matrix is not constant */
    real last = real_broadcast(HUGE_VAL);
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    mask is_going = mask_broadcast(true);
    memcpy(x, v, (size_t)n * sizeof *x);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        legendre_evaluate(l, t, q, x);
        const mask is_regular = correction(l, p);
        outcome = lane_status_join(outcome, is_going & mask_not(is_regular), NOE_SINGULAR);
        for (int i = 0; i < n; i++) x[i] = real_select(is_going, x[i] + l->d[i], x[i]);
        const real size = real_norm((size_t)n, l->d), scale = real_norm((size_t)n, x);
        outcome =
            lane_status_join(outcome, is_going & mask_not(real_is_finite(size)), NOE_NOT_FINITE);
        const mask is_done = (size <= 4 * NOE_EPSILON * scale) |
                             ((size >= last) & (size <= 1e-8 * scale)) | (outcome != NOE_OK);
        is_going &= mask_not(is_done);
        if (!mask_any(is_going)) break;
        last = size;
    }
    outcome = lane_status_join(outcome, is_going, NOE_NOT_CONVERGED);
    for (int i = 0; i < n; i++) v[i] = real_select(outcome == NOE_OK, x[i], v[i]);
    return outcome;
}

noe_lane_status legendre_velocity(struct legendre *l, real t, const real *q, const real *p,
                                  real *v) {
    const int n = legendre_system(l)->n;
    const unsigned traits = legendre_system(l)->traits;
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    if (traits & NOE_CONSTANT_MASS) {
        outcome = lane_status_join(outcome, l->is_singular, NOE_SINGULAR);
        if (!mask_any(outcome == NOE_OK)) return outcome;
    }
    if (traits & NOE_SEPARABLE) { /* L_v = M v */
        memcpy(v, p, (size_t)n * sizeof *v);
        legendre_solve(l, v);
        return outcome;
    }
    if (!(traits & NOE_QUADRATIC)) return iterate(l, t, q, p, v);
    memset(l->d, 0,
           (size_t)n *
               sizeof *l->d); /* L_v is affine, so one Newton correction of v = 0 is exact */
    legendre_evaluate(l, t, q, l->d);
    outcome = lane_status_join(outcome, mask_not(correction(l, p)), NOE_SINGULAR);
    for (int i = 0; i < n; i++) v[i] = real_select(outcome == NOE_OK, l->d[i], v[i]);
    return outcome;
}

/* d -= p_t by a finite difference of order six; p does not depend on v. */
static void subtract_rate(struct legendre *l, real t, const real *q, const real *v) {
    const struct noe_system *s = legendre_system(l);
    const scalar weight[3] = {(scalar)3 / 4, -(scalar)3 / 20, (scalar)1 / 60};
    const real e = 0x1p-10 * (1 + noe_abs(t));
    for (int i = 0; i < 6 && !(s->traits & NOE_AUTONOMOUS); i++) {
        const scalar side = i % 2 ? -1 : 1;
        s->first(l->system, t + side * (i / 2 + 1) * e, q, v, l->p, l->w);
        for (int k = 0; k < s->n; k++) l->d[k] -= side * weight[i / 2] / e * l->p[k];
    }
}

/* One Newton correction d for p_q v + p_t = w: (p_q - w_v) d = w - p_q v - p_t. The place of L_vv,
 * which is zero and which `second` does not write, holds the matrix meanwhile. */
static mask first_order_correction(struct legendre *l, real t, const real *q, const real *v) {
    const struct noe_system *s = legendre_system(l);
    const int n = s->n, nz = s->nz;
    s->second(l->system, t, q, v, l->p, l->w, l->blocks);
    for (int k = 0; k < n; k++) l->d[k] = l->w[k];
    for (int e = 0; e < nz; e++) {
        const int row = s->row ? s->row[e] : e / n, col = s->row ? s->col[e] : e % n;
        l->d[row] -= l->blocks[nz + e] * v[col];
        l->blocks[e] = l->blocks[nz + e] - l->blocks[2 * nz + e];
    }
    subtract_rate(l, t, q, v);
    const mask is_regular = linear_factor(&l->mass, n, l->blocks);
    linear_solve(&l->mass, n, l->d);
    memset(l->blocks, 0, (size_t)nz * sizeof *l->blocks);
    return is_regular;
}

noe_lane_status legendre_first_order(struct legendre *l, real t, const real *q, real *v) {
    enum { ITERATIONS_MAX = 60 };
    const int n = legendre_system(l)->n;
    real *x = l->inverse; /* unused for such an L */
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    mask is_done = mask_broadcast(false);
    for (int i = 0; i < n; i++) x[i] = v[i];
    for (int k = 0; k < ITERATIONS_MAX && !mask_all(is_done); k++) {
        const mask is_regular = first_order_correction(l, t, q, x);
        for (int i = 0; i < n; i++) x[i] += l->d[i];
        const real size = real_norm((size_t)n, l->d);
        outcome =
            lane_status_join(outcome, mask_not(is_regular & real_is_finite(size)), NOE_SINGULAR);
        is_done |= (size <= 1e-9 * real_norm((size_t)n, x)) | (outcome != NOE_OK);
    }
    outcome = lane_status_join(outcome, mask_not(is_done), NOE_NOT_CONVERGED);
    for (int i = 0; i < n; i++) v[i] = real_select(outcome == NOE_OK, x[i], v[i]);
    return outcome;
}
