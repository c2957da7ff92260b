/* A fast path to the root of Lobatto's method with two stages and constraints: L = v.Mv/2 - U(t,q).
 *
 * Both stages then have the same velocity V, and only multipliers are left to find:
 *     M V = p + (h/2) W_1,    q1 = q + hV,    g(q1) = 0,
 *     p1 = M V + (h/2) W_2,    psi(q1, M^-1 p1) = 0.
 * The holonomic multipliers of W_1 come by Newton's method; those of W_2 by one linear system, for
 * psi is affine in the velocity. Multipliers enter as impulses (h/2) Lambda with the signs of
 * reactions. This is RATTLE (Andersen, 1983).
 *
 * Impulses are extrapolated from those of the steps before. A correction with a fresh matrix is
 * followed by one with the same matrix; where that moves q1 by less than its last bits, it is added
 * and constraints are not evaluated again. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "methods/constrained/fast/rattle_view.h"

bool constrained_kernel_serves(const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const bool is_mixed = system->nholonomic && system->nnonholonomic;
    return gram_exists(system) && !problem->is_least_squares &&
           (system->n <= GRAM_FULL_UP_TO || !is_mixed);
}

size_t constrained_kernel_scratch(const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const size_t n = (size_t)system->n, m = (size_t)constraint_count(system);
    const size_t kept = constrained_scratch(problem) + constrained_kernel_kept(system);
    if (constrained_quick_is_small(system)) return kept;
    return kept + 7 * n + 2 * m + (size_t)gram_numbers(system) + 6 * m + 2 * (size_t)system->nzc +
           (size_t)problem->reaction->velocity.nz;
}

STEP_INLINE bool constrained_quick_recomputes(const struct noe_interval *interval) {
    const struct constrained *method = interval_problem(interval)->coefficients;
    return method->recomputes && interval_problem(interval)->system->nnonholonomic;
}

/* Multipliers that the state (q, v) demands, with the factors of psi M^-1 psi^T:
 * psi_v M^-1 (f + w_lambda lambda) + psi_q v + psi_t = 0. */
STEP_INLINE void constrained_quick_demanded(const struct constrained_quick *at, real t,
                                            const real *q, const real *v, const real *f,
                                            const lane_int *pivot) {
    const int m = at->m;
    real *acceleration = at->move; /* free at the end of a step */
    at->system->constraints_second(at->self, t, q, v, at->c, at->d);
    constrained_quick_divide(at, f, acceleration);
    for (int a = 0; a < m; a++) at->start[a] = -at->c[at->nholonomic + m + a];
    constrained_quick_subtract(at, at->d, acceleration, at->start);
    constrained_quick_subtract(at, at->d + at->system->nzc, v, at->start);
    constrained_quick_solve(at, &at->reaction->velocity, at->start, pivot);
    for (int a = 0; a < m; a++) at->start[a] *= constraint_sign(at->system, a);
}

/* What a step before would have left; false where psi M^-1 psi^T is singular. */
static truth constrained_quick_begin(struct noe_interval *interval,
                                     const struct constrained_quick *at) {
    lane_int pivot[GRAM_FULL_UP_TO];
    constrained_quick_divide(at, at->p, at->V);
    at->system->constraints_second(at->self, interval->t, at->q, at->V, at->c, at->d);
    constrained_copy(at->system->nzc, at->psi, at->d);
    constrained_quick_divide_rows(at, at->psi, at->y);
    interval_force(at->system, at->self, interval->t, at->q, at->V, at->dp, at->f);
    for (int a = 0; a < at->m; a++)
        at->after[a] =
            at->h * 0.5 * constraint_sign(at->system, a) * interval->from->multipliers[a];
    few_begin(at->nholonomic, at->past, at->after);
    if (!constrained_quick_recomputes(interval)) return truth_of(true);
    const truth is_regular =
        constrained_quick_factor(at, &at->reaction->velocity, at->psi, at->y, pivot);
    constrained_quick_demanded(at, interval->t, at->q, at->V, at->f, pivot);
    return is_regular;
}

/* V and q1 with the impulses of W_1: holonomic ones extrapolated; of phi they are known. */
STEP_INLINE void constrained_quick_first(const struct noe_interval *interval,
                                         const struct constrained_quick *at) {
    const real half = at->h * 0.5;
    const bool recomputes = constrained_quick_recomputes(interval);
    few_guess(at->nholonomic, at->past, at->x);
    for (int a = at->nholonomic; a < at->m; a++)
        at->x[a] = recomputes ? half * at->start[a] : at->after[a];
    for (int k = 0; k < at->n; k++) at->dp[k] = at->p[k] + half * at->f[k];
    constrained_quick_divide(at, at->dp, at->V);
    constrained_quick_push(at, at->m, at->x, at->y, at->V);
    for (int k = 0; k < at->n; k++) at->q1[k] = at->q[k] + at->h * at->V[k];
}

STEP_INLINE real constrained_quick_square(int n, const real *x) {
    real sum = x[0] * x[0];
    for (int k = 1; k < n; k++) sum += x[k] * x[k];
    return sum;
}

/* Newton's method for impulses on its way. */
struct constrained_search {
    real last; /* the size of the change before */
    truth is_going, turns;
    noe_outcome outcome;
};

/* Which lanes end with a change that is seen: those that fail, and those where changes do not
 * shrink and are small, or come from a residual that is round-off itself. */
static inline truth constrained_quick_ends(const struct constrained_quick *at,
                                           struct constrained_search *search) {
    const size_t count = (size_t)at->nholonomic;
    const real size = real_norm(count, at->change), scale = real_norm(count, at->x);
    const real noise = reaction_noise(at->reaction, at->d, at->n, at->q1);
    const truth stagnates = size > 0.25 * search->last;
    const truth is_small = (size <= 1e-8 * scale) | (real_norm(count, at->c) <= 16 * noise);
    search->outcome = outcome_join(
        search->outcome, search->is_going & truth_not(real_is_finite(size)), NOE_NOT_FINITE);
    search->last = size;
    return (size <= 4 * NOE_EPSILON * scale) | (stagnates & is_small) | (search->outcome != NOE_OK);
}

/* One evaluation and correction; a fresh matrix if it is asked for. Lanes that end keep V and q1,
 * and in `move` what their last change adds to V. */
STEP_INLINE void constrained_quick_correct(const struct constrained_quick *at, bool is_fresh,
                                           bool is_first, real bound, lane_int *pivot,
                                           struct constrained_search *search) {
    const struct gram *gram = &at->reaction->position;
    const int n = at->n, count = at->nholonomic;
    const truth was_going = search->is_going;
    if (is_fresh) {
        const truth is_regular = constrained_quick_factor(at, gram, at->d, at->y, pivot);
        const truth turns = constrained_quick_turns(at, gram, pivot);
        search->outcome =
            outcome_join(search->outcome, was_going & truth_not(is_regular), NOE_SINGULAR);
        search->turns = (was_going & turns) | (truth_not(was_going) & search->turns);
    }
    for (int a = 0; a < count; a++) at->change[a] = -at->c[a] * at->rate;
    constrained_quick_solve(at, gram, at->change, pivot);
    for (int a = 0; a < count; a++)
        at->change[a] = real_select(was_going, at->change[a], real_of(0));
    for (int k = 0; k < n; k++) at->dv[k] = real_of(0);
    constrained_quick_push(at, count, at->change, at->y, at->dv);
    const real moved = at->h * at->h * constrained_quick_square(n, at->dv);
    truth ends = moved <= bound; /* the last bits of q1 */
    if (!is_first && !truth_all(ends)) ends |= constrained_quick_ends(at, search);
    for (int a = 0; a < count; a++) at->x[a] += at->change[a];
    search->is_going &= truth_not(ends);
    for (int k = 0; k < n; k++) at->move[k] = real_select(was_going, at->dv[k], at->move[k]);
}

/* g(q1) = 0 for the holonomic impulses of W_1, in some lanes; psi_v at q1 in d. */
STEP_INLINE struct constrained_search constrained_quick_position(const struct constrained_quick *at,
                                                                 real t1, truth where) {
    enum { ITERATIONS_MAX = 30 };
    const real bound = NOE_EPSILON * NOE_EPSILON * constrained_quick_square(at->n, at->q);
    lane_int pivot[GRAM_FULL_UP_TO];
    struct constrained_search search = {real_of(HUGE_VAL), where, truth_of(false),
                                        outcome_of(NOE_OK)};
    for (int k = 0; k < at->n; k++) at->move[k] = real_of(0);
    for (int i = 0;; i++) {
        at->system->constraints_second(at->self, t1, at->q1, at->V, at->c, at->d);
        if (at->nholonomic == 0) return search;
        constrained_quick_correct(at, i % 2 == 0, i == 0, bound, pivot, &search);
        if (!truth_any(search.is_going)) break;
        for (int k = 0; k < at->n; k++) {
            at->V[k] += real_select(search.is_going, at->move[k], real_of(0));
            at->q1[k] = at->q[k] + at->h * at->V[k];
        }
        if (i == ITERATIONS_MAX) break;
    }
    search.outcome = outcome_join(search.outcome, search.is_going, NOE_NOT_CONVERGED);
    search.outcome = outcome_join(search.outcome, where & search.turns, NOE_SINGULAR);
    return search;
}

/* The impulses of W_2 in z, the velocity at the end, and what p changes by; false where the
 * constraints there depend on one another. */
STEP_INLINE truth constrained_quick_velocity(const struct constrained_quick *at, real t1,
                                             lane_int *pivot) {
    const int n = at->n, m = at->m;
    const real half = at->h * 0.5;
    constrained_quick_divide_rows(at, at->d, at->y1);
    interval_force(at->system, at->self, t1, at->q1, at->V, at->dp, at->f1);
    constrained_quick_divide(at, at->f1, at->dv);
    for (int k = 0; k < n; k++) at->dv[k] = at->move[k] + half * at->dv[k];
    for (int a = 0; a < m; a++) at->z[a] = -at->c[at->nholonomic + a];
    constrained_quick_subtract(at, at->d, at->dv, at->z);
    const truth is_regular =
        constrained_quick_factor(at, &at->reaction->velocity, at->d, at->y1, pivot);
    constrained_quick_solve(at, &at->reaction->velocity, at->z, pivot);
    for (int k = 0; k < n; k++) {
        at->v[k] = at->V[k] + at->dv[k];
        at->dp[k] = half * (at->f[k] + at->f1[k]);
    }
    constrained_quick_push(at, m, at->z, at->y1, at->v);
    constrained_quick_react(at, at->x, at->psi, at->dp);
    constrained_quick_react(at, at->z, at->d, at->dp);
    return is_regular;
}

STEP_INLINE real constrained_quick_multiplier(const struct constrained_quick *at, int a) {
    return constraint_sign(at->system, a) * at->after[a] / (at->h * 0.5);
}

/* The state at the end of step k, and what the next step begins with. */
STEP_INLINE void constrained_quick_end(struct noe_interval *interval,
                                       const struct constrained_quick *at, long k, real t1,
                                       const lane_int *pivot) {
    const bool recomputes = constrained_quick_recomputes(interval);
    const bool looks = at->m > at->nholonomic && k % CONSTRAINED_LOOK_EVERY == 0;
    for (int i = 0; i < at->n; i++) {
        at->move[i] = at->h * (at->V[i] + at->move[i]);
        at->f[i] = at->f1[i];
    }
    sum_add(at->n, at->q, at->q_carry, at->q, at->q_carry, at->move);
    sum_add(at->n, at->p, at->p_carry, at->p, at->p_carry, at->dp);
    constrained_copy(at->system->nzc, at->psi, at->d);
    constrained_copy(gram_numbers(at->system), at->y, at->y1);
    constrained_copy(at->m, at->after, at->z);
    few_learn(at->nholonomic, at->past, at->x);
    if (recomputes || looks) constrained_quick_demanded(at, t1, at->q1, at->v, at->f1, pivot);
    if (recomputes || !looks) return;
    for (int a = 0; a < at->m; a++) at->z[a] = constrained_quick_multiplier(at, a);
    constrained_drift(interval, at->z, at->start);
}

/* Step k. Where it has no end it changes nothing, unless it is to go on all the same. */
STEP_INLINE noe_outcome constrained_quick_step(struct noe_interval *interval,
                                               const struct constrained_quick *at, long k, real t1,
                                               bool goes_on) {
    lane_int pivot[GRAM_FULL_UP_TO];
    constrained_quick_first(interval, at);
    const struct constrained_search search =
        constrained_quick_position(at, t1, interval->is_active);
    interval->has_turned = search.turns;
    const truth is_regular = constrained_quick_velocity(at, t1, pivot);
    const noe_outcome outcome = outcome_join(search.outcome, truth_not(is_regular), NOE_SINGULAR);
    if (goes_on || !truth_any(interval->is_active & (outcome != NOE_OK)))
        constrained_quick_end(interval, at, k, t1, pivot);
    return outcome;
}

STEP_INLINE void constrained_quick_load(const struct noe_interval *interval,
                                        const struct constrained_quick *at) {
    const struct noe_state *from = interval->from;
    constrained_copy(at->n, at->q, from->q);
    constrained_copy(at->n, at->p, from->p);
    constrained_copy(at->n, at->q_carry, from->q_carry);
    constrained_copy(at->n, at->p_carry, from->p_carry);
    for (int e = 0; e < 2 * at->system->nzc; e++) at->d[e] = real_of(0); /* zeros are not written */
    for (int a = 0; a < at->m; a++) at->V[at->n + a] = at->v[at->n + a] = real_of(0);
}

STEP_INLINE void constrained_quick_store(struct noe_interval *interval,
                                         const struct constrained_quick *at) {
    struct noe_state *to = interval->to;
    constrained_copy(at->n, to->q, at->q);
    constrained_copy(at->n, to->p, at->p);
    constrained_copy(at->n, to->q_carry, at->q_carry);
    constrained_copy(at->n, to->p_carry, at->p_carry);
    constrained_copy(at->n, interval->velocity, at->v);
    for (int a = 0; a < at->m; a++)
        to->multipliers[a] = interval->velocity[at->n + a] = constrained_quick_multiplier(at, a);
}

/* Forgets the trend of impulses in some lanes. */
STEP_INLINE void constrained_quick_restart(const struct constrained_quick *at, truth where) {
    const int count = at->nholonomic;
    for (int i = count; i < FEW_DEPTH * count; i++)
        at->past[i] = real_select(where, at->past[i % count], at->past[i]);
}

/* `count` steps, without the trend of impulses in the lanes that were lost before. Where one of
 * them fails nothing is taken, unless it is the last try. */
STEP_INLINE noe_outcome constrained_quick_run(struct noe_interval *interval,
                                              const struct constrained_quick *at, long count,
                                              truth lost, bool is_last) {
    const long first = interval->from->k;
    noe_outcome outcome = outcome_of(NOE_OK);
    real t1 = interval->t1;
    constrained_quick_load(interval, at);
    if (!interval->force_known)
        outcome =
            outcome_join(outcome, truth_not(constrained_quick_begin(interval, at)), NOE_SINGULAR);
    if (truth_any(lost)) constrained_quick_restart(at, lost);
    for (long k = 1; k <= count; k++) {
        t1 = k == 1 ? t1 : interval->origin + (scalar)(first + k) * at->h;
        const noe_outcome found = constrained_quick_step(interval, at, first + k, t1, is_last);
        outcome = outcome_select(outcome == NOE_OK, found, outcome);
        if (!is_last && truth_any(interval->is_active & (outcome != NOE_OK))) return outcome;
    }
    truth is_finite = real_all_finite((size_t)at->n, at->q); /* of one step, the engine asks */
    is_finite &= real_all_finite((size_t)at->n, at->p);
    outcome = outcome_join(outcome, truth_not(is_finite), NOE_NOT_FINITE);
    if (count > 1 && truth_any(interval->is_active & (outcome != NOE_OK))) return outcome;
    constrained_quick_store(interval, at);
    interval->force_known = true;
    interval->evaluations += count;
    interval->taken = count;
    interval->t1 = t1;
    return outcome;
}

/* The numbers of a small system are its own until it has taken its steps. */
static inline noe_outcome constrained_run(struct noe_interval *interval, long count, truth lost,
                                          bool is_last) {
    if (!constrained_quick_is_small(interval_problem(interval)->system)) {
        const struct constrained_quick at = constrained_large(interval);
        return constrained_quick_run(interval, &at, count, lost, is_last);
    }
    struct constrained_numbers own;
    const struct constrained_quick at = constrained_small(interval, &own);
    const noe_outcome outcome = constrained_quick_run(interval, &at, count, lost, is_last);
    if (interval->taken) {
        const struct constrained_quick kept = constrained_kept(interval);
        constrained_keep(&kept, &at);
    }
    return outcome;
}

/* Many steps at a time; where one of them fails, as many as do not, by halves. A single step that
 * fails is tried again without the trend of impulses. */
STEP_FLAT noe_outcome constrained_kernel(struct noe_interval *interval, long count) {
    enum { BLOCK = 256 };
    const bool is_small = constrained_quick_is_small(interval_problem(interval)->system);
    const long most = is_small ? BLOCK : 1;
    truth lost = truth_of(false);
    if (count > most) count = most;
    interval->taken = 0;
    for (bool is_last = false;; count /= 2) {
        if (count == 0) count = 1, is_last = true;
        const noe_outcome outcome = constrained_run(interval, count, lost, is_last);
        if (interval->taken) return outcome;
        if (count == 1) lost = interval->is_active & (outcome != NOE_OK);
    }
}
