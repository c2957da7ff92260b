/* Polynomial extrapolation of unknowns from their values in earlier steps.
 *
 * With the values u_0, u_-1, ... of earlier steps, the last first, the polynomial of degree d gives
 *     u_1 = sum_{j<=d} (-1)^j (d+1 over j+1) u_-j,
 * and its error is the backward difference of order d+1. The history of n unknowns holds the n
 * values of the last step first. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_EXTRAPOLATION_H
#define MECHANICS_EXTRAPOLATION_H

#include "base/real.h"
#include "base/scratch.h"

/* Number of steps in a history of fixed degree 4, and in one of adaptive degree. */
enum { EXTRAPOLATION_DEPTH = 5, EXTRAPOLATION_DEPTH_MAX = 12, EXTRAPOLATION_CHOICE_EVERY = 128 };

/* Extrapolation of degree 4. */
REAL_INLINE void extrapolation_guess(int n, const real *past, real *u) {
    for (int i = 0; i < n; i++)
        u[i] = (past[4 * n + i] - 10 * (past[n + i] - past[2 * n + i])) +
               5 * (past[i] - past[3 * n + i]);
}

REAL_INLINE void extrapolation_record(int n, real *past, const real *u) {
    for (int i = 0; i < n; i++) {
        for (int j = EXTRAPOLATION_DEPTH - 1; j > 0; j--) past[j * n + i] = past[(j - 1) * n + i];
        past[i] = u[i];
    }
}

/* A history of equal values. */
REAL_INLINE void extrapolation_begin(int n, real *past, const real *u) {
    for (int i = 0; i < EXTRAPOLATION_DEPTH * n; i++) past[i] = u[i % n];
}

/* A history of EXTRAPOLATION_DEPTH_MAX steps whose degree adapts, lane by lane. */
struct extrapolation {
    real *past;
    real *weight; /* weights of the values in the next guess, one less than the values */
    real *wait;   /* steps until the degree is chosen again */
};

SCRATCH_INLINE struct extrapolation extrapolation_layout(struct scratch *scratch, int n) {
    struct extrapolation history = {
        .past = scratch_reals(scratch, EXTRAPOLATION_DEPTH_MAX * (size_t)n)};
    history.weight = scratch_reals(scratch, EXTRAPOLATION_DEPTH_MAX - 1);
    history.wait = scratch_reals(scratch, 1);
    return history;
}

REAL_INLINE void extrapolation_adaptive_guess(int n, const struct extrapolation *x, real *u) {
    for (int i = 0; i < n; i++) {
        real sum = {0};
        REAL_UNROLL for (int j = EXTRAPOLATION_DEPTH_MAX - 2; j >= 0; j--) sum +=
            x->weight[j] * x->past[j * n + i];
        u[i] = sum;
    }
}

REAL_INLINE void extrapolation_set_degree(const struct extrapolation *x, real degree, mask where) {
    real weight = degree + 1;
    for (int j = 0; j < EXTRAPOLATION_DEPTH_MAX - 1; j++) {
        x->weight[j] = real_select(where, weight, x->weight[j]);
        weight = weight * (j - degree) / (j + 2);
    }
}

/* Chooses the degree with the smallest error for the last value, and the lower of two that are
 * nearly equal. */
REAL_INLINE void extrapolation_choose(int n, const struct extrapolation *x, real *difference,
                                      mask where) {
    real min = {0}, best = {0};
    for (int i = 0; i < EXTRAPOLATION_DEPTH_MAX * n; i++) difference[i] = x->past[i];
    REAL_UNROLL for (int d = 0; d < EXTRAPOLATION_DEPTH_MAX - 1; d++) {
        REAL_UNROLL for (int i = 0; i < (EXTRAPOLATION_DEPTH_MAX - 1 - d) * n; i++) difference[i] -=
            difference[i + n];
        const real error = real_norm((size_t)n, difference);
        const mask is_better = mask_broadcast(d == 0) | (error < 0.5 * min);
        min = real_select(is_better, error, min);
        best = real_select(is_better, real_broadcast(d), best);
    }
    extrapolation_set_degree(x, best, where);
    *x->wait = real_select(where, real_broadcast(EXTRAPOLATION_CHOICE_EVERY), *x->wait);
}

/* Records a value and writes the next guess to u. Only one term of the guess depends on the new
 * value, which keeps the chain of dependent operations short. */
REAL_INLINE void extrapolation_advance(int n, const struct extrapolation *x, const real *value,
                                       mask where, real *u) {
    for (int i = 0; i < n; i++) {
        real *past = x->past + i, sum = {0};
        REAL_UNROLL for (int j = EXTRAPOLATION_DEPTH_MAX - 1; j > 0; j--) {
            if (j < EXTRAPOLATION_DEPTH_MAX - 1) sum += x->weight[j] * past[(j - 1) * n];
            past[j * n] = real_select(where, past[(j - 1) * n], past[j * n]);
        }
        u[i] = real_select(where, sum + x->weight[0] * value[i], u[i]);
        past[0] = real_select(where, value[i], past[0]);
    }
}

/* A history of equal values, of degree 1. The m values of `value` repeat. */
static inline void extrapolation_restart(int n, const struct extrapolation *x, int m,
                                         const real *value, mask where) {
    for (int i = 0; i < EXTRAPOLATION_DEPTH_MAX * n; i++)
        x->past[i] = real_select(where, value[i % m], x->past[i]);
    extrapolation_set_degree(x, real_broadcast(1), where);
    *x->wait = real_select(where, real_broadcast(EXTRAPOLATION_DEPTH_MAX + 1), *x->wait);
}

#endif
