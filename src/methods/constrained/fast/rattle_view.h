/* Lobatto's method with two stages and constraints where L = v.Mv/2 - U(t,q): one interval as its
 * kernel sees it, and products with psi and M^-1 psi^T on their patterns. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_FAST_RATTLE_VIEW_H
#define METHODS_CONSTRAINED_FAST_RATTLE_VIEW_H

#include "linalg/dense.h"
#include "methods/constrained/lobatto_constrained.h"
#include "methods/fast/small_newton.h"

/* One interval as the kernel sees it. */
struct rattle {
    const struct noe_system *system, *self;
    const struct constraint_jacobian *constraint_jacobian;
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
enum { QUICK = 8, RATTLE_ROWS = 4, RATTLE_BLOCK = QUICK * RATTLE_ROWS };
struct rattle_storage {
    real q[QUICK], p[QUICK], q_carry[QUICK], p_carry[QUICK], v[QUICK + RATTLE_ROWS];
    real f[QUICK], psi[RATTLE_BLOCK], y[RATTLE_BLOCK], past[SMALL_NEWTON_DEPTH * RATTLE_ROWS];
    real after[RATTLE_ROWS], start[RATTLE_ROWS];
    real f1[QUICK], y1[RATTLE_BLOCK], V[QUICK + RATTLE_ROWS], q1[QUICK], move[QUICK], dv[QUICK];
    real dp[QUICK];
    real x[RATTLE_ROWS], z[RATTLE_ROWS], change[RATTLE_ROWS], c[3 * RATTLE_ROWS],
        d[2 * RATTLE_BLOCK];
    real K[RATTLE_ROWS * RATTLE_ROWS];
};

REAL_INLINE bool rattle_is_small(const struct noe_system *system) {
    return system->n <= QUICK && constraint_count(system) <= RATTLE_ROWS;
}

/* Size of the data that is stored from step to step: f, psi, y, past, after, start. */
static inline size_t rattle_kept(const struct noe_system *system) {
    const size_t m = (size_t)constraint_count(system);
    return (size_t)(system->n + system->nzc + schur_numbers(system)) + (SMALL_NEWTON_DEPTH + 2) * m;
}

/* What is kept lies in the interval's scratch; of a small system it is copied from there. */
REAL_INLINE struct rattle constrained_kept(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct rattle at = {.system = problem->system,
                        .self = interval->problem->system,
                        .constraint_jacobian = problem->constraint_jacobian,
                        .legendre = interval->legendre,
                        .linear = &interval->multipliers->schur,
                        .n = problem->system->n,
                        .m = constraint_count(problem->system),
                        .nholonomic = problem->system->nholonomic,
                        .h = interval->h,
                        .rate = 1 / interval->h};
    at.f = interval->scratch + constrained_scratch(problem);
    at.psi = at.f + at.n;
    at.y = at.psi + at.system->nzc;
    at.past = at.y + schur_numbers(at.system);
    at.after = at.past + SMALL_NEWTON_DEPTH * at.m;
    at.start = at.after + at.m;
    return at;
}

/* The state in `to`, the rest in scratch. */
REAL_INLINE struct rattle constrained_large(const struct noe_interval *interval) {
    struct rattle at = constrained_kept(interval);
    const struct noe_state *to = interval->to;
    at.q = to->q, at.p = to->p, at.q_carry = to->q_carry, at.p_carry = to->p_carry;
    at.v = at.start + at.m;
    at.V = at.v + at.n + at.m;
    at.f1 = at.V + at.n + at.m;
    at.y1 = at.f1 + at.n;
    at.q1 = at.y1 + schur_numbers(at.system);
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

REAL_INLINE void constrained_copy(int count, real *to, const real *from) {
    STEP_SPREAD
    for (int i = 0; i < count; i++) to[i] = from[i];
}

/* Copies the stored data to `to`. */
REAL_INLINE void constrained_keep(const struct rattle *to, const struct rattle *from) {
    constrained_copy(from->n, to->f, from->f);
    constrained_copy(from->system->nzc, to->psi, from->psi);
    constrained_copy(schur_numbers(from->system), to->y, from->y);
    constrained_copy(SMALL_NEWTON_DEPTH * from->nholonomic, to->past, from->past);
    constrained_copy(from->m, to->after, from->after);
    constrained_copy(from->m, to->start, from->start);
}

REAL_INLINE struct rattle constrained_small(const struct noe_interval *interval,
                                            struct rattle_storage *own) {
    const struct rattle kept = constrained_kept(interval);
    struct rattle at = kept;
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
REAL_INLINE void rattle_divide(const struct rattle *at, const real *x, real *y) {
    if (legendre_is_diagonal(at->legendre)) {
        for (int k = 0; k < at->n; k++) y[k] = x[k] * at->legendre->inverse[k];
        return;
    }
    legendre_velocity(at->legendre, real_broadcast(0), NULL, x, y);
}

/* y of all rows. */
REAL_INLINE void rattle_divide_rows(const struct rattle *at, const real *psi, real *y) {
    const struct noe_system *system = at->system;
    if (schur_is_sparse(system)) {
        STEP_SPREAD
        for (int e = 0; e < system->nzc; e++)
            y[e] = psi[e] * at->legendre->inverse[constraint_col(system, e)];
        return;
    }
    STEP_SPREAD
    for (int e = 0; e < at->m * at->n; e++) y[e] = real_broadcast(0);
    STEP_SPREAD
    for (int e = 0; e < system->nzc; e++)
        y[constraint_row(system, e) * at->n + constraint_col(system, e)] = psi[e];
    for (int a = 0; a < at->m; a++) legendre_solve(at->legendre, y + a * at->n);
}

/* to += sum_b x_b y_b over the rows before `last`. */
REAL_INLINE void rattle_push(const struct rattle *at, int last, const real *x, const real *y,
                             real *to) {
    STEP_SPREAD
    for (int e = 0; e < schur_numbers(at->system); e++) {
        const int b = schur_row(at->system, e);
        if (b < last) to[schur_col(at->system, e)] += x[b] * y[e];
    }
}

/* The same with psi. */
REAL_INLINE void rattle_react(const struct rattle *at, const real *x, const real *psi, real *to) {
    STEP_SPREAD
    for (int e = 0; e < at->system->nzc; e++)
        to[constraint_col(at->system, e)] += x[constraint_row(at->system, e)] * psi[e];
}

/* r -= psi x. */
REAL_INLINE void rattle_subtract(const struct rattle *at, const real *psi, const real *x, real *r) {
    STEP_SPREAD
    for (int e = 0; e < at->system->nzc; e++)
        r[constraint_row(at->system, e)] -= psi[e] * x[constraint_col(at->system, e)];
}

/* psi y^T of the first constraints, in factors. */
REAL_INLINE mask rattle_factor(const struct rattle *at, const struct constraint_schur *schur,
                               const real *psi, const real *y, lane_index *pivot) {
    schur_evaluate(schur, psi, y, at->K);
    if (at->n <= SCHUR_FULL_UP_TO) return dense_factor(schur->size, at->K, pivot);
    return linear_factor(at->linear, schur->size, at->K);
}

REAL_INLINE void rattle_solve(const struct rattle *at, const struct constraint_schur *schur,
                              real *x, const lane_index *pivot) {
    if (at->n <= SCHUR_FULL_UP_TO)
        dense_solve(schur->size, x, at->K, pivot);
    else
        linear_solve(at->linear, schur->size, x);
}

/* The matrix g_q(q1) M^-1 g_q(q)^T of a step that crosses no configuration where constraints depend
 * on one another has a positive determinant. */
REAL_INLINE mask rattle_turns(const struct rattle *at, const struct constraint_schur *schur,
                              const lane_index *pivot) {
    if (at->n <= SCHUR_FULL_UP_TO) return dense_sign(schur->size, at->K, pivot) < 0;
    return linear_sign(at->linear, schur->size) < 0;
}

#endif
