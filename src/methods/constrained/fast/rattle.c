/* RATTLE: a kernel for Lobatto's method with two stages and constraints where L = v.Mv/2 - U(t,q).
 *
 * Both stages then have the same velocity V, and only the multipliers are unknown:
 *     M V = p + (h/2) W_1,    q1 = q + hV,    g(q1) = 0,
 *     p1 = M V + (h/2) W_2,    psi(q1, M^-1 p1) = 0.
 * Newton's method solves for the holonomic multipliers of W_1, and one linear system for those of
 * W_2, because psi is affine in the velocity. Multipliers enter as impulses (h/2) Lambda with the
 * signs of the constraint forces (Andersen, 1983).
 *
 * Impulses are extrapolated from earlier steps. A correction with a new matrix is followed by one
 * with the same matrix. If the second moves q1 by less than its last bits, it is added and the
 * constraints are not evaluated again. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "methods/constrained/fast/rattle_view.h"

static bool rattle_serves(const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const bool is_mixed = system->nholonomic && system->nnonholonomic;
    return prk_tableau(problem)->s == 2 && schur_exists(system) &&
           !problem->internals->is_least_squares && (system->n <= SCHUR_FULL_UP_TO || !is_mixed);
}

static size_t rattle_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    struct rattle at;
    const struct prk_view prk = prk_layout(&scratch, problem);
    constrained_layout(&scratch, problem, prk);
    rattle_layout(&scratch, problem, &at);
    return scratch.count;
}

REAL_INLINE bool rattle_recomputes(const struct noe_interval *interval) {
    const struct constrained *method = interval_problem(interval)->internals->coefficients;
    return method->recomputes && interval_problem(interval)->system->nnonholonomic;
}

/* The multipliers of the state (q, v), with the factors of psi M^-1 psi^T: psi_v M^-1 (f + w_lambda
 * lambda) + psi_q v + psi_t = 0. */
REAL_INLINE void rattle_demanded(const struct rattle *at, real t, const real *q, const real *v,
                                 const real *f, const lane_index *pivot) {
    const int m = at->m;
    real *acceleration = at->move; /* unused at the end of a step */
    at->system->constraints_second(at->self, t, q, v, at->c, at->d);
    rattle_divide(at, f, acceleration);
    for (int a = 0; a < m; a++) at->start[a] = -at->c[at->nholonomic + m + a];
    rattle_subtract(at, at->d, acceleration, at->start);
    rattle_subtract(at, at->d + at->system->nzc, v, at->start);
    rattle_solve(at, &at->constraint_jacobian->velocity, at->start, pivot);
    for (int a = 0; a < m; a++) at->start[a] *= constraint_sign(at->system, a);
}

/* Computes the data of a previous step from the state alone. False if psi M^-1 psi^T is singular.
 */
static mask rattle_begin(struct noe_interval *interval, const struct rattle *at) {
    lane_index pivot[SCHUR_FULL_UP_TO];
    rattle_divide(at, at->p, at->V);
    at->system->constraints_second(at->self, interval->t, at->q, at->V, at->c, at->d);
    constrained_copy(at->system->nzc, at->psi, at->d);
    rattle_divide_rows(at, at->psi, at->y);
    interval_force(at->system, at->self, interval->t, at->q, at->V, at->dp, at->f);
    for (int a = 0; a < at->m; a++)
        at->after[a] =
            at->h * 0.5 * constraint_sign(at->system, a) * interval->from->multipliers[a];
    extrapolation_begin(at->nholonomic, at->past, at->after);
    if (!rattle_recomputes(interval)) return mask_broadcast(true);
    const mask is_regular =
        rattle_factor(at, &at->constraint_jacobian->velocity, at->psi, at->y, pivot);
    rattle_demanded(at, interval->t, at->q, at->V, at->f, pivot);
    return is_regular;
}

/* V and q1 with the impulses of W_1. Holonomic impulses are extrapolated; those of phi are known.
 */
REAL_INLINE void rattle_first(const struct noe_interval *interval, const struct rattle *at) {
    const real half = at->h * 0.5;
    const bool recomputes = rattle_recomputes(interval);
    extrapolation_guess(at->nholonomic, at->past, at->x);
    for (int a = at->nholonomic; a < at->m; a++)
        at->x[a] = recomputes ? half * at->start[a] : at->after[a];
    for (int k = 0; k < at->n; k++) at->dp[k] = at->p[k] + half * at->f[k];
    rattle_divide(at, at->dp, at->V);
    rattle_push(at, at->m, at->x, at->y, at->V);
    for (int k = 0; k < at->n; k++) at->q1[k] = at->q[k] + at->h * at->V[k];
}

REAL_INLINE real rattle_square(int n, const real *x) {
    real sum = x[0] * x[0];
    for (int k = 1; k < n; k++) sum += x[k] * x[k];
    return sum;
}

/* State of the Newton iteration for the impulses. */
struct constrained_search {
    real last; /* size of the previous change */
    mask is_going, turns;
    noe_lane_status outcome;
};

/* Lanes whose iteration ends after this change: those that fail, and those whose changes do not
 * shrink and are small or result from a residual at round-off level. */
static inline mask rattle_ends(const struct rattle *at, struct constrained_search *search) {
    const size_t count = (size_t)at->nholonomic;
    const real size = real_norm(count, at->change), scale = real_norm(count, at->x);
    const real noise = constraint_jacobian_noise(at->constraint_jacobian, at->d, at->n, at->q1);
    const mask stagnates = size > 0.25 * search->last;
    const mask is_small = (size <= 1e-8 * scale) | (real_norm(count, at->c) <= 16 * noise);
    search->outcome = lane_status_join(
        search->outcome, search->is_going & mask_not(real_is_finite(size)), NOE_NOT_FINITE);
    search->last = size;
    return (size <= 4 * NOE_EPSILON * scale) | (stagnates & is_small) | (search->outcome != NOE_OK);
}

/* One evaluation and correction, with a new matrix if `is_fresh`. Lanes that end keep V and q1, and
 * `move` receives the change of V. */
REAL_INLINE void rattle_correct(const struct rattle *at, bool is_fresh, bool is_first, real bound,
                                lane_index *pivot, struct constrained_search *search) {
    const struct constraint_schur *schur = &at->constraint_jacobian->position;
    const int n = at->n, count = at->nholonomic;
    const mask was_going = search->is_going;
    if (is_fresh) {
        const mask is_regular = rattle_factor(at, schur, at->d, at->y, pivot);
        const mask turns = rattle_turns(at, schur, pivot);
        search->outcome =
            lane_status_join(search->outcome, was_going & mask_not(is_regular), NOE_SINGULAR);
        search->turns = (was_going & turns) | (mask_not(was_going) & search->turns);
    }
    for (int a = 0; a < count; a++) at->change[a] = -at->c[a] * at->rate;
    rattle_solve(at, schur, at->change, pivot);
    for (int a = 0; a < count; a++)
        at->change[a] = real_select(was_going, at->change[a], real_broadcast(0));
    for (int k = 0; k < n; k++) at->dv[k] = real_broadcast(0);
    rattle_push(at, count, at->change, at->y, at->dv);
    const real moved = at->h * at->h * rattle_square(n, at->dv);
    mask ends = moved <= bound; /* last bits of q1 */
    if (!is_first && !mask_all(ends)) ends |= rattle_ends(at, search);
    for (int a = 0; a < count; a++) at->x[a] += at->change[a];
    search->is_going &= mask_not(ends);
    for (int k = 0; k < n; k++) at->move[k] = real_select(was_going, at->dv[k], at->move[k]);
}

/* Solves g(q1) = 0 for the holonomic impulses of W_1 in the lanes `where`; d receives psi_v at q1.
 */
REAL_INLINE struct constrained_search rattle_position(const struct rattle *at, real t1,
                                                      mask where) {
    enum { ITERATIONS_MAX = 30 };
    const real bound = NOE_EPSILON * NOE_EPSILON * rattle_square(at->n, at->q);
    lane_index pivot[SCHUR_FULL_UP_TO];
    struct constrained_search search = {real_broadcast(HUGE_VAL), where, mask_broadcast(false),
                                        lane_status_broadcast(NOE_OK)};
    for (int k = 0; k < at->n; k++) at->move[k] = real_broadcast(0);
    for (int i = 0;; i++) {
        at->system->constraints_second(at->self, t1, at->q1, at->V, at->c, at->d);
        if (at->nholonomic == 0) return search;
        rattle_correct(at, i % 2 == 0, i == 0, bound, pivot, &search);
        if (!mask_any(search.is_going)) break;
        for (int k = 0; k < at->n; k++) {
            at->V[k] += real_select(search.is_going, at->move[k], real_broadcast(0));
            at->q1[k] = at->q[k] + at->h * at->V[k];
        }
        if (i == ITERATIONS_MAX) break;
    }
    search.outcome = lane_status_join(search.outcome, search.is_going, NOE_NOT_CONVERGED);
    search.outcome = lane_status_join(search.outcome, where & search.turns, NOE_SINGULAR);
    return search;
}

/* Computes the impulses z of W_2, the velocity at the end and the change of p. False if the
 * constraints at the end are linearly dependent. */
REAL_INLINE mask rattle_velocity(const struct rattle *at, real t1, lane_index *pivot) {
    const int n = at->n, m = at->m;
    const real half = at->h * 0.5;
    rattle_divide_rows(at, at->d, at->y1);
    interval_force(at->system, at->self, t1, at->q1, at->V, at->dp, at->f1);
    rattle_divide(at, at->f1, at->dv);
    for (int k = 0; k < n; k++) at->dv[k] = at->move[k] + half * at->dv[k];
    for (int a = 0; a < m; a++) at->z[a] = -at->c[at->nholonomic + a];
    rattle_subtract(at, at->d, at->dv, at->z);
    const mask is_regular =
        rattle_factor(at, &at->constraint_jacobian->velocity, at->d, at->y1, pivot);
    rattle_solve(at, &at->constraint_jacobian->velocity, at->z, pivot);
    for (int k = 0; k < n; k++) {
        at->v[k] = at->V[k] + at->dv[k];
        at->dp[k] = half * (at->f[k] + at->f1[k]);
    }
    rattle_push(at, m, at->z, at->y1, at->v);
    rattle_react(at, at->x, at->psi, at->dp);
    rattle_react(at, at->z, at->d, at->dp);
    return is_regular;
}

REAL_INLINE real rattle_multiplier(const struct rattle *at, int a) {
    return constraint_sign(at->system, a) * at->after[a] / (at->h * 0.5);
}

/* Writes the state at the end of step k and the data of the next step. */
REAL_INLINE void rattle_end(struct noe_interval *interval, const struct rattle *at, long k, real t1,
                            const lane_index *pivot) {
    const bool recomputes = rattle_recomputes(interval);
    const bool looks = at->m > at->nholonomic && k % CONSTRAINED_LOOK_EVERY == 0;
    for (int i = 0; i < at->n; i++) {
        at->move[i] = at->h * (at->V[i] + at->move[i]);
        at->f[i] = at->f1[i];
    }
    compensated_add(at->n, at->q, at->q_carry, at->q, at->q_carry, at->move);
    compensated_add(at->n, at->p, at->p_carry, at->p, at->p_carry, at->dp);
    constrained_copy(at->system->nzc, at->psi, at->d);
    constrained_copy(schur_numbers(at->system), at->y, at->y1);
    constrained_copy(at->m, at->after, at->z);
    extrapolation_record(at->nholonomic, at->past, at->x);
    if (recomputes || looks) rattle_demanded(at, t1, at->q1, at->v, at->f1, pivot);
    if (recomputes || !looks) return;
    for (int a = 0; a < at->m; a++) at->z[a] = rattle_multiplier(at, a);
    constrained_drift(interval, at->z, at->start);
}

/* Step k. If it fails, the state does not change, unless `goes_on` is true. */
REAL_INLINE noe_lane_status rattle_step(struct noe_interval *interval, const struct rattle *at,
                                        long k, real t1, bool goes_on) {
    lane_index pivot[SCHUR_FULL_UP_TO];
    rattle_first(interval, at);
    const struct constrained_search search = rattle_position(at, t1, interval->is_active);
    interval->has_turned = search.turns;
    const mask is_regular = rattle_velocity(at, t1, pivot);
    const noe_lane_status outcome =
        lane_status_join(search.outcome, mask_not(is_regular), NOE_SINGULAR);
    if (goes_on || !mask_any(interval->is_active & (outcome != NOE_OK)))
        rattle_end(interval, at, k, t1, pivot);
    return outcome;
}

REAL_INLINE void rattle_load(const struct noe_interval *interval, const struct rattle *at) {
    const struct noe_state *from = interval->from;
    constrained_copy(at->n, at->q, from->q);
    constrained_copy(at->n, at->p, from->p);
    constrained_copy(at->n, at->q_carry, from->q_carry);
    constrained_copy(at->n, at->p_carry, from->p_carry);
    for (int e = 0; e < 2 * at->system->nzc; e++)
        at->d[e] = real_broadcast(0); /* zeros are not written */
    for (int a = 0; a < at->m; a++) at->V[at->n + a] = at->v[at->n + a] = real_broadcast(0);
}

REAL_INLINE void rattle_store(struct noe_interval *interval, const struct rattle *at) {
    struct noe_state *to = interval->to;
    constrained_copy(at->n, to->q, at->q);
    constrained_copy(at->n, to->p, at->p);
    constrained_copy(at->n, to->q_carry, at->q_carry);
    constrained_copy(at->n, to->p_carry, at->p_carry);
    constrained_copy(at->n, interval->velocity, at->v);
    for (int a = 0; a < at->m; a++)
        to->multipliers[a] = interval->velocity[at->n + a] = rattle_multiplier(at, a);
}

/* Restarts the extrapolation of impulses in some lanes. */
REAL_INLINE void rattle_restart(const struct rattle *at, mask where) {
    const int count = at->nholonomic;
    for (int i = count; i < EXTRAPOLATION_DEPTH * count; i++)
        at->past[i] = real_select(where, at->past[i % count], at->past[i]);
}

/* Takes `count` steps. The extrapolation of impulses restarts in the lanes `lost`. If a step fails,
 * none is taken, unless this is the last attempt. */
REAL_INLINE noe_lane_status rattle_run(struct noe_interval *interval, const struct rattle *at,
                                       long count, mask lost, bool is_last) {
    const long first = interval->from->k;
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    real t1 = interval->t1;
    rattle_load(interval, at);
    if (!interval->has_previous_step)
        outcome = lane_status_join(outcome, mask_not(rattle_begin(interval, at)), NOE_SINGULAR);
    if (mask_any(lost)) rattle_restart(at, lost);
    for (long k = 1; k <= count; k++) {
        t1 = k == 1 ? t1 : interval->origin + (scalar)(first + k) * at->h;
        const noe_lane_status found = rattle_step(interval, at, first + k, t1, is_last);
        outcome = lane_status_select(outcome == NOE_OK, found, outcome);
        interval->good_steps = k - 1;
        if (!is_last && mask_any(interval->is_active & (outcome != NOE_OK))) return outcome;
    }
    mask is_finite = real_all_finite((size_t)at->n,
                                     at->q); /* NaN and infinity propagate, so one check suffices */
    is_finite &= real_all_finite((size_t)at->n, at->p);
    outcome = lane_status_join(outcome, mask_not(is_finite), NOE_NOT_FINITE);
    if (count > 1 && mask_any(interval->is_active & (outcome != NOE_OK))) return outcome;
    rattle_store(interval, at);
    interval->has_previous_step = true;
    interval->evaluations += count;
    interval->taken = count;
    interval->t1 = t1;
    return outcome;
}

/* A small system copies its data to the stack and back. */
static inline noe_lane_status constrained_run(struct noe_interval *interval, long count, mask lost,
                                              bool is_last) {
    if (!rattle_is_small(interval_problem(interval)->system)) {
        const struct rattle at = constrained_large(interval);
        return rattle_run(interval, &at, count, lost, is_last);
    }
    struct rattle_storage own;
    const struct rattle at = constrained_small(interval, &own);
    const noe_lane_status outcome = rattle_run(interval, &at, count, lost, is_last);
    if (interval->taken) {
        const struct rattle kept = constrained_kept(interval);
        constrained_keep(&kept, &at);
    }
    return outcome;
}

/* A single step that fails is repeated without extrapolated impulses. A large system stores its
 * state in `to` only, so it takes one step at a time. */
STEP_FLAT static noe_lane_status rattle_steps(struct noe_interval *interval, long count) {
    const bool is_small = rattle_is_small(interval_problem(interval)->system);
    mask lost = mask_broadcast(false);
    if (!is_small) count = 1;
    for (bool is_last = false;; is_last = true) {
        const noe_lane_status outcome = constrained_run(interval, count, lost, is_last);
        if (interval->taken || count > 1) return outcome;
        lost = interval->is_active & (outcome != NOE_OK);
    }
}

const struct kernel rattle_kernel = {
    .name = "rattle",
    .symbol = "rattle_kernel",
    .source = "methods/constrained/fast/rattle.c",
    .serves = rattle_serves,
    .scratch = rattle_scratch,
    .steps = rattle_steps,
};
