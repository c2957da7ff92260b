/* Search for the step size of an energy-preserving step: defect(h) = defect_k, where defect(h) is
 * the energy at the start minus the discrete energy there, for the root u(h) of the residual, and
 * defect_k is the remaining defect of earlier steps.
 *
 * The residual is solved for each trial step size, so that no root with h <= 0 can attract. Since
 * defect(0) = 0 and defect(h) ~ h^order, the unknown is log h in an iteration on
 * log(defect/defect_k): a secant iteration, or a Newton iteration if the derivative is known. Once
 * a step size with too small a defect and one with too large a defect are known, the iteration
 * stays between them. If it shows neither, step sizes around the initial guess are scanned, because
 * defect(h) may rise and fall and the nearest root is wanted. If the curvature of the energy along
 * the motion vanishes, there is no root. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_ADAPTIVE_STEP_SIZE_SEARCH_H
#define METHODS_ENERGY_ADAPTIVE_STEP_SIZE_SEARCH_H

#include "base/lane_status.h"
#include "mechanics/extrapolation.h"
#include "mechanics/interval.h"

enum { STEP_SEARCH_TRIES_MAX = 60, STEP_SEARCH_TRIES_FREE = 8 };
static const double step_search_change_far = 4;   /* largest factor between successive step sizes */
static const double step_search_scan_ratio = 1.1; /* ratio of step sizes in a scan */
static const double step_search_still =
    100; /* a defect below this multiple of its round-off counts as zero */
static const double step_search_near = 1e-6; /* log(defect/defect_k) that may be round-off */
static const double step_search_left =
    0.1; /* remaining error of the last step size, in units of round-off */
static const double step_search_slope_least =
    0.25; /* smallest usable derivative of log defect by log h */
static const double step_search_slope_stale = 0.05;  /* error bound of the first derivative */
static const double step_search_slope_sure = 0.01;   /* error bound of a measured derivative */
static const double step_search_change_most = 0.693; /* largest change of log h between trials */
static const double step_search_small = 1e-4;        /* up to it four terms of a series suffice */

/* Reason why there is no step. */
enum step_search_reason {
    STEP_SEARCH_NONE,
    STEP_SEARCH_STILL,
    STEP_SEARCH_SIGN,
    STEP_SEARCH_FLAT,
    STEP_SEARCH_CAP,
    STEP_SEARCH_SHRUNK
};

/* State of the search that is carried from step to step. */
struct step_size_search {
    real start;              /* first step size */
    real first;              /* defect / h^order of the first step: scale of the curvature */
    real part;               /* first defect relative to the energy */
    real slope, slope_error; /* d log defect / d log h at the last root, and its error bound */
    real energy_defect;      /* defect at the start of the interval for its step size */
    real last_gap;           /* defect at the start of the last accepted step */
    mask is_held;            /* the last step size was given */
    enum step_search_reason reason;
    real past[EXTRAPOLATION_DEPTH]; /* previous step sizes that were solved for, the last first */
    lane_index known;               /* number of known previous step sizes */
    long tries, held; /* trial step sizes, and steps taken with the first step size by a guard */
};

/* Result of one trial step size. */
struct step_trial {
    noe_lane_status outcome;
    real energy_defect, noise;
    real stretch; /* d log h / d log defect, if it is known */
};

/* State of the root search between two trials. */
struct step_search {
    real target, inverse; /* target defect and its inverse */
    real min, max;        /* bounds of the step size */
    real start, h;        /* first trial, and next trial */
    real tried, dx;       /* last trial, and log(h/tried) */
    real small, large;    /* step sizes with too small and too large a defect */
    mask has_small, has_large;
    mask is_active, is_going, is_lost, is_sure; /* is_sure: the last step size needs no trial */
    real retraction_load;                       /* distance of a scan from the initial guess */
    mask is_up;
    noe_lane_status failure;          /* status of the last step size without a root */
    real slope, slope_error, stretch; /* stretch is the inverse of slope */
    real z, y, first_gap;    /* defect/target - 1 and log(defect/target) of the last trial */
    struct step_trial trial; /* last trial */
    int tries;
};

/* Resets the history. The first step size was h. */
REAL_INLINE void step_search_forget(struct step_size_search *length, int order, real h) {
    length->start = h;
    length->slope = real_broadcast(order);
    length->slope_error = real_broadcast(step_search_slope_stale);
    length->is_held = mask_broadcast(true);
    length->known = lane_index_broadcast(0);
    length->reason = STEP_SEARCH_NONE;
}

/* Extrapolates the next step size from the previous ones, the last of which is h, by a polynomial
 * of degree 4, or by a line until enough are known. */
REAL_INLINE real step_search_guess(const struct step_size_search *length, real h) {
    const real *past = length->past;
    const real line = past[0] + (past[0] - past[1]);
    real curve;
    extrapolation_guess(1, past, &curve);
    h = real_select(length->known >= 2, line, h);
    return real_select(length->known >= EXTRAPOLATION_DEPTH, curve, h);
}

/* Records the step size h, unless it was given. */
REAL_INLINE void step_search_remember(struct step_size_search *length, real h) {
    extrapolation_record(1, length->past, &h);
    const lane_index known = length->known;
    length->known = lane_index_select(known < EXTRAPOLATION_DEPTH, known + 1, known);
    length->known = lane_index_select(length->is_held, lane_index_broadcast(0), length->known);
}

REAL_INLINE real step_search_power(real h, int order) {
    real power = h;
    for (int i = 1; i < order; i++) power *= h;
    return power;
}

/* The defect over h^order, relative to that of the first step. */
REAL_INLINE real step_search_curvature(const struct noe_problem *problem,
                                       const struct step_size_search *length, real h,
                                       real energy_defect) {
    return energy_defect / (step_search_power(h, problem->order) * length->first);
}

/* log(1 + z) and h exp(x), accurate near 0. */
REAL_INLINE real step_search_log(real z) {
    const real zz = z * z, near = (z - 0.5 * zz) + zz * (z * (1 / (scalar)3) - 0.25 * zz);
    const mask is_far = mask_not(noe_abs(z) < step_search_small);
    return mask_any(is_far) ? real_select(is_far, noe_log(1 + z), near) : near;
}

REAL_INLINE real step_search_exp(real h, real x) {
    const real near = h + h * (x + (x * x) * (0.5 + x * (1 / (scalar)6)));
    const mask is_far = mask_not(noe_abs(x) < step_search_small);
    return mask_any(is_far) ? real_select(is_far, h * noe_exp(x), near) : near;
}

/* Defines the discrete energy by the first step, whose start has the given energy. */
REAL_INLINE noe_lane_status step_search_begin(const struct noe_interval *interval,
                                              struct step_size_search *length, real energy,
                                              struct step_trial trial) {
    const struct noe_problem *problem = interval_problem(interval);
    length->energy_defect = trial.energy_defect;
    length->first = trial.energy_defect / step_search_power(interval->h, problem->order);
    length->part = trial.energy_defect / energy;
    if (interval->is_fixed) return trial.outcome;
    const real nothing = step_search_still * NOE_EPSILON * noe_abs(energy),
               size = noe_abs(trial.energy_defect);
    const mask is_still = (size <= step_search_still * trial.noise) |
                          (size <= step_search_still * NOE_EPSILON * nothing);
    if (mask_any(is_still)) length->reason = STEP_SEARCH_STILL;
    return lane_status_join(trial.outcome, is_still, NOE_NO_STEP);
}

/* Updates the bracket. A step size without a root counts as too large a defect. */
REAL_INLINE void step_search_bracket(struct step_search *s) {
    const mask is_bad = s->trial.outcome != NOE_OK;
    const mask is_large = s->is_going & (is_bad | (s->z > 0));
    const mask is_small = s->is_going & mask_not(is_large);
    s->failure = lane_status_select(s->is_going & is_bad, s->trial.outcome, s->failure);
    s->large = real_select(is_large, s->h, s->large);
    s->small = real_select(is_small, s->h, s->small);
    s->has_large |= is_large;
    s->has_small |= is_small;
}

/* Updates the derivative by the secant of the last two trials, if they differ by more than round-
 * off. */
REAL_INLINE void step_search_learn_secant(struct step_search *s, real y, real noise) {
    const real dx = s->dx, slope = (y - s->y) / dx, error = noise / noe_abs(dx) + noe_abs(dx);
    const mask is_better =
        s->is_going & (noe_abs(slope) > step_search_slope_least) & (error < s->slope_error);
    s->slope = real_select(is_better, slope, s->slope);
    s->slope_error = real_select(is_better, error, s->slope_error);
    s->stretch = 1 / s->slope;
}

/* Takes the derivative from the trial. */
REAL_INLINE void step_search_learn_slope(struct step_search *s) {
    const real stretch = s->trial.stretch;
    const mask is_better = s->is_going & (noe_abs(stretch) < 1 / step_search_slope_least);
    s->stretch = real_select(is_better, stretch, s->stretch);
    s->slope_error = real_select(is_better, real_broadcast(0), s->slope_error);
}

/* Next step size of a scan, alternately larger and smaller and ever farther from the first. Used if
 * the iteration leaves the bounds or shows no sign change for long. */
REAL_INLINE real step_search_scan(struct step_search *s, mask where) {
    s->retraction_load = real_select(where & s->is_up, step_search_scan_ratio * s->retraction_load,
                                     s->retraction_load);
    const real far = s->retraction_load, h = real_select(s->is_up, s->start * far, s->start / far);
    const mask is_spent = (s->start * far > step_search_scan_ratio * s->max) &
                          (s->start < s->min * far / step_search_scan_ratio);
    s->is_lost |= s->is_going & where & is_spent;
    s->is_up = s->is_up != where; /* changes direction in the lanes that used it */
    return real_select(h > s->max, s->max, real_select(h < s->min, s->min, h));
}

/* Computes the next step size after `tries` trials. Returns the lanes that need no further trial.
 */
REAL_INLINE mask step_search_next(struct step_search *s, bool has_slope, int tries) {
    const struct step_trial *trial = &s->trial;
    const real noise = trial->noise * noe_abs(s->inverse);
    const mask is_usable = (trial->outcome == NOE_OK) & (s->z > -1);
    const real y = step_search_log(real_select(is_usable, s->z, real_broadcast(0)));
    if (has_slope)
        step_search_learn_slope(s);
    else if (tries > 1)
        step_search_learn_secant(s, y, noise);
    s->tried = real_select(s->is_going, s->h, s->tried);
    s->y = real_select(s->is_going, y, s->y);
    const real max = real_broadcast(step_search_change_most);
    real dx = real_select(is_usable, -y * s->stretch, max); /* wrong sign: increase the step size */
    dx = real_select(dx > max, max, real_select(dx < -max, -max, dx));
    const real h = step_search_exp(s->h, dx);
    const mask is_between = s->has_small & s->has_large;
    const mask is_ordered = s->small < s->large;
    const real low = real_select(is_ordered, s->small, s->large);
    const real high = real_select(is_ordered, s->large, s->small);
    const mask is_outside = is_between & ((h <= low) | (h >= high));
    const mask is_shut = is_between & mask_not(high > low * (1 + 4 * NOE_EPSILON));
    const real allowed =
        tries >= STEP_SEARCH_TRIES_FREE ? 8 * noise : noise; /* estimate of the round-off */
    const real size = noe_abs(y);
    const mask is_close = is_usable & ((size <= allowed) | (is_shut & (size < step_search_near)));
    s->is_lost |= s->is_going & is_shut & mask_not(is_close);
    mask is_astray = (h < s->min) | (h > s->max) | mask_broadcast(tries >= STEP_SEARCH_TRIES_FREE);
    is_astray &= s->is_going & mask_not(is_between | is_close);
    /* Remaining y after dx. The curvature of y counts even if its slope is small. */
    const real off = noe_abs(dx) * real_max(size, noe_abs(dx)) + size * s->slope_error;
    const mask is_known = is_usable & (off <= step_search_left * noise) & (noe_abs(dx) < max);
    const mask is_last = is_known & mask_not(is_outside | is_astray);
    real next = h;
    if (mask_any(is_outside)) next = real_select(is_outside, noe_sqrt(low * high), h);
    if (mask_any(is_astray)) next = real_select(is_astray, step_search_scan(s, is_astray), next);
    if (mask_any(next != h)) dx = real_select(next != h, noe_log(next / s->h), dx);
    s->dx = real_select(s->is_going, dx, s->dx);
    s->h = real_select(is_close | mask_not(s->is_going), s->h, next);
    return is_close | is_last;
}

/* Starts a search for the step size with the defect `target`, from the guess h, or from the last
 * step size if h is too far from it. */
REAL_INLINE struct step_search step_search_open(const struct noe_problem *problem,
                                                const struct step_size_search *length,
                                                mask is_active, real last, real target, real h) {
    const mask none = mask_broadcast(false);
    struct step_search s = {.target = target,
                            .inverse = 1 / target,
                            .min = last / step_search_change_far,
                            .is_active = is_active,
                            .is_going = is_active,
                            .is_lost = none,
                            .is_sure = none,
                            .has_small = none,
                            .has_large = none,
                            .retraction_load = real_broadcast(1),
                            .is_up = mask_broadcast(true),
                            .failure = lane_status_broadcast(NOE_OK),
                            .slope = length->slope,
                            .slope_error = length->slope_error,
                            .stretch = 1 / length->slope};
    const real max = problem->internals->guard.cap * length->start,
               grown = step_search_change_far * last;
    s.max = real_select(grown < max, grown, max);
    s.small = s.large = s.z = s.y = s.dx = real_broadcast(0);
    s.h = real_select((h < s.max) & (h > s.min), h, last);
    s.h = real_select(s.h < s.max, s.h, s.max);
    s.start = s.tried = s.h;
    if (problem->internals->guard.is_anchored)
        s.is_lost = s.is_active & (s.target / length->first <= 0);
    return s;
}

/* True if the curvature is below the threshold of the guard or has the other sign. */
REAL_INLINE mask step_search_is_weak(const struct noe_problem *problem,
                                     const struct step_size_search *length, real h,
                                     real energy_defect) {
    if (!problem->internals->guard.is_anchored) return mask_broadcast(false);
    const real min = problem->internals->guard.threshold * step_search_power(h, problem->order);
    return mask_not(energy_defect * length->first >= min * (length->first * length->first));
}

/* Computes the root for h and its defect in the lanes `where`. dx = log(h/h') with the previous
 * trial h'. */
typedef void step_search_probe(void *self, real h, real dx, mask where, struct step_trial *trial);

REAL_INLINE void step_search_find(const struct noe_problem *problem,
                                  const struct step_size_search *length, struct step_search *s,
                                  step_search_probe *probe, void *self, bool has_slope) {
    for (int i = 0; i < STEP_SEARCH_TRIES_MAX && mask_any(s->is_going); i++) {
        probe(self, s->h, s->dx, s->is_going, &s->trial);
        s->tries++;
        if (i == 0) {
            s->first_gap = s->trial.energy_defect;
            s->is_lost |=
                s->is_active & step_search_is_weak(problem, length, s->h, s->trial.energy_defect);
        }
        s->is_going &= mask_not(s->is_lost);
        if (!mask_any(s->is_going)) break;
        s->z = (s->trial.energy_defect - s->target) * s->inverse;
        step_search_bracket(s);
        const mask is_last = step_search_next(s, has_slope, i + 1) & s->is_going;
        s->is_sure |= is_last & (s->h != s->tried);
        s->is_going &= mask_not(s->is_lost | is_last);
    }
    s->is_lost |= s->is_going;
    s->h = real_select(s->is_sure, s->h, s->tried);
    s->trial.energy_defect = real_select(s->is_sure, s->target, s->trial.energy_defect);
}

/* Updates the error bound of the derivative by its change since the previous step. */
REAL_INLINE void step_search_learn(struct step_size_search *length, const struct step_search *s) {
    const real moved = 2 * noe_abs(s->slope - length->slope);
    const mask is_seen = s->slope != length->slope;
    const real error =
        real_select(moved > step_search_slope_sure, moved, real_broadcast(step_search_slope_sure));
    length->slope_error = real_select(is_seen, error, length->slope_error);
    length->slope = s->slope;
}

/* True if the step size shrank below the bound of the guard. Otherwise the time of the run would
 * stall. */
REAL_INLINE mask step_search_is_shrunk(const struct noe_problem *problem,
                                       const struct step_size_search *length, real h) {
    return h * problem->internals->guard.cap < length->start;
}

REAL_INLINE void step_search_blame(const struct noe_problem *problem,
                                   struct step_size_search *length, const struct step_search *s) {
    const mask is_shrunk = step_search_is_shrunk(problem, length, s->h);
    const mask is_other = s->first_gap / s->target < 0;
    const mask is_grown = s->max >= problem->internals->guard.cap * length->start;
    length->reason = mask_any(s->is_lost & is_shrunk)  ? STEP_SEARCH_SHRUNK
                     : mask_any(s->is_lost & is_other) ? STEP_SEARCH_SIGN
                     : mask_any(s->is_lost & is_grown) ? STEP_SEARCH_CAP
                                                       : STEP_SEARCH_FLAT;
}

/* Evaluates a search. Without a root there is no step, or the guard takes the first step size. s->h
 * is then the step size to take. */
REAL_INLINE noe_lane_status step_search_judge(const struct noe_problem *problem,
                                              struct step_size_search *length,
                                              struct step_search *s) {
    const noe_lane_status outcome = s->trial.outcome;
    step_search_learn(length, s);
    length->energy_defect = s->trial.energy_defect;
    length->is_held = mask_broadcast(false);
    s->is_lost |= s->is_active & step_search_is_weak(problem, length, s->h, s->trial.energy_defect);
    s->is_lost |= s->is_active & step_search_is_shrunk(problem, length, s->h);
    if (!mask_any(s->is_lost)) return outcome;
    if (!problem->internals->guard.is_anchored) {
        step_search_blame(problem, length, s);
        return lane_status_join(lane_status_select(s->is_lost, s->failure, outcome), s->is_lost,
                                NOE_NO_STEP);
    }
    length->held++;
    length->is_held = s->is_lost;
    s->h = real_select(s->is_lost, length->start, s->h);
    return outcome;
}

/* After the energy equation has closed the step: if the defect is kept relative, updates the
 * discrete energy. */
REAL_INLINE void step_search_settle(const struct noe_problem *problem,
                                    struct step_size_search *length, real *energy_target,
                                    real *energy_defect) {
    if (problem->internals->guard.is_relative) {
        const real energy = *energy_target + *energy_defect;
        *energy_defect = length->part * energy;
        *energy_target = energy - *energy_defect;
    }
    length->last_gap = length->energy_defect;
}

#endif
