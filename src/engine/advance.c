/* The step path: by the method's explicit kernel, or guess, root, finish. No words here: a
 * specialised stepper is made of this file, the method's, and those below them. */
/* SPDX-License-Identifier: MIT */
#include "engine/advance.h"

void advance_interval(struct noe_work *work, real h) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    const struct noe_state *now = work->now;
    const bool is_adaptive = problem->method->traits & NOE_ADAPTIVE;
    const truth on_grid = is_adaptive ? truth_of(false) : h == work->h;
    interval->from = now;
    interval->to = work->next;
    interval->t = now->t;
    interval->h = h;
    interval->t1 = real_select(on_grid, work->t0 + (scalar)(now->k + 1) * h, now->t + h);
    interval->origin = real_select(on_grid, work->t0, now->t - (scalar)now->k * h);
    interval->evaluations = interval->rejected = 0;
    interval->iterations = interval->iterations_max = interval->factorisations = 0;
    interval->multiplier_drift = interval->noise = real_of(0);
    interval->skips_points = false;
    interval->has_turned = truth_of(false);
    interval->signs = NULL;
}

/* The method's own guess, where there is no better. */
static void guess(struct noe_work *work, truth where) {
    const struct noe_problem *problem = work_problem(work);
    struct newton *newton = &work->newton;
    problem->method->guess(&work->interval, newton->d);
    for (int i = 0; i < problem->nu; i++)
        newton->u[i] = real_select(where, newton->d[i], newton->u[i]);
}

/* The extrapolated guess, else the method's own. Returns where it is the first. */
static truth predict(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    const truth is_known = problem->begins_anew
                               ? truth_of(false)
                               : predictor_guess(&work->predictor, problem->nu, work->newton.u);
    if (!truth_all(is_known)) guess(work, truth_not(is_known));
    return is_known;
}

/* By the method's contraction; what it begins with are the stages of the step before, or a guess.
 */
static bool contract(struct noe_work *work) {
    struct contraction *contraction = &work->contraction;
    if (!work->interval.force_known) predict(work);
    if (contraction_solve(contraction, &work->interval, work->newton.u) != NOE_OK) return false;
    work->newton.iterations = contraction->iterations;
    work->newton.residual =
        contraction->residual * real_norm((size_t)work_problem(work)->system->n, work->now->p);
    return true;
}

/* Where there is no root, or another one than that of the motion might have been found. */
static truth is_doubtful(const struct noe_work *work, noe_outcome outcome) {
    const truth has_strayed = work->follow_root ? work->newton.has_strayed : truth_of(false);
    return work->interval.is_active & ((outcome != NOE_OK) | has_strayed);
}

noe_outcome advance_by_newton(struct noe_work *work) {
    struct newton *newton = &work->newton;
    struct noe_interval *interval = &work->interval;
    const bool is_near =
        work->has_guess || (WORK_HAS_CONTRACTION(work) && work->contraction.has_iterate);
    const truth is_known = is_near ? truth_of(true) : predict(work);
    noe_outcome outcome = newton_solve(newton, interval, interval->is_active);
    truth is_lost = is_doubtful(work, outcome);
    const truth is_anew = is_lost & is_known;
    if (truth_any(is_anew)) {
        const truth has_strayed = newton->has_strayed;
        predictor_reset(&work->predictor, is_anew);
        newton_begin_anew(newton, work_problem(work)->nu, is_anew);
        guess(work, is_anew);
        outcome = outcome_select(is_anew, newton_solve(newton, interval, is_anew), outcome);
        newton->has_strayed |= has_strayed & truth_not(is_anew);
        is_lost = is_doubtful(work, outcome);
    }
    if (truth_any(is_lost) && work->follow_root)
        outcome = work->follow_root(work, outcome, is_lost);
    newton_finish(newton, work_problem(work)->nu, interval->is_active & (outcome == NOE_OK));
    return outcome;
}

/* Does this file solve the run's linear systems? Else the library's own Newton method does. */
#if defined NOE_NEWTON_ELSEWHERE
#define HAS_NEWTON(work) false
#elif defined NOE_SPECIALISED
#define HAS_NEWTON(work) ((work)->newton.linear.kind == LINEAR_DENSE)
#else
#define HAS_NEWTON(work) true
#endif

static noe_outcome find_root(struct noe_work *work) {
    if (WORK_HAS_CONTRACTION(work) && contract(work)) return outcome_of(NOE_OK);
    if (WORK_HAS_CONTRACTION(work)) work->interval.force_known = false;
    return HAS_NEWTON(work) ? advance_by_newton(work) : work->by_newton(work);
}

static void count_effort(struct noe_work *work, long iterations, int most, real residual) {
    struct noe_effort *effort = &work->effort;
    const real scale = real_norm((size_t)work_problem(work)->system->n, work->now->p);
    effort->iterations += iterations;
    if (most > effort->iterations_max) effort->iterations_max = most;
    const truth is_larger = (residual > effort->residual_max * scale) & (scale > 0);
    if (truth_any(is_larger))
        effort->residual_max = real_select(is_larger, residual / scale, effort->residual_max);
}

/* For the next guess: of Newton's method the root, of a contraction the stages, which it has. */
static void learn(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    if (WORK_HAS_CONTRACTION(work) && work->contraction.has_solved) {
        predictor_reset(&work->predictor, truth_of(true));
        return;
    }
    predictor_learn(&work->predictor, problem->nu, work->newton.u);
    if (!WORK_HAS_CONTRACTION(work)) return;
    interval->force_known = work->contraction.wait == 0;
    if (interval->force_known) problem->method->contraction->keep(interval, work->newton.u);
}

/* An increment beyond the limit of its retraction is no step, whatever came of it. */
static noe_outcome within_reach(const struct noe_work *work, noe_outcome outcome) {
    if (!work_problem(work)->chart) return outcome;
    return outcome_select(work->interval.reach >= 1, outcome_of(NOE_NOT_CONVERGED), outcome);
}

noe_outcome advance_root(struct noe_work *work) { return within_reach(work, find_root(work)); }

/* A method whose own matrix does not tell that a step has crossed a singular configuration. */
static noe_outcome refuse_turn(struct noe_work *work, noe_outcome outcome) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    if (!constraint_count(problem->system) || problem->method->is_oriented) return outcome;
    const truth has_turned =
        multipliers_turn(interval, interval->t1, interval->to->q, interval->velocity);
    interval->has_turned = has_turned & (outcome == NOE_OK);
    return outcome_join(outcome, has_turned, NOE_SINGULAR);
}

static noe_outcome implicit_step(struct noe_work *work) {
    const noe_outcome outcome = WORK_HAS_BALANCE(work) ? duration_solve(work) : advance_root(work);
    if (!truth_any(work->interval.is_active & (outcome == NOE_OK))) return outcome;
    count_effort(work, work->newton.iterations, work->newton.iterations, work->newton.residual);
    work_problem(work)->method->finish(&work->interval, work->newton.u);
    if (WORK_HAS_BALANCE(work)) duration_settle(work);
    learn(work);
    work->interval.taken = 1;
    work->interval.h_next = work->interval.h; /* what a kernel adapts, or a balance */
    return refuse_turn(work, outcome);
}

static truth is_finite_state(const struct noe_problem *problem, const struct noe_state *state) {
    const truth is_finite_q = real_all_finite((size_t)problem->np, state->q);
    const truth is_finite_p = real_all_finite((size_t)problem->system->n, state->p);
    return is_finite_q & is_finite_p;
}

static void hold_numbers(int n, real *next, const real *now, truth where) {
    for (int i = 0; i < n; i++) next[i] = real_select(where, now[i], next[i]);
}

void advance_hold(struct noe_work *work, noe_outcome outcome, truth where) {
    const struct noe_problem *problem = work_problem(work);
    const int n = problem->system->n;
    const struct noe_state *now = work->now;
    struct noe_state *next = work->next;
    const truth is_new = work->interval.is_active & where;
    hold_numbers(problem->np, next->q, now->q, where);
    hold_numbers(n, next->p, now->p, where);
    hold_numbers(n, next->q_carry, now->q_carry, where);
    hold_numbers(n, next->p_carry, now->p_carry, where);
    hold_numbers(constraint_count(problem->system), next->multipliers, now->multipliers, where);
    hold_numbers(1, &next->t, &now->t, where);
    hold_numbers(1, &next->energy, &now->energy, where);
    hold_numbers(1, &next->anchor, &now->anchor, where);
    hold_numbers(1, &next->anchor_carry, &now->anchor_carry, where);
    hold_numbers(1, &next->gap, &now->gap, where);
    work->outcome = outcome_select(is_new, outcome, work->outcome);
    work->last_step = lane_int_select(is_new, lane_int_of(now->k), work->last_step);
    work->interval.is_active &= truth_not(where);
}

noe_outcome advance_accept(struct noe_work *work, noe_outcome outcome) {
    struct noe_interval *interval = &work->interval;
    outcome = outcome_join(outcome, truth_not(is_finite_state(work_problem(work), work->next)),
                           NOE_NOT_FINITE);
    work->effort.evaluations += interval->evaluations;
    work->effort.rejected += interval->rejected;
    if (WORK_HAS_BALANCE(work)) duration_count(work);
    if (constraint_count(work_problem(work)->system))
        work->effort.multiplier_drift =
            real_larger(interval->multiplier_drift, work->effort.multiplier_drift);
    const truth is_taken = interval->is_active & (outcome == NOE_OK);
    if (!truth_any(is_taken)) {
        interval->force_known = false;
        return outcome;
    }
    struct noe_state *next = work->next;
    next->k = work->now->k + interval->taken;
    next->t = interval->t1;
    next->h = interval->h;
    if (!truth_all(is_taken)) advance_hold(work, outcome, truth_not(is_taken));
    work->next = work->now;
    work->now = next; /* only now does the step count */
    work->effort.steps += interval->taken;
    return outcome_of(NOE_OK);
}

/* The end of the step, and the velocity there, as five arrays of n numbers. */
static void copy_end(const struct noe_work *work, real *numbers, truth into, truth back) {
    const struct noe_interval *interval = &work->interval;
    const int n = work_problem(work)->system->n;
    const struct noe_state *to = interval->to;
    real *const array[] = {to->q, to->p, to->q_carry, to->p_carry, interval->velocity};
    for (int i = 0; i < 5; i++) {
        hold_numbers(n, numbers + i * n, array[i], into);
        hold_numbers(n, array[i], numbers + i * n, back);
    }
}

noe_outcome advance_rescue(struct noe_work *work, noe_outcome outcome, truth is_lost) {
    enum { UNKNOWNS_MAX = 8 };
    struct noe_interval *interval = &work->interval;
    const truth is_active = interval->is_active;
    real numbers[5 * UNKNOWNS_MAX];
    copy_end(work, numbers, truth_of(true), truth_of(false));
    predictor_reset(&work->predictor, truth_of(true));
    newton_forget(&work->newton);
    interval->is_active = is_lost;
    outcome = outcome_select(is_lost, implicit_step(work), outcome);
    interval->is_active = is_active;
    copy_end(work, numbers, truth_of(false), truth_not(is_lost));
    return outcome;
}

/* Steps of a kernel, which may have solved for something. */
static inline noe_outcome kernel_steps(struct noe_work *work, long count) {
    struct noe_interval *interval = &work->interval;
    const noe_outcome outcome = work_problem(work)->method->kernel(interval, count);
    if (!work_problem(work)->kernel_solves) return outcome;
    const truth is_lost = interval->is_active & (outcome != NOE_OK);
    work->newton.factorisations += interval->factorisations;
    count_effort(work, interval->iterations, (int)interval->iterations_max, interval->residual);
    return truth_any(is_lost) ? work->rescue(work, outcome, is_lost) : outcome;
}

/* A specialised stepper goes one way always; the other must not be compiled with it. */
#if defined NOE_BY_KERNEL
#define BY_KERNEL(use_kernel) true
#elif defined NOE_SPECIALISED
#define BY_KERNEL(use_kernel) false
#else
#define BY_KERNEL(use_kernel) (use_kernel)
#endif

STEP_FOLDED noe_outcome advance_take(struct noe_work *work, bool use_kernel, long count) {
    (void)use_kernel;
    return advance_accept(work,
                          BY_KERNEL(use_kernel) ? kernel_steps(work, count) : implicit_step(work));
}

void advance_forget(struct noe_work *work) {
    predictor_reset(&work->predictor, truth_of(true));
    contraction_reset(&work->contraction);
    newton_forget(&work->newton);
    if (WORK_HAS_BALANCE(work))
        duration_forget(&work->duration, work_problem(work)->order, work->h);
    work->interval.force_known = false;
}

void advance_orient(struct noe_work *work) {
    const scalar shorter = 1.0 / (1 << 20);
    const struct noe_problem *problem = work_problem(work);
    work->newton.normal = real_of(0);
    if (constraint_count(problem->system))
        multipliers_remember(&work->multipliers, problem->system);
    if (!problem->method->is_oriented || problem->use_kernel) return;
    advance_interval(work, work->h * shorter);
    problem->method->guess(&work->interval, work->newton.u);
    newton_orient(&work->newton, &work->interval);
}

void advance_given(struct noe_work *work, real h) {
    advance_interval(work, h);
    work->interval.is_fixed = true;
    work->t0_before = work->t0;
    advance_forget(work);
}

noe_outcome advance_steps(struct noe_work *work, long count) {
    const struct noe_problem *problem = work_problem(work);
    const long end = work->now->k + count;
    while (work->now->k < end) {
        const long rest = end - work->now->k; /* the interval of the last root is its own */
        const bool leaves_one = problem->kernel_solves && rest > 1;
        advance_interval(work, work->h_next);
        work->interval.is_fixed = false;
        const noe_outcome outcome = advance_take(work, problem->use_kernel, rest - leaves_one);
        if (!truth_any(work->interval.is_active & (outcome == NOE_OK))) return outcome;
        if (problem->method->traits & NOE_ADAPTIVE) work->h_next = work->interval.h_next;
    }
    return outcome_of(NOE_OK);
}

/* A degenerate Lagrangian has no inverse Legendre transform; then the velocity is the scheme's. */
static noe_outcome current_velocity(struct noe_work *work) {
    const struct noe_state *now = work->now;
    const int n = work_problem(work)->system->n, m = constraint_count(work_problem(work)->system);
    for (int i = 0; i < n; i++) work->velocity[i] = work->interval.velocity[i];
    for (int i = 0; i < m; i++) work->velocity[n + i] = now->multipliers[i];
    const noe_outcome outcome =
        legendre_velocity(&work->legendre, now->t, now->q, now->p, work->velocity);
    return outcome_select(outcome == NOE_SINGULAR, outcome_of(NOE_OK), outcome);
}

STEP_FOLDED noe_outcome advance_energy(struct noe_work *work, real *energy) {
    const struct noe_system *system = work_problem(work)->system;
    const struct noe_system *self = work->interval.problem->system;
    const struct noe_state *now = work->now;
    const noe_outcome outcome = current_velocity(work);
    const real *v = work->velocity;
    real sum = -system->lagrangian(self, now->t, now->q, v);
    for (int i = 0; i < system->n; i++) sum += now->p[i] * v[i];
    *energy = real_select(outcome == NOE_OK, sum, real_of(NAN));
    return outcome;
}

noe_outcome advance_measure(struct noe_work *work, real *energy) {
    const struct noe_system *system = work_problem(work)->system;
    const struct noe_system *self = work->interval.problem->system;
    const struct noe_state *now = work->now;
    const noe_outcome outcome = advance_energy(work, energy);
    if (system->nvalues) system->quantities(self, now->t, now->q, work->velocity, work->values);
    return outcome;
}
