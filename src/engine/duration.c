/* The length of a step as an unknown: gap(h) = gap_k, where gap(h) is the energy at the start less
 * the discrete energy there, for the root u(h) of the residual, and gap_k what earlier steps left.
 *
 * The residual is solved for each length that is tried, so that the method's own hooks serve and no
 * root with h <= 0 can attract. Since gap(0) = 0 and gap(h) ~ h^order, log h is the unknown of a
 * secant iteration on log(gap/gap_k), kept between a length whose gap is too small and one whose
 * gap is too large once both are known. Where secants show neither, lengths around the first guess
 * are tried one by one: the root nearest to it is wanted, for gap(h) may rise and fall. Where the
 * curvature of the energy along the motion vanishes there is none. */
/* SPDX-License-Identifier: MIT */
#include "engine/duration.h"

#include "engine/advance.h"

enum { TRIES_MAX = 60, TRIES_FREE = 8 };
static const double change_far = 4;      /* a step is not longer or shorter by more, at once */
static const double scan_ratio = 1.1;    /* of lengths that are tried one by one */
static const double still = 100;         /* a gap within so many of its round-offs is none */
static const double near = 1e-6;         /* log(gap/gap_k) that may be round-off */
static const double left = 0.1;          /* of the round-off: what the last length may leave */
static const double slope_least = 0.25;  /* of log gap over log h: less and a secant is no use */
static const double slope_stale = 0.05;  /* how far the first slope may be off, */
static const double slope_sure = 0.01;   /* and any */
static const double change_most = 0.693; /* of log h between two trials */
/* Roots whose log h is less apart show round-off in the slope of u. */
static const double turn_least = sizeof(scalar) > 8 ? 1e-17 : 1e-8;

void duration_layout(struct duration *d, struct arena *arena, int nu) {
    predictor_layout(&d->predictor, arena, 1);
    d->u = arena_reals(arena, (size_t)nu);
    d->before = arena_reals(arena, (size_t)nu);
    d->turn = arena_reals(arena, (size_t)nu);
    d->nu = nu;
}

void duration_forget(struct duration *d, int order) {
    predictor_start(&d->predictor);
    d->slope = real_of(order);
    d->slope_error = real_of(slope_stale);
    for (int i = 0; i < d->nu; i++) d->turn[i] = real_of(0);
    d->is_held = truth_of(true);
    d->reason = DURATION_NONE;
}

static real duration_power(real h, int order) {
    real power = h;
    for (int i = 1; i < order; i++) power *= h;
    return power;
}

/* The gap over h^order, in units of the first. */
static real duration_curvature(const struct noe_work *work, real gap) {
    return gap / duration_power(work->interval.h, work_problem(work)->order) / work->duration.first;
}

/* What one length gives. */
struct duration_trial {
    noe_outcome outcome;
    real gap, noise;
};

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
    d->tries++;
    d->iterations += newton->iterations;
    work->has_guess = true;
    return outcome;
}

/* The root and its gap, in the same lanes. */
static struct duration_trial duration_try(struct noe_work *work, real h, truth where,
                                          struct duration_trial last) {
    struct noe_interval *interval = &work->interval;
    struct duration_trial trial = {.outcome = duration_root(work, h, where)};
    trial.gap = work_problem(work)->method->balance->gap(interval, work->newton.u, &trial.noise);
    trial.gap = real_select(where, trial.gap, last.gap);
    trial.noise = real_select(where, trial.noise, last.noise);
    trial.outcome = outcome_select(where, trial.outcome, last.outcome);
    trial.outcome =
        outcome_join(trial.outcome, where & truth_not(real_is_finite(trial.gap)), NOE_NOT_FINITE);
    return trial;
}

/* The length that is given, or the first. */
static noe_outcome duration_given(struct noe_work *work, truth where, struct duration_trial last,
                                  real h) {
    const struct duration_trial trial = duration_try(work, h, where, last);
    work->duration.gap = trial.gap;
    work->duration.is_held |= where;
    return trial.outcome;
}

/* The first step has the given length and says what the discrete energy is. */
static noe_outcome duration_begin(struct noe_work *work) {
    struct duration *d = &work->duration;
    struct noe_interval *interval = &work->interval;
    struct noe_state *now = work->now;
    real energy;
    noe_outcome outcome = advance_measure(work, &energy);
    if (!truth_any(outcome == NOE_OK)) return outcome;
    now->anchor = energy;
    now->anchor_carry = now->gap = real_of(0);
    const struct duration_trial trial = duration_try(work, interval->h, interval->is_active,
                                                     (struct duration_trial){.gap = energy});
    d->gap = now->gap = trial.gap;
    now->energy = now->anchor = energy - trial.gap;
    d->first = trial.gap / duration_power(interval->h, work_problem(work)->order);
    d->part = trial.gap / energy;
    if (interval->is_fixed) return trial.outcome;
    const real nothing = still * NOE_EPSILON * noe_abs(energy), size = noe_abs(trial.gap);
    const truth is_still = (size <= still * trial.noise) | (size <= still * NOE_EPSILON * nothing);
    if (truth_any(is_still)) d->reason = DURATION_STILL;
    return outcome_join(trial.outcome, is_still, NOE_NO_STEP);
}

/* What is known of the root between two trials. */
struct duration_search {
    real target, least, most; /* lengths lie between */
    real start, h;            /* tried first, tried last */
    real small, large;        /* lengths whose gap is too small, and too large */
    truth has_small, has_large;
    truth is_going, is_lost, is_sure; /* sure: the last length needs no trial */
    real reach;                       /* of a scan outwards from the first guess, */
    truth is_up;
    noe_outcome failure; /* of the last length for which the step had no root */
    real slope, slope_error, last_h, last_y;
};

/* A length for which the step has no root has too large a gap. */
static void duration_bracket(struct duration_search *s, const struct duration_trial *trial) {
    const truth is_bad = trial->outcome != NOE_OK;
    const truth is_large = s->is_going & (is_bad | (trial->gap / s->target > 1));
    const truth is_small = s->is_going & truth_not(is_large);
    s->failure = outcome_select(s->is_going & is_bad, trial->outcome, s->failure);
    s->large = real_select(is_large, s->h, s->large);
    s->small = real_select(is_small, s->h, s->small);
    s->has_large |= is_large;
    s->has_small |= is_small;
}

/* The secant of the last two trials, where they are apart by more than round-off. */
static void duration_learn_slope(struct duration_search *s, real y, real noise) {
    const real dx = noe_log(s->h / s->last_h), slope = (y - s->last_y) / dx;
    const real error = noise / noe_abs(dx) + noe_abs(dx);
    const truth is_better = s->is_going & (noe_abs(slope) > slope_least) & (error < s->slope_error);
    s->slope = real_select(is_better, slope, s->slope);
    s->slope_error = real_select(is_better, error, s->slope_error);
}

/* Where secants leave the lengths that may be tried, or have shown no change of sign for long: the
 * next of lengths farther and farther from the first, longer and shorter in turn. */
static real duration_scan(struct duration_search *s, truth where) {
    s->reach = real_select(where & s->is_up, scan_ratio * s->reach, s->reach);
    const real far = s->reach, h = real_select(s->is_up, s->start * far, s->start / far);
    const truth is_spent =
        (s->start * far > scan_ratio * s->most) & (s->start < s->least * far / scan_ratio);
    s->is_lost |= s->is_going & where & is_spent;
    s->is_up = s->is_up != where; /* turns where it was used */
    return real_select(h > s->most, s->most, real_select(h < s->least, s->least, h));
}

/* The next length, after so many. Returns where it needs no further trial. */
static truth duration_next(struct duration_search *s, const struct duration_trial *trial,
                           int tries) {
    const real ratio = trial->gap / s->target, noise = trial->noise / noe_abs(s->target);
    const truth is_usable = (trial->outcome == NOE_OK) & (ratio > 0);
    const real y = noe_log(real_select(is_usable, ratio, real_of(1)));
    if (tries > 1) duration_learn_slope(s, y, noise);
    s->last_h = real_select(s->is_going, s->h, s->last_h);
    s->last_y = real_select(s->is_going, y, s->last_y);
    real dx = real_select(is_usable, -y / s->slope, real_of(change_most)); /* wrong sign: longer */
    dx = real_select(dx > change_most, real_of(change_most), dx);
    dx = real_select(dx < -change_most, real_of(-change_most), dx);
    const real h = s->h * noe_exp(dx);
    const truth is_between = s->has_small & s->has_large;
    const truth is_ordered = s->small < s->large;
    const real low = real_select(is_ordered, s->small, s->large);
    const real high = real_select(is_ordered, s->large, s->small);
    const truth is_outside = is_between & ((h <= low) | (h >= high));
    const truth is_shut = is_between & truth_not(high > low * (1 + 4 * NOE_EPSILON));
    const real allowed = tries >= TRIES_FREE ? 8 * noise : noise; /* an estimate, after all */
    const real size = noe_abs(y);
    const truth is_close = is_usable & ((size <= allowed) | (is_shut & (size < near)));
    s->is_lost |= s->is_going & is_shut & truth_not(is_close);
    truth is_astray = (h < s->least) | (h > s->most) | truth_of(tries >= TRIES_FREE);
    is_astray &= s->is_going & truth_not(is_between | is_close);
    const real off = noe_abs(dx * s->slope) * (noe_abs(dx) + s->slope_error);
    const truth is_known = is_usable & (off <= left * noise);
    const truth is_last = is_known & truth_not(is_outside | is_astray);
    real next = real_select(is_outside, noe_sqrt(low * high), h);
    if (truth_any(is_astray)) next = real_select(is_astray, duration_scan(s, is_astray), next);
    s->h = real_select(is_close | truth_not(s->is_going), s->h, next);
    return is_close | is_last;
}

static struct duration_search duration_open(struct noe_work *work) {
    struct duration *d = &work->duration;
    const struct noe_state *now = work->now;
    const struct noe_guard *guard = &work_problem(work)->guard;
    struct duration_search s = {.target = now->gap,
                                .least = now->h / change_far,
                                .is_going = work->interval.is_active,
                                .is_lost = truth_of(false),
                                .is_sure = truth_of(false),
                                .has_small = truth_of(false),
                                .has_large = truth_of(false),
                                .reach = real_of(1),
                                .is_up = truth_of(true),
                                .failure = outcome_of(NOE_OK),
                                .slope = d->slope,
                                .slope_error = d->slope_error};
    const real most = guard->cap * work->h, grown = change_far * now->h;
    real x = {0};
    truth is_known = predictor_guess(&d->predictor, 1, &x);
    is_known &= truth_not(d->is_held);
    s.most = real_select(grown < most, grown, most);
    s.small = s.large = s.last_y = real_of(0);
    s.h = real_select(is_known, noe_exp(x), now->h);
    s.h = real_select((s.h < s.most) & (s.h > s.least), s.h, now->h);
    s.h = real_select(s.h < s.most, s.h, s.most);
    s.start = s.last_h = s.h;
    return s;
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

/* The trial of the search's length; after the first, from the root of the one before. */
static struct duration_trial duration_probe(struct noe_work *work, const struct duration_search *s,
                                            struct duration_trial last, bool is_first) {
    if (is_first) return duration_try(work, s->h, s->is_going, last);
    const real dx = noe_log(s->h / s->last_h);
    duration_lead(work, dx);
    const struct duration_trial trial = duration_try(work, s->h, s->is_going, last);
    duration_learn_turn(work, dx, s->is_going & (trial.outcome == NOE_OK));
    return trial;
}

/* The root of a length whose gap is known to differ from the target by less than round-off. */
static void duration_conclude(struct noe_work *work, const struct duration_search *s,
                              struct duration_trial *trial) {
    const real dx = noe_log(s->h / s->last_h);
    duration_lead(work, dx);
    const noe_outcome outcome = duration_root(work, s->h, s->is_sure);
    duration_learn_turn(work, dx, s->is_sure & (outcome == NOE_OK));
    trial->gap = real_select(s->is_sure, s->target, trial->gap);
    trial->outcome = outcome_select(s->is_sure, outcome, trial->outcome);
}

/* How far the slope of this step was from that of the step before, and will be from the next. */
static void duration_learn(struct duration *d, const struct duration_search *s) {
    const real moved = 2 * noe_abs(s->slope - d->slope);
    const truth is_seen = s->slope != d->slope;
    const real error = real_select(moved > slope_sure, moved, real_of(slope_sure));
    d->slope_error = real_select(is_seen, error, d->slope_error);
    d->slope = s->slope;
}

/* Is the curvature below what the guard wants, or of the other sign? */
static truth duration_is_weak(const struct noe_work *work, real gap) {
    const struct noe_guard *guard = &work_problem(work)->guard;
    if (!guard->is_anchored) return truth_of(false);
    return truth_not(duration_curvature(work, gap) >= guard->threshold);
}

/* Shorter steps than the cap allows end in a run whose time stands still. */
static truth duration_is_shrunk(const struct noe_work *work) {
    return work->interval.h * work_problem(work)->guard.cap < work->h;
}

static void duration_blame(struct noe_work *work, const struct duration_search *s, real gap) {
    const struct noe_guard *guard = &work_problem(work)->guard;
    work->duration.reason = truth_any(s->is_lost & duration_is_shrunk(work)) ? DURATION_SHRUNK
                            : truth_any(s->is_lost & (gap / s->target < 0))  ? DURATION_SIGN
                            : truth_any(s->is_lost & (s->most >= guard->cap * work->h))
                                ? DURATION_CAP
                                : DURATION_FLAT;
}

static noe_outcome duration_search(struct noe_work *work) {
    struct duration *d = &work->duration;
    struct duration_search s = duration_open(work);
    const truth is_active = s.is_going;
    struct duration_trial trial = {.outcome = outcome_of(NOE_OK)};
    real first_gap = {0};
    if (work_problem(work)->guard.is_anchored) s.is_lost = is_active & (s.target / d->first <= 0);
    for (int i = 0; i < TRIES_MAX && truth_any(s.is_going); i++) {
        trial = duration_probe(work, &s, trial, i == 0);
        if (i == 0) {
            first_gap = trial.gap;
            s.is_lost |= is_active & duration_is_weak(work, trial.gap);
        }
        s.is_going &= truth_not(s.is_lost);
        duration_bracket(&s, &trial);
        const truth is_last = duration_next(&s, &trial, i + 1) & s.is_going;
        s.is_sure |= is_last & (s.h != s.last_h);
        s.is_going &= truth_not(s.is_lost | is_last);
    }
    s.is_lost |= s.is_going;
    if (truth_any(s.is_sure)) duration_conclude(work, &s, &trial);
    d->gap = trial.gap;
    duration_learn(d, &s);
    d->is_held = truth_of(false);
    s.is_lost |= is_active & duration_is_weak(work, trial.gap);
    s.is_lost |= is_active & duration_is_shrunk(work);
    if (!truth_any(s.is_lost)) return trial.outcome;
    if (!work_problem(work)->guard.is_anchored) {
        duration_blame(work, &s, first_gap);
        return outcome_join(outcome_select(s.is_lost, s.failure, trial.outcome), s.is_lost,
                            NOE_NO_STEP);
    }
    work->effort.held++;
    d->is_held = s.is_lost;
    const truth is_other = s.is_lost & (work->interval.h != work->h); /* what was tried last */
    return truth_any(is_other) ? duration_given(work, is_other, trial, work->h) : trial.outcome;
}

/* The increments for the last length, and a length for which they have the energy: what the
 * residual is then is left. */
static noe_outcome duration_rescale(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    const struct noe_guard *guard = &problem->guard;
    struct noe_interval *interval = &work->interval;
    struct newton *newton = &work->newton;
    const noe_outcome outcome = advance_root(work);
    work->duration.iterations = newton->iterations;
    if (!truth_any(outcome == NOE_OK)) return outcome;
    interval->correction = NULL;
    problem->method->residual(interval, newton->u, newton->d);
    interval->h = problem->method->balance->rescale(interval, newton->u);
    interval->t1 = interval->t + interval->h;
    problem->method->residual(interval, newton->u, newton->d);
    newton->residual = real_norm((size_t)problem->nu, newton->d);
    work->duration.tries++;
    work->duration.gap = work->now->gap;
    work->duration.is_held = truth_of(false);
    const truth is_bad = truth_not((interval->h > 0) & (interval->h <= guard->cap * work->h));
    const truth is_shrunk = duration_is_shrunk(work);
    if (truth_any(is_bad)) work->duration.reason = DURATION_CAP;
    if (truth_any(is_shrunk)) work->duration.reason = DURATION_SHRUNK;
    return outcome_join(outcome, is_bad | is_shrunk, NOE_NO_STEP);
}

noe_outcome duration_solve(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    const struct duration_trial none = {.outcome = outcome_of(NOE_OK)};
    work->duration.reason = DURATION_NONE;
    work->duration.iterations = 0;
    work->has_guess = false;
    noe_outcome outcome;
    if (work->now->k == 0)
        outcome = duration_begin(work);
    else if (interval->is_fixed)
        outcome = duration_given(work, interval->is_active, none, interval->h);
    else if (problem->method->balance->rescale)
        outcome = duration_rescale(work);
    else
        outcome = duration_search(work);
    work->has_guess = false;
    work->newton.iterations = work->duration.iterations;
    return outcome;
}

void duration_settle(struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    struct duration *d = &work->duration;
    struct noe_interval *interval = &work->interval;
    struct noe_state *next = work->next;
    problem->method->balance->settle(interval, work->newton.u, d->gap);
    if (problem->guard.is_relative) {
        const real energy = next->anchor + next->gap;
        next->gap = d->part * energy;
        next->anchor = energy - next->gap;
    }
    d->curvature = duration_curvature(work, d->gap);
    work->effort.lengths += d->tries;
    d->tries = 0;
    const real x = noe_log(noe_abs(interval->h));
    predictor_learn(&d->predictor, 1, &x);
    predictor_reset(&d->predictor, d->is_held);
}
