/* Fixed-point iteration u <- G(u) to round-off, abandoned if Newton's method is cheaper.
 *
 * With d_k the change in pass k and theta = |d_k|/|d_(k-1)| the error after it is about
 * theta/(1-theta) |d_k|, as in Newton's method with a kept Jacobian. Where changes have reached
 * round-off they no longer show theta; the last one seen above it tells how the error goes on to
 * shrink, until it lies as far below the last bit.
 *
 * If theta is such that Newton's method is cheaper than the passes to come, or if they lead away,
 * Newton's method solves the step. The next step is tried again; after failures without a success
 * between them, Newton's method solves 1, 2, 4, ... and at most 1024 more. */
/* SPDX-License-Identifier: MIT */
#include "engine/fixed_point.h"

#include "mechanics/interval.h"

#ifdef PACK_AVAILABLE

enum {
    PAUSE_MOST = 1024,
    ASTRAY_MOST = 6, /* passes whose change is a part of the unknowns that shows */
    PASSES_LEAST = 10,
    PASSES_MOST = 60
};
static const double fixed_point_left = 1e-3; /* the error left, in units of the last bit; at 0.1 it
                                                is seen to make energy drift */
static const double fixed_point_noise = 64;  /* changes this small are round-off: the same units */
static const double fixed_point_slack = 2;   /* a rate that grows no more is as expected */
static const double fixed_point_rescale = 0.1; /* a change that makes weights anew */
static const double fixed_point_slow = 0.1;    /* beyond it the passes to come are counted */
static const double fixed_point_unknown = 0.5; /* stands for a rate before one is seen */

void fixed_point_reset(struct fixed_point *c) {
    c->wait = c->pause = 0;
    c->rate = fixed_point_unknown;
}

/* As many passes as cost no more than Newton's method, about: measured with 1 to 12 degrees of
 * freedom and 2 to 12 stages. */
static inline int fixed_point_most(const struct noe_problem *problem) {
    const int max = 3 * problem->nu;
    return max < PASSES_LEAST ? PASSES_LEAST : max > PASSES_MOST ? PASSES_MOST : max;
}

/* The step is left to Newton's method, which goes on from u. */
static enum noe_status fixed_point_fail(struct fixed_point *c) {
    c->wait = c->pause;
    c->pause = c->pause == 0 ? 1 : c->pause < PAUSE_MOST ? 2 * c->pause : PAUSE_MOST;
    c->rate = fixed_point_unknown;
    return NOE_NOT_CONVERGED;
}

/* What the changes of one step's passes have shown. */
struct fixed_point_course {
    real last, rate, rate_before; /* the last change and rate, or 0 */
    real left;                    /* the error after that pass */
    real waiting;                 /* a change that is not yet learnt, or 0 */
    int max, astray;              /* passes at most; those with large changes */
};

enum fixed_point_verdict {
    FIXED_POINT_GOES_ON,
    FIXED_POINT_ENDS, /* with one more pass */
    FIXED_POINT_IS_SLOW,
    FIXED_POINT_DIVERGES
};

/* Learns the size of a change. */
static inline void fixed_point_learn(struct fixed_point_course *course, real size) {
    const real now = course->last > 0 ? size / course->last : 0;
    if (course->left > 0 && size <= fixed_point_noise * NOE_EPSILON) {
        course->left *= course->rate;
    } else {
        if (now > 0) course->rate = real_max(now, course->rate_before);
        course->rate_before = now;
        course->left = course->rate < 1 ? size * course->rate / (1 - course->rate) : HUGE_VAL;
    }
    course->last = size;
}

/* Is the error small enough within the passes that may still come? */
static inline bool fixed_point_pays(const struct fixed_point_course *course, int passes) {
    if (course->rate_before == 0 || course->rate <= fixed_point_slow) return true;
    real left = course->left;
    for (; course->rate < 1 && passes < course->max; passes++, left *= course->rate)
        if (left <= fixed_point_left * NOE_EPSILON) return true;
    return false;
}

/* Learns the changes of the passes and tells when the next is the last. The change of a pass is
 * learnt after the next one: a decision that has to wait for it holds up the processor. The last
 * change only has to be what was expected of it, which it seldom is not. */
static inline enum fixed_point_verdict fixed_point_judge(struct fixed_point_course *course,
                                                         real size, int passes) {
    const real enough = fixed_point_left * NOE_EPSILON;
    const real seen = course->waiting;
    course->waiting = size;
    if (seen == 0) return size == 0 ? FIXED_POINT_ENDS : FIXED_POINT_GOES_ON;
    fixed_point_learn(course, seen);
    const bool is_expected =
        size <= fixed_point_noise * NOE_EPSILON || size <= fixed_point_slack * course->rate * seen;
    if (is_expected && course->left * course->rate * course->rate <= enough)
        return FIXED_POINT_ENDS;
    return fixed_point_pays(course, passes) ? FIXED_POINT_GOES_ON : FIXED_POINT_IS_SLOW;
}

/* Is the next pass but one likely to be the last? Coefficients that are rounded have another root,
 * and one pass with accurate ones would leave a part of the difference: the same in every step. */
static inline bool fixed_point_is_near(const struct fixed_point_course *course) {
    const real enough = fixed_point_left * NOE_EPSILON;
    const real rate = course->rate;
    return course->left > 0 && course->left * rate * rate * rate <= enough;
}

/* Passes until the error is small enough, but for one. */
static inline enum fixed_point_verdict fixed_point_repeat(struct fixed_point *c,
                                                          struct noe_interval *interval,
                                                          struct fixed_point_course *course) {
    const struct noe_fixed_point *map = interval_problem(interval)->method->fixed_point;
    for (c->iterations = 1; c->iterations < course->max; c->iterations++) {
        const real size = map->pass(interval, fixed_point_is_near(course));
        if (!real_is_finite(size)) return FIXED_POINT_DIVERGES;
        if (size > fixed_point_rescale) {
            if (++course->astray > ASTRAY_MOST) return FIXED_POINT_DIVERGES;
            map->weigh(interval);
            course->last = course->waiting = 0; /* the next change is in other units */
            continue;
        }
        const enum fixed_point_verdict verdict = fixed_point_judge(course, size, c->iterations);
        if (verdict != FIXED_POINT_GOES_ON) return verdict;
    }
    return FIXED_POINT_IS_SLOW;
}

enum noe_status fixed_point_solve(struct fixed_point *c, struct noe_interval *interval, real *u) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_fixed_point *map = problem->method->fixed_point;
    struct fixed_point_course course = {.max = fixed_point_most(problem)};
    course.rate = interval->has_previous_step ? c->rate : fixed_point_unknown;
    c->has_iterate = c->has_solved = false;
    if (c->wait > 0) {
        c->wait--;
        return NOE_NOT_CONVERGED;
    }
    map->begin(interval, u);
    const enum fixed_point_verdict verdict = fixed_point_repeat(c, interval, &course);
    if (verdict == FIXED_POINT_ENDS) map->pass(interval, true);
    if (verdict != FIXED_POINT_DIVERGES) map->end(interval, u);
    c->iterations++;
    c->has_solved = verdict == FIXED_POINT_ENDS;
    c->has_iterate = verdict == FIXED_POINT_IS_SLOW;
    if (!c->has_solved) return fixed_point_fail(c);
    c->pause = 0;
    c->rate = course.rate;
    c->residual = course.left * course.rate * course.rate;
    interval->correction = NULL;
    interval->has_previous_step = true; /* the stages, for the next guess */
    return NOE_OK;
}

#endif
