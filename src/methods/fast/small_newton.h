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
#include "linalg/small_matrix.h"
#include "mechanics/interval.h"
#include "spaces/vec3.h"

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

/* What is known of a pass. */
struct few_pass {
    real w[SMALL_MAX], e[SMALL_MAX]; /* u - d, and the second correction */
    real dd, ee, ww;                 /* squares of d, e, w */
    truth is_near;                   /* w is the root without e */
};

/* Would the next correction be far below the last bit whatever e says? */
STEP_INLINE truth few_is_straight(const struct few_pass *pass) {
    return few_bend * pass->dd <= few_left * pass->ww;
}

/* The second correction, of a quadratic r, or where it is wanted. */
STEP_INLINE void few_second(int n, const struct few_equation *equation, const void *self,
                            const struct few_matrix *matrix, const real *d, struct few_pass *pass) {
    const scalar left = few_left * few_left;
    real r[SMALL_MAX];
    pass->is_near = few_is_straight(pass);
    pass->ee = real_of(0);
    for (int i = 0; i < n; i++) pass->e[i] = real_of(0);
    if (equation->bend)
        equation->bend(self, n, d, r);
    else if (truth_all(pass->is_near))
        return;
    else
        equation->residual(self, n, pass->w, r, NULL);
    few_apply(n, matrix, r, pass->e);
    pass->ee = few_square(n, pass->e);
    pass->is_near |= pass->ee <= left * pass->ww;
}

/* Both corrections; false where J is singular. */
STEP_INLINE truth few_pass(int n, const struct few_equation *equation, const void *self,
                           const real *u, struct few_pass *pass) {
    struct few_matrix matrix;
    real r[SMALL_MAX], d[SMALL_MAX], J[SMALL_SQUARE];
    equation->residual(self, n, u, r, J);
    const truth is_regular = few_factor(n, &matrix, J);
    few_apply(n, &matrix, r, d);
    for (int i = 0; i < n; i++) pass->w[i] = u[i] - d[i];
    pass->dd = few_square(n, d);
    pass->ww = few_square(n, pass->w);
    few_second(n, equation, self, &matrix, d, pass);
    return is_regular;
}

/* Is the root found after both? Corrections of the size of round-off do not get smaller. */
STEP_INLINE truth few_is_found(const struct few_pass *pass) {
    const scalar left = few_left * few_left, noise = few_noise * few_noise;
    return pass->is_near | (4 * pass->ee * pass->ee <= left * pass->ww * pass->dd) |
           (pass->dd <= noise * pass->ww);
}

/* Further passes, in the lanes that need them; the first is done. A guess that was far off is given
 * up for `last`. */
STEP_INLINE truth few_go_on(int n, const struct few_equation *equation, const void *self,
                            const real *last, struct few_pass *pass, truth is_good, real *u) {
    truth is_going = truth_of(true);
    const truth is_far = pass->dd > few_far * pass->ww;
    for (int count = 1;; count++) {
        for (int i = 0; i < n; i++) {
            const real w = real_select(pass->is_near, pass->w[i], pass->w[i] - pass->e[i]);
            u[i] = real_select(is_going, w, u[i]);
            if (count == 1) u[i] = real_select(is_far, last[i], u[i]);
        }
        const truth is_found = few_is_found(pass);
        is_going &= (count == 1 ? is_far | truth_not(is_found) : truth_not(is_found)) & is_good;
        if (!truth_any(is_going) || count == FEW_PASSES_MAX) break;
        const truth is_regular = few_pass(n, equation, self, u, pass);
        is_good &= truth_not(is_going) | (is_regular & (pass->dd - pass->dd == 0));
    }
    return is_good & truth_not(is_going);
}

/* The root near the guess u, else near `last`; where there is none, false. Where all lanes need but
 * one correction, which is the rule, nothing waits for more. */
STEP_INLINE truth few_solve(int n, const struct few_equation *equation, const void *self,
                            const real *last, real *u) {
    struct few_pass pass;
    const truth is_regular = few_pass(n, equation, self, u, &pass);
    const truth is_good = is_regular & (pass.dd - pass.dd == 0);
    if (truth_all(pass.is_near & is_good)) {
        for (int i = 0; i < n; i++) u[i] = pass.w[i];
        return is_good;
    }
    return few_go_on(n, equation, self, last, &pass, is_good, u);
}

/* Some steps by `run`, which takes none and changes nothing if one of several fails; then as many
 * as do not, by halves. */
STEP_INLINE noe_outcome few_steps(struct noe_interval *interval, long count,
                                  noe_outcome (*run)(struct noe_interval *, long)) {
    enum { BLOCK = 256 };
    if (count > BLOCK) count = BLOCK;
    interval->taken = 0;
    for (;; count /= 2) {
        const noe_outcome outcome = run(interval, count);
        if (interval->taken) return outcome;
    }
}

#endif
