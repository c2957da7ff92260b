/* Shared functions of methods for the Euler-Poincare equations p' = ad*_v p, p = Mv, on one group.
 */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_EULER_POINCARE_EULER_POINCARE_H
#define METHODS_EULER_POINCARE_EULER_POINCARE_H

#include "linalg/dense.h"
#include "linalg/small_matrix.h"
#include "mechanics/block_product.h"
#include "mechanics/lie_product.h"
#include "methods/method.h"
#include "spaces/product.h"
#include "spaces/vec3.h"

/* One interval as these methods see it. */
struct euler_poincare {
    const struct noe_system *system;
    const struct noe_space *space;
    const struct lie_factor *piece; /* the only factor */
    struct legendre *legendre;
    int n, np;
    real h;
};

REAL_INLINE struct euler_poincare euler_poincare_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    return (struct euler_poincare){.system = problem->system,
                                   .space = problem->internals->lie_product->piece->space,
                                   .piece = problem->internals->lie_product->piece,
                                   .legendre = interval->legendre,
                                   .n = problem->system->n,
                                   .np = problem->np,
                                   .h = interval->h};
}

/* Solves Mv = p. False if M is singular. */
REAL_INLINE mask euler_poincare_velocity(const struct euler_poincare *at, const real *p, real *v) {
    return legendre_velocity(at->legendre, real_broadcast(0), NULL, p, v) == NOE_OK;
}

/* x = factor M^-1 p in a loop of many steps, for a regular M. `scale` is the result of
 * euler_poincare_scale for the factor. */
REAL_INLINE void euler_poincare_scale(const struct euler_poincare *at, real factor, real *scale) {
    const bool is_diagonal = legendre_is_diagonal(at->legendre);
    REAL_UNROLL for (int i = 0; i < at->n; i++) scale[i] =
        is_diagonal ? factor * at->legendre->inverse[i] : factor;
}

REAL_INLINE void euler_poincare_increment(const struct euler_poincare *at, const real *scale,
                                          const real *p, real *x) {
    REAL_UNROLL for (int i = 0; i < at->n; i++) x[i] = p[i];
    if (!legendre_is_diagonal(at->legendre)) linear_solve(&at->legendre->mass, at->n, x);
    REAL_UNROLL for (int i = 0; i < at->n; i++) x[i] *= scale[i];
}

/* p = Mv. */
REAL_INLINE void euler_poincare_momentum(const struct euler_poincare *at, const real *v, real *p) {
    small_zero(at->n, p);
    pattern_add_product(at->system, real_broadcast(1), at->legendre->blocks, v, p);
}

/* M, row by row. */
REAL_INLINE void euler_poincare_mass(const struct euler_poincare *at, real *M) {
    const struct noe_system *s = at->system;
    small_zero(at->n * at->n, M);
    for (int e = 0; e < s->nz; e++)
        M[s->row ? s->row[e] * at->n + s->col[e] : e] = at->legendre->blocks[e];
}

/* y = ad*_v m; on poses (pi cross w + gamma cross u, gamma cross w) for v = (w, u),
 * m = (pi, gamma). */
REAL_INLINE void euler_poincare_coadjoint_change(const struct euler_poincare *at, const real *v,
                                                 const real *m, real *y) {
    real moved[3], B[SMALL_SQUARE];
    if (at->space->kind.algebra == NOE_ALGEBRA_OTHER) {
        at->space->maps.poisson(B, m);
        small_zero(at->n, y);
        small_add_apply(at->n, at->n, y, 1, B, v);
        return;
    }
    vec3_cross(y, m, v);
    if (at->space->kind.algebra == NOE_ALGEBRA_SO3) return;
    vec3_cross(moved, m + 3, v + 3);
    vec3_cross(y + 3, m + 3, v);
    for (int i = 0; i < 3; i++) y[i] += moved[i];
}

/* m <- (1 - factor ad*_x)^-1 m. */
REAL_INLINE void euler_poincare_solve(const struct euler_poincare *at, scalar factor, const real *x,
                                      real *m) {
    const int n = at->n;
    real A[SMALL_SQUARE];
    lane_index pivot[SMALL_MAX];
    lie_product_bracket_matrix(at->piece, x, A);
    for (int e = 0; e < n * n; e++) A[e] *= -factor;
    for (int i = 0; i < n; i++) A[i * n + i] += 1;
    dense_factor(n, A, pivot);
    dense_solve(n, m, A, pivot);
}

/* Setup of sizes, and the sparsity pattern of a full matrix. */
enum noe_status euler_poincare_setup(struct noe_problem *problem, int order);
int euler_poincare_sparsity(const struct noe_problem *problem, int *row, int *col);

#endif
