/* Endpoint rule as a splitting: kick, drift, kick.
 *
 * If L = V.MV/2 - U(t,g) and M does not couple factors, the residual of endpoint.c with m = p + h
 * b0 W(g) separates into M V = T_R(hV)^T m, factor by factor. On R^n V = m/M. On a group it has few
 * unknowns and no forces (methods/hamilton_pontryagin/free_motion.h). */
/* SPDX-License-Identifier: MIT */
#include "mechanics/extrapolation.h"
#include "methods/hamilton_pontryagin/endpoint.h"

/* View of an interval: that of the residual, and data of earlier steps. */
struct splitting_view {
    struct endpoint_view endpoint;
    real *past;  /* V in earlier steps, the last first; the kick follows */
    real *kick;  /* force at the start of the next step */
    real *saved; /* copies of both before a block of steps */
};

/* Layout behind the arrays of the residual. */
SCRATCH_INLINE struct splitting_view splitting_layout(struct scratch *scratch,
                                                      struct endpoint_view endpoint) {
    struct splitting_view at = {.endpoint = endpoint};
    const size_t n = (size_t)endpoint.n;
    at.past = scratch_reals(scratch, EXTRAPOLATION_DEPTH * n);
    at.kick = scratch_reals(scratch, n);
    at.saved = scratch_reals(scratch, (EXTRAPOLATION_DEPTH + 1) * n);
    return at;
}

/* The increments relative to the limit of the retraction. In lanes without V, those of the initial
 * guess. */
REAL_INLINE real splitting_load(const struct splitting_view *view, mask is_good,
                                real retraction_load) {
    const struct endpoint_view *at = &view->endpoint;
    const real found = lie_product_load(at->lie_product, at->tau, at->X, retraction_load);
    if (mask_all(is_good)) return found;
    real *guess = at->start.P;
    extrapolation_guess(at->n, view->past, guess);
    for (int k = 0; k < at->n; k++) guess[k] *= at->h;
    return real_select(is_good, found,
                       lie_product_load(at->lie_product, at->tau, guess, retraction_load));
}

/* One step in place: z = (q, p) with the carries of their sums. The force at the end is stored for
 * the next step. */
REAL_INLINE mask splitting_step(struct noe_interval *interval, const struct splitting_view *view,
                                real t, real t1, bool has_previous_step,
                                const struct noe_state *z) {
    const struct endpoint_view *at = &view->endpoint;
    const real first = at->h * at->endpoint->b0, last = at->h * at->endpoint->b1;
    const int n = at->n;
    real *V = at->y;
    extrapolation_guess(n, view->past, V);
    if (at->endpoint->b0 != 0 && !has_previous_step)
        interval_force(at->system, at->self, t, z->q, V, at->start.P, view->kick);
    for (int k = 0; k < n; k++) {
        at->dp[k] = at->endpoint->b0 != 0 ? first * view->kick[k] : real_broadcast(0);
        at->m[k] = z->p[k] + at->dp[k];
    }
    const mask is_good =
        free_motion_all(at->lie_product, at->tau, at->h, interval->legendre->blocks, at->m, V);
    for (int k = 0; k < n; k++) at->X[k] = at->h * V[k];
    interval->retraction_load = splitting_load(view, is_good, interval->retraction_load);
    extrapolation_record(n, view->past, V);
    lie_product_coadjoint_change(at->lie_product, at->tau, at->X, at->m, at->dp);
    product_advance(at->system, at->tau, z->q, z->q_carry, z->q, z->q_carry, at->X);
    if (at->endpoint->b1 != 0) {
        interval_force(at->system, at->self, t1, z->q, V, at->start.P, view->kick);
        for (int k = 0; k < n; k++) at->dp[k] += last * view->kick[k];
    }
    compensated_add(n, z->p, z->p_carry, z->p, z->p_carry, at->dp);
    return is_good;
}

/* Takes `count` steps from `from` to `to`. NaN and infinity propagate, so one check at the end
 * suffices. */
REAL_INLINE noe_lane_status splitting_run(struct noe_interval *interval,
                                          const struct splitting_view *view, long count) {
    const struct endpoint_view *at = &view->endpoint;
    const struct noe_state *from = interval->from, *to = interval->to;
    const int n = at->n, np = interval_problem(interval)->np;
    const bool keeps_force = at->endpoint->b0 != 0 && at->endpoint->b1 != 0;
    bool has_previous_step = keeps_force && interval->has_previous_step;
    mask is_good = mask_broadcast(true);
    real t = interval->t;
    interval->retraction_load = real_broadcast(0);
    for (int i = 0; i < np; i++) to->q[i] = from->q[i];
    for (int k = 0; k < n; k++) {
        to->p[k] = from->p[k];
        to->q_carry[k] = from->q_carry[k];
        to->p_carry[k] = from->p_carry[k];
    }
    for (long k = 1; k <= count; k++) {
        const real t1 = interval->origin + (scalar)(from->k + k) * at->h;
        is_good &= splitting_step(interval, view, t, t1, has_previous_step, to);
        has_previous_step = keeps_force;
        t = t1;
    }
    interval->t1 = t;
    const mask is_finite_q = real_all_finite((size_t)np, to->q);
    const mask is_finite_p = real_all_finite((size_t)n, to->p);
    const mask is_lost = mask_not(is_good) | (interval->retraction_load >= 1);
    const noe_lane_status outcome = lane_status_join(
        lane_status_broadcast(NOE_OK), mask_not(is_finite_q & is_finite_p), NOE_NOT_FINITE);
    return lane_status_join(outcome, is_lost, NOE_NOT_CONVERGED);
}

static noe_lane_status endpoint_splitting_steps(struct noe_interval *interval, long count) {
    struct scratch scratch = scratch_carve(interval->scratch);
    const struct endpoint_view endpoint = endpoint_view_in(interval, &scratch);
    const struct splitting_view at = splitting_layout(&scratch, endpoint);
    const int n = endpoint.n, kept = (EXTRAPOLATION_DEPTH + 1) * n;
    const bool begins =
        endpoint.endpoint->b0 != 0 && endpoint.endpoint->b1 != 0 && !interval->has_previous_step;
    if (!interval->has_previous_step) extrapolation_begin(n, at.past, interval->velocity);
    for (int i = 0; i < kept && count > 1; i++) at.saved[i] = at.past[i];
    const noe_lane_status outcome = splitting_run(interval, &at, count);
    if (count > 1 && mask_any(interval->is_active & (outcome != NOE_OK))) {
        for (int i = 0; i < kept; i++) at.past[i] = at.saved[i];
        return outcome;
    }
    interval->evaluations += count + begins;
    interval->has_previous_step = true;
    interval->taken = count;
    for (int k = 0; k < n; k++) interval->velocity[k] = endpoint.y[k];
    return outcome;
}

static bool endpoint_splitting_serves(const struct noe_problem *problem) {
    return endpoint_is_direct(problem->system);
}

static size_t endpoint_splitting_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    const struct endpoint_view endpoint = endpoint_layout(&scratch, problem);
    splitting_layout(&scratch, endpoint);
    return scratch.count;
}

const struct kernel endpoint_splitting_kernel = {
    .name = "splitting",
    .symbol = "endpoint_splitting_kernel",
    .source = "methods/hamilton_pontryagin/fast/endpoint_splitting.c",
    .serves = endpoint_splitting_serves,
    .scratch = endpoint_splitting_scratch,
    .steps = endpoint_splitting_steps,
};
