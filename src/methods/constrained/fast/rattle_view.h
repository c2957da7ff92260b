/* Lobatto's method with two stages and constraints where L = v.Mv/2 - U(t,q): one interval as its
 * kernel sees it, and products with psi and M^-1 psi^T on their patterns. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_QUICK_H
#define METHODS_CONSTRAINED_QUICK_H

#include "linalg/dense.h"
#include "methods/constrained/lobatto_constrained.h"
#include "methods/fast/small_newton.h"

/* One interval as the kernel sees it. */
struct constrained_quick {
    const struct noe_system *system, *self;
    const struct reaction *reaction;
    struct legendre *legendre;
    struct linear *linear; /* for the matrices of large systems */
    int n, m, nholonomic;
    real h, rate;                        /* the step, and one over it */
    real *q, *p, *q_carry, *p_carry, *v; /* the state that is reached */
    real *f, *psi, *y;                   /* forces there, psi_v, M^-1 psi_v^T row by row */
    real *past;               /* holonomic impulses of W_1 in the steps before, the last first */
    real *after;              /* impulses of W_2 in the step before */
    real *start;              /* multipliers that the state demands */
    real *f1, *y1;            /* at the end, as f and y; psi_v there begins d */
    real *V, *q1;             /* the velocity of the step, and its end, where c and d belong to; */
    real *move;               /* what V lacks, less than a last bit of q1 */
    real *dv, *dp, *x, *z;    /* some velocity; what p changes by; impulses of W_1 and W_2 */
    real *change, *c, *d, *K; /* of x; constraints and derivatives; a matrix */
};

/* Of a small system all that; a compiler that knows the sizes keeps it in registers, and leaves out
 * what is not read. */
enum { QUICK = 8, QUICK_ROWS = 4, QUICK_BLOCK = QUICK * QUICK_ROWS };
struct constrained_numbers {
    real q[QUICK], p[QUICK], q_carry[QUICK], p_carry[QUICK], v[QUICK + QUICK_ROWS];
    real f[QUICK], psi[QUICK_BLOCK], y[QUICK_BLOCK], past[FEW_DEPTH * QUICK_ROWS];
    real after[QUICK_ROWS], start[QUICK_ROWS];
    real f1[QUICK], y1[QUICK_BLOCK], V[QUICK + QUICK_ROWS], q1[QUICK], move[QUICK], dv[QUICK];
    real dp[QUICK];
    real x[QUICK_ROWS], z[QUICK_ROWS], change[QUICK_ROWS], c[3 * QUICK_ROWS], d[2 * QUICK_BLOCK];
    real K[QUICK_ROWS * QUICK_ROWS];
};

STEP_INLINE bool constrained_quick_is_small(const struct noe_system *system) {
    return system->n <= QUICK && constraint_count(system) <= QUICK_ROWS;
}

/* What outlives a step: f, psi, y, past, after, start. */
static inline size_t constrained_kernel_kept(const struct noe_system *system) {
    const size_t m = (size_t)constraint_count(system);
    return (size_t)(system->n + system->nzc + gram_numbers(system)) + (FEW_DEPTH + 2) * m;
}

/* What is kept lies in the interval's scratch; of a small system it is copied from there. */
STEP_INLINE struct constrained_quick constrained_kept(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct constrained_quick at = {.system = problem->system,
                                   .self = interval->problem->system,
                                   .reaction = problem->reaction,
                                   .legendre = interval->legendre,
                                   .linear = &interval->multipliers->gram,
                                   .n = problem->system->n,
                                   .m = constraint_count(problem->system),
                                   .nholonomic = problem->system->nholonomic,
                                   .h = interval->h,
                                   .rate = 1 / interval->h};
    at.f = interval->scratch + constrained_scratch(problem);
    at.psi = at.f + at.n;
    at.y = at.psi + at.system->nzc;
    at.past = at.y + gram_numbers(at.system);
    at.after = at.past + FEW_DEPTH * at.m;
    at.start = at.after + at.m;
    return at;
}

/* The state in `to`, the rest in scratch. */
STEP_INLINE struct constrained_quick constrained_large(const struct noe_interval *interval) {
    struct constrained_quick at = constrained_kept(interval);
    const struct noe_state *to = interval->to;
    at.q = to->q, at.p = to->p, at.q_carry = to->q_carry, at.p_carry = to->p_carry;
    at.v = at.start + at.m;
    at.V = at.v + at.n + at.m;
    at.f1 = at.V + at.n + at.m;
    at.y1 = at.f1 + at.n;
    at.q1 = at.y1 + gram_numbers(at.system);
    at.move = at.q1 + at.n;
    at.dv = at.move + at.n;
    at.dp = at.dv + at.n;
    at.x = at.dp + at.n;
    at.z = at.x + at.m;
    at.change = at.z + at.m;
    at.c = at.change + at.m;
    at.d = at.c + 3 * at.m;
    at.K = at.d + 2 * at.system->nzc;
    return at;
}

STEP_INLINE void constrained_copy(int count, real *to, const real *from) {
    STEP_SPREAD
    for (int i = 0; i < count; i++) to[i] = from[i];
}

/* What is kept, to `to`. */
STEP_INLINE void constrained_keep(const struct constrained_quick *to,
                                  const struct constrained_quick *from) {
    constrained_copy(from->n, to->f, from->f);
    constrained_copy(from->system->nzc, to->psi, from->psi);
    constrained_copy(gram_numbers(from->system), to->y, from->y);
    constrained_copy(FEW_DEPTH * from->nholonomic, to->past, from->past);
    constrained_copy(from->m, to->after, from->after);
    constrained_copy(from->m, to->start, from->start);
}

STEP_INLINE struct constrained_quick constrained_small(const struct noe_interval *interval,
                                                       struct constrained_numbers *own) {
    const struct constrained_quick kept = constrained_kept(interval);
    struct constrained_quick at = kept;
    at.q = own->q, at.p = own->p, at.q_carry = own->q_carry, at.p_carry = own->p_carry;
    at.v = own->v, at.f = own->f, at.psi = own->psi, at.y = own->y, at.past = own->past;
    at.after = own->after, at.start = own->start, at.f1 = own->f1, at.y1 = own->y1;
    at.V = own->V, at.q1 = own->q1, at.move = own->move, at.dv = own->dv, at.dp = own->dp;
    at.x = own->x, at.z = own->z, at.change = own->change, at.c = own->c, at.d = own->d,
    at.K = own->K;
    constrained_keep(&at, &kept);
    return at;
}

/* y = M^-1 x. */
STEP_INLINE void constrained_quick_divide(const struct constrained_quick *at, const real *x,
                                          real *y) {
    if (legendre_is_diagonal(at->legendre)) {
        for (int k = 0; k < at->n; k++) y[k] = x[k] * at->legendre->inverse[k];
        return;
    }
    legendre_velocity(at->legendre, real_of(0), NULL, x, y);
}

/* y of all rows. */
STEP_INLINE void constrained_quick_divide_rows(const struct constrained_quick *at, const real *psi,
                                               real *y) {
    const struct noe_system *system = at->system;
    if (gram_is_sparse(system)) {
        STEP_SPREAD
        for (int e = 0; e < system->nzc; e++)
            y[e] = psi[e] * at->legendre->inverse[constraint_col(system, e)];
        return;
    }
    STEP_SPREAD
    for (int e = 0; e < at->m * at->n; e++) y[e] = real_of(0);
    STEP_SPREAD
    for (int e = 0; e < system->nzc; e++)
        y[constraint_row(system, e) * at->n + constraint_col(system, e)] = psi[e];
    for (int a = 0; a < at->m; a++) legendre_solve(at->legendre, y + a * at->n);
}

/* to += sum_b x_b y_b over the rows before `last`. */
STEP_INLINE void constrained_quick_push(const struct constrained_quick *at, int last, const real *x,
                                        const real *y, real *to) {
    STEP_SPREAD
    for (int e = 0; e < gram_numbers(at->system); e++) {
        const int b = gram_row(at->system, e);
        if (b < last) to[gram_col(at->system, e)] += x[b] * y[e];
    }
}

/* The same with psi. */
STEP_INLINE void constrained_quick_react(const struct constrained_quick *at, const real *x,
                                         const real *psi, real *to) {
    STEP_SPREAD
    for (int e = 0; e < at->system->nzc; e++)
        to[constraint_col(at->system, e)] += x[constraint_row(at->system, e)] * psi[e];
}

/* r -= psi x. */
STEP_INLINE void constrained_quick_subtract(const struct constrained_quick *at, const real *psi,
                                            const real *x, real *r) {
    STEP_SPREAD
    for (int e = 0; e < at->system->nzc; e++)
        r[constraint_row(at->system, e)] -= psi[e] * x[constraint_col(at->system, e)];
}

/* psi y^T of the first constraints, in factors. */
STEP_INLINE truth constrained_quick_factor(const struct constrained_quick *at,
                                           const struct gram *gram, const real *psi, const real *y,
                                           lane_int *pivot) {
    gram_evaluate(gram, psi, y, at->K);
    if (at->n <= GRAM_FULL_UP_TO) return dense_factor(gram->size, at->K, pivot);
    return linear_factor(at->linear, gram->size, at->K);
}

STEP_INLINE void constrained_quick_solve(const struct constrained_quick *at,
                                         const struct gram *gram, real *x, const lane_int *pivot) {
    if (at->n <= GRAM_FULL_UP_TO)
        dense_solve(gram->size, x, at->K, pivot);
    else
        linear_solve(at->linear, gram->size, x);
}

/* The matrix g_q(q1) M^-1 g_q(q)^T of a step that crosses no configuration where constraints depend
 * on one another has a positive determinant. */
STEP_INLINE truth constrained_quick_turns(const struct constrained_quick *at,
                                          const struct gram *gram, const lane_int *pivot) {
    if (at->n <= GRAM_FULL_UP_TO) return dense_sign(gram->size, at->K, pivot) < 0;
    return linear_sign(at->linear, gram->size) < 0;
}

#endif
