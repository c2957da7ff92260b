/* The plain zero of one crossing function in a step, where a state is its momentum alone.
 *
 * A method that looks at the ends of its steps knows the ends p(theta) of their parts as a power
 * series. Its zero is nearly the function's: one part taken there shows how far off it is, and what
 * is left is so little that the series' slope leads along p(theta) with an error below the last
 * bit. Where it does not, another part is taken. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ROOT_H
#define ENGINE_ROOT_H

#include "engine/advance.h"
#include "linalg/small.h"

/* The step that is looked into. */
struct root_step {
    real t, h;          /* where it began, and its length */
    const real *p;      /* the momentum there */
    real before, after; /* the function at both ends */
};

/* The first of them is searched. */
#ifdef NOE_SIGHT
enum { ROOT_FUNCTIONS = NOE_SIGHT };
#else
enum { ROOT_FUNCTIONS = 1 };
#endif

struct root_point {
    real theta, f, p[SMALL_MAX];
};

STEP_INLINE real root_value(const struct noe_work *part, real t, const real *p) {
    const struct noe_system *system = work_problem(part)->system;
    real v[SMALL_MAX], values[ROOT_FUNCTIONS];
    for (int i = 0; i < system->n; i++) v[i] = p[i];
    legendre_solve(&part->legendre, v);
    system->crossings(part->interval.problem->system, t, part->now->q, v, values);
    return values[0];
}

/* p(theta) and its slope. */
STEP_INLINE void root_follow(int n, const real *p0, const real *curve, real theta, real *p,
                             real *slope) {
    for (int i = 0; i < n; i++) {
        real sum = curve[(NOE_CURVE - 1) * n + i], rate = NOE_CURVE * sum;
        for (int j = NOE_CURVE - 2; j >= 0; j--) {
            sum = real_join(sum, theta, curve[j * n + i]);
            rate = real_join(rate, theta, (j + 1) * curve[j * n + i]);
        }
        p[i] = real_join(theta, sum, p0[i]);
        slope[i] = rate;
    }
}

STEP_INLINE real root_secant(const struct root_point *a, const struct root_point *b) {
    const real change = b->f - a->f;
    return real_select(change != 0, b->theta - b->f * ((b->theta - a->theta) / change), b->theta);
}

/* The zero on the curve, by secants; returns the function's slope there. */
STEP_INLINE real root_foresee(const struct noe_work *part, const struct root_step *step,
                              const real *curve, real *theta) {
    enum { SECANTS = 2 };
    const int n = work_problem(part)->system->n;
    struct root_point last = {.f = step->before}, now = {.theta = real_of(1), .f = step->after};
    real rate[SMALL_MAX], slope = now.f - last.f;
    for (int k = 0; k < SECANTS; k++) {
        struct root_point next = {.theta = root_secant(&last, &now)};
        root_follow(n, step->p, curve, next.theta, next.p, rate);
        next.f = root_value(part, step->t + next.theta * step->h, next.p);
        if (k > 0) last = now; /* the end of the whole step need not lie on the curve */
        now = next;
        const real way = now.theta - last.theta;
        slope = real_select(way != 0, (now.f - last.f) / way, slope);
    }
    *theta = root_secant(&last, &now);
    return slope;
}

/* Takes the part theta to its end, with the momentum that is expected there. Returns where it could
 * be taken. */
STEP_INLINE truth root_take(struct noe_work *part, const struct root_step *step,
                            const real *expected, struct root_point *end) {
    const struct noe_problem *problem = work_problem(part);
    for (int i = 0; i < problem->system->n; i++) end->p[i] = expected[i];
    part->interval.h = end->theta * step->h;
    const noe_outcome outcome = problem->method->curve_end(&part->interval, end->p);
    end->f = root_value(part, step->t + part->interval.h, end->p);
    return outcome == NOE_OK;
}

/* From the end of a part along the slope to the zero, in two passes: the first shows the function's
 * slope. The part is off the curve by the first term that the curve lacks, nearly, whose slope is
 * added. Returns where the way is so short that it has no error left: its bend and what the slope
 * lacks now are below the last bit. */
STEP_INLINE truth root_extend(const struct noe_work *part, const struct root_step *step,
                              const real *curve, const real *expected, real *rate, real slope,
                              const struct root_point *end, struct root_point *zero) {
    const int n = work_problem(part)->system->n;
    const real over = 1 / end->theta;
    real move = -end->f / slope, size = {0}, bend = {0}, off = {0};
    for (int i = 0; i < n; i++) {
        const real lacking = (end->p[i] - expected[i]) * over;
        rate[i] += (NOE_CURVE + 1) * lacking;
        size = real_larger(noe_abs(end->p[i]), size);
        bend = real_larger(noe_abs(curve[n + i]), bend);
        off = real_larger(noe_abs(lacking), off);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) zero->p[i] = end->p[i] + move * rate[i];
        zero->theta = end->theta + move;
        if (pass == 1) break;
        const real left = root_value(part, step->t + zero->theta * step->h, zero->p);
        const real change = end->f - left;
        move *= real_select(change != 0, end->f / change, real_of(1));
    }
    return noe_abs(move) * (noe_abs(move) * bend + off) <= 0.5 * NOE_EPSILON * size;
}

/* The part theta at whose end the function is zero, where there is one plain zero in the step and
 * `where`; else 0. `part` is at that end, measured by nobody. */
STEP_INLINE real root_find(struct noe_work *part, const struct root_step *step, truth where) {
    enum { PARTS_MAX = 4 };
    const scalar theta_most = 1.01; /* a part begins anew, and may cross later than the step */
    const int n = work_problem(part)->system->n;
    real curve[NOE_CURVE * SMALL_MAX], expected[SMALL_MAX], rate[SMALL_MAX], theta;
    struct root_point zero, root = {0};
    for (int i = 0; i < n; i++) part->now->p[i] = step->p[i];
    advance_given(part, step->h);
    work_problem(part)->method->curve(&part->interval, curve);
    const real slope = root_foresee(part, step, curve, &theta);
    truth is_going = where & (step->before * step->after < 0) & (slope * step->before < 0);
    for (int tries = 0; tries < PARTS_MAX; tries++) {
        is_going &= (theta > 0) & (theta < theta_most) & (theta != 1);
        if (!truth_any(is_going)) break;
        root_follow(n, step->p, curve, theta, expected, rate);
        struct root_point end = {.theta = real_select(is_going, theta, real_of(1))};
        is_going &= root_take(part, step, expected, &end);
        const truth is_found =
            is_going & root_extend(part, step, curve, expected, rate, slope, &end, &zero);
        root.theta = real_select(is_found, zero.theta, root.theta);
        for (int i = 0; i < n; i++) root.p[i] = real_select(is_found, zero.p[i], root.p[i]);
        is_going &= truth_not(is_found);
        theta = real_select(is_going, zero.theta, theta);
    }
    for (int i = 0; i < n; i++) part->now->p[i] = root.p[i];
    part->now->t = step->t + root.theta * step->h;
    part->outcome = outcome_of(NOE_OK);
    return root.theta;
}

#endif
