/* Motion without forces of the pieces of a product, each by itself: M V = T_R(hV)^T m.
 *
 * On R^n V = m/M, on a group a few unknowns. Newton's method ends where the next correction would
 * be far below the last bit, as in engine/newton.c. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_DRIFT_H
#define METHODS_DRIFT_H

#include "linalg/dense.h"
#include "mechanics/lie_product.h"
#include "spaces/se3_retraction.h"

/* T_R(X)^T m of a group with n directions, and its derivative in X. */
STEP_INLINE void drift_dual(int n, const struct chart_piece *piece, int tau, const real *X,
                            const real *m, real *y, real *S) {
    real back[SMALL_MAX], T[SMALL_SQUARE];
    if (tau == ROTATION_SHIFT && n == POSE_TANGENT) {
        pose_shift_dual(y, X, m);
        if (S) pose_shift_dual_slope(S, X, m);
        return;
    }
    for (int i = 0; i < n; i++) back[i] = -X[i];
    piece->space->dtau(tau, T, back);
    small_zero(n, y);
    small_add_dual(n, n, y, 1, T, m);
    if (!S) return;
    piece->space->dtau_dual_slope(tau, S, back, m);
    for (int e = 0; e < n * n; e++) S[e] = -S[e];
}

enum { DRIFT_CORRECTIONS_MAX = 30 };
static const double drift_bend = 100, drift_left = 1e-5 * NOE_EPSILON;
static const double drift_noise = 64 * NOE_EPSILON;

/* A piece that drifts: its mass, momentum and velocity. */
struct drift {
    const struct chart_piece *piece;
    int tau;
    real h;
    real M[SMALL_SQUARE];
    const real *m;
    real *V;
};

/* d = (M - h S)^-1 (M V - y) with y = T_R(hV)^T m and S its derivative in hV. */
STEP_INLINE truth drift_correction(int n, const struct drift *drift, real *d) {
    real X[SMALL_MAX], y[SMALL_MAX], S[SMALL_SQUARE];
    lane_int pivot[SMALL_MAX];
    for (int i = 0; i < n; i++) X[i] = drift->h * drift->V[i];
    drift_dual(n, drift->piece, drift->tau, X, drift->m, y, S);
    for (int i = 0; i < n; i++) {
        d[i] = -y[i];
        for (int j = 0; j < n; j++) d[i] += drift->M[i * n + j] * drift->V[j];
    }
    for (int e = 0; e < n * n; e++) S[e] = drift->M[e] - drift->h * S[e];
    const truth is_regular = dense_factor(n, S, pivot);
    dense_solve(n, d, S, pivot);
    return is_regular;
}

/* V of a group, in the lanes where there is one. */
STEP_INLINE truth drift_solve(int n, const struct drift *drift) {
    real last = real_of(HUGE_VAL);
    truth is_going = truth_of(true), is_good = is_going;
    for (int k = 0; k < DRIFT_CORRECTIONS_MAX && truth_any(is_going); k++) {
        real d[SMALL_MAX], dd = {0}, vv = {0};
        const truth is_regular = drift_correction(n, drift, d);
        is_good &= truth_not(is_going) | is_regular;
        for (int i = 0; i < n; i++) {
            drift->V[i] = real_select(is_going, drift->V[i] - d[i], drift->V[i]);
            dd += d[i] * d[i];
            vv += drift->V[i] * drift->V[i];
        }
        const truth is_near = drift_bend * dd <= drift_left * vv;
        const truth stagnates = (16 * dd > last) & (dd <= drift_noise * drift_noise * vv);
        is_going &= truth_not(is_near | stagnates) & is_good;
        last = dd;
    }
    return is_good & truth_not(is_going);
}

/* V of every piece from the guess V; where one has none, false. `mass` is constant and couples no
 * two pieces. */
STEP_INLINE truth drift_all(const struct chart *chart, int tau, real h, const real *mass,
                            const real *m, real *V) {
    truth is_good = truth_of(true);
#pragma GCC unroll 4
    for (int b = 0; b < chart->nblocks; b++) {
        const struct chart_block *block = &chart->block[b];
        const struct chart_piece *piece = &chart->piece[block->row];
        struct drift drift = {.piece = piece, .tau = tau, .h = h};
        if (block->row != block->col) continue;
        drift.m = m + piece->tangent;
        drift.V = V + piece->tangent;
        chart_gather(chart, block, piece->size * piece->size, mass, drift.M);
        if (!piece->space)
            drift.V[0] = drift.m[0] / drift.M[0];
        else
            is_good &= piece->size == 3 ? drift_solve(3, &drift) : drift_solve(6, &drift);
    }
    return is_good;
}

#endif
