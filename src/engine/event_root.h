/* Event location: the simple root of one event function within a step of a reduced system (state =
 * momentum).
 *
 * The method gives the drive d, so that the fraction theta of a step ends at p1 = p + theta d(p1).
 * The equation is f(p1) = 0. Each iteration evaluates d at the last p1 and moves theta to the zero
 * of the chord of f along p + theta d. An iteration multiplies the error by a factor of order h. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_EVENT_ROOT_H
#define ENGINE_EVENT_ROOT_H

#include "engine/advance.h"
#include "linalg/small_matrix.h"

/* The step that is searched. */
struct root_step {
    real t, h;          /* its start time and step size */
    const real *p;      /* momentum at the start */
    real before, after; /* the event function at both ends */
};

/* The first event function is searched. */
#ifdef NOE_KERNEL_EVENTS
enum { ROOT_FUNCTIONS = NOE_KERNEL_EVENTS };
#else
enum { ROOT_FUNCTIONS = 1 };
#endif

struct root_point {
    real theta, p[SMALL_MAX];
    real change; /* square of its last change */
};

REAL_INLINE real root_value(const struct noe_work *part, real t, const real *p) {
    const struct noe_system *system = work_problem(part)->system;
    real v[SMALL_MAX], values[ROOT_FUNCTIONS];
    for (int i = 0; i < system->n; i++) v[i] = p[i];
    legendre_solve(&part->legendre, v);
    system->events(part->interval.problem->system, t, part->now->q, v, values);
    return values[0];
}

/* One iteration in the lanes that have not converged. Returns the lanes that have converged: the
 * iteration moved the point by no more than the last bits, or by no less than the previous
 * iteration, which is the round-off of the function. */
REAL_INLINE mask root_pass(const struct noe_work *part, const struct root_step *step, mask is_found,
                           struct root_point *point) {
    const struct noe_problem *problem = work_problem(part);
    const int n = problem->system->n;
    const scalar little = NOE_EPSILON, noise = 1000 * NOE_EPSILON;
    real drive[SMALL_MAX], p[SMALL_MAX], change = {0}, whole = {0};
    problem->internals->kernel->drive(&part->interval, point->p, drive);
    for (int i = 0; i < n; i++) p[i] = step->p[i] + point->theta * drive[i];
    const real f = root_value(part, step->t + point->theta * step->h, p);
    const real theta = point->theta * (step->before / (step->before - f));
    for (int i = 0; i < n; i++) {
        p[i] = step->p[i] + theta * drive[i];
        const real d = p[i] - point->p[i];
        change += d * d;
        whole += p[i] * p[i];
        point->p[i] = real_select(is_found, point->p[i], p[i]);
    }
    point->theta = real_select(is_found, point->theta, theta);
    is_found |= change <= little * little * whole;
    is_found |= (change >= point->change) & (change <= noise * noise * whole);
    point->change = change;
    return is_found;
}

/* The fraction theta at which the event function is zero in the lanes `where`, or 0 if the step has
 * no simple root. `part` is left at the root, without observation. */
REAL_INLINE real root_find(struct noe_work *part, const struct root_step *step, mask where) {
    enum {
        PASSES_MAX = 50
    }; /* a chord converges slowly if the function is strongly curved in the step */
    const scalar theta_most =
        1.01; /* a substep starts without history, so its root may lie beyond the step */
    const int n = work_problem(part)->system->n;
    struct root_point point = {.theta = step->before / (step->before - step->after),
                               .change = real_broadcast(HUGE_VAL)};
    const mask is_wanted = where & (step->before * step->after < 0);
    mask is_found = mask_not(is_wanted);
    for (int i = 0; i < n; i++) part->now->p[i] = point.p[i] = step->p[i];
    advance_set_step_size(part, step->h);
    for (int pass = 0; pass < PASSES_MAX && !mask_all(is_found); pass++)
        is_found = root_pass(part, step, is_found, &point);
    is_found &= is_wanted & (point.theta > 0) & (point.theta < theta_most) & (point.theta != 1);
    const real theta = real_select(is_found, point.theta, real_broadcast(0));
    for (int i = 0; i < n; i++) part->now->p[i] = real_select(is_found, point.p[i], step->p[i]);
    part->now->t = step->t + theta * step->h;
    part->outcome = lane_status_broadcast(NOE_OK);
    return theta;
}

#endif
