/* The few unknowns of one group, solved for in local numbers: Newton's method for steps that go on
 * by the hundred without the engine.
 *
 * A pass is a correction d with a fresh matrix J and a second, e, with the same one. e is c |d|^2
 * and leaves 2 c^2 |d|^3, or 2 |e|^2/|d|; passes end where that is far below the last bit, as in
 * engine/newton.c. Where r is quadratic in the unknowns, what d leaves is known without another
 * residual: r(u - d) is the quadratic part at d. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_FEW_H
#define METHODS_FEW_H

#include "linalg/dense.h"
#include "linalg/small.h"
#include "methods/interval.h"
#include "spaces/three.h"

enum { FEW_DEPTH = 5, FEW_PASSES_MAX = 20 };
static const double few_left = 1e-5 * NOE_EPSILON; /* of the unknowns */
static const double few_bend = 100;                /* a bound of c while it has not shown */
static const double few_noise = 64 * NOE_EPSILON;  /* corrections this small are round-off */
static const double few_far = 1e-2;                /* a guess this far off is given up */

/* An equation of n unknowns. */
struct few_equation {
    /* r(u), and J = dr/du if it is not NULL. */
    void (*residual)(const void *self, int n, const real *u, real *r, real *J);
    /* r(u - d) where J d = r(u), of a quadratic r; else NULL. */
    void (*bend)(const void *self, int n, const real *d, real *r);
};

/* Unknowns from those of FEW_DEPTH steps before, the last first. */
STEP_INLINE void few_guess(int n, const real *past, real *u) {
    for (int i = 0; i < n; i++)
        u[i] = (past[4 * n + i] - 10 * (past[n + i] - past[2 * n + i])) +
               5 * (past[i] - past[3 * n + i]);
}

STEP_INLINE void few_learn(int n, real *past, const real *u) {
    for (int i = 0; i < n; i++) {
        for (int j = FEW_DEPTH - 1; j > 0; j--) past[j * n + i] = past[(j - 1) * n + i];
        past[i] = u[i];
    }
}

STEP_INLINE void few_begin(int n, real *past, const real *u) {
    for (int i = 0; i < FEW_DEPTH * n; i++) past[i] = u[i % n];
}

/* A matrix as it is solved with: three by three its adjugate and one over its determinant. */
struct few_matrix {
    real a[SMALL_SQUARE], inverse;
    lane_int pivot[SMALL_MAX];
};

STEP_INLINE truth few_factor(int n, struct few_matrix *matrix, const real *J) {
    if (n == 3) {
        matrix->inverse = 1 / three_adjugate(matrix->a, J);
        return real_is_finite(matrix->inverse) & (matrix->inverse != 0);
    }
    for (int e = 0; e < n * n; e++) matrix->a[e] = J[e];
    return dense_factor(n, matrix->a, matrix->pivot);
}

STEP_INLINE void few_apply(int n, const struct few_matrix *matrix, const real *r, real *d) {
    if (n == 3) {
        three_apply(d, matrix->a, r);
        for (int i = 0; i < 3; i++) d[i] *= matrix->inverse;
        return;
    }
    for (int i = 0; i < n; i++) d[i] = r[i];
    dense_solve(n, d, matrix->a, matrix->pivot);
}

STEP_INLINE real few_square(int n, const real *x) {
    real sum = {0};
    if (n == 3) return three_dot(x, x);
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

/* One pass: w is u after both corrections; their squares; where it is regular. */
STEP_INLINE truth few_pass(int n, const struct few_equation *equation, const void *self,
                           const real *u, real *w, real *dd, real *ee) {
    struct few_matrix matrix;
    real r[SMALL_MAX], d[SMALL_MAX], e[SMALL_MAX], J[SMALL_SQUARE];
    equation->residual(self, n, u, r, J);
    const truth is_regular = few_factor(n, &matrix, J);
    few_apply(n, &matrix, r, d);
    for (int i = 0; i < n; i++) w[i] = u[i] - d[i];
    if (equation->bend)
        equation->bend(self, n, d, r);
    else
        equation->residual(self, n, w, r, NULL);
    few_apply(n, &matrix, r, e);
    for (int i = 0; i < n; i++) w[i] -= e[i];
    *dd = few_square(n, d);
    *ee = few_square(n, e);
    return is_regular;
}

/* The root near the guess u, else near `last`; where there is none, false. */
STEP_INLINE truth few_solve(int n, const struct few_equation *equation, const void *self,
                            const real *last, real *u) {
    const scalar left = few_left * few_left, noise = few_noise * few_noise;
    truth is_going = truth_of(true), is_good = is_going;
    for (int pass = 0; pass < FEW_PASSES_MAX; pass++) {
        real w[SMALL_MAX], dd, ee;
        const truth is_regular = few_pass(n, equation, self, u, w, &dd, &ee);
        const real ww = few_square(n, w);
        is_good &= truth_not(is_going) | (is_regular & (dd - dd == 0));
        const truth is_near =
            (4 * ee * ee <= left * ww * dd) | (few_bend * dd <= few_left * ww) | (dd <= noise * ww);
        const truth is_first = truth_of(pass == 0),
                    is_far = is_first & is_going & (dd > few_far * ww);
        for (int i = 0; i < n; i++) u[i] = real_select(is_going, w[i], u[i]);
        if (truth_any(is_far))
            for (int i = 0; i < n; i++) u[i] = real_select(is_far, last[i], u[i]);
        is_going &= truth_not(is_near) & is_good;
        if (!truth_any(is_going)) break;
    }
    return is_good & truth_not(is_going);
}

#endif
