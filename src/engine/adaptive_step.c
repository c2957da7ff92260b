/* Steps whose length is an unknown, where Newton's method solves the residual for each length that
 * is tried: the method's own hooks serve as they are. */
/* SPDX-License-Identifier: MIT */
#include "engine/adaptive_step.h"

#include "engine/advance.h"

/* Roots whose log h is less apart show round-off in the slope of u. */
static const double turn_least = sizeof(scalar) > 8 ? 1e-17 : 1e-8;

void duration_layout(struct duration *d, struct arena *arena, int nu) {
    predictor_layout(&d->predictor, arena, 1);
    d->u = arena_reals(arena, (size_t)nu);
    d->before = arena_reals(arena, (size_t)nu);
    d->turn = arena_reals(arena, (size_t)nu);
    d->nu = nu;
}

void duration_forget(struct duration *d, int order, real h) {
    predictor_start(&d->predictor);
    for (int i = 0; i < d->nu; i++) d->turn[i] = real_of(0);
    length_forget(&d->length, order, h);
}

/* The root for length h in the lanes `where`; others keep theirs. */
static noe_outcome duration_root(struct noe_work *work, real h, truth where) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    struct newton *newton = &work->newton;
    struct duration *d = &work->duration;
    const truth is_active = interval->is_active;
    const real curvature = newton->curvature;
    interval->h = real_select(where, h, interval->h);
    interval->t1 = real_select(where, interval->t + h, interval->t1);
    interval->is_active = where;
    const noe_outcome outcome = advance_root(work);
    const real reach = interval->reach;
    interval->is_active = is_active;
    newton->curvature = real_select(where, newton->curvature, curvature);
    for (int i = 0; i < problem->nu; i++)
        newton->u[i] = d->u[i] = real_select(where, newton->u[i], d->u[i]);
    interval->correction = NULL;
    problem->method->residual(interval, newton->u, newton->d); /* the stages at the root itself */
    interval->reach = real_select(outcome == NOE_OK, interval->reach, reach);
    d->length.tries++;
    d->iterations += newton->iterations;
    work->has_guess = true;
    return outcome;
}

/* The root and its gap, in the same lanes. */
static void duration_try(struct noe_work *work, real h, truth where, struct length_trial *trial) {
    const noe_outcome outcome = duration_root(work, h, where);
    real noise,
        gap = work_problem(work)->method->balance->gap(&work->interval, work->newton.u, &noise);
    trial->gap = gap = real_select(where, gap, trial->gap);
    trial->noise = real_select(where, noise, trial->noise);
    trial->outcome = outcome_select(where, outcome, trial->outcome);
    trial->outcome =
        outcome_join(trial->outcome, where & truth_not(real_is_finite(gap)), NOE_NOT_FINITE);
}

/* The length that is given, or the first. */
static noe_outcome duration_given(struct noe_work *work, truth where, struct length_trial *trial,
                                  real h) {
    duration_try(work, h, where, trial);
    work->duration.length.gap = trial->gap;
    work->duration.length.is_held |= where;
    return trial->outcome;
}

/* The first step has the given length and says what the discrete energy is. */
static noe_outcome duration_begin(struct noe_work *work) {
    struct noe_interval *interval = &work->interval;
    struct noe_state *now = work->now;
    real energy;
    const noe_outcome outcome = advance_measure(work, &energy);
    if (!truth_any(outcome == NOE_OK)) return outcome;
    now->anchor = energy;
    now->anchor_carry = now->gap = real_of(0);
    struct length_trial trial = {.outcome = outcome_of(NOE_OK), .gap = energy};
    duration_try(work, interval->h, interval->is_active, &trial);
    now->gap = trial.gap;
    now->energy = now->anchor = energy - trial.gap;
    return length_begin(interval, &work->duration.length, energy, trial);
}

/* The root for another length is not far from the last one plus its slope times the change. */
static void duration_lead(struct noe_work *work, real dx) {
    struct duration *d = &work->duration;
    real *u = work->newton.u;
    for (int i = 0; i < work_problem(work)->nu; i++) {
        d->before[i] = u[i];
        u[i] += d->turn[i] * dx;
    }
}

static void duration_learn_turn(struct noe_work *work, real dx, truth where) {
    struct duration *d = &work->duration;
    const truth is_apart = where & (noe_abs(dx) > turn_least);
    for (int i = 0; i < work_problem(work)->nu; i++)
        d->turn[i] = real_select(is_apart, (d->u[i] - d->before[i]) / dx, d->turn[i]);
}

/* A trial; after the first, from the root of the one before. */
static void duration_probe(void *self, real h, real dx, truth where, struct length_trial *trial) {
    struct noe_work *work = self;
    const bool is_first = !work->has_guess;
    if (!is_first) duration_lead(work, dx);
    duration_try(work, h, where, trial);
    if (!is_first) duration_learn_turn(work, dx, where & (trial->outcome == NOE_OK));
}

/* The root of a length whose gap is known to differ from the target by less than round-off. */
static noe_outcome duration_conclude(struct noe_work *work, const struct length_search *s,
                                     noe_outcome before) {
    const truth where = s->is_sure & truth_not(s->is_lost);
    if (!truth_any(where)) return before;
    duration_lead(work, s->dx);
    const noe_outcome outcome = duration_root(work, s->h, where);
    duration_learn_turn(work, s->dx, where & (outcome == NOE_OK));
    return outcome_select(where, outcome, before);
}

static noe_outcome duration_search(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct duration *d = &work->duration;
    real h = {0};
    truth is_known = predictor_guess(&d->predictor, 1, &h);
    is_known &= truth_not(d->length.is_held);
    const struct noe_state *now = work->now;
    struct length_search s = length_open(problem, &d->length, work->interval.is_active, now->h,
                                         now->gap, real_select(is_known, h, now->h));
    s.trial = (struct length_trial){.outcome = outcome_of(NOE_OK)};
    length_find(problem, &d->length, &s, duration_probe, work, false);
    noe_outcome outcome = length_judge(problem, &d->length, &s);
    if (truth_any(s.is_lost) && !problem->guard.is_anchored) return outcome;
    s.trial.outcome = duration_conclude(work, &s, outcome);
    const truth is_other = s.is_lost & (s.h != s.tried);
    return truth_any(is_other) ? duration_given(work, is_other, &s.trial, s.h) : s.trial.outcome;
}

/* The increments for the last length, and a length for which they have the energy: what the
 * residual is then is left. */
static noe_outcome duration_rescale(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    struct newton *newton = &work->newton;
    struct length *length = &work->duration.length;
    const noe_outcome outcome = advance_root(work);
    work->duration.iterations = newton->iterations;
    if (!truth_any(outcome == NOE_OK)) return outcome;
    interval->correction = NULL;
    problem->method->residual(interval, newton->u, newton->d);
    interval->h = problem->method->balance->rescale(interval, newton->u);
    interval->t1 = interval->t + interval->h;
    problem->method->residual(interval, newton->u, newton->d);
    newton->residual = real_norm((size_t)problem->nu, newton->d);
    length->tries++;
    length->gap = work->now->gap;
    length->is_held = truth_of(false);
    const truth is_bad =
        truth_not((interval->h > 0) & (interval->h <= problem->guard.cap * length->start));
    const truth is_shrunk = length_is_shrunk(problem, length, interval->h);
    if (truth_any(is_bad)) length->reason = LENGTH_CAP;
    if (truth_any(is_shrunk)) length->reason = LENGTH_SHRUNK;
    return outcome_join(outcome, is_bad | is_shrunk, NOE_NO_STEP);
}

noe_outcome duration_solve(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    struct length_trial none = {.outcome = outcome_of(NOE_OK)};
    work->duration.length.reason = LENGTH_NONE;
    work->duration.iterations = 0;
    work->has_guess = false;
    noe_outcome outcome;
    if (work->now->k == 0)
        outcome = duration_begin(work);
    else if (interval->is_fixed)
        outcome = duration_given(work, interval->is_active, &none, interval->h);
    else if (problem->method->balance->rescale)
        outcome = duration_rescale(work);
    else
        outcome = duration_search(work);
    work->has_guess = false;
    work->newton.iterations = work->duration.iterations;
    return outcome;
}

void duration_count(struct noe_work *work) {
    struct length *length = &work->duration.length;
    work->effort.lengths += length->tries;
    work->effort.held += length->held;
    length->tries = length->held = 0;
}

void duration_settle(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct duration *d = &work->duration;
    struct noe_interval *interval = &work->interval;
    problem->method->balance->settle(interval, work->newton.u, d->length.gap);
    length_settle(problem, &d->length, &work->next->anchor, &work->next->gap);
    predictor_learn(&d->predictor, 1, &interval->h);
    predictor_reset(&d->predictor, d->length.is_held);
}
