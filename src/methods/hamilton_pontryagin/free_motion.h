/* Free motion (drift) of the factors of a product: M V = T_R(hV)^T m for each factor.
 *
 * On R^n V = m/M. On a group a small Newton iteration solves for V. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_FREE_MOTION_H
#define METHODS_HAMILTON_PONTRYAGIN_FREE_MOTION_H

#include "mechanics/lie_product.h"
#include "mechanics/small_newton.h"
#include "spaces/se3_retraction.h"

/* T_R(X)^T m of a group of dimension n, and its derivative by X. */
REAL_INLINE void free_motion_dual(int n, const struct lie_factor *piece, int tau, const real *X,
                                  const real *m, real *y, real *S) {
    real back[SMALL_MAX] = {0}, T[SMALL_SQUARE];
    if (tau == SE3_SHIFT && piece->space->maps.shift_dual) {
        piece->space->maps.shift_dual(y, S, X, m);
        return;
    }
    for (int i = 0; i < n; i++) back[i] = -X[i];
    piece->space->maps.dtau(tau, T, back);
    small_zero(n, y);
    small_add_dual(n, n, y, 1, T, m);
    if (!S) return;
    piece->space->maps.dtau_dual_derivative(tau, S, back, m);
    for (int e = 0; e < n * n; e++) S[e] = -S[e];
}

/* A factor in free motion over the time h. */
struct free_motion {
    const struct lie_factor *piece;
    int tau;
    real h;
    real M[SMALL_SQUARE];
    const real *m; /* its momentum */
};

/* r = M V - T_R(hV)^T m, J = M - h S with the derivative S of T_R(X)^T m by X. */
REAL_INLINE void free_motion_residual(const void *self, int n, const real *V, real *r, real *J) {
    const struct free_motion *motion = self;
    real X[SMALL_MAX], y[SMALL_MAX];
    for (int i = 0; i < n; i++) X[i] = motion->h * V[i];
    free_motion_dual(n, motion->piece, motion->tau, X, motion->m, y, J);
    for (int i = 0; i < n; i++) {
        r[i] = -y[i];
        for (int j = 0; j < n; j++) r[i] += motion->M[i * n + j] * V[j];
    }
    for (int e = 0; J && e < n * n; e++) J[e] = motion->M[e] - motion->h * J[e];
}

static const struct small_newton_equation free_motion_equation = {.residual = free_motion_residual};

/* Solves for V of every factor from the guess V. False in lanes without a solution. `mass` is
 * constant and does not couple factors. */
REAL_INLINE mask free_motion_all(const struct lie_product *lie_product, int tau, real h,
                                 const real *mass, const real *m, real *V) {
    mask is_good = mask_broadcast(true);
#pragma GCC unroll 4
    for (int b = 0; b < lie_product->nblocks; b++) {
        const struct lie_block *block = &lie_product->block[b];
        const struct lie_factor *piece = &lie_product->piece[block->row];
        const int n = piece->size;
        struct free_motion motion = {.piece = piece, .tau = tau, .h = h, .m = m + piece->tangent};
        real *velocity = V + piece->tangent;
        if (block->row != block->col) continue;
        lie_product_gather(lie_product, block, n * n, mass, motion.M);
        if (!piece->space)
            velocity[0] = motion.m[0] / motion.M[0];
        else if (n == 3)
            is_good &= small_newton_solve(3, &free_motion_equation, &motion, NULL, NULL, velocity);
        else
            is_good &= small_newton_solve(n, &free_motion_equation, &motion, NULL, NULL, velocity);
    }
    return is_good;
}

#endif
