/* A fast path to the root of Lobatto's method with two stages and constraints: L = v.Mv/2 - U(t,q).
 *
 * Both stages then have the same velocity V, and only multipliers are left to find:
 *     M V = p + (h/2) W_1,    q1 = q + hV,    g(q1) = 0,
 *     p1 = M V + (h/2) W_2,    psi(q1, M^-1 p1) = 0.
 * The holonomic multipliers of W_1 come by Newton's method; those of W_2 by one linear system, for
 * psi is affine in the velocity. Multipliers enter as impulses (h/2) Lambda with the signs of
 * reactions. This is RATTLE (Andersen, 1983). */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained.h"

#include "base/sum.h"
#include "linalg/dense.h"

/* One interval as the kernel sees it. What stands first is kept for the next step. */
struct constrained_quick {
    const struct noe_system *system, *self;
    struct legendre *legendre;
    int n, m, nholonomic;
    real h;
    real *f, *psi, *y;     /* at the start: forces, psi_v row by row, M^-1 psi_v^T likewise */
    real *impulse, *trend; /* of W_1 in the step before, and its change */
    real *start;           /* multipliers that the state demands */
    real *f1, *psi1, *y1;  /* at the end */
    real *V, *v1, *q1, *dq, *dp, *x;
    real *c, *d, *K;
};

/* What does not outlive a step of a small system: a compiler that knows the sizes keeps it in
 * registers, and leaves out what is not read. */
enum { FEW = 8, FEW_ROWS = 4 };
struct constrained_numbers {
    real f1[FEW], psi1[FEW * FEW_ROWS], y1[FEW * FEW_ROWS], V[FEW + FEW_ROWS], v1[FEW + FEW_ROWS];
    real q1[FEW], dq[FEW], dp[FEW], x[FEW_ROWS], c[3 * FEW_ROWS], d[2 * FEW * FEW_ROWS];
    real K[FEW_ROWS * FEW_ROWS];
};

static size_t constrained_kernel_room(const struct noe_system *system) {
    const size_t n = (size_t)system->n, m = (size_t)constraint_count(system);
    return 7 * n + 4 * m * n + (n + m) * 2 + 3 * m + m + 3 * m + 2 * (size_t)system->nzc + m * m;
}

size_t constrained_kernel_scratch(const struct noe_problem *problem) {
    return constrained_scratch(problem) + constrained_kernel_room(problem->system);
}

STEP_INLINE struct constrained_quick constrained_quick(const struct noe_interval *interval,
                                                       struct constrained_numbers *few) {
    const struct noe_problem *problem = interval_problem(interval);
    struct constrained_quick at = {.system = problem->system,
                                   .self = interval->problem->system,
                                   .legendre = interval->legendre,
                                   .n = problem->system->n,
                                   .m = constraint_count(problem->system),
                                   .nholonomic = problem->system->nholonomic,
                                   .h = interval->h};
    const int n = at.n, m = at.m;
    at.f = interval->scratch + constrained_scratch(problem);
    at.psi = at.f + n;
    at.y = at.psi + m * n;
    at.impulse = at.y + m * n;
    at.trend = at.impulse + m;
    at.start = at.trend + m;
    if (n <= FEW && m <= FEW_ROWS) {
        at.f1 = few->f1, at.psi1 = few->psi1, at.y1 = few->y1, at.V = few->V, at.v1 = few->v1;
        at.q1 = few->q1, at.dq = few->dq, at.dp = few->dp, at.x = few->x;
        at.c = few->c, at.d = few->d, at.K = few->K;
        for (int e = 0; e < 2 * problem->system->nzc; e++) at.d[e] = real_of(0);
        for (int a = 0; a < m; a++) at.V[n + a] = at.v1[n + a] = real_of(0);
        return at;
    }
    at.f1 = at.start + m;
    at.psi1 = at.f1 + n;
    at.y1 = at.psi1 + m * n;
    at.V = at.y1 + m * n;
    at.v1 = at.V + n + m;
    at.q1 = at.v1 + n + m;
    at.dq = at.q1 + n;
    at.dp = at.dq + n;
    at.x = at.dp + n;
    at.c = at.x + m;
    at.d = at.c + 3 * m;
    at.K = at.d + 2 * problem->system->nzc;
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

/* g, psi and psi_v, row by row, at (t, q, v). */
STEP_INLINE void constrained_quick_constraints(const struct constrained_quick *at, real t,
                                               const real *q, const real *v, real *psi) {
    at->system->constraints_second(at->self, t, q, v, at->c, at->d);
    for (int e = 0; e < at->m * at->n && at->system->crow; e++) psi[e] = real_of(0);
    for (int e = 0; e < at->system->nzc; e++)
        psi[constraint_row(at->system, e) * at->n + constraint_col(at->system, e)] = at->d[e];
}

/* K = the first `count` rows and columns of psi y^T. */
STEP_INLINE void constrained_quick_matrix(const struct constrained_quick *at, int count,
                                          const real *psi, const real *y) {
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            real sum = {0};
            for (int k = 0; k < at->n; k++) sum += psi[a * at->n + k] * y[b * at->n + k];
            at->K[a * count + b] = sum;
        }
}

/* to += sum_b x_b rows_b over some rows. */
STEP_INLINE void constrained_quick_push(const struct constrained_quick *at, int first, int last,
                                        const real *x, const real *rows, real *to) {
    for (int b = first; b < last; b++)
        for (int k = 0; k < at->n; k++) to[k] += x[b] * rows[b * at->n + k];
}

/* y of all rows. */
STEP_INLINE void constrained_quick_divide_rows(const struct constrained_quick *at, const real *psi,
                                               real *y) {
    for (int a = 0; a < at->m; a++) constrained_quick_divide(at, psi + a * at->n, y + a * at->n);
}

/* Multipliers that the state at the end demands, with its matrix psi M^-1 psi^T in factors:
 * psi_v M^-1 (f + w_lambda lambda) + psi_q v + psi_t = 0. */
STEP_INLINE void constrained_quick_demanded(const struct constrained_quick *at, real t,
                                            const real *q, const real *v, const real *f,
                                            const real *psi, const lane_int *pivot) {
    const int n = at->n, m = at->m, nzc = at->system->nzc;
    real *acceleration = at->dq; /* free at the end of a step */
    at->system->constraints_second(at->self, t, q, v, at->c, at->d);
    constrained_quick_divide(at, f, acceleration);
    for (int a = 0; a < m; a++) {
        at->start[a] = -at->c[at->nholonomic + m + a];
        for (int k = 0; k < n; k++) at->start[a] -= psi[a * n + k] * acceleration[k];
    }
    for (int e = 0; e < nzc; e++)
        at->start[constraint_row(at->system, e)] -=
            at->d[nzc + e] * v[constraint_col(at->system, e)];
    dense_solve(m, at->start, at->K, pivot);
    for (int a = 0; a < m; a++) at->start[a] *= constraint_sign(at->system, a);
}

STEP_INLINE bool constrained_quick_recomputes(const struct noe_interval *interval) {
    const struct constrained *method = interval_problem(interval)->coefficients;
    return method->recomputes && interval_problem(interval)->system->nnonholonomic;
}

/* What a step before would have left; false where psi M^-1 psi^T is singular. */
static truth constrained_quick_begin(struct noe_interval *interval,
                                     const struct constrained_quick *at) {
    const struct noe_state *from = interval->from;
    lane_int pivot[CONSTRAINED_KERNEL_MOST];
    truth is_regular = truth_of(true);
    constrained_quick_divide(at, from->p, at->V);
    constrained_quick_constraints(at, interval->t, from->q, at->V, at->psi);
    constrained_quick_divide_rows(at, at->psi, at->y);
    interval_force(at->system, at->self, interval->t, from->q, at->V, at->dp, at->f);
    for (int a = 0; a < at->m; a++) {
        at->impulse[a] = at->h * 0.5 * constraint_sign(at->system, a) * from->multipliers[a];
        at->trend[a] = real_of(0);
    }
    if (!constrained_quick_recomputes(interval)) return is_regular;
    constrained_quick_matrix(at, at->m, at->psi, at->y);
    is_regular = dense_factor(at->m, at->K, pivot);
    constrained_quick_demanded(at, interval->t, from->q, at->V, at->f, at->psi, pivot);
    return is_regular;
}

/* V without holonomic reactions, then with those of the guess. */
STEP_INLINE void constrained_quick_first(struct noe_interval *interval,
                                         const struct constrained_quick *at) {
    const struct noe_state *from = interval->from;
    const int n = at->n, m = at->m;
    const bool recomputes = constrained_quick_recomputes(interval);
    const real half = at->h * 0.5;
    for (int a = 0; a < m; a++) {
        const real known = half * (recomputes ? at->start[a] : from->multipliers[a]);
        at->x[a] = a < at->nholonomic ? at->impulse[a] + at->trend[a] : known;
    }
    for (int k = 0; k < n; k++) at->dp[k] = from->p[k] + half * at->f[k];
    constrained_quick_divide(at, at->dp, at->V);
    constrained_quick_push(at, 0, m, at->x, at->y, at->V);
    for (int k = 0; k < n; k++) at->q1[k] = from->q[k] + at->h * at->V[k];
}

/* Do changes of impulses move q by no more than its last bits? Those of a system at rest do not. */
STEP_INLINE truth constrained_quick_is_unseen(const struct constrained_quick *at,
                                              const real *change, const real *q) {
    for (int k = 0; k < at->n; k++) at->dq[k] = real_of(0);
    constrained_quick_push(at, 0, at->nholonomic, change, at->y, at->dq);
    const real moved = noe_abs(at->h) * real_norm((size_t)at->n, at->dq);
    return moved <= 64 * NOE_EPSILON * real_norm((size_t)at->n, q);
}

/* g(q1) = 0 for the holonomic impulses of W_1; psi_v at q1. The matrix g_q(q1) M^-1 g_q(q)^T of a
 * step that crosses no configuration where the constraints depend on one another has a positive
 * determinant. */
STEP_INLINE noe_outcome constrained_quick_position(struct noe_interval *interval,
                                                   const struct constrained_quick *at) {
    enum { ITERATIONS_MAX = 30 };
    const int n = at->n, count = at->nholonomic;
    const real *q = interval->from->q;
    lane_int pivot[CONSTRAINED_KERNEL_MOST];
    real last = real_of(HUGE_VAL);
    truth is_going = interval->is_active;
    noe_outcome outcome = outcome_of(NOE_OK);
    for (int i = 0;; i++) {
        constrained_quick_constraints(at, interval->t1, at->q1, at->V, at->psi1);
        if (count == 0) return outcome;
        constrained_quick_matrix(at, count, at->psi1, at->y);
        const truth is_regular = dense_factor(count, at->K, pivot);
        outcome = outcome_join(outcome, is_going & truth_not(is_regular), NOE_SINGULAR);
        real change[CONSTRAINED_KERNEL_MOST];
        for (int a = 0; a < count; a++) change[a] = -at->c[a] / at->h;
        dense_solve(count, change, at->K, pivot);
        const real size = real_norm((size_t)count, change);
        const real scale = real_norm((size_t)count, at->x);
        outcome = outcome_join(outcome, is_going & truth_not(real_is_finite(size)), NOE_NOT_FINITE);
        const truth stagnates = size > 0.25 * last;
        truth is_small = size <= 1e-8 * scale;
        if (truth_any(stagnates & truth_not(is_small)))
            is_small |= constrained_quick_is_unseen(at, change, q);
        const truth is_done =
            (size <= 4 * NOE_EPSILON * scale) | (stagnates & is_small) | (outcome != NOE_OK);
        is_going &= truth_not(is_done);
        if (!truth_any(is_going)) {
            interval->has_turned = dense_sign(count, at->K, pivot) < 0;
            return outcome_join(outcome, interval->has_turned, NOE_SINGULAR);
        }
        if (i == ITERATIONS_MAX) return outcome_join(outcome, is_going, NOE_NOT_CONVERGED);
        for (int a = 0; a < count; a++) {
            change[a] = real_select(is_going, change[a], real_of(0));
            at->x[a] += change[a];
        }
        constrained_quick_push(at, 0, count, change, at->y, at->V);
        for (int k = 0; k < n; k++) at->q1[k] = q[k] + at->h * at->V[k];
        last = size;
    }
}

/* The multipliers of W_2, v1 and what p changes by; those that the end demands, where asked for. */
STEP_INLINE noe_outcome constrained_quick_velocity(struct noe_interval *interval,
                                                   const struct constrained_quick *at) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const int n = at->n, m = at->m;
    const real half = at->h * 0.5;
    lane_int pivot[CONSTRAINED_KERNEL_MOST];
    real z[CONSTRAINED_KERNEL_MOST];
    constrained_quick_divide_rows(at, at->psi1, at->y1);
    interval_force(at->system, at->self, interval->t1, at->q1, at->V, at->dp, at->f1);
    constrained_quick_divide(at, at->f1, at->v1);
    for (int k = 0; k < n; k++) at->v1[k] *= half;
    for (int a = 0; a < m; a++) {
        z[a] = -at->c[at->nholonomic + a];
        for (int k = 0; k < n; k++) z[a] -= at->psi1[a * n + k] * at->v1[k];
    }
    constrained_quick_matrix(at, m, at->psi1, at->y1);
    const truth is_regular = dense_factor(m, at->K, pivot);
    dense_solve(m, z, at->K, pivot);
    for (int k = 0; k < n; k++) {
        at->v1[k] += at->V[k];
        at->dp[k] = half * (at->f[k] + at->f1[k]);
    }
    constrained_quick_push(at, 0, m, z, at->y1, at->v1);
    constrained_quick_push(at, 0, m, at->x, at->psi, at->dp);
    constrained_quick_push(at, 0, m, z, at->psi1, at->dp);
    for (int a = 0; a < m; a++) to->multipliers[a] = constraint_sign(at->system, a) * z[a] / half;
    if (m > at->nholonomic &&
        (constrained_quick_recomputes(interval) || (from->k + 1) % CONSTRAINED_LOOK_EVERY == 0))
        constrained_quick_demanded(at, interval->t1, at->q1, at->v1, at->f1, at->psi1, pivot);
    return outcome_join(outcome_of(NOE_OK), truth_not(is_regular), NOE_SINGULAR);
}

/* The state at the end, and what the next step begins with. */
STEP_INLINE void constrained_quick_end(struct noe_interval *interval,
                                       const struct constrained_quick *at) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const int n = at->n, m = at->m;
    for (int k = 0; k < n; k++) {
        at->dq[k] = at->h * at->V[k];
        interval->velocity[k] = at->v1[k];
        at->f[k] = at->f1[k];
    }
    sum_add(n, to->q, to->q_carry, from->q, from->q_carry, at->dq);
    sum_add(n, to->p, to->p_carry, from->p, from->p_carry, at->dp);
    for (int e = 0; e < m * n; e++) {
        at->psi[e] = at->psi1[e];
        at->y[e] = at->y1[e];
    }
    for (int a = 0; a < m; a++) {
        at->trend[a] = interval->force_known ? at->x[a] - at->impulse[a] : real_of(0);
        at->impulse[a] = at->x[a];
        interval->velocity[n + a] = to->multipliers[a];
    }
}

noe_outcome constrained_kernel(struct noe_interval *interval, long count) {
    struct constrained_numbers few;
    const struct constrained_quick at = constrained_quick(interval, &few);
    noe_outcome outcome = outcome_of(NOE_OK);
    (void)count;
    if (!interval->force_known)
        outcome =
            outcome_join(outcome, truth_not(constrained_quick_begin(interval, &at)), NOE_SINGULAR);
    constrained_quick_first(interval, &at);
    noe_outcome found = constrained_quick_position(interval, &at);
    outcome = outcome_select(outcome == NOE_OK, found, outcome);
    found = constrained_quick_velocity(interval, &at);
    outcome = outcome_select(outcome == NOE_OK, found, outcome);
    if (at.m > at.nholonomic && !constrained_quick_recomputes(interval))
        constrained_drift(interval, at.start);
    constrained_quick_end(interval, &at);
    interval->force_known = true;
    interval->evaluations += 1;
    interval->taken = 1;
    return outcome;
}
