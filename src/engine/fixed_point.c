/* A contraction u <- G(u), repeated until round-off, given up where Newton's method is cheaper.
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
static const double contraction_left = 1e-3; /* the error left, in units of the last bit; at 0.1 it
                                                is seen to make energy drift */
static const double contraction_noise = 64;  /* changes this small are round-off: the same units */
static const double contraction_slack = 2;   /* a rate that grows no more is as expected */
static const double contraction_rescale = 0.1; /* a change that makes weights anew */
static const double contraction_slow = 0.1;    /* beyond it the passes to come are counted */
static const double contraction_unknown = 0.5; /* stands for a rate before one is seen */

void contraction_reset(struct contraction *c) {
    c->wait = c->pause = 0;
    c->rate = contraction_unknown;
}

/* As many passes as cost no more than Newton's method, about: measured with 1 to 12 degrees of
 * freedom and 2 to 12 stages. */
static inline int contraction_most(const struct noe_problem *problem) {
    const int most = 3 * problem->nu;
    return most < PASSES_LEAST ? PASSES_LEAST : most > PASSES_MOST ? PASSES_MOST : most;
}

/* The step is left to Newton's method, which goes on from u. */
static enum noe_status contraction_fail(struct contraction *c) {
    c->wait = c->pause;
    c->pause = c->pause == 0 ? 1 : c->pause < PAUSE_MOST ? 2 * c->pause : PAUSE_MOST;
    c->rate = contraction_unknown;
    return NOE_NOT_CONVERGED;
}

/* What the changes of one step's passes have shown. */
struct contraction_course {
    real last, rate, rate_before; /* the last change and rate, or 0 */
    real left;                    /* the error after that pass */
    real waiting;                 /* a change that is not yet learnt, or 0 */
    int most, astray;             /* passes at most; those with large changes */
};

enum contraction_verdict {
    CONTRACTION_GOES_ON,
    CONTRACTION_ENDS, /* with one more pass */
    CONTRACTION_IS_SLOW,
    CONTRACTION_DIVERGES
};

/* Learns the size of a change. */
static inline void contraction_learn(struct contraction_course *course, real size) {
    const real now = course->last > 0 ? size / course->last : 0;
    if (course->left > 0 && size <= contraction_noise * NOE_EPSILON) {
        course->left *= course->rate;
    } else {
        if (now > 0) course->rate = real_larger(now, course->rate_before);
        course->rate_before = now;
        course->left = course->rate < 1 ? size * course->rate / (1 - course->rate) : HUGE_VAL;
    }
    course->last = size;
}

/* Is the error small enough within the passes that may still come? */
static inline bool contraction_pays(const struct contraction_course *course, int passes) {
    if (course->rate_before == 0 || course->rate <= contraction_slow) return true;
    real left = course->left;
    for (; course->rate < 1 && passes < course->most; passes++, left *= course->rate)
        if (left <= contraction_left * NOE_EPSILON) return true;
    return false;
}

/* Learns the changes of the passes and tells when the next is the last. The change of a pass is
 * learnt after the next one: a decision that has to wait for it holds up the processor. The last
 * change only has to be what was expected of it, which it seldom is not. */
static inline enum contraction_verdict contraction_judge(struct contraction_course *course,
                                                         real size, int passes) {
    const real enough = contraction_left * NOE_EPSILON;
    const real seen = course->waiting;
    course->waiting = size;
    if (seen == 0) return size == 0 ? CONTRACTION_ENDS : CONTRACTION_GOES_ON;
    contraction_learn(course, seen);
    const bool is_expected =
        size <= contraction_noise * NOE_EPSILON || size <= contraction_slack * course->rate * seen;
    if (is_expected && course->left * course->rate * course->rate <= enough)
        return CONTRACTION_ENDS;
    return contraction_pays(course, passes) ? CONTRACTION_GOES_ON : CONTRACTION_IS_SLOW;
}

/* Is the next pass but one likely to be the last? Coefficients that are rounded have another root,
 * and one pass with accurate ones would leave a part of the difference: the same in every step. */
static inline bool contraction_is_near(const struct contraction_course *course) {
    const real enough = contraction_left * NOE_EPSILON;
    const real rate = course->rate;
    return course->left > 0 && course->left * rate * rate * rate <= enough;
}

/* Passes until the error is small enough, but for one. */
static inline enum contraction_verdict contraction_repeat(struct contraction *c,
                                                          struct noe_interval *interval,
                                                          struct contraction_course *course) {
    const struct noe_contraction *map = interval_problem(interval)->method->contraction;
    for (c->iterations = 1; c->iterations < course->most; c->iterations++) {
        const real size = map->pass(interval, contraction_is_near(course));
        if (!real_is_finite(size)) return CONTRACTION_DIVERGES;
        if (size > contraction_rescale) {
            if (++course->astray > ASTRAY_MOST) return CONTRACTION_DIVERGES;
            map->weigh(interval);
            course->last = course->waiting = 0; /* the next change is in other units */
            continue;
        }
        const enum contraction_verdict verdict = contraction_judge(course, size, c->iterations);
        if (verdict != CONTRACTION_GOES_ON) return verdict;
    }
    return CONTRACTION_IS_SLOW;
}

enum noe_status contraction_solve(struct contraction *c, struct noe_interval *interval, real *u) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_contraction *map = problem->method->contraction;
    struct contraction_course course = {.most = contraction_most(problem)};
    course.rate = interval->force_known ? c->rate : contraction_unknown;
    c->has_iterate = c->has_solved = false;
    if (c->wait > 0) {
        c->wait--;
        return NOE_NOT_CONVERGED;
    }
    map->begin(interval, u);
    const enum contraction_verdict verdict = contraction_repeat(c, interval, &course);
    if (verdict == CONTRACTION_ENDS) map->pass(interval, true);
    if (verdict != CONTRACTION_DIVERGES) map->end(interval, u);
    c->iterations++;
    c->has_solved = verdict == CONTRACTION_ENDS;
    c->has_iterate = verdict == CONTRACTION_IS_SLOW;
    if (!c->has_solved) return contraction_fail(c);
    c->pause = 0;
    c->rate = course.rate;
    c->residual = course.left * course.rate * course.rate;
    interval->correction = NULL;
    interval->force_known = true; /* the stages, for the next guess */
    return NOE_OK;
}

#endif
