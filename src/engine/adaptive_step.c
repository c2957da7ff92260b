/* Energy-preserving adaptive steps: the step size is an unknown, and a Newton iteration solves the
 * residual for each trial step size with the functions of the method. */
/* SPDX-License-Identifier: MIT */
#include "engine/adaptive_step.h"

#include "engine/advance.h"

/* If log h of two roots differs by less, the derivative of u by log h is dominated by round-off. */
static const double turn_least = sizeof(scalar) > 8 ? 1e-17 : 1e-8;

void adaptive_step_layout(struct adaptive_step *d, struct arena *arena, int nu) {
    predictor_layout(&d->predictor, arena, 1);
    d->u = arena_reals(arena, (size_t)nu);
    d->before = arena_reals(arena, (size_t)nu);
    d->turn = arena_reals(arena, (size_t)nu);
    d->nu = nu;
}

void adaptive_step_forget(struct adaptive_step *d, int order, real h) {
    predictor_start(&d->predictor);
    for (int i = 0; i < d->nu; i++) d->turn[i] = real_broadcast(0);
    step_search_forget(&d->length, order, h);
}

/* Finds the root for step size h in the lanes `where`. Other lanes keep their roots. */
static noe_lane_status adaptive_step_root(struct noe_work *work, real h, mask where) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    struct newton *newton = &work->newton;
    struct adaptive_step *d = &work->adaptive_step;
    const mask is_active = interval->is_active;
    const real curvature = newton->curvature;
    interval->h = real_select(where, h, interval->h);
    interval->t1 = real_select(where, interval->t + h, interval->t1);
    interval->is_active = where;
    const noe_lane_status outcome = advance_root(work);
    const real retraction_load = interval->retraction_load;
    interval->is_active = is_active;
    newton->curvature = real_select(where, newton->curvature, curvature);
    for (int i = 0; i < problem->internals->nu; i++)
        newton->u[i] = d->u[i] = real_select(where, newton->u[i], d->u[i]);
    interval->correction = NULL;
    problem->internals->scheme->residual(interval, newton->u,
                                         newton->d); /* the stages at the root itself */
    interval->retraction_load =
        real_select(outcome == NOE_OK, interval->retraction_load, retraction_load);
    d->length.tries++;
    d->iterations += newton->iterations;
    work->has_guess = true;
    return outcome;
}

/* Finds the root and its energy defect in the lanes `where`. */
static void adaptive_step_try(struct noe_work *work, real h, mask where, struct step_trial *trial) {
    const noe_lane_status outcome = adaptive_step_root(work, h, where);
    real noise,
        energy_defect = work_problem(work)->internals->scheme->energy_equation->energy_defect(
            &work->interval, work->newton.u, &noise);
    trial->energy_defect = energy_defect = real_select(where, energy_defect, trial->energy_defect);
    trial->noise = real_select(where, noise, trial->noise);
    trial->outcome = lane_status_select(where, outcome, trial->outcome);
    trial->outcome = lane_status_join(
        trial->outcome, where & mask_not(real_is_finite(energy_defect)), NOE_NOT_FINITE);
}

/* Takes the given step size, or that of the first step. */
static noe_lane_status adaptive_step_given(struct noe_work *work, mask where,
                                           struct step_trial *trial, real h) {
    adaptive_step_try(work, h, where, trial);
    work->adaptive_step.length.energy_defect = trial->energy_defect;
    work->adaptive_step.length.is_held |= where;
    return trial->outcome;
}

/* The first step has the given step size and defines the discrete energy. */
static noe_lane_status adaptive_step_begin(struct noe_work *work) {
    struct noe_interval *interval = &work->interval;
    struct noe_state *now = work->now;
    real energy;
    const noe_lane_status outcome = advance_measure(work, &energy);
    if (!mask_any(outcome == NOE_OK)) return outcome;
    now->energy_target = energy;
    now->energy_target_carry = now->energy_defect = real_broadcast(0);
    struct step_trial trial = {.outcome = lane_status_broadcast(NOE_OK), .energy_defect = energy};
    adaptive_step_try(work, interval->h, interval->is_active, &trial);
    now->energy_defect = trial.energy_defect;
    now->energy = now->energy_target = energy - trial.energy_defect;
    return step_search_begin(interval, &work->adaptive_step.length, energy, trial);
}

/* Extrapolates the root to another step size: the last root plus its derivative by log h times the
 * change. */
static void adaptive_step_lead(struct noe_work *work, real dx) {
    struct adaptive_step *d = &work->adaptive_step;
    real *u = work->newton.u;
    for (int i = 0; i < work_problem(work)->internals->nu; i++) {
        d->before[i] = u[i];
        u[i] += d->turn[i] * dx;
    }
}

static void adaptive_step_learn_turn(struct noe_work *work, real dx, mask where) {
    struct adaptive_step *d = &work->adaptive_step;
    const mask is_apart = where & (noe_abs(dx) > turn_least);
    for (int i = 0; i < work_problem(work)->internals->nu; i++)
        d->turn[i] = real_select(is_apart, (d->u[i] - d->before[i]) / dx, d->turn[i]);
}

/* One trial step size. The initial guess is extrapolated from the previous trial. */
static void adaptive_step_probe(void *self, real h, real dx, mask where, struct step_trial *trial) {
    struct noe_work *work = self;
    const bool is_first = !work->has_guess;
    if (!is_first) adaptive_step_lead(work, dx);
    adaptive_step_try(work, h, where, trial);
    if (!is_first) adaptive_step_learn_turn(work, dx, where & (trial->outcome == NOE_OK));
}

/* Finds the root for the final step size, whose energy defect is known to be below round-off. */
static noe_lane_status adaptive_step_conclude(struct noe_work *work, const struct step_search *s,
                                              noe_lane_status before) {
    const mask where = s->is_sure & mask_not(s->is_lost);
    if (!mask_any(where)) return before;
    adaptive_step_lead(work, s->dx);
    const noe_lane_status outcome = adaptive_step_root(work, s->h, where);
    adaptive_step_learn_turn(work, s->dx, where & (outcome == NOE_OK));
    return lane_status_select(where, outcome, before);
}

static noe_lane_status adaptive_step_search(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct adaptive_step *d = &work->adaptive_step;
    real h = {0};
    mask is_known = predictor_guess(&d->predictor, 1, &h);
    is_known &= mask_not(d->length.is_held);
    const struct noe_state *now = work->now;
    struct step_search s = step_search_open(problem, &d->length, work->interval.is_active, now->h,
                                            now->energy_defect, real_select(is_known, h, now->h));
    s.trial = (struct step_trial){.outcome = lane_status_broadcast(NOE_OK)};
    step_search_find(problem, &d->length, &s, adaptive_step_probe, work, false);
    noe_lane_status outcome = step_search_judge(problem, &d->length, &s);
    if (mask_any(s.is_lost) && !problem->internals->guard.is_anchored) return outcome;
    s.trial.outcome = adaptive_step_conclude(work, &s, outcome);
    const mask is_other = s.is_lost & (s.h != s.tried);
    return mask_any(is_other) ? adaptive_step_given(work, is_other, &s.trial, s.h)
                              : s.trial.outcome;
}

/* One-pass variant: keeps the increments of the last step size and rescales the step size until
 * they have the target energy. The residual of the result is not zero. */
static noe_lane_status adaptive_step_rescale(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    struct newton *newton = &work->newton;
    struct step_size_search *length = &work->adaptive_step.length;
    const noe_lane_status outcome = advance_root(work);
    work->adaptive_step.iterations = newton->iterations;
    if (!mask_any(outcome == NOE_OK)) return outcome;
    interval->correction = NULL;
    problem->internals->scheme->residual(interval, newton->u, newton->d);
    interval->h = problem->internals->scheme->energy_equation->rescale(interval, newton->u);
    interval->t1 = interval->t + interval->h;
    problem->internals->scheme->residual(interval, newton->u, newton->d);
    newton->residual = real_norm((size_t)problem->internals->nu, newton->d);
    length->tries++;
    length->energy_defect = work->now->energy_defect;
    length->is_held = mask_broadcast(false);
    const mask is_bad = mask_not((interval->h > 0) &
                                 (interval->h <= problem->internals->guard.cap * length->start));
    const mask is_shrunk = step_search_is_shrunk(problem, length, interval->h);
    if (mask_any(is_bad)) length->reason = STEP_SEARCH_CAP;
    if (mask_any(is_shrunk)) length->reason = STEP_SEARCH_SHRUNK;
    return lane_status_join(outcome, is_bad | is_shrunk, NOE_NO_STEP);
}

noe_lane_status adaptive_step_solve(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    struct step_trial none = {.outcome = lane_status_broadcast(NOE_OK)};
    work->adaptive_step.length.reason = STEP_SEARCH_NONE;
    work->adaptive_step.iterations = 0;
    work->has_guess = false;
    noe_lane_status outcome;
    if (work->now->k == 0)
        outcome = adaptive_step_begin(work);
    else if (interval->is_fixed)
        outcome = adaptive_step_given(work, interval->is_active, &none, interval->h);
    else if (problem->internals->scheme->energy_equation->rescale)
        outcome = adaptive_step_rescale(work);
    else
        outcome = adaptive_step_search(work);
    work->has_guess = false;
    work->newton.iterations = work->adaptive_step.iterations;
    return outcome;
}

void adaptive_step_count(struct noe_work *work) {
    struct step_size_search *length = &work->adaptive_step.length;
    work->effort.lengths += length->tries;
    work->effort.held += length->held;
    length->tries = length->held = 0;
}

void adaptive_step_settle(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct adaptive_step *d = &work->adaptive_step;
    struct noe_interval *interval = &work->interval;
    problem->internals->scheme->energy_equation->close_energy(interval, work->newton.u,
                                                              d->length.energy_defect);
    step_search_settle(problem, &d->length, &work->next->energy_target, &work->next->energy_defect);
    predictor_learn(&d->predictor, 1, &interval->h);
    predictor_reset(&d->predictor, d->length.is_held);
}
