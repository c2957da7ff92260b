/* Lie-Newmark and Lie-Verlet methods: functions and kernels. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_EULER_POINCARE_LIE_NEWMARK_H
#define METHODS_EULER_POINCARE_LIE_NEWMARK_H

#include "mechanics/small_newton.h"
#include "methods/euler_poincare/euler_poincare.h"

/* Coefficients of tln and mln: g1 = g tau(h (start v0 + end u)), where u is the unknown velocity.
 * tln has weights 1/2, or 1 and 0 as printed, and mln 0 and 1. */
struct newmark {
    int is_trapezoidal; /* 1: tln, u is the velocity at the end; 0: mln */
    noe_scalar start, end;
};

REAL_INLINE const struct newmark *newmark_of(const struct noe_interval *interval) {
    return interval_problem(interval)->internals->coefficients;
}

/* r = P(u) - (h/2) ad*_u P(u) - c. */
REAL_INLINE void newmark_left(const struct euler_poincare *at, const real *u, const real *c,
                              real *P, real *r) {
    const real half = at->h * 0.5;
    real turned[SMALL_MAX];
    euler_poincare_momentum(at, u, P);
    euler_poincare_coadjoint_change(at, u, P, turned);
    for (int k = 0; k < at->n; k++) r[k] = P[k] - half * turned[k] - c[k];
}

/* B(P) + A(u) M off the diagonal, for rotations with a diagonal M: P^ - u^ M. */
REAL_INLINE void newmark_bracket(const real *u, const real *P, const real *M, real *B) {
    B[1] = u[2] * M[4] - P[2];
    B[2] = P[1] - u[1] * M[8];
    B[3] = P[2] - u[2] * M[0];
    B[5] = u[0] * M[8] - P[0];
    B[6] = u[1] * M[0] - P[1];
    B[7] = P[0] - u[0] * M[4];
}

/* J = M - (h/2) (A(u) M + B(P)), where A(u) m = ad*_u m = B(m) u. */
REAL_INLINE void newmark_slope(const struct euler_poincare *at, const real *u, const real *P,
                               real *J) {
    const int n = at->n;
    const real half = at->h * 0.5;
    real A[SMALL_SQUARE], M[SMALL_SQUARE], B[SMALL_SQUARE];
    euler_poincare_mass(at, M);
    if (at->space->kind.algebra == NOE_ALGEBRA_SO3 && legendre_is_diagonal(at->legendre)) {
        newmark_bracket(u, P, M, B);
        for (int e = 0; e < 9; e++) J[e] = e % 4 == 0 ? M[e] : -half * B[e];
        return;
    }
    lie_product_bracket_matrix(at->piece, u, A);
    at->space->maps.poisson(B, P);
    small_add_product(n, n, n, B, A, M);
    for (int e = 0; e < n * n; e++) J[e] = M[e] - half * B[e];
}

/* P(u) - (h/2) ad*_u P(u) = c, quadratic in u. */
struct newmark_equation {
    const struct euler_poincare *at;
    const real *c;
};

REAL_INLINE void newmark_equation_residual(const void *self, int n, const real *u, real *r,
                                           real *J) {
    const struct newmark_equation *equation = self;
    real P[SMALL_MAX] = {0};
    (void)n;
    newmark_left(equation->at, u, equation->c, P, r);
    if (J) newmark_slope(equation->at, u, P, J);
}

REAL_INLINE void newmark_equation_remainder(const void *self, int n, const real *d, real *r) {
    const struct euler_poincare *at = ((const struct newmark_equation *)self)->at;
    real P[SMALL_MAX] = {0};
    euler_poincare_momentum(at, d, P);
    euler_poincare_coadjoint_change(at, d, P, r);
    for (int k = 0; k < n; k++) r[k] *= -0.5 * at->h;
}

static const struct small_newton_equation newmark_quadratic = {
    .residual = newmark_equation_residual, .quadratic_remainder = newmark_equation_remainder};

/* Finishes `count` steps with the velocity v at their end. Returns early if one of several failed.
 * Steps whose events are counted already are not taken again. */
REAL_INLINE noe_lane_status newmark_end(struct noe_interval *interval,
                                        const struct euler_poincare *at, long count, const real *v,
                                        mask is_good) {
    const mask is_finite = real_all_finite((size_t)at->n, interval->to->p);
    noe_lane_status outcome =
        lane_status_join(lane_status_broadcast(NOE_OK), mask_not(is_good), NOE_SINGULAR);
    outcome = lane_status_join(outcome, mask_not(is_finite), NOE_NOT_FINITE);
    if (count > 1 && !interval->scan && mask_any(interval->is_active & (outcome != NOE_OK)))
        return outcome;
    for (int k = 0; k < at->n; k++) interval->velocity[k] = v[k];
    interval->taken = count;
    interval->t1 = interval->origin + (scalar)(interval->from->k + count) * interval->h;
    interval->retraction_load = real_broadcast(0);
    return outcome;
}

void newmark_initial_guess(struct noe_interval *interval, noe_real *u);
void newmark_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void newmark_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                      noe_real *values);
void newmark_update(struct noe_interval *interval, const noe_real *u);
/* Kernels of mln and tln, of lv, and of flv. */
extern const struct kernel newmark_kernel, newmark_lv_kernel, lie_verlet_kernel;
extern const struct scheme_tangent newmark_tangent, newmark_lv_tangent;

#endif
