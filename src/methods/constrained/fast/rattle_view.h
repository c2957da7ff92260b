/* RATTLE: view of an interval, and products with psi and M^-1 psi^T on their sparsity patterns. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_FAST_RATTLE_VIEW_H
#define METHODS_CONSTRAINED_FAST_RATTLE_VIEW_H

#include "linalg/dense.h"
#include "mechanics/small_newton.h"
#include "methods/constrained/lobatto_constrained.h"

/* View of an interval. */
struct rattle {
    const struct noe_system *system, *self;
    const struct constraint_jacobian *constraint_jacobian;
    struct legendre *legendre;
    struct linear *linear; /* solver of large systems */
    int n, m, nholonomic;
    real h, rate;                        /* step size and its inverse */
    real *q, *p, *q_carry, *p_carry, *v; /* current state */
    real *f, *psi, *y;     /* forces, psi_v, and M^-1 psi_v^T row by row at the current state */
    real *past;            /* holonomic impulses of W_1 in earlier steps, the last first */
    real *after;           /* impulses of W_2 in the previous step */
    real *start;           /* multipliers of the current state */
    real *f1, *y1;         /* f and y at the end; psi_v at the end begins d */
    real *V, *q1;          /* velocity of the step, and its end, at which c and d are evaluated */
    real *move;            /* change of V that moves q1 by less than its last bits */
    real *dv, *dp, *x, *z; /* a velocity; the change of p; the impulses of W_1 and W_2 */
    real *change, *c, *d, *K; /* change of x; constraints and their derivatives; a matrix */
};

/* Storage of a small system on the stack. With constant sizes the compiler keeps it in registers
 * and removes unused parts. */
enum { QUICK = 8, RATTLE_ROWS = 4, RATTLE_BLOCK = QUICK * RATTLE_ROWS };
struct rattle_storage {
    real q[QUICK], p[QUICK], q_carry[QUICK], p_carry[QUICK], v[QUICK + RATTLE_ROWS];
    real f[QUICK], psi[RATTLE_BLOCK], y[RATTLE_BLOCK], past[EXTRAPOLATION_DEPTH * RATTLE_ROWS];
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

/* Arrays behind those of the residual. Data that is stored from step to step comes first: f, psi,
 * y, past, after, start. A small system copies it to the stack; others have all arrays here. */
SCRATCH_INLINE void rattle_layout(struct scratch *scratch, const struct noe_problem *problem,
                                  struct rattle *at) {
    const struct noe_system *system = problem->system;
    const size_t n = (size_t)system->n, m = (size_t)constraint_count(system);
    const size_t nzc = (size_t)system->nzc, schur = (size_t)schur_numbers(system);
    at->f = scratch_reals(scratch, n);
    at->psi = scratch_reals(scratch, nzc);
    at->y = scratch_reals(scratch, schur);
    at->past = scratch_reals(scratch, EXTRAPOLATION_DEPTH * m);
    at->after = scratch_reals(scratch, m);
    at->start = scratch_reals(scratch, m);
    if (rattle_is_small(system)) return;
    at->v = scratch_reals(scratch, n + m);
    at->V = scratch_reals(scratch, n + m);
    at->f1 = scratch_reals(scratch, n);
    at->y1 = scratch_reals(scratch, schur);
    at->q1 = scratch_reals(scratch, n);
    at->move = scratch_reals(scratch, n);
    at->dv = scratch_reals(scratch, n);
    at->dp = scratch_reals(scratch, n);
    at->x = scratch_reals(scratch, m);
    at->z = scratch_reals(scratch, m);
    at->change = scratch_reals(scratch, m);
    at->c = scratch_reals(scratch, 3 * m);
    at->d = scratch_reals(scratch, 2 * nzc);
    at->K = scratch_reals(scratch, (size_t)problem->internals->constraint_jacobian->velocity.nz);
}

/* The view of an interval without the state. */
REAL_INLINE struct rattle constrained_kept(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct scratch scratch = scratch_carve(interval->scratch);
    struct rattle at = {.system = problem->system,
                        .self = interval->problem->system,
                        .constraint_jacobian = problem->internals->constraint_jacobian,
                        .legendre = interval->legendre,
                        .linear = &interval->multipliers->schur,
                        .n = problem->system->n,
                        .m = constraint_count(problem->system),
                        .nholonomic = problem->system->nholonomic,
                        .h = interval->h,
                        .rate = 1 / interval->h};
    constrained_view_in(interval, &scratch);
    rattle_layout(&scratch, problem, &at);
    return at;
}

/* The state is stored in `to`. */
REAL_INLINE struct rattle constrained_large(const struct noe_interval *interval) {
    struct rattle at = constrained_kept(interval);
    const struct noe_state *to = interval->to;
    at.q = to->q, at.p = to->p, at.q_carry = to->q_carry, at.p_carry = to->p_carry;
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
    constrained_copy(EXTRAPOLATION_DEPTH * from->nholonomic, to->past, from->past);
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

/* y for all rows. */
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

/* to += sum_b x_b psi_b with the signs of the constraint forces. */
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

/* Factorises psi y^T of the first constraints. */
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

/* Lanes that cross a singular configuration: otherwise the determinant of g_q(q1) M^-1 g_q(q)^T is
 * positive. */
REAL_INLINE mask rattle_turns(const struct rattle *at, const struct constraint_schur *schur,
                              const lane_index *pivot) {
    if (at->n <= SCHUR_FULL_UP_TO) return dense_sign(schur->size, at->K, pivot) < 0;
    return linear_sign(at->linear, schur->size) < 0;
}

#endif
