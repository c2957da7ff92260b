/* The few unknowns of one group, solved for in local numbers: Newton's method for steps that go on
 * by the hundred without the engine.
 *
 * A pass is a correction d with a fresh matrix J and a second, e, with the same one. e is c |d|^2
 * and leaves 2 c^2 |d|^3, or 2 |e|^2/|d|; passes end where that is far below the last bit, as in
 * engine/newton.c. Where r is quadratic in the unknowns, what d leaves is known without another
 * residual: r(u - d) is the quadratic part at d. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_FAST_SMALL_NEWTON_H
#define METHODS_FAST_SMALL_NEWTON_H

#include "linalg/dense.h"
#include "linalg/small_matrix.h"
#include "mechanics/interval.h"
#include "spaces/vec3.h"

enum { SMALL_NEWTON_DEPTH = 5, SMALL_NEWTON_PASSES_MAX = 20 };
static const double small_newton_left = 1e-5 * NOE_EPSILON; /* of the unknowns */
static const double small_newton_quadratic_remainder =
    100; /* a bound of c while it has not shown */
static const double small_newton_noise =
    64 * NOE_EPSILON;                        /* corrections this small are round-off */
static const double small_newton_far = 1e-2; /* a guess this far off is given up */

/* An equation of n unknowns. */
struct small_newton_equation {
    /* r(u), and J = dr/du if it is not NULL. */
    void (*residual)(const void *self, int n, const real *u, real *r, real *J);
    /* r(u - d) where J d = r(u), of a quadratic r; else NULL. */
    void (*quadratic_remainder)(const void *self, int n, const real *d, real *r);
};

/* Unknowns from those of SMALL_NEWTON_DEPTH steps before, the last first. */
REAL_INLINE void small_newton_extrapolate(int n, const real *past, real *u) {
    for (int i = 0; i < n; i++)
        u[i] = (past[4 * n + i] - 10 * (past[n + i] - past[2 * n + i])) +
               5 * (past[i] - past[3 * n + i]);
}

REAL_INLINE void small_newton_record(int n, real *past, const real *u) {
    for (int i = 0; i < n; i++) {
        for (int j = SMALL_NEWTON_DEPTH - 1; j > 0; j--) past[j * n + i] = past[(j - 1) * n + i];
        past[i] = u[i];
    }
}

REAL_INLINE void small_newton_begin(int n, real *past, const real *u) {
    for (int i = 0; i < SMALL_NEWTON_DEPTH * n; i++) past[i] = u[i % n];
}

/* A matrix as it is solved with: three by three its adjugate and one over its determinant. */
struct small_newton_matrix {
    real a[SMALL_SQUARE], inverse;
    lane_index pivot[SMALL_MAX];
};

REAL_INLINE mask small_newton_factor(int n, struct small_newton_matrix *matrix, const real *J) {
    if (n == 3) {
        matrix->inverse = 1 / vec3_adjugate(matrix->a, J);
        return real_is_finite(matrix->inverse) & (matrix->inverse != 0);
    }
    for (int e = 0; e < n * n; e++) matrix->a[e] = J[e];
    return dense_factor(n, matrix->a, matrix->pivot);
}

REAL_INLINE void small_newton_apply(int n, const struct small_newton_matrix *matrix, const real *r,
                                    real *d) {
    if (n == 3) {
        vec3_apply(d, matrix->a, r);
        for (int i = 0; i < 3; i++) d[i] *= matrix->inverse;
        return;
    }
    for (int i = 0; i < n; i++) d[i] = r[i];
    dense_solve(n, d, matrix->a, matrix->pivot);
}

REAL_INLINE real small_newton_square(int n, const real *x) {
    real sum = {0};
    if (n == 3) return vec3_dot(x, x);
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

/* What is known of a pass. */
struct small_newton_iteration {
    real w[SMALL_MAX], e[SMALL_MAX]; /* u - d, and the second correction */
    real dd, ee, ww;                 /* squares of d, e, w */
    mask is_near;                    /* w is the root without e */
};

/* Would the next correction be far below the last bit whatever e says? */
REAL_INLINE mask small_newton_is_straight(const struct small_newton_iteration *pass) {
    return small_newton_quadratic_remainder * pass->dd <= small_newton_left * pass->ww;
}

/* The second correction, of a quadratic r, or where it is wanted. */
REAL_INLINE void small_newton_second(int n, const struct small_newton_equation *equation,
                                     const void *self, const struct small_newton_matrix *matrix,
                                     const real *d, struct small_newton_iteration *pass) {
    const scalar left = small_newton_left * small_newton_left;
    real r[SMALL_MAX];
    pass->is_near = small_newton_is_straight(pass);
    pass->ee = real_broadcast(0);
    for (int i = 0; i < n; i++) pass->e[i] = real_broadcast(0);
    if (equation->quadratic_remainder)
        equation->quadratic_remainder(self, n, d, r);
    else if (mask_all(pass->is_near))
        return;
    else
        equation->residual(self, n, pass->w, r, NULL);
    small_newton_apply(n, matrix, r, pass->e);
    pass->ee = small_newton_square(n, pass->e);
    pass->is_near |= pass->ee <= left * pass->ww;
}

/* Both corrections; false where J is singular. */
REAL_INLINE mask small_newton_iteration(int n, const struct small_newton_equation *equation,
                                        const void *self, const real *u,
                                        struct small_newton_iteration *pass) {
    struct small_newton_matrix matrix;
    real r[SMALL_MAX], d[SMALL_MAX], J[SMALL_SQUARE];
    equation->residual(self, n, u, r, J);
    const mask is_regular = small_newton_factor(n, &matrix, J);
    small_newton_apply(n, &matrix, r, d);
    for (int i = 0; i < n; i++) pass->w[i] = u[i] - d[i];
    pass->dd = small_newton_square(n, d);
    pass->ww = small_newton_square(n, pass->w);
    small_newton_second(n, equation, self, &matrix, d, pass);
    return is_regular;
}

/* Is the root found after both? Corrections of the size of round-off do not get smaller. */
REAL_INLINE mask small_newton_is_found(const struct small_newton_iteration *pass) {
    const scalar left = small_newton_left * small_newton_left,
                 noise = small_newton_noise * small_newton_noise;
    return pass->is_near | (4 * pass->ee * pass->ee <= left * pass->ww * pass->dd) |
           (pass->dd <= noise * pass->ww);
}

/* Further passes, in the lanes that need them; the first is done. A guess that was far off is given
 * up for `last`. */
REAL_INLINE mask small_newton_go_on(int n, const struct small_newton_equation *equation,
                                    const void *self, const real *last,
                                    struct small_newton_iteration *pass, mask is_good, real *u) {
    mask is_going = mask_broadcast(true);
    const mask is_far = pass->dd > small_newton_far * pass->ww;
    for (int count = 1;; count++) {
        for (int i = 0; i < n; i++) {
            const real w = real_select(pass->is_near, pass->w[i], pass->w[i] - pass->e[i]);
            u[i] = real_select(is_going, w, u[i]);
            if (count == 1) u[i] = real_select(is_far, last[i], u[i]);
        }
        const mask is_found = small_newton_is_found(pass);
        is_going &= (count == 1 ? is_far | mask_not(is_found) : mask_not(is_found)) & is_good;
        if (!mask_any(is_going) || count == SMALL_NEWTON_PASSES_MAX) break;
        const mask is_regular = small_newton_iteration(n, equation, self, u, pass);
        is_good &= mask_not(is_going) | (is_regular & (pass->dd - pass->dd == 0));
    }
    return is_good & mask_not(is_going);
}

/* The root near the guess u, else near `last`; where there is none, false. Where all lanes need but
 * one correction, which is the rule, nothing waits for more. */
REAL_INLINE mask small_newton_solve(int n, const struct small_newton_equation *equation,
                                    const void *self, const real *last, real *u) {
    struct small_newton_iteration pass;
    const mask is_regular = small_newton_iteration(n, equation, self, u, &pass);
    const mask is_good = is_regular & (pass.dd - pass.dd == 0);
    if (mask_all(pass.is_near & is_good)) {
        for (int i = 0; i < n; i++) u[i] = pass.w[i];
        return is_good;
    }
    return small_newton_go_on(n, equation, self, last, &pass, is_good, u);
}

/* Some steps by `run`, which takes none and changes nothing if one of several fails; then as many
 * as do not, by halves. */
REAL_INLINE noe_lane_status block_steps(struct noe_interval *interval, long count,
                                        noe_lane_status (*run)(struct noe_interval *, long)) {
    enum { BLOCK = 256 };
    if (count > BLOCK) count = BLOCK;
    interval->taken = 0;
    for (;; count /= 2) {
        const noe_lane_status outcome = run(interval, count);
        if (interval->taken) return outcome;
    }
}

#endif
