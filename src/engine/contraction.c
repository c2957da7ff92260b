/* A contraction u <- G(u), repeated until round-off, given up where Newton's method is cheaper.
 *
 * With d_k the change in pass k and theta = |d_k|/|d_(k-1)| the error after it is about
 * theta/(1-theta) |d_k|, as in Newton's method with a kept Jacobian. Where changes have reached
 * round-off they no longer show theta; the last one seen above it tells how the error goes on to
 * shrink, until it lies as far below the last bit.
 *
 * If theta is such that more than PASSES_MAX passes were to come, or the map is refused, the step
 * is left to Newton's method, and so are the next 8, after another failure 16, and so on up to
 * 1024. */
/* SPDX-License-Identifier: MIT */
#include "engine/contraction.h"

#include "methods/interval.h"

#ifdef PACK_AVAILABLE

enum { PASSES_MAX = 40, PAUSE_LEAST = 8, PAUSE_MOST = 1024 };
static const double contraction_left = 1e-4; /* the error left, in units of the last bit */
static const double contraction_noise = 64;  /* changes this small are round-off: the same units */
static const double contraction_most_noise = 1e-9; /* relative, in ill-conditioned systems */
static const double contraction_stagnation = 0.25; /* after rates below contraction_slow */
static const double contraction_rescale = 0.1;     /* a change that makes weights anew */
static const double contraction_slow = 0.1;        /* beyond it the passes to come are counted */
static const double contraction_unknown = 0.5;     /* stands for a rate before one is seen */

void contraction_reset(struct contraction *c) {
    c->wait = c->pause = 0;
    c->rate = contraction_unknown;
}

/* The step is left to Newton's method, which goes on from u. */
static enum noe_status contraction_fail(struct contraction *c) {
    const int twice = 2 * c->pause;
    c->pause = twice < PAUSE_LEAST ? PAUSE_LEAST : twice > PAUSE_MOST ? PAUSE_MOST : twice;
    c->wait = c->pause;
    c->rate = contraction_unknown;
    return NOE_NOT_CONVERGED;
}

/* What the changes of one step's passes have shown. */
struct contraction_course {
    real last, rate, rate_before; /* the last change and rate, or 0 */
    real left;                    /* the error after that pass */
    real waiting;                 /* a change that is not yet learnt, or 0 */
};

enum contraction_verdict { CONTRACTION_GOES_ON, CONTRACTION_ENDS, CONTRACTION_FAILS };

/* Learns the size of a change. */
static inline void contraction_learn(struct contraction_course *course, real size) {
    const real now = course->last > 0 ? size / course->last : 0;
    const bool stagnates = now > contraction_stagnation && course->rate_before > 0 &&
                           course->rate_before <= contraction_slow &&
                           size <= contraction_most_noise;
    if (course->left > 0 && (size <= contraction_noise * NOE_EPSILON || stagnates)) {
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
    for (; course->rate < 1 && passes < PASSES_MAX; passes++, left *= course->rate)
        if (left <= contraction_left * NOE_EPSILON) return true;
    return false;
}

/* Learns the changes of the passes and tells when the next is the last. What a pass shows is used
 * after the next one: a decision that had to wait for it would hold up the processor. */
static inline enum contraction_verdict contraction_judge(struct contraction_course *course,
                                                         real size, int passes) {
    const real enough = contraction_left * NOE_EPSILON;
    const real seen = course->waiting;
    course->waiting = size;
    if (seen == 0) return size == 0 ? CONTRACTION_ENDS : CONTRACTION_GOES_ON;
    contraction_learn(course, seen);
    if (course->left * course->rate * course->rate <= enough) return CONTRACTION_ENDS;
    return contraction_pays(course, passes) ? CONTRACTION_GOES_ON : CONTRACTION_FAILS;
}

enum noe_status contraction_solve(struct contraction *c, struct noe_interval *interval, real *u) {
    const struct noe_contraction *map = interval_problem(interval)->method->contraction;
    struct contraction_course course = {.rate = c->rate};
    c->has_iterate = false;
    if (c->wait > 0) {
        c->wait--;
        return NOE_NOT_CONVERGED;
    }
    map->begin(interval, u);
    for (c->iterations = 2; c->iterations <= PASSES_MAX; c->iterations++) {
        const real size = map->pass(interval, false);
        if (!real_is_finite(size)) return contraction_fail(c);
        if (size > contraction_rescale) {
            map->weigh(interval);
            course.last = course.waiting = 0; /* the next change is in other units */
            continue;
        }
        const enum contraction_verdict verdict = contraction_judge(&course, size, c->iterations);
        if (verdict == CONTRACTION_ENDS) break;
        if (verdict == CONTRACTION_GOES_ON) continue;
        map->end(interval, u);
        c->has_iterate = true;
        return contraction_fail(c);
    }
    if (c->iterations > PASSES_MAX) return contraction_fail(c);
    map->pass(interval, true);
    map->end(interval, u);
    c->pause = 0;
    c->rate = course.rate;
    c->residual = course.left * course.rate * course.rate;
    interval->correction = NULL;
    interval->force_known = true; /* the stages, for the next guess */
    return NOE_OK;
}

#endif
