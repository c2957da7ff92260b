/* Step size control of explicit embedded Runge-Kutta pairs: a trial step is accepted if its local
 * error is below the tolerance, and the step size is scaled by the fifth root of the error (Dormand
 * and Prince, 1980). */
/* SPDX-License-Identifier: MIT */
#include "methods/runge_kutta/prk.h"

/* The largest estimated local error of `count` numbers from x0 to x1 with stage derivatives k, in
 * units of the tolerance. NaN if one is not finite. */
REAL_INLINE real adaptive_error_of(const struct prk_view *at, real tolerance, int count,
                                   const real *k, const real *x0, const real *x1) {
    const scalar *weight = at->tableau->error;
    real largest = {0}, poison = {0};
    for (int i = 0; i < count; i++) {
        real dx = {0};
        for (int j = 0; j < at->s; j++) dx += weight[j] * k[j * count + i];
        const real x = real_max(noe_abs(x0[i]), noe_abs(x1[i]));
        const real error = noe_abs(at->h * dx) / (tolerance * (1 + x));
        largest = real_max(error, largest);
        poison += 0 * error;
    }
    return largest + poison;
}

/* The larger error of those of q and p. */
REAL_INLINE real adaptive_error(const struct noe_interval *interval, real tolerance) {
    const struct prk_view at = prk_view(interval);
    const struct noe_state *from = interval->from, *to = interval->to;
    const bool on_groups = at.groups.lie_product;
    const real q =
        adaptive_error_of(&at, tolerance, at.np, on_groups ? at.Q : at.V, from->q, to->q);
    const real p = adaptive_error_of(&at, tolerance, at.n, on_groups ? at.V : at.W, from->p, to->p);
    return real_max(q, p) + 0 * (q + p);
}

REAL_INLINE noe_lane_status adaptive_try(struct noe_interval *interval, long count) {
    return interval_problem(interval)->internals->lie_product ? embedded_steps(interval, count)
                                                              : prk_explicit_steps(interval, count);
}

/* Factor of the next step size, or of the next trial. */
REAL_INLINE real adaptive_factor(real error) {
    real factor = 0.9 * noe_pow(error + 1e-10, real_broadcast(-0.2));
    factor = real_select(factor > 5, real_broadcast(5), factor);
    return real_select(factor > 0.2, factor, real_broadcast(0.2));
}

/* The velocity at the start of a step, behind the arrays of a step. */
SCRATCH_INLINE real *adaptive_layout(struct scratch *scratch, const struct noe_problem *problem) {
    prk_layout(scratch, problem);
    return scratch_reals(scratch, (size_t)problem->system->n);
}

/* Lanes whose step is accepted repeat it while other lanes try again, with the same result. */
static noe_lane_status adaptive_steps(struct noe_interval *interval, long count) {
    const struct noe_problem *problem = interval_problem(interval);
    const int n = problem->system->n;
    struct scratch scratch = scratch_carve(interval->scratch);
    real *velocity = adaptive_layout(&scratch, problem);
    const real tolerance = real_broadcast(interval->problem->option[0]);
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    mask is_going = interval->is_active;
    if (interval->is_fixed) return adaptive_try(interval, count);
    for (int k = 0; k < n; k++) velocity[k] = interval->velocity[k];
    for (;; interval->rejected++) {
        for (int k = 0; k < n; k++) interval->velocity[k] = velocity[k];
        interval->t1 = interval->t + interval->h;
        const mask is_nothing = interval->t1 == interval->t;
        noe_lane_status found = adaptive_try(interval, 1);
        found = lane_status_select(found == NOE_NOT_FINITE, lane_status_broadcast(NOE_OK), found);
        found = lane_status_join(found, is_nothing, NOE_STEP_TOO_SMALL);
        const real error = adaptive_error(interval, tolerance), factor = adaptive_factor(error);
        const mask is_accepted = (error <= 1) & (found == NOE_OK);
        outcome = lane_status_select(is_going, found, outcome);
        interval->h_next =
            real_select(is_going & is_accepted, interval->h * factor, interval->h_next);
        is_going &= mask_not(is_accepted) & (found == NOE_OK);
        if (!mask_any(is_going)) return outcome;
        interval->h = real_select(is_going, interval->h * factor, interval->h);
    }
}

static size_t adaptive_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    adaptive_layout(&scratch, problem);
    return scratch.count;
}

const struct kernel prk_adaptive_kernel = {
    .name = "adaptive",
    .symbol = "prk_adaptive_kernel",
    .source = "methods/runge_kutta/prk_adaptive.c methods/runge_kutta/prk_embedded.c "
              "methods/runge_kutta/prk_explicit.c",
    .scratch = adaptive_scratch,
    .steps = adaptive_steps,
};
