/* Newton's method for systems of at most SMALL_MAX unknowns, on the stack. Kernels that take many
 * steps per call use it.
 *
 * An iteration computes the correction d = J^-1 r, which leaves the error c |d|^2 with the
 * curvature c of the residual. The iteration stops if that is far below the last bit, as in
 * engine/newton.c. There are two ways to know c:
 *
 * - A second correction e with the same J. Then |e| = c |d|^2, and 2 c^2 |d|^3, or 2 |e|^2/|d|,
 *   remains. If r is quadratic in the unknowns, it costs no residual, because r(u - d) is the
 *   quadratic part at d.
 * - A memory of earlier steps (struct small_newton_memory), which observes c = |d_2|/|d_1|^2 in the
 *   steps that needed two corrections. Most steps then need one. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_SMALL_NEWTON_H
#define MECHANICS_SMALL_NEWTON_H

#include "linalg/dense.h"
#include "linalg/small_matrix.h"
#include "mechanics/extrapolation.h"
#include "mechanics/interval.h"
#include "spaces/vec3.h"

enum { SMALL_NEWTON_ITERATIONS_MAX = 20 };
/* Tolerances, relative to the unknowns. */
static const double small_newton_left = 1e-5 * NOE_EPSILON; /* allowed error of a root */
static const double small_newton_curvature = 100;           /* bound of c until it is observed */
static const double small_newton_noise =
    64 * NOE_EPSILON; /* corrections this small are round-off */
static const double small_newton_far =
    1e-2; /* squared size of a correction after a useless guess */
/* Tolerances of an equation with memory. */
static const double small_newton_safety = 8;   /* factor of the observed c */
static const double small_newton_trust = 0.98; /* fading of the observed c^-2 per step */
static const double small_newton_shows = 64 * NOE_EPSILON; /* smallest squared d_1 that shows c */
static const double small_newton_stagnates =
    1e-6; /* corrections below it that do not shrink are round-off */
static const double small_newton_stray =
    1e-3; /* larger corrections must shrink, or they lead to another root */
static const double small_newton_floor =
    1e-6; /* smallest size of an unknown, relative to the largest one */
static const double small_newton_least = 1e-280; /* smaller numbers lose digits */

/* An equation of n unknowns. */
struct small_newton_equation {
    /* r(u), and J = dr/du if it is not NULL. */
    void (*residual)(const void *self, int n, const real *u, real *r, real *J);
    /* r(u - d) where J d = r(u), for a quadratic r; otherwise NULL. */
    void (*quadratic_remainder)(const void *self, int n, const real *d, real *r);
    /* Not NULL: called in the lanes that move from u, the argument of the last residual, to u - d.
     */
    void (*accept)(const void *self, int n, const real *d, mask where);
};

/* Data of earlier steps about an equation that is solved once per step. */
struct small_newton_memory {
    real *scale;                     /* sizes of the unknowns; they fade by half per step */
    real *enough;                    /* threshold on |d|^4: below it c |d|^2 is negligible */
    real weight[SMALL_MAX];          /* one over the size of an unknown */
    mask is_active;                  /* lanes that are solved */
    mask is_far;                     /* the guess of the last solution was useless */
    real dd;                         /* squared size of the last correction */
    long iterations, iterations_max; /* number of all iterations, and the maximum of one solution */
};

/* Adjugate and inverse determinant of a matrix of at most 3 unknowns, else its LU factors. */
struct small_newton_matrix {
    real a[SMALL_SQUARE], inverse;
    lane_index pivot[SMALL_MAX];
};

/* The adjugate of J; returns the determinant. */
REAL_INLINE real small_newton_adjugate(int n, real *a, const real *J) {
    if (n == 3) return vec3_adjugate(a, J);
    if (n == 1) {
        a[0] = real_broadcast(1);
        return J[0];
    }
    a[0] = J[3];
    a[1] = -J[1];
    a[2] = -J[2];
    a[3] = J[0];
    return J[0] * J[3] - J[1] * J[2];
}

/* False in lanes where J is singular. */
REAL_INLINE mask small_newton_factor(int n, struct small_newton_matrix *matrix, const real *J) {
    if (n <= 3) {
        matrix->inverse = 1 / small_newton_adjugate(n, matrix->a, J);
        return real_is_finite(matrix->inverse) & (matrix->inverse != 0);
    }
    for (int e = 0; e < n * n; e++) matrix->a[e] = J[e];
    return dense_factor(n, matrix->a, matrix->pivot);
}

/* d = J^-1 r. */
REAL_INLINE void small_newton_apply(int n, const struct small_newton_matrix *matrix, const real *r,
                                    real *d) {
    const real *a = matrix->a;
    if (n > 3) {
        for (int i = 0; i < n; i++) d[i] = r[i];
        dense_solve(n, d, a, matrix->pivot);
        return;
    }
    if (n == 3) vec3_apply(d, a, r);
    if (n == 2) {
        d[0] = a[0] * r[0] + a[1] * r[1];
        d[1] = a[2] * r[0] + a[3] * r[1];
    }
    for (int i = 0; i < n; i++) d[i] = (n == 1 ? r[i] : d[i]) * matrix->inverse;
}

REAL_INLINE real small_newton_square(int n, const real *x) {
    real sum = {0};
    if (n == 3) return vec3_dot(x, x);
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

/* Weights by the unknowns u and their earlier sizes. */
REAL_INLINE void small_newton_weigh(int n, struct small_newton_memory *memory, const real *u,
                                    mask where) {
    real norm = real_broadcast(small_newton_least / small_newton_floor);
    for (int i = 0; i < n; i++) norm = real_maximum(noe_abs(u[i]), norm);
    for (int i = 0; i < n; i++) {
        const real size = real_maximum(noe_abs(u[i]), memory->scale[i]);
        const real weight = 1 / real_maximum(size, small_newton_floor * norm);
        memory->weight[i] = real_select(where, weight, memory->weight[i]);
    }
}

REAL_INLINE real small_newton_weighted_square(int n, const struct small_newton_memory *memory,
                                              const real *x) {
    real sum = {0};
    for (int i = 0; i < n; i++) sum += (x[i] * memory->weight[i]) * (x[i] * memory->weight[i]);
    return sum;
}

/* The threshold on |d|^4 before c is observed. */
REAL_INLINE real small_newton_default(void) {
    const scalar left = small_newton_left / small_newton_curvature;
    return real_broadcast(left * left);
}

/* Discards the memory of earlier steps in some lanes. */
REAL_INLINE void small_newton_forget(int n, struct small_newton_memory *memory, mask where) {
    for (int i = 0; i < n; i++)
        memory->scale[i] = real_select(where, real_broadcast(0), memory->scale[i]);
    *memory->enough = real_select(where, small_newton_default(), *memory->enough);
}

/* Records the root of a step. */
REAL_INLINE void small_newton_record(int n, struct small_newton_memory *memory, const real *root) {
    for (int i = 0; i < n; i++)
        memory->scale[i] = real_maximum(noe_abs(root[i]), 0.5 * memory->scale[i]);
    small_newton_weigh(n, memory, root, mask_broadcast(true));
    *memory->enough = real_maximum(small_newton_trust * *memory->enough, small_newton_default());
}

/* Result of an iteration. */
struct small_newton_iteration {
    real r[SMALL_MAX], d[SMALL_MAX]; /* residual and correction */
    real w[SMALL_MAX], e[SMALL_MAX]; /* u - d, and the second correction */
    real dd, ee, ww;                 /* squares of d, e, w; with memory relative to the unknowns */
    mask is_near;                    /* w is the root without e */
};

/* The second correction, if r is quadratic or a lane needs it. */
REAL_INLINE void small_newton_second(int n, const struct small_newton_equation *equation,
                                     const void *self, const struct small_newton_matrix *matrix,
                                     struct small_newton_iteration *at) {
    const scalar left = small_newton_left * small_newton_left;
    real r[SMALL_MAX];
    at->is_near = small_newton_curvature * at->dd <= small_newton_left * at->ww;
    at->ee = real_broadcast(0);
    for (int i = 0; i < n; i++) at->e[i] = real_broadcast(0);
    if (equation->quadratic_remainder)
        equation->quadratic_remainder(self, n, at->d, r);
    else if (mask_all(at->is_near))
        return;
    else
        equation->residual(self, n, at->w, r, NULL);
    small_newton_apply(n, matrix, r, at->e);
    at->ee = small_newton_square(n, at->e);
    at->is_near |= at->ee <= left * at->ww;
}

/* The size of the correction relative to the unknowns. */
REAL_INLINE void small_newton_measure(int n, struct small_newton_memory *memory,
                                      struct small_newton_iteration *at) {
    at->dd = small_newton_weighted_square(n, memory, at->d);
    at->ww = real_broadcast(1);
    const mask is_far = mask_not(at->dd < small_newton_far);
    if (mask_any(is_far)) {
        small_newton_weigh(n, memory, at->w, is_far);
        at->dd = small_newton_weighted_square(n, memory, at->d);
    }
    at->is_near = (at->dd * at->dd <= *memory->enough) | mask_not(memory->is_active);
    memory->iterations++;
}

/* One iteration from u. False in lanes where J is singular or the correction is not finite. */
REAL_INLINE mask small_newton_iterate(int n, const struct small_newton_equation *equation,
                                      const void *self, struct small_newton_memory *memory,
                                      const real *u, struct small_newton_iteration *at) {
    struct small_newton_matrix matrix;
    real J[SMALL_SQUARE];
    equation->residual(self, n, u, at->r, J);
    const mask is_regular = small_newton_factor(n, &matrix, J);
    small_newton_apply(n, &matrix, at->r, at->d);
    for (int i = 0; i < n; i++) at->w[i] = u[i] - at->d[i];
    if (memory) {
        small_newton_measure(n, memory, at);
    } else {
        at->dd = small_newton_square(n, at->d);
        at->ww = small_newton_square(n, at->w);
        small_newton_second(n, equation, self, &matrix, at);
    }
    const mask is_sound = is_regular & (at->dd - at->dd == 0);
    return memory ? is_sound | mask_not(memory->is_active) : is_sound;
}

/* Observes c in the correction after one of the size `before`, if that was large enough. */
REAL_INLINE void small_newton_observe(const struct small_newton_memory *memory, real before,
                                      real dd, mask where) {
    const scalar left =
        small_newton_left / small_newton_safety * (small_newton_left / small_newton_safety);
    const mask shows = where & (before > small_newton_shows) & (before < small_newton_far);
    if (!mask_any(shows)) return;
    const real seen = left * (before * before) / dd, max = 4 * *memory->enough;
    *memory->enough = real_select(shows, real_select(seen < max, seen, max), *memory->enough);
}

/* True if the root is found. Corrections at round-off level do not shrink. */
REAL_INLINE mask small_newton_is_found(const struct small_newton_memory *memory, real before,
                                       const struct small_newton_iteration *at) {
    const scalar left = small_newton_left * small_newton_left,
                 noise = small_newton_noise * small_newton_noise,
                 small = small_newton_stagnates * small_newton_stagnates;
    if (memory) return at->is_near | ((at->dd <= small) & (16 * at->dd > before));
    return at->is_near | (4 * at->ee * at->ee <= left * at->ww * at->dd) |
           (at->dd <= noise * at->ww);
}

/* True if a correction leads away from the root nearest to the guess, as in engine/newton.c. */
REAL_INLINE mask small_newton_strays(real before, real dd) {
    const real square = real_select(before > 0.25, real_broadcast(1e-6), real_broadcast(0.25));
    return (dd > small_newton_stray * small_newton_stray) & mask_not(dd <= square * before);
}

REAL_INLINE void small_newton_accept(int n, const struct small_newton_equation *equation,
                                     const void *self, struct small_newton_memory *memory,
                                     const struct small_newton_iteration *at, mask where) {
    if (memory) memory->dd = real_select(where, at->dd, memory->dd);
    if (equation->accept) equation->accept(self, n, at->d, where);
}

/* Moves u to the result of an iteration in some lanes. */
REAL_INLINE void small_newton_move(int n, const struct small_newton_equation *equation,
                                   const void *self, struct small_newton_memory *memory,
                                   const struct small_newton_iteration *at, mask where, real *u) {
    for (int i = 0; i < n; i++) {
        const real w = memory ? at->w[i] : real_select(at->is_near, at->w[i], at->w[i] - at->e[i]);
        u[i] = real_select(where, w, u[i]);
    }
    small_newton_accept(n, equation, self, memory, at, where);
}

/* Further iterations in the lanes that need them, after the first. A guess far from the root is
 * replaced by `last`. */
REAL_INLINE mask small_newton_continue(int n, const struct small_newton_equation *equation,
                                       const void *self, struct small_newton_memory *memory,
                                       const real *last, struct small_newton_iteration *at,
                                       mask is_good, real *u) {
    const mask is_far = last ? at->dd > small_newton_far * at->ww : mask_broadcast(false);
    mask is_going = mask_broadcast(true),
         is_found = small_newton_is_found(memory, real_broadcast(HUGE_VAL), at) & mask_not(is_far);
    real before = real_select(is_far, real_broadcast(HUGE_VAL), at->dd);
    if (memory) memory->is_far = is_far;
    small_newton_move(n, equation, self, memory, at, is_going, u);
    for (int i = 0; i < n && last; i++) u[i] = real_select(is_far, last[i], u[i]);
    int count = 1;
    for (; count < SMALL_NEWTON_ITERATIONS_MAX; count++) {
        is_going &= mask_not(is_found) & is_good;
        if (!mask_any(is_going)) break;
        const mask is_sound = small_newton_iterate(n, equation, self, memory, u, at);
        is_good &= mask_not(is_going) | is_sound;
        is_found = small_newton_is_found(memory, before, at);
        if (memory) {
            small_newton_observe(memory, before, at->dd, is_going);
            is_good &=
                mask_not(is_going & mask_not(is_found) & small_newton_strays(before, at->dd));
        }
        small_newton_move(n, equation, self, memory, at, is_going, u);
        before = at->dd;
    }
    if (memory && count > memory->iterations_max) memory->iterations_max = count;
    return is_good & (is_found | mask_not(is_going));
}

/* Finds the root near the guess u, else near `last`. False in lanes without one. `memory` and
 * `last` may be NULL. Usually all lanes need one correction; this path has no loop. */
REAL_INLINE mask small_newton_solve(int n, const struct small_newton_equation *equation,
                                    const void *self, struct small_newton_memory *memory,
                                    const real *last, real *u) {
    struct small_newton_iteration at;
    const mask is_good = small_newton_iterate(n, equation, self, memory, u, &at);
    if (!mask_all(at.is_near & is_good))
        return small_newton_continue(n, equation, self, memory, last, &at, is_good, u);
    if (memory) memory->is_far = mask_broadcast(false);
    for (int i = 0; i < n; i++) u[i] = at.w[i];
    small_newton_accept(n, equation, self, memory, &at, mask_broadcast(true));
    return is_good;
}

#endif
