/* Fixed-point iteration u <- G(u) to round-off, abandoned if a Newton iteration is cheaper.
 *
 * With d_k the change in iteration k and theta = |d_k|/|d_(k-1)|, the error after it is about
 * theta/(1-theta) |d_k|, as in a Newton iteration with a frozen Jacobian. Changes at round-off
 * level do not show theta. The last rate observed above round-off then predicts the error, until it
 * is far enough below the last bit.
 *
 * If theta makes the remaining iterations more expensive than Newton's method, or if the iteration
 * diverges, Newton's method solves the step. The next step tries the fixed-point iteration again.
 * After consecutive failures Newton's method solves 1, 2, 4, ... and at most 1024 steps in between.
 */
/* SPDX-License-Identifier: MIT */
#include "engine/fixed_point.h"

#include "mechanics/interval.h"
#include "methods/method.h"

#ifdef PACK_AVAILABLE

enum {
    PAUSE_MOST = 1024,
    ASTRAY_MOST = 6, /* iterations with a large relative change */
    PASSES_LEAST = 10,
    PASSES_MOST = 60
};
static const double fixed_point_left =
    1e-3; /* remaining error in units of the last bit; an energy drift was measured at 0.1 */
static const double fixed_point_noise =
    64; /* changes this small are round-off, in units of the last bit */
static const double fixed_point_slack = 2; /* largest growth of the rate that counts as expected */
static const double fixed_point_rescale = 0.1; /* relative change that recomputes the weights */
static const double fixed_point_slow =
    0.1; /* beyond this rate the remaining iterations are counted */
static const double fixed_point_unknown = 0.5; /* assumed rate before one is observed */

void fixed_point_reset(struct fixed_point *c) {
    c->wait = c->pause = 0;
    c->rate = fixed_point_unknown;
}

/* Number of iterations that cost about as much as Newton's method, measured with 1 to 12 degrees of
 * freedom and 2 to 12 stages. */
static inline int fixed_point_most(const struct noe_problem *problem) {
    const int max = 3 * problem->internals->nu;
    return max < PASSES_LEAST ? PASSES_LEAST : max > PASSES_MOST ? PASSES_MOST : max;
}

/* Leaves the step to Newton's method, which starts from u. */
static enum noe_status fixed_point_fail(struct fixed_point *c) {
    c->wait = c->pause;
    c->pause = c->pause == 0 ? 1 : c->pause < PAUSE_MOST ? 2 * c->pause : PAUSE_MOST;
    c->rate = fixed_point_unknown;
    return NOE_NOT_CONVERGED;
}

/* Observed convergence of the iterations of one step. */
struct fixed_point_course {
    real last, rate, rate_before; /* last change and rates, or 0 */
    real left;                    /* error after that iteration */
    real waiting;                 /* a change that is not evaluated yet, or 0 */
    int max, astray; /* maximum number of iterations, and number of those with large changes */
};

enum fixed_point_verdict {
    FIXED_POINT_GOES_ON,
    FIXED_POINT_ENDS, /* after one more iteration */
    FIXED_POINT_IS_SLOW,
    FIXED_POINT_DIVERGES
};

/* Updates the rate with the size of a change. */
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

/* True if the error will be small enough within the remaining iterations. */
static inline bool fixed_point_pays(const struct fixed_point_course *course, int passes) {
    if (course->rate_before == 0 || course->rate <= fixed_point_slow) return true;
    real left = course->left;
    for (; course->rate < 1 && passes < course->max; passes++, left *= course->rate)
        if (left <= fixed_point_left * NOE_EPSILON) return true;
    return false;
}

/* Evaluates the changes and decides if the next iteration is the last. The change of an iteration
 * is evaluated after the next one, because waiting for it would stall the pipeline. The last change
 * is only compared with its expected value. */
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

/* True if the iteration after the next is likely to be the last one. Rounded coefficients have a
 * different root, and a single iteration with accurate coefficients would leave the same part of
 * the difference in every step. */
static inline bool fixed_point_is_near(const struct fixed_point_course *course) {
    const real enough = fixed_point_left * NOE_EPSILON;
    const real rate = course->rate;
    return course->left > 0 && course->left * rate * rate * rate <= enough;
}

/* Iterates until one iteration before the error is small enough. */
static inline enum fixed_point_verdict fixed_point_repeat(struct fixed_point *c,
                                                          struct noe_interval *interval,
                                                          struct fixed_point_course *course) {
    const struct noe_fixed_point *map = interval_problem(interval)->internals->kernel->fixed_point;
    for (c->iterations = 1; c->iterations < course->max; c->iterations++) {
        const real size = map->pass(interval, fixed_point_is_near(course));
        if (!real_is_finite(size)) return FIXED_POINT_DIVERGES;
        if (size > fixed_point_rescale) {
            if (++course->astray > ASTRAY_MOST) return FIXED_POINT_DIVERGES;
            map->weigh(interval);
            course->last = course->waiting = 0; /* the next change has other weights */
            continue;
        }
        const enum fixed_point_verdict verdict = fixed_point_judge(course, size, c->iterations);
        if (verdict != FIXED_POINT_GOES_ON) return verdict;
    }
    return FIXED_POINT_IS_SLOW;
}

enum noe_status fixed_point_solve(struct fixed_point *c, struct noe_interval *interval, real *u) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_fixed_point *map = problem->internals->kernel->fixed_point;
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
    interval->has_previous_step = true; /* the stages are the next initial guess */
    return NOE_OK;
}

#endif
