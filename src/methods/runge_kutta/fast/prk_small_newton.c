/* The root of the partitioned Runge-Kutta residual for at most PRK_NEWTON_MAX unknowns, on the
 * stack, many steps per call.
 *
 * The residual is that of prk.c, on R^n; tests/test_small_newton.c compares the two. The solver is
 * that of mechanics/small_newton.h with its memory of earlier steps, so that most steps need one
 * evaluation of the stages. engine/newton.c takes over if no root is found. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "mechanics/interval.h"
#include "mechanics/small_newton.h"
#include "methods/runge_kutta/prk.h"

enum { PRK_NEWTON_MAX = 2 };

/* Data of earlier steps, behind the arrays of a step: the history of roots, and the memory of the
 * solver. */
struct prk_newton_history {
    struct extrapolation roots;
    real *scale, *enough;
};

SCRATCH_INLINE struct prk_newton_history prk_newton_layout(struct scratch *scratch,
                                                           const struct noe_problem *problem) {
    const int nu = problem->internals->nu;
    struct prk_newton_history history;
    prk_layout(scratch, problem);
    history.roots = extrapolation_layout(scratch, nu);
    history.scale = scratch_reals(scratch, (size_t)nu);
    history.enough = scratch_reals(scratch, 1);
    return history;
}

/* The stages of a step, on the stack, and the residual and the forces W at the iterate. */
struct prk_newton_stages {
    real Q[PRK_NEWTON_MAX], P[PRK_NEWTON_MAX], W[PRK_NEWTON_MAX], x[PRK_NEWTON_MAX];
    real D[4 * PRK_NEWTON_MAX * PRK_NEWTON_MAX];
    real r[PRK_NEWTON_MAX], force[PRK_NEWTON_MAX];
};

/* A run of steps. */
struct prk_newton {
    struct noe_interval *interval;
    struct prk_newton_stages *stages;
    real t, t1;
    real q[PRK_NEWTON_MAX], p[PRK_NEWTON_MAX], q_carry[PRK_NEWTON_MAX], p_carry[PRK_NEWTON_MAX];
    real u[PRK_NEWTON_MAX]; /* the guess, then the root */
    mask is_found;
    struct extrapolation history;
    struct small_newton_memory memory;
};

REAL_INLINE struct prk_view prk_newton_view(const struct prk_newton *run) {
    struct prk_newton_stages *stages = run->stages;
    struct prk_view at = prk_view(run->interval);
    at.Q = stages->Q;
    at.P = stages->P;
    at.W = stages->W;
    at.x = stages->x;
    at.D = stages->D;
    return at;
}

/* The Jacobian of the residual at the stages, row by row. */
REAL_INLINE void prk_newton_matrix(const struct prk_view *at, real *J) {
    const struct noe_system *system = at->system;
    const int n = at->n, nu = at->s * n;
    real block[PRK_NEWTON_MAX * PRK_NEWTON_MAX];
    for (int e = 0; e < nu * nu; e++) J[e] = real_broadcast(0);
    for (int i = 0; i < at->s; i++)
        for (int j = 0; j < at->s; j++) {
            if (!at->tableau->couples[i][j]) continue;
            real *corner = J + i * n * nu + j * n;
            prk_block(at, i, j, block);
            for (int e = 0; e < (int)at->nz; e++) {
                const int row = system->row ? system->row[e] : e / n;
                const int col = system->row ? system->col[e] : e % n;
                corner[row * nu + col] = block[e];
            }
        }
}

/* Forces at u - d from those at u: W_j - w_v(j) d_j - w_q(j) h sum_l a_jl d_l to first order, with
 * the error of the root. */
REAL_INLINE void prk_newton_forces(const struct prk_view *at, const real *d, real *W) {
    for (int j = 0; j < at->s; j++, W += at->n) {
        const real *D = at->D + (size_t)j * 4 * at->nz;
        for (int k = 0; k < at->n; k++) W[k] = at->W[j * at->n + k];
        prk_sum(at, at->tableau->a[j], at->s, d, at->x);
        if (!prk_is_separable(at))
            pattern_add_product(at->system, real_broadcast(-1), D + 2 * at->nz, d + j * at->n, W);
        pattern_add_product(at->system, real_broadcast(-1), D + 3 * at->nz, at->x, W);
    }
}

/* The residual at u, and its Jacobian. */
REAL_INLINE void prk_newton_residual(const void *self, int n, const real *u, real *r, real *J) {
    const struct prk_newton *run = self;
    const struct prk_view view = prk_newton_view(run), *at = &view;
    for (size_t e = 0; e < (size_t)at->s * 4 * at->nz; e++)
        at->D[e] = real_broadcast(0); /* the model does not write zeros */
    for (int i = 0; i < at->s; i++) {
        const real *V = u + i * at->n;
        real *Q = at->Q + i * at->n, *P = at->P + i * at->n, *W = at->W + i * at->n;
        const scalar c = at->tableau->c[i];
        const real time = c == 1 ? run->t1 : run->t + c * at->h;
        prk_point(at, at->tableau->a[i], at->s, u, run->q, Q);
        interval_second(at->system, at->self, time, Q, V, P, W, at->D + (size_t)i * 4 * at->nz);
    }
    prk_assemble(at, run->p, r);
    for (int i = 0; i < n; i++) run->stages->r[i] = r[i];
    prk_newton_matrix(at, J);
}

REAL_INLINE void prk_newton_accept(const void *self, int n, const real *d, mask where) {
    const struct prk_newton *run = self;
    const struct prk_view at = prk_newton_view(run);
    real *force = run->stages->force, W[PRK_NEWTON_MAX];
    prk_newton_forces(&at, d, W);
    for (int i = 0; i < n; i++) force[i] = real_select(where, W[i], force[i]);
}

static const struct small_newton_equation prk_newton_equation = {.residual = prk_newton_residual,
                                                                 .accept = prk_newton_accept};

/* Records the root, chooses the degree of the extrapolation if that is due, and writes the next
 * guess. A useless guess makes it due. */
REAL_INLINE void prk_newton_record(int n, struct prk_newton *run) {
    const struct extrapolation *history = &run->history;
    real root[PRK_NEWTON_MAX], *wait = history->wait;
    *wait = real_select(run->memory.is_far, real_broadcast(0), *wait - 1);
    const mask is_due = *wait <= 0;
    if (mask_any(is_due)) {
        real difference[EXTRAPOLATION_DEPTH_MAX * PRK_NEWTON_MAX];
        extrapolation_choose(n, history, difference, is_due);
    }
    for (int i = 0; i < n; i++) root[i] = run->u[i];
    extrapolation_advance(n, history, root, mask_broadcast(true), run->u);
    small_newton_record(n, &run->memory, root);
}

/* One step that ends at t1; the guess becomes that of the next step. */
REAL_INLINE void prk_newton_step(int n, struct prk_newton *run) {
    const struct prk_view view = prk_view(run->interval), *at = &view;
    real dq[PRK_NEWTON_MAX], dp[PRK_NEWTON_MAX];
    run->is_found &=
        small_newton_solve(n, &prk_newton_equation, run, &run->memory, run->history.past, run->u);
    prk_sum(at, at->tableau->b, at->s, run->u, dq);
    prk_sum(at, at->tableau->bhat, at->s, run->stages->force, dp);
    compensated_add(at->n, run->q, run->q_carry, run->q, run->q_carry, dq);
    compensated_add(at->n, run->p, run->p_carry, run->p, run->p_carry, dp);
    prk_newton_record(n, run);
}

/* Discards the history of earlier steps in some lanes. */
static inline void prk_newton_restart(int n, int nu, struct prk_newton *run, mask where) {
    extrapolation_restart(nu, &run->history, n, run->interval->velocity, where);
    small_newton_forget(nu, &run->memory, where);
}

static inline void prk_newton_load(struct noe_interval *interval, int nu, struct prk_newton *run) {
    const struct noe_state *from = interval->from;
    const int n = interval_problem(interval)->system->n;
    struct scratch scratch = scratch_carve(interval->scratch);
    const struct prk_newton_history known = prk_newton_layout(&scratch, interval_problem(interval));
    /* Member by member, because an assignment of the whole struct would keep it out of registers.
     */
    run->interval = interval;
    run->t = interval->t;
    run->is_found = mask_broadcast(true);
    run->history = known.roots;
    run->memory.scale = known.scale;
    run->memory.enough = known.enough;
    run->memory.is_active = interval->is_active;
    run->memory.dd = real_broadcast(0);
    run->memory.iterations = 0;
    run->memory.iterations_max = 1;
    for (int i = 0; i < n; i++) {
        run->q[i] = from->q[i];
        run->p[i] = from->p[i];
        run->q_carry[i] = from->q_carry[i];
        run->p_carry[i] = from->p_carry[i];
    }
    if (!interval->has_previous_step) prk_newton_restart(n, nu, run, mask_broadcast(true));
    extrapolation_adaptive_guess(nu, &run->history, run->u);
    small_newton_weigh(nu, &run->memory, run->history.past, mask_broadcast(true));
}

/* The estimated residual after the last correction d: |r| c |d|. */
static inline real prk_newton_left(int nu, const struct prk_newton *run) {
    const struct small_newton_memory *memory = &run->memory;
    const real rate = small_newton_left * noe_sqrt(memory->dd / *memory->enough);
    const real size = real_norm((size_t)nu, run->stages->r);
    return size * real_select(rate < 1, rate, real_broadcast(1));
}

static inline void prk_newton_store(struct noe_interval *interval, int nu, struct prk_newton *run,
                                    long count) {
    struct noe_state *to = interval->to;
    const int n = interval_problem(interval)->system->n;
    const real *last = run->history.past + nu - n;
    for (int i = 0; i < nu; i++) interval->root[i] = run->history.past[i];
    for (int i = 0; i < n; i++) {
        to->q[i] = run->q[i];
        to->p[i] = run->p[i];
        to->q_carry[i] = run->q_carry[i];
        to->p_carry[i] = run->p_carry[i];
        interval->velocity[i] = real_select(run->is_found, last[i], interval->velocity[i]);
    }
    if (!mask_all(run->is_found)) prk_newton_restart(n, nu, run, mask_not(run->is_found));
    interval->has_previous_step = true;
    interval->taken = count;
    interval->t1 = run->t;
    interval->residual = prk_newton_left(nu, run);
}

static inline void prk_newton_count(struct noe_interval *interval, int s,
                                    const struct small_newton_memory *memory) {
    interval->evaluations += memory->iterations * s;
    interval->iterations += memory->iterations;
    interval->factorisations += memory->iterations;
    if (memory->iterations_max > interval->iterations_max)
        interval->iterations_max = memory->iterations_max;
}

REAL_INLINE mask prk_newton_is_lost(const struct prk_newton *run, int n) {
    const mask is_finite_q = real_all_finite((size_t)n, run->q);
    const mask is_finite = is_finite_q & real_all_finite((size_t)n, run->p);
    return run->interval->is_active & mask_not(run->is_found & is_finite);
}

static inline noe_lane_status prk_newton_run(struct noe_interval *interval, long count) {
    const int n = interval_problem(interval)->system->n,
              nu = interval_problem(interval)->internals->nu;
    struct prk_newton_stages stages = {0};
    struct prk_newton run;
    long k = 0;
    run.stages = &stages;
    prk_newton_load(interval, nu, &run);
    run.t1 = interval->t1;
    while (k < count && (count == 1 || mask_all(run.is_found))) {
        prk_newton_step(nu, &run);
        k++;
        run.t = run.t1;
        run.t1 = interval->origin + (scalar)(interval->from->k + k + 1) * interval->h;
    }
    prk_newton_count(interval, nu / n, &run.memory);
    const mask is_lost = prk_newton_is_lost(&run, n);
    const noe_lane_status outcome =
        lane_status_join(lane_status_broadcast(NOE_OK), is_lost, NOE_NOT_CONVERGED);
    if (count > 1 && mask_any(is_lost)) {
        interval->good_steps = mask_all(run.is_found) ? 0 : k - 1;
        return outcome;
    }
    run.is_found = mask_not(is_lost);
    prk_newton_store(interval, nu, &run, count);
    return outcome;
}

/* Restores the memory of earlier steps if a block of steps fails. */
STEP_FLAT static noe_lane_status prk_newton_steps(struct noe_interval *interval, long count) {
    const struct noe_problem *problem = interval_problem(interval);
    struct scratch scratch = scratch_carve(interval->scratch);
    real *known = prk_newton_layout(&scratch, problem).roots.past;
    const size_t size = (size_t)(scratch.base + scratch.count - known);
    real kept[EXTRAPOLATION_DEPTH_MAX * (PRK_NEWTON_MAX + 1) + PRK_NEWTON_MAX + 1];
    for (size_t i = 0; count > 1 && i < size; i++) kept[i] = known[i];
    const noe_lane_status outcome = prk_newton_run(interval, count);
    if (interval->taken) return outcome;
    for (size_t i = 0; i < size; i++) known[i] = kept[i];
    return outcome;
}

static bool prk_newton_serves(const struct noe_problem *problem) {
    return problem->internals->nu <= PRK_NEWTON_MAX && !problem->system->factors;
}

static size_t prk_newton_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    prk_newton_layout(&scratch, problem);
    return scratch.count;
}

const struct kernel prk_newton_kernel = {
    .name = "small-newton",
    .symbol = "prk_newton_kernel",
    .source = "methods/runge_kutta/fast/prk_small_newton.c",
    .serves = prk_newton_serves,
    .scratch = prk_newton_scratch,
    .steps = prk_newton_steps,
    .falls_back = true,
};
