/* Free motion (drift) of the factors of a product: M V = T_R(hV)^T m for each factor.
 *
 * On R^n V = m/M. On a group a small Newton iteration solves for V. It ends if the next correction
 * would be far below the last bit, as in engine/newton.c. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_FREE_MOTION_H
#define METHODS_HAMILTON_PONTRYAGIN_FREE_MOTION_H

#include "linalg/dense.h"
#include "mechanics/lie_product.h"
#include "spaces/se3_retraction.h"

/* T_R(X)^T m of a group of dimension n, and its derivative by X. */
REAL_INLINE void free_motion_dual(int n, const struct lie_factor *piece, int tau, const real *X,
                                  const real *m, real *y, real *S) {
    real back[SMALL_MAX], T[SMALL_SQUARE];
    if (tau == SE3_SHIFT && piece->space->shift_dual) {
        piece->space->shift_dual(y, S, X, m);
        return;
    }
    for (int i = 0; i < n; i++) back[i] = -X[i];
    piece->space->dtau(tau, T, back);
    small_zero(n, y);
    small_add_dual(n, n, y, 1, T, m);
    if (!S) return;
    piece->space->dtau_dual_derivative(tau, S, back, m);
    for (int e = 0; e < n * n; e++) S[e] = -S[e];
}

enum { FREE_MOTION_CORRECTIONS_MAX = 30 };
static const double free_motion_bend = 100, free_motion_left = 1e-5 * NOE_EPSILON;
static const double free_motion_noise = 64 * NOE_EPSILON;

/* A factor in free motion: its mass, momentum and velocity. */
struct free_motion {
    const struct lie_factor *piece;
    int tau;
    real h;
    real M[SMALL_SQUARE];
    const real *m;
    real *V;
};

/* Newton correction d = (M - h S)^-1 (M V - y) with y = T_R(hV)^T m and S its derivative by hV. */
REAL_INLINE mask free_motion_correction(int n, const struct free_motion *drift, real *d) {
    real X[SMALL_MAX], y[SMALL_MAX], S[SMALL_SQUARE];
    lane_index pivot[SMALL_MAX];
    for (int i = 0; i < n; i++) X[i] = drift->h * drift->V[i];
    free_motion_dual(n, drift->piece, drift->tau, X, drift->m, y, S);
    for (int i = 0; i < n; i++) {
        d[i] = -y[i];
        for (int j = 0; j < n; j++) d[i] += drift->M[i * n + j] * drift->V[j];
    }
    for (int e = 0; e < n * n; e++) S[e] = drift->M[e] - drift->h * S[e];
    const mask is_regular = dense_factor(n, S, pivot);
    dense_solve(n, d, S, pivot);
    return is_regular;
}

/* Solves for V of a group. Returns the lanes that have a solution. */
REAL_INLINE mask free_motion_solve(int n, const struct free_motion *drift) {
    real last = real_broadcast(HUGE_VAL);
    mask is_going = mask_broadcast(true), is_good = is_going;
    for (int k = 0; k < FREE_MOTION_CORRECTIONS_MAX && mask_any(is_going); k++) {
        real d[SMALL_MAX], dd = {0}, vv = {0};
        const mask is_regular = free_motion_correction(n, drift, d);
        is_good &= mask_not(is_going) | is_regular;
        for (int i = 0; i < n; i++) {
            drift->V[i] = real_select(is_going, drift->V[i] - d[i], drift->V[i]);
            dd += d[i] * d[i];
            vv += drift->V[i] * drift->V[i];
        }
        const mask is_near = free_motion_bend * dd <= free_motion_left * vv;
        const mask stagnates =
            (16 * dd > last) & (dd <= free_motion_noise * free_motion_noise * vv);
        is_going &= mask_not(is_near | stagnates) & is_good;
        last = dd;
    }
    return is_good & mask_not(is_going);
}

/* Solves for V of every factor from the guess V. False in lanes without a solution. `mass` is
 * constant and does not couple factors. */
REAL_INLINE mask free_motion_all(const struct lie_product *lie_product, int tau, real h,
                                 const real *mass, const real *m, real *V) {
    mask is_good = mask_broadcast(true);
#pragma GCC unroll 4
    for (int b = 0; b < lie_product->nblocks; b++) {
        const struct lie_block *block = &lie_product->block[b];
        const struct lie_factor *piece = &lie_product->piece[block->row];
        struct free_motion drift = {.piece = piece, .tau = tau, .h = h};
        if (block->row != block->col) continue;
        drift.m = m + piece->tangent;
        drift.V = V + piece->tangent;
        lie_product_gather(lie_product, block, piece->size * piece->size, mass, drift.M);
        if (!piece->space)
            drift.V[0] = drift.m[0] / drift.M[0];
        else
            is_good &=
                piece->size == 3 ? free_motion_solve(3, &drift) : free_motion_solve(6, &drift);
    }
    return is_good;
}

#endif
