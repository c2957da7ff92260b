/* The step path: a step by the method's kernel, or initial guess, root and update. It writes no
 * messages, because specialised steppers are compiled from this file and the files below it. */
/* SPDX-License-Identifier: MIT */
#include "engine/advance.h"

void advance_interval(struct noe_work *work, real h) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    const struct noe_state *now = work->now;
    const bool is_adaptive = problem->traits & NOE_ADAPTIVE;
    const mask on_grid = is_adaptive ? mask_broadcast(false) : h == work->h;
    interval->from = now;
    interval->to = work->next;
    interval->t = now->t;
    interval->h = h;
    interval->t1 = real_select(on_grid, work->t0 + (scalar)(now->k + 1) * h, now->t + h);
    interval->origin = real_select(on_grid, work->t0, now->t - (scalar)now->k * h);
    interval->evaluations = interval->rejected = 0;
    interval->iterations = interval->iterations_max = interval->factorisations = 0;
    interval->multiplier_drift = interval->noise = real_broadcast(0);
    interval->skips_points = false;
    interval->has_turned = mask_broadcast(false);
    interval->scan = NULL;
}

/* The initial guess of the method, in the lanes `where`. */
static void guess(struct noe_work *work, mask where) {
    const struct noe_problem *problem = work_problem(work);
    struct newton *newton = &work->newton;
    problem->internals->scheme->initial_guess(&work->interval, newton->d);
    for (int i = 0; i < problem->internals->nu; i++)
        newton->u[i] = real_select(where, newton->d[i], newton->u[i]);
}

/* The extrapolated guess, else that of the method. Returns the lanes with an extrapolated guess. */
static mask predict(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    const mask is_known =
        problem->internals->restarts_every_step
            ? mask_broadcast(false)
            : predictor_guess(&work->predictor, problem->internals->nu, work->newton.u);
    if (!mask_all(is_known)) guess(work, mask_not(is_known));
    return is_known;
}

/* Solves by fixed-point iteration, starting from the stages of the previous step or from the
 * predictor. */
static bool contract(struct noe_work *work) {
    struct fixed_point *fixed_point = &work->fixed_point;
    if (!work->interval.has_previous_step) predict(work);
    if (fixed_point_solve(fixed_point, &work->interval, work->newton.u) != NOE_OK) return false;
    work->newton.iterations = fixed_point->iterations;
    work->newton.residual =
        fixed_point->residual * real_norm((size_t)work_problem(work)->system->n, work->now->p);
    return true;
}

/* Lanes without a root, or with a root that may not belong to the motion. */
static mask is_doubtful(const struct noe_work *work, noe_lane_status outcome) {
    const mask has_strayed =
        work->continuation_solve ? work->newton.has_strayed : mask_broadcast(false);
    return work->interval.is_active & ((outcome != NOE_OK) | has_strayed);
}

noe_lane_status advance_by_newton(struct noe_work *work) {
    struct newton *newton = &work->newton;
    struct noe_interval *interval = &work->interval;
    const bool is_near =
        work->has_guess || (WORK_HAS_FIXED_POINT(work) && work->fixed_point.has_iterate);
    const mask is_known = is_near ? mask_broadcast(true) : predict(work);
    noe_lane_status outcome = newton_solve(newton, interval, interval->is_active);
    mask is_lost = is_doubtful(work, outcome);
    const mask is_anew = is_lost & is_known;
    if (mask_any(is_anew)) {
        const mask has_strayed = newton->has_strayed;
        predictor_reset(&work->predictor, is_anew);
        newton_restart(newton, work_problem(work)->internals->nu, is_anew);
        guess(work, is_anew);
        outcome = lane_status_select(is_anew, newton_solve(newton, interval, is_anew), outcome);
        newton->has_strayed |= has_strayed & mask_not(is_anew);
        is_lost = is_doubtful(work, outcome);
    }
    if (mask_any(is_lost) && work->continuation_solve)
        outcome = work->continuation_solve(work, outcome, is_lost);
    newton_finish(newton, work_problem(work)->internals->nu,
                  interval->is_active & (outcome == NOE_OK));
    return outcome;
}

/* True if this file solves the linear systems of the run. Otherwise the library's own Newton method
 * does. */
#if defined NOE_NEWTON_ELSEWHERE
#define HAS_NEWTON(work) false
#elif defined NOE_SPECIALISED
#define HAS_NEWTON(work) ((work)->newton.linear.kind == LINEAR_DENSE)
#else
#define HAS_NEWTON(work) true
#endif

static noe_lane_status find_root(struct noe_work *work) {
    if (WORK_HAS_FIXED_POINT(work) && contract(work)) return lane_status_broadcast(NOE_OK);
    if (WORK_HAS_FIXED_POINT(work)) work->interval.has_previous_step = false;
    return HAS_NEWTON(work) ? advance_by_newton(work) : work->by_newton(work);
}

static void count_effort(struct noe_work *work, long iterations, int max, real residual) {
    struct noe_step_stats *effort = &work->effort;
    const real scale = real_norm((size_t)work_problem(work)->system->n, work->now->p);
    effort->iterations += iterations;
    if (max > effort->iterations_max) effort->iterations_max = max;
    const mask is_larger = (residual > effort->residual_max * scale) & (scale > 0);
    if (mask_any(is_larger))
        effort->residual_max = real_select(is_larger, residual / scale, effort->residual_max);
}

/* Stores the data of the next guess: the root of Newton's method, or the stages of a fixed-point
 * iteration. */
static void learn(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    if (WORK_HAS_FIXED_POINT(work) && work->fixed_point.has_solved) {
        predictor_reset(&work->predictor, mask_broadcast(true));
        return;
    }
    predictor_learn(&work->predictor, problem->internals->nu, work->newton.u);
    if (!WORK_HAS_FIXED_POINT(work)) return;
    interval->has_previous_step = work->fixed_point.wait == 0;
    if (interval->has_previous_step)
        problem->internals->kernel->fixed_point->keep(interval, work->newton.u);
}

/* Fails if an increment is outside the domain of its retraction, whatever the status of the solver.
 */
static noe_lane_status within_reach(const struct noe_work *work, noe_lane_status outcome) {
    if (!work_problem(work)->internals->lie_product) return outcome;
    return lane_status_select(work->interval.retraction_load >= 1,
                              lane_status_broadcast(NOE_NOT_CONVERGED), outcome);
}

noe_lane_status advance_root(struct noe_work *work) { return within_reach(work, find_root(work)); }

/* True if the sign of the determinant of the step's matrix shows that a step has crossed a singular
 * configuration. If the mass matrix is singular the matrix is nearly so for short steps. */
static bool shows_turn(const struct noe_work *work) {
    return work_problem(work)->internals->scheme->checks_orientation && !work->has_singular_mass;
}

/* Fails if the step crosses a singular configuration and the Jacobian of the method does not detect
 * it. */
static noe_lane_status refuse_turn(struct noe_work *work, noe_lane_status outcome) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    if (!constraint_count(problem->system) || shows_turn(work)) return outcome;
    const mask has_turned =
        multipliers_turn(interval, interval->t1, interval->to->q, interval->velocity);
    interval->has_turned = has_turned & (outcome == NOE_OK);
    return lane_status_join(outcome, has_turned, NOE_SINGULAR);
}

static noe_lane_status implicit_step(struct noe_work *work) {
    const noe_lane_status outcome =
        WORK_HAS_ENERGY_EQUATION(work) ? adaptive_step_solve(work) : advance_root(work);
    if (!mask_any(work->interval.is_active & (outcome == NOE_OK))) return outcome;
    count_effort(work, work->newton.iterations, work->newton.iterations, work->newton.residual);
    work_problem(work)->internals->scheme->update(&work->interval, work->newton.u);
    if (WORK_HAS_ENERGY_EQUATION(work)) adaptive_step_settle(work);
    learn(work);
    work->interval.taken = 1;
    work->interval.h_next = work->interval.h; /* the step size after adaptation */
    return refuse_turn(work, outcome);
}

static mask is_finite_state(const struct noe_problem *problem, const struct noe_state *state) {
    const mask is_finite_q = real_all_finite((size_t)problem->np, state->q);
    const mask is_finite_p = real_all_finite((size_t)problem->system->n, state->p);
    return is_finite_q & is_finite_p;
}

static void hold_numbers(int n, real *next, const real *now, mask where) {
    for (int i = 0; i < n; i++) next[i] = real_select(where, now[i], next[i]);
}

void advance_freeze_lanes(struct noe_work *work, noe_lane_status outcome, mask where) {
    const struct noe_problem *problem = work_problem(work);
    const int n = problem->system->n;
    const struct noe_state *now = work->now;
    struct noe_state *next = work->next;
    const mask is_new = work->interval.is_active & where;
    hold_numbers(problem->np, next->q, now->q, where);
    hold_numbers(n, next->p, now->p, where);
    hold_numbers(n, next->q_carry, now->q_carry, where);
    hold_numbers(n, next->p_carry, now->p_carry, where);
    hold_numbers(constraint_count(problem->system), next->multipliers, now->multipliers, where);
    hold_numbers(1, &next->t, &now->t, where);
    hold_numbers(1, &next->energy, &now->energy, where);
    hold_numbers(1, &next->energy_target, &now->energy_target, where);
    hold_numbers(1, &next->energy_target_carry, &now->energy_target_carry, where);
    hold_numbers(1, &next->energy_defect, &now->energy_defect, where);
    work->outcome = lane_status_select(is_new, outcome, work->outcome);
    work->last_step = lane_index_select(is_new, lane_index_broadcast(now->k), work->last_step);
    work->interval.is_active &= mask_not(where);
}

noe_lane_status advance_accept(struct noe_work *work, noe_lane_status outcome) {
    struct noe_interval *interval = &work->interval;
    outcome = lane_status_join(outcome, mask_not(is_finite_state(work_problem(work), work->next)),
                               NOE_NOT_FINITE);
    work->effort.evaluations += interval->evaluations;
    work->effort.rejected += interval->rejected;
    if (WORK_HAS_ENERGY_EQUATION(work)) adaptive_step_count(work);
    if (constraint_count(work_problem(work)->system))
        work->effort.multiplier_drift =
            real_max(interval->multiplier_drift, work->effort.multiplier_drift);
    const mask is_taken = interval->is_active & (outcome == NOE_OK);
    if (!mask_any(is_taken)) {
        interval->has_previous_step = false;
        return outcome;
    }
    struct noe_state *next = work->next;
    next->k = work->now->k + interval->taken;
    next->t = interval->t1;
    next->h = interval->h;
    if (!mask_all(is_taken)) advance_freeze_lanes(work, outcome, mask_not(is_taken));
    work->next = work->now;
    work->now = next; /* the state changes only here */
    work->effort.steps += interval->taken;
    return lane_status_broadcast(NOE_OK);
}

/* Copies the end of the step and its velocity, five arrays of n numbers, to `numbers` in the lanes
 * `into` and back in the lanes `back`. */
static void copy_end(const struct noe_work *work, real *numbers, mask into, mask back) {
    const struct noe_interval *interval = &work->interval;
    const int n = work_problem(work)->system->n;
    const struct noe_state *to = interval->to;
    real *const array[] = {to->q, to->p, to->q_carry, to->p_carry, interval->velocity};
    for (int i = 0; i < 5; i++) {
        hold_numbers(n, numbers + i * n, array[i], into);
        hold_numbers(n, array[i], numbers + i * n, back);
    }
}

noe_lane_status advance_newton_fallback(struct noe_work *work, noe_lane_status outcome,
                                        mask is_lost) {
    enum { UNKNOWNS_MAX = 8 };
    struct noe_interval *interval = &work->interval;
    const mask is_active = interval->is_active;
    real numbers[5 * UNKNOWNS_MAX];
    copy_end(work, numbers, mask_broadcast(true), mask_broadcast(false));
    predictor_reset(&work->predictor, mask_broadcast(true));
    newton_forget(&work->newton);
    interval->is_active = is_lost;
    outcome = lane_status_select(is_lost, implicit_step(work), outcome);
    interval->is_active = is_active;
    copy_end(work, numbers, mask_broadcast(false), mask_not(is_lost));
    return outcome;
}

/* If one of several steps fails, retries with shorter blocks until only the steps before it are
 * taken. */
STEP_FOLDED noe_lane_status advance_kernel_block(struct noe_interval *interval, long count) {
    enum { BLOCK = 2048 };
    if (count > BLOCK) count = BLOCK;
    interval->taken = 0;
    for (;;) {
        interval->good_steps = 0;
        const noe_lane_status outcome =
            interval_problem(interval)->internals->kernel->steps(interval, count);
        if (interval->taken) return outcome;
        const long good = interval->good_steps;
        count = good > 0 && good < count / 2 ? good : count / 2;
    }
}

/* Takes steps by the kernel. Newton's method takes those at which an implicit kernel fails. */
static inline noe_lane_status kernel_steps(struct noe_work *work, long count) {
    struct noe_interval *interval = &work->interval;
    const noe_lane_status outcome = advance_kernel_block(interval, count);
    if (!work_problem(work)->internals->kernel->falls_back) return outcome;
    const mask is_lost = interval->is_active & (outcome != NOE_OK);
    work->newton.factorisations += interval->factorisations;
    count_effort(work, interval->iterations, (int)interval->iterations_max, interval->residual);
    return mask_any(is_lost) ? work->newton_fallback(work, outcome, is_lost) : outcome;
}

/* A specialised stepper uses exactly one of kernel and Newton's method; the other is compiled out.
 */
#if defined NOE_BY_KERNEL
#define BY_KERNEL(use_kernel) true
#elif defined NOE_SPECIALISED
#define BY_KERNEL(use_kernel) false
#else
#define BY_KERNEL(use_kernel) (use_kernel)
#endif

STEP_FOLDED noe_lane_status advance_step(struct noe_work *work, bool use_kernel, long count) {
    (void)use_kernel;
    return advance_accept(work,
                          BY_KERNEL(use_kernel) ? kernel_steps(work, count) : implicit_step(work));
}

void advance_reset_history(struct noe_work *work) {
    predictor_reset(&work->predictor, mask_broadcast(true));
    fixed_point_reset(&work->fixed_point);
    newton_forget(&work->newton);
    if (WORK_HAS_ENERGY_EQUATION(work))
        adaptive_step_forget(&work->adaptive_step, work_problem(work)->order, work->h);
    work->interval.has_previous_step = false;
}

void advance_orient(struct noe_work *work) {
    const scalar shorter = 1.0 / (1 << 20);
    const struct noe_problem *problem = work_problem(work);
    work->newton.normal = real_broadcast(0);
    if (constraint_count(problem->system))
        multipliers_remember(&work->multipliers, problem->system);
    if (!shows_turn(work) || problem->internals->kernel) return;
    advance_interval(work, work->h * shorter);
    problem->internals->scheme->initial_guess(&work->interval, work->newton.u);
    newton_orient(&work->newton, &work->interval);
}

void advance_set_step_size(struct noe_work *work, real h) {
    advance_interval(work, h);
    work->interval.is_fixed = true;
    work->t0_before = work->t0;
    advance_reset_history(work);
}

noe_lane_status advance_steps(struct noe_work *work, long count) {
    const struct noe_problem *problem = work_problem(work);
    const long end = work->now->k + count;
    while (work->now->k < end) {
        const long rest = end - work->now->k; /* the last step of an implicit kernel has its own
                                                 interval, which holds its root */
        const bool leaves_one = kernel_is_implicit(problem) && rest > 1;
        advance_interval(work, work->h_next);
        work->interval.is_fixed = false;
        const noe_lane_status outcome =
            advance_step(work, kernel_takes_steps(problem), rest - leaves_one);
        if (!mask_any(work->interval.is_active & (outcome == NOE_OK))) return outcome;
        if (problem->traits & NOE_ADAPTIVE) work->h_next = work->interval.h_next;
    }
    return lane_status_broadcast(NOE_OK);
}

/* The velocity at the node: that of the momentum, along the constraints if only there the momentum
 * has one, and that of the equations of motion for an L that is linear in v. A Lagrangian that is
 * degenerate in another way leaves the velocity of the scheme. */
static noe_lane_status current_velocity(struct noe_work *work) {
    const struct noe_state *now = work->now;
    const struct noe_system *system = work_problem(work)->system;
    const int n = system->n, m = constraint_count(system);
    real *v = work->velocity;
    for (int i = 0; i < n; i++) v[i] = work->interval.velocity[i];
    for (int i = 0; i < m; i++) v[n + i] = now->multipliers[i];
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    if (m && work->has_singular_mass) {
        const mask is_found = multipliers_project(&work->interval, now->t, now->q, now->p, v, NULL);
        return lane_status_join(outcome, mask_not(is_found), NOE_SINGULAR);
    }
    outcome = system->traits & NOE_LINEAR
                  ? legendre_first_order(&work->legendre, now->t, now->q, v)
                  : legendre_velocity(&work->legendre, now->t, now->q, now->p, v);
    return lane_status_select(outcome == NOE_SINGULAR, lane_status_broadcast(NOE_OK), outcome);
}

STEP_FOLDED noe_lane_status advance_energy(struct noe_work *work, real *energy) {
    const struct noe_system *system = work_problem(work)->system;
    const struct noe_system *self = work->interval.problem->system;
    const struct noe_state *now = work->now;
    const noe_lane_status outcome = current_velocity(work);
    const real *v = work->velocity;
    real sum = -system->lagrangian(self, now->t, now->q, v);
    for (int i = 0; i < system->n; i++) sum += now->p[i] * v[i];
    *energy = real_select(outcome == NOE_OK, sum, real_broadcast(NAN));
    return outcome;
}

noe_lane_status advance_measure(struct noe_work *work, real *energy) {
    const struct noe_system *system = work_problem(work)->system;
    const struct noe_system *self = work->interval.problem->system;
    const struct noe_state *now = work->now;
    const noe_lane_status outcome = advance_energy(work, energy);
    if (system->nvalues) system->quantities(self, now->t, now->q, work->velocity, work->values);
    return outcome;
}
