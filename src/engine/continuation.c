/* Numerical continuation (homotopy in the step size) of the root of a step, for steps where the
 * Newton iteration diverges.
 *
 * For a short step s h, r(u; s h) = 0 has one root near the initial guess of the method, and this
 * is the root of the motion. It is followed in s up to 1. The next guess is on the line through the
 * last two roots (a secant predictor). A part of the path is accepted if the Newton iteration
 * contracts from its first correction on (Deuflhard, 1974). If the Jacobian becomes singular on the
 * path, the root has a turning point and the step has no solution. Another root, far away, would
 * not belong to the motion. */
/* SPDX-License-Identifier: MIT */
#include "engine/continuation.h"

#include "engine/advance.h"

enum { ROUNDS_MAX = 100 };
static const double most_part = 1. / 16;
static const double least_part = 1. / 4096;
/* Relative limits; beyond them the root may be another one. */
static const double most_move = 0.25; /* from a root to the next guess */
static const double most_first = 0.1; /* the first Newton correction at the guess */

void continuation_layout(struct continuation *follow, struct arena *arena,
                         const struct noe_problem *problem) {
    const size_t n = (size_t)problem->internals->nu;
    follow->root = arena_reals(arena, n);
    follow->before = arena_reals(arena, n);
    follow->kept = arena_reals(arena, n);
    follow->scale = arena_reals(arena, n);
}

bool continuation_serves(const struct noe_problem *problem) {
    return problem->internals->scheme->supports_continuation &&
           !constraint_count(problem->system) && !problem->internals->lie_product &&
           !problem->internals->scheme->energy_equation;
}

/* State of the continuation: the fractions of the step of the last two roots and of the next one.
 */
struct way {
    real last, before, part;
    real size; /* size of the largest unknowns */
    mask is_going;
};

/* Initial guess for the fraction `next`: on the line through the last two roots. The guess of the
 * method counts as the root for step size zero. */
static void continuation_lead(struct noe_work *work, const struct way *way, real next) {
    struct newton *newton = &work->newton;
    struct continuation *follow = &work->follow;
    const mask has_root = way->last > 0;
    const real between = real_select(has_root, way->last - way->before, real_broadcast(1));
    const real slope = (next - way->last) / between;
    work_problem(work)->internals->scheme->initial_guess(&work->interval, newton->d);
    for (int i = 0; i < work_problem(work)->internals->nu; i++) {
        const real guess = newton->d[i];
        follow->root[i] = real_select(has_root, follow->root[i], guess);
        const real ahead = follow->root[i] + slope * (follow->root[i] - follow->before[i]);
        const real u = real_select(has_root, ahead, guess);
        newton->u[i] = real_select(way->is_going, u, newton->u[i]);
    }
}

/* Weights by the largest size of an unknown on the path, because unknowns may pass zero. */
static mask continuation_weigh(struct noe_work *work, struct way *way) {
    const int n = work_problem(work)->internals->nu;
    struct newton *newton = &work->newton;
    way->size = real_max(way->size, real_norm((size_t)n, newton->u));
    for (int i = 0; i < n; i++) {
        const real scale = real_max(work->follow.scale[i], 2 * way->size);
        newton->scale[i] = real_select(way->is_going, scale, newton->scale[i]);
    }
    newton_restart(newton, n, way->is_going);
    return real_distance((size_t)n, newton->u, work->follow.root) <= most_move * way->size;
}

/* Takes one part of the path. If that fails, the next part is half as long. */
static void continuation_substep(struct noe_work *work, struct way *way, real t, real h) {
    struct newton *newton = &work->newton;
    struct continuation *follow = &work->follow;
    struct noe_interval *interval = &work->interval;
    const real ahead = way->last + way->part;
    const real next = real_select(ahead < 1, ahead, real_broadcast(1));
    interval->h = real_select(way->is_going, next * h, interval->h);
    interval->t1 = real_select(way->is_going, t + interval->h, interval->t1);
    interval->is_active = way->is_going;
    interval->correction = NULL;
    continuation_lead(work, way, next);
    mask is_near = continuation_weigh(work, way);
    const noe_lane_status outcome = newton_solve(newton, interval, way->is_going);
    is_near &= (way->last == 0) | (newton->first < most_first);
    const mask is_good =
        way->is_going & (outcome == NOE_OK) & is_near & mask_not(newton->has_strayed);
    for (int i = 0; i < work_problem(work)->internals->nu; i++) {
        follow->before[i] = real_select(is_good, follow->root[i], follow->before[i]);
        follow->root[i] = real_select(is_good, newton->u[i] - newton->d[i], follow->root[i]);
    }
    way->before = real_select(is_good, way->last, way->before);
    way->last = real_select(is_good, next, way->last);
    way->part *= real_select(is_good, real_broadcast(2), real_broadcast(0.5));
    way->part = real_select(way->part < most_part, way->part, real_broadcast(most_part));
    way->is_going &= (way->last < 1) & (way->part >= least_part);
}

/* Solves the whole step from the roots that were found. Other lanes are at their roots and compute
 * their last correction again. */
static noe_lane_status continuation_end(struct noe_work *work, mask where) {
    struct newton *newton = &work->newton;
    for (int i = 0; i < work_problem(work)->internals->nu; i++) {
        newton->u[i] = real_select(where, work->follow.root[i], work->follow.kept[i]);
        newton->scale[i] = work->follow.scale[i];
    }
    work->interval.correction = NULL;
    newton_restart(newton, work_problem(work)->internals->nu, where);
    const noe_lane_status outcome = newton_solve(newton, &work->interval, where);
    if (!mask_any(where)) work->interval.correction = newton->d; /* needed by other lanes */
    return outcome;
}

noe_lane_status continuation_solve(struct noe_work *work, noe_lane_status outcome, mask where) {
    struct newton *newton = &work->newton;
    struct noe_interval *interval = &work->interval;
    const real h = interval->h, t1 = interval->t1, curvature = newton->curvature;
    const mask is_active = interval->is_active;
    struct way way = {.part = real_broadcast(most_part), .is_going = where};
    int iterations = newton->iterations;
    for (int i = 0; i < work_problem(work)->internals->nu; i++) {
        work->follow.kept[i] = newton->u[i];
        work->follow.scale[i] = newton->scale[i];
    }
    for (int round = 0; round < ROUNDS_MAX && mask_any(way.is_going); round++) {
        continuation_substep(work, &way, interval->t, h);
        iterations += newton->iterations;
    }
    const mask has_arrived = where & (way.last >= 1);
    interval->h = h;
    interval->t1 = t1;
    interval->is_active = is_active;
    const noe_lane_status end = continuation_end(work, has_arrived);
    newton->iterations += iterations;
    newton->curvature = real_select(where, newton->curvature, curvature);
    const mask is_told =
        has_arrived | (way.part < least_part); /* otherwise the limit on iterations was reached */
    const real reached = real_select(is_told, way.last, real_broadcast(0));
    work->follow.reached = real_select(where, reached, work->follow.reached);
    const mask has_ended = where & (way.last > 0) & (outcome == NOE_OK);
    outcome = lane_status_select(has_ended, lane_status_broadcast(NOE_NOT_CONVERGED), outcome);
    return lane_status_select(has_arrived, end, outcome);
}
