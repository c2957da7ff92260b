/* Methods for Euler and Poincare's equations p' = ad*_v p, p = Mv, on one group: what they share.
 */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_REDUCED_H
#define METHODS_REDUCED_H

#include "linalg/dense.h"
#include "linalg/small_matrix.h"
#include "mechanics/lie_product.h"
#include "mechanics/block_product.h"
#include "spaces/product.h"
#include "spaces/vec3.h"

/* One interval as these methods see it; n is 3 or 6. */
struct reduced {
    const struct noe_system *system;
    const struct noe_space *space;
    const struct chart_piece *piece; /* the only one */
    struct legendre *legendre;
    int n, np;
    real h;
};

STEP_INLINE struct reduced reduced_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    return (struct reduced){.system = problem->system,
                            .space = problem->chart->piece->space,
                            .piece = problem->chart->piece,
                            .legendre = interval->legendre,
                            .n = problem->system->n,
                            .np = problem->np,
                            .h = interval->h};
}

/* v with Mv = p; false where M is singular. */
STEP_INLINE truth reduced_velocity(const struct reduced *at, const real *p, real *v) {
    return legendre_velocity(at->legendre, real_of(0), NULL, p, v) == NOE_OK;
}

/* x = factor M^-1 p in a loop of many steps, where M is regular: `scale` is what reduced_scale
 * makes of the factor. */
STEP_INLINE void reduced_scale(const struct reduced *at, real factor, real *scale) {
    const bool is_diagonal = legendre_is_diagonal(at->legendre);
    REAL_UNROLL for (int i = 0; i < at->n; i++) scale[i] =
        is_diagonal ? factor * at->legendre->inverse[i] : factor;
}

STEP_INLINE void reduced_increment(const struct reduced *at, const real *scale, const real *p,
                                   real *x) {
    REAL_UNROLL for (int i = 0; i < at->n; i++) x[i] = p[i];
    if (!legendre_is_diagonal(at->legendre)) linear_solve(&at->legendre->mass, at->n, x);
    REAL_UNROLL for (int i = 0; i < at->n; i++) x[i] *= scale[i];
}

/* p = Mv. */
STEP_INLINE void reduced_momentum(const struct reduced *at, const real *v, real *p) {
    small_zero(at->n, p);
    pattern_add_product(at->system, real_of(1), at->legendre->blocks, v, p);
}

/* M, row by row. */
STEP_INLINE void reduced_mass(const struct reduced *at, real *M) {
    const struct noe_system *s = at->system;
    small_zero(at->n * at->n, M);
    for (int e = 0; e < s->nz; e++)
        M[s->row ? s->row[e] * at->n + s->col[e] : e] = at->legendre->blocks[e];
}

/* y = ad*_v m = (pi cross w + gamma cross u, gamma cross w) for v = (w, u), m = (pi, gamma). */
STEP_INLINE void reduced_turn(const struct reduced *at, const real *v, const real *m, real *y) {
    real moved[3];
    three_cross(y, m, v);
    if (at->n == 3) return;
    three_cross(moved, m + 3, v + 3);
    three_cross(y + 3, m + 3, v);
    for (int i = 0; i < 3; i++) y[i] += moved[i];
}

/* Shared hooks: sizes, and the pattern of a full matrix. */
enum noe_status reduced_prepare(struct noe_problem *problem, int order);
int reduced_pattern(const struct noe_problem *problem, int *row, int *col);

#endif
