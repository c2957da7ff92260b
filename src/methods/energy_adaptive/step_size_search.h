/* The length of a step as an unknown: gap(h) = gap_k, where gap(h) is the energy at the start less
 * the discrete energy there, for the root u(h) of the residual, and gap_k what earlier steps left.
 *
 * The residual is solved for each length that is tried, so that no root with h <= 0 can attract.
 * Since gap(0) = 0 and gap(h) ~ h^order, log h is the unknown of an iteration on log(gap/gap_k), by
 * secants or, where its slope is known, by Newton's method, kept between a length whose gap is too
 * small and one whose gap is too large once both are known. Where it shows neither, lengths around
 * the first guess are tried one by one: the root nearest to it is wanted, for gap(h) may rise and
 * fall. Where the curvature of the energy along the motion vanishes there is none. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_LENGTH_H
#define METHODS_LENGTH_H

#include "base/lane_status.h"
#include "mechanics/interval.h"

enum { LENGTH_TRIES_MAX = 60, LENGTH_TRIES_FREE = 8, LENGTH_DEPTH = 5 };
static const double length_change_far = 4;   /* a step is not longer or shorter by more, at once */
static const double length_scan_ratio = 1.1; /* of lengths that are tried one by one */
static const double length_still = 100;      /* a gap within so many of its round-offs is none */
static const double length_near = 1e-6;      /* log(gap/gap_k) that may be round-off */
static const double length_left = 0.1;       /* of round-off: what the last length may leave */
static const double length_slope_least = 0.25;  /* of log gap over log h: less and it is no use */
static const double length_slope_stale = 0.05;  /* how far the first slope may be off, */
static const double length_slope_sure = 0.01;   /* and any */
static const double length_change_most = 0.693; /* of log h between two trials */
static const double length_small = 1e-4;        /* up to it four terms of a series do */

/* Why there is no step. */
enum length_reason {
    LENGTH_NONE,
    LENGTH_STILL,
    LENGTH_SIGN,
    LENGTH_FLAT,
    LENGTH_CAP,
    LENGTH_SHRUNK
};

/* What goes on from step to step. */
struct length {
    real start;              /* the first length */
    real first;              /* gap / h^order of the first step: the scale of the curvature */
    real part;               /* of the energy, that the first gap was */
    real slope, slope_error; /* d log gap / d log h at the last root, and how far off it may be */
    real gap;                /* at the start of the interval, for its length */
    real last_gap;           /* the same of the last step that was taken */
    truth is_held;           /* the length of the last step was given */
    enum length_reason reason;
    real past[LENGTH_DEPTH]; /* lengths of steps that were found, the last first, */
    lane_int known;          /* and how many of them */
    long tries, held;        /* lengths tried, and steps that a guard gave the first length */
};

/* What one length gives. */
struct length_trial {
    noe_outcome outcome;
    real gap, noise;
    real stretch; /* d log h / d log gap, where the search is told so */
};

/* What is known of the root between two trials. */
struct length_search {
    real target, inverse; /* the gap that is wanted, and one over it */
    real least, most;     /* lengths lie between */
    real start, h;        /* tried first, to be tried next */
    real tried, dx;       /* tried last, and log(h/tried) */
    real small, large;    /* lengths whose gap is too small, and too large */
    truth has_small, has_large;
    truth is_active, is_going, is_lost, is_sure; /* sure: the last length needs no trial */
    real reach;                                  /* of a scan outwards from the first guess, */
    truth is_up;
    noe_outcome failure;              /* of the last length for which the step had no root */
    real slope, slope_error, stretch; /* stretch: one over the slope */
    real z, y, first_gap;             /* gap/target - 1 and log(gap/target) of the last trial */
    struct length_trial trial;        /* the last */
    int tries;
};

/* Forgets earlier steps, all but that the first had the length h. */
STEP_INLINE void length_forget(struct length *length, int order, real h) {
    length->start = h;
    length->slope = real_of(order);
    length->slope_error = real_of(length_slope_stale);
    length->is_held = truth_of(true);
    length->known = lane_int_of(0);
    length->reason = LENGTH_NONE;
}

/* The next length from those before, of which h is the last: by a polynomial of degree 4, until so
 * many are known by a line. */
STEP_INLINE real length_guess(const struct length *length, real h) {
    const real *past = length->past;
    const real line = past[0] + (past[0] - past[1]);
    const real curve = (past[4] - 10 * (past[1] - past[2])) + 5 * (past[0] - past[3]);
    h = real_select(length->known >= 2, line, h);
    return real_select(length->known >= LENGTH_DEPTH, curve, h);
}

/* Lengths that were given say nothing of those to be found. */
STEP_INLINE void length_remember(struct length *length, real h) {
    for (int j = LENGTH_DEPTH - 1; j > 0; j--) length->past[j] = length->past[j - 1];
    length->past[0] = h;
    const lane_int known = length->known;
    length->known = lane_int_select(known < LENGTH_DEPTH, known + 1, known);
    length->known = lane_int_select(length->is_held, lane_int_of(0), length->known);
}

STEP_INLINE real length_power(real h, int order) {
    real power = h;
    for (int i = 1; i < order; i++) power *= h;
    return power;
}

/* The gap over h^order, in units of the first. */
STEP_INLINE real length_curvature(const struct noe_problem *problem, const struct length *length,
                                  real h, real gap) {
    return gap / (length_power(h, problem->order) * length->first);
}

/* log(1 + z), and h exp(x), which are needed near 0. */
STEP_INLINE real length_log(real z) {
    const real zz = z * z, near = (z - 0.5 * zz) + zz * (z * (1 / (scalar)3) - 0.25 * zz);
    const truth is_far = truth_not(noe_abs(z) < length_small);
    return truth_any(is_far) ? real_select(is_far, noe_log(1 + z), near) : near;
}

STEP_INLINE real length_exp(real h, real x) {
    const real near = h + h * (x + (x * x) * (0.5 + x * (1 / (scalar)6)));
    const truth is_far = truth_not(noe_abs(x) < length_small);
    return truth_any(is_far) ? real_select(is_far, h * noe_exp(x), near) : near;
}

/* The first step, whose start has this energy, says what the discrete energy is. */
STEP_INLINE noe_outcome length_begin(const struct noe_interval *interval, struct length *length,
                                     real energy, struct length_trial trial) {
    const struct noe_problem *problem = interval_problem(interval);
    length->gap = trial.gap;
    length->first = trial.gap / length_power(interval->h, problem->order);
    length->part = trial.gap / energy;
    if (interval->is_fixed) return trial.outcome;
    const real nothing = length_still * NOE_EPSILON * noe_abs(energy), size = noe_abs(trial.gap);
    const truth is_still =
        (size <= length_still * trial.noise) | (size <= length_still * NOE_EPSILON * nothing);
    if (truth_any(is_still)) length->reason = LENGTH_STILL;
    return outcome_join(trial.outcome, is_still, NOE_NO_STEP);
}

/* A length for which the step has no root has too large a gap. */
STEP_INLINE void length_bracket(struct length_search *s) {
    const truth is_bad = s->trial.outcome != NOE_OK;
    const truth is_large = s->is_going & (is_bad | (s->z > 0));
    const truth is_small = s->is_going & truth_not(is_large);
    s->failure = outcome_select(s->is_going & is_bad, s->trial.outcome, s->failure);
    s->large = real_select(is_large, s->h, s->large);
    s->small = real_select(is_small, s->h, s->small);
    s->has_large |= is_large;
    s->has_small |= is_small;
}

/* The secant of the last two trials, where they are apart by more than round-off. */
STEP_INLINE void length_learn_secant(struct length_search *s, real y, real noise) {
    const real dx = s->dx, slope = (y - s->y) / dx, error = noise / noe_abs(dx) + noe_abs(dx);
    const truth is_better =
        s->is_going & (noe_abs(slope) > length_slope_least) & (error < s->slope_error);
    s->slope = real_select(is_better, slope, s->slope);
    s->slope_error = real_select(is_better, error, s->slope_error);
    s->stretch = 1 / s->slope;
}

/* The slope that the trial gives. */
STEP_INLINE void length_learn_slope(struct length_search *s) {
    const real stretch = s->trial.stretch;
    const truth is_better = s->is_going & (noe_abs(stretch) < 1 / length_slope_least);
    s->stretch = real_select(is_better, stretch, s->stretch);
    s->slope_error = real_select(is_better, real_of(0), s->slope_error);
}

/* Where the iteration leaves the lengths that may be tried, or has shown no change of sign for
 * long: the next of lengths farther and farther from the first, longer and shorter in turn. */
STEP_INLINE real length_scan(struct length_search *s, truth where) {
    s->reach = real_select(where & s->is_up, length_scan_ratio * s->reach, s->reach);
    const real far = s->reach, h = real_select(s->is_up, s->start * far, s->start / far);
    const truth is_spent = (s->start * far > length_scan_ratio * s->most) &
                           (s->start < s->least * far / length_scan_ratio);
    s->is_lost |= s->is_going & where & is_spent;
    s->is_up = s->is_up != where; /* turns where it was used */
    return real_select(h > s->most, s->most, real_select(h < s->least, s->least, h));
}

/* The next length, after so many. Returns where it needs no further trial. */
STEP_INLINE truth length_next(struct length_search *s, bool has_slope, int tries) {
    const struct length_trial *trial = &s->trial;
    const real noise = trial->noise * noe_abs(s->inverse);
    const truth is_usable = (trial->outcome == NOE_OK) & (s->z > -1);
    const real y = length_log(real_select(is_usable, s->z, real_of(0)));
    if (has_slope)
        length_learn_slope(s);
    else if (tries > 1)
        length_learn_secant(s, y, noise);
    s->tried = real_select(s->is_going, s->h, s->tried);
    s->y = real_select(s->is_going, y, s->y);
    const real most = real_of(length_change_most);
    real dx = real_select(is_usable, -y * s->stretch, most); /* wrong sign: longer */
    dx = real_select(dx > most, most, real_select(dx < -most, -most, dx));
    const real h = length_exp(s->h, dx);
    const truth is_between = s->has_small & s->has_large;
    const truth is_ordered = s->small < s->large;
    const real low = real_select(is_ordered, s->small, s->large);
    const real high = real_select(is_ordered, s->large, s->small);
    const truth is_outside = is_between & ((h <= low) | (h >= high));
    const truth is_shut = is_between & truth_not(high > low * (1 + 4 * NOE_EPSILON));
    const real allowed = tries >= LENGTH_TRIES_FREE ? 8 * noise : noise; /* an estimate */
    const real size = noe_abs(y);
    const truth is_close = is_usable & ((size <= allowed) | (is_shut & (size < length_near)));
    s->is_lost |= s->is_going & is_shut & truth_not(is_close);
    truth is_astray = (h < s->least) | (h > s->most) | truth_of(tries >= LENGTH_TRIES_FREE);
    is_astray &= s->is_going & truth_not(is_between | is_close);
    /* What dx leaves of y, where it is what was wanted: y bends however small its slope is. */
    const real off = noe_abs(dx) * real_larger(size, noe_abs(dx)) + size * s->slope_error;
    const truth is_known = is_usable & (off <= length_left * noise) & (noe_abs(dx) < most);
    const truth is_last = is_known & truth_not(is_outside | is_astray);
    real next = h;
    if (truth_any(is_outside)) next = real_select(is_outside, noe_sqrt(low * high), h);
    if (truth_any(is_astray)) next = real_select(is_astray, length_scan(s, is_astray), next);
    if (truth_any(next != h)) dx = real_select(next != h, noe_log(next / s->h), dx);
    s->dx = real_select(s->is_going, dx, s->dx);
    s->h = real_select(is_close | truth_not(s->is_going), s->h, next);
    return is_close | is_last;
}

/* A search for the length that has the gap `target`: it begins with the guess h or, where that is
 * too far from the last length, with this. */
STEP_INLINE struct length_search length_open(const struct noe_problem *problem,
                                             const struct length *length, truth is_active,
                                             real last, real target, real h) {
    const truth none = truth_of(false);
    struct length_search s = {.target = target,
                              .inverse = 1 / target,
                              .least = last / length_change_far,
                              .is_active = is_active,
                              .is_going = is_active,
                              .is_lost = none,
                              .is_sure = none,
                              .has_small = none,
                              .has_large = none,
                              .reach = real_of(1),
                              .is_up = truth_of(true),
                              .failure = outcome_of(NOE_OK),
                              .slope = length->slope,
                              .slope_error = length->slope_error,
                              .stretch = 1 / length->slope};
    const real most = problem->guard.cap * length->start, grown = length_change_far * last;
    s.most = real_select(grown < most, grown, most);
    s.small = s.large = s.z = s.y = s.dx = real_of(0);
    s.h = real_select((h < s.most) & (h > s.least), h, last);
    s.h = real_select(s.h < s.most, s.h, s.most);
    s.start = s.tried = s.h;
    if (problem->guard.is_anchored) s.is_lost = s.is_active & (s.target / length->first <= 0);
    return s;
}

/* Is the curvature below what the guard wants, or of the other sign? */
STEP_INLINE truth length_is_weak(const struct noe_problem *problem, const struct length *length,
                                 real h, real gap) {
    if (!problem->guard.is_anchored) return truth_of(false);
    const real least = problem->guard.threshold * length_power(h, problem->order);
    return truth_not(gap * length->first >= least * (length->first * length->first));
}

/* Gives the root for h and its gap, in lanes `where`; dx = log(h/h') from the length h' before. */
typedef void length_probe(void *self, real h, real dx, truth where, struct length_trial *trial);

STEP_INLINE void length_find(const struct noe_problem *problem, const struct length *length,
                             struct length_search *s, length_probe *probe, void *self,
                             bool has_slope) {
    for (int i = 0; i < LENGTH_TRIES_MAX && truth_any(s->is_going); i++) {
        probe(self, s->h, s->dx, s->is_going, &s->trial);
        s->tries++;
        if (i == 0) {
            s->first_gap = s->trial.gap;
            s->is_lost |= s->is_active & length_is_weak(problem, length, s->h, s->trial.gap);
        }
        s->is_going &= truth_not(s->is_lost);
        if (!truth_any(s->is_going)) break;
        s->z = (s->trial.gap - s->target) * s->inverse;
        length_bracket(s);
        const truth is_last = length_next(s, has_slope, i + 1) & s->is_going;
        s->is_sure |= is_last & (s->h != s->tried);
        s->is_going &= truth_not(s->is_lost | is_last);
    }
    s->is_lost |= s->is_going;
    s->h = real_select(s->is_sure, s->h, s->tried);
    s->trial.gap = real_select(s->is_sure, s->target, s->trial.gap);
}

/* How far the slope of this step was from that of the step before, and will be from the next. */
STEP_INLINE void length_learn(struct length *length, const struct length_search *s) {
    const real moved = 2 * noe_abs(s->slope - length->slope);
    const truth is_seen = s->slope != length->slope;
    const real error = real_select(moved > length_slope_sure, moved, real_of(length_slope_sure));
    length->slope_error = real_select(is_seen, error, length->slope_error);
    length->slope = s->slope;
}

/* Shorter steps than the cap allows end in a run whose time stands still. */
STEP_INLINE truth length_is_shrunk(const struct noe_problem *problem, const struct length *length,
                                   real h) {
    return h * problem->guard.cap < length->start;
}

STEP_INLINE void length_blame(const struct noe_problem *problem, struct length *length,
                              const struct length_search *s) {
    const truth is_shrunk = length_is_shrunk(problem, length, s->h);
    const truth is_other = s->first_gap / s->target < 0;
    const truth is_grown = s->most >= problem->guard.cap * length->start;
    length->reason = truth_any(s->is_lost & is_shrunk)  ? LENGTH_SHRUNK
                     : truth_any(s->is_lost & is_other) ? LENGTH_SIGN
                     : truth_any(s->is_lost & is_grown) ? LENGTH_CAP
                                                        : LENGTH_FLAT;
}

/* What comes of a search: where none of the lengths will do there is no step, or it has the first
 * length. s->h is then what the step is to be taken with. */
STEP_INLINE noe_outcome length_judge(const struct noe_problem *problem, struct length *length,
                                     struct length_search *s) {
    const noe_outcome outcome = s->trial.outcome;
    length_learn(length, s);
    length->gap = s->trial.gap;
    length->is_held = truth_of(false);
    s->is_lost |= s->is_active & length_is_weak(problem, length, s->h, s->trial.gap);
    s->is_lost |= s->is_active & length_is_shrunk(problem, length, s->h);
    if (!truth_any(s->is_lost)) return outcome;
    if (!problem->guard.is_anchored) {
        length_blame(problem, length, s);
        return outcome_join(outcome_select(s->is_lost, s->failure, outcome), s->is_lost,
                            NOE_NO_STEP);
    }
    length->held++;
    length->is_held = s->is_lost;
    s->h = real_select(s->is_lost, length->start, s->h);
    return outcome;
}

/* After the balance has settled the end: where the gap is kept in proportion, the discrete energy
 * follows. */
STEP_INLINE void length_settle(const struct noe_problem *problem, struct length *length,
                               real *anchor, real *gap) {
    if (problem->guard.is_relative) {
        const real energy = *anchor + *gap;
        *gap = length->part * energy;
        *anchor = energy - *gap;
    }
    length->last_gap = length->gap;
}

#endif
