/* One velocity a step, directly: a kick, a drift, a kick.
 *
 * Where L = V.MV/2 - U(t,g) and M couples no two pieces, the residual of ray.c with m = p + h b0
 * W(g) falls apart into M V = T_R(hV)^T m, piece by piece: on R^n V = m/M, on a group a few
 * unknowns and none of the forces (methods/hamilton_pontryagin/free_motion.h). */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/endpoint.h"

/* V of this step from those before, and then theirs from it. */
REAL_INLINE void endpoint_extrapolate(int n, const real *past, real *V) {
    for (int i = 0; i < n; i++) {
        V[i] = past[i];
        for (int j = 1; j < ENDPOINT_DEPTH; j++) V[i] += past[j * n + i];
    }
}

REAL_INLINE void endpoint_record(int n, real *past, const real *V) {
    for (int i = 0; i < n; i++) {
        real fresh = V[i];
        for (int j = 0; j < ENDPOINT_DEPTH; j++) {
            const real old = past[j * n + i];
            past[j * n + i] = fresh;
            fresh -= old;
        }
    }
}

/* How far the increments went; where there is no V, those it was sought from. */
REAL_INLINE real endpoint_load(const struct endpoint_view *at, mask is_good, real retraction_load) {
    const real found = lie_product_load(at->lie_product, at->tau, at->X, retraction_load);
    if (mask_all(is_good)) return found;
    real *guess = at->start.P;
    endpoint_extrapolate(at->n, at->past, guess);
    for (int k = 0; k < at->n; k++) guess[k] *= at->h;
    return real_select(is_good, found,
                       lie_product_load(at->lie_product, at->tau, guess, retraction_load));
}

/* One step in place: z = (q, p) and what their sums lost. The force at the end is the next one's.
 */
REAL_INLINE mask endpoint_step(struct noe_interval *interval, const struct endpoint_view *at,
                               real t, real t1, bool has_previous_step, const struct noe_state *z) {
    const real first = at->h * at->endpoint->b0, last = at->h * at->endpoint->b1;
    const int n = at->n;
    real *V = at->y;
    endpoint_extrapolate(n, at->past, V);
    if (at->endpoint->b0 != 0 && !has_previous_step)
        interval_force(at->system, at->self, t, z->q, V, at->start.P, at->kick);
    for (int k = 0; k < n; k++) {
        at->dp[k] = at->endpoint->b0 != 0 ? first * at->kick[k] : real_broadcast(0);
        at->m[k] = z->p[k] + at->dp[k];
    }
    const mask is_good =
        free_motion_all(at->lie_product, at->tau, at->h, interval->legendre->blocks, at->m, V);
    for (int k = 0; k < n; k++) at->X[k] = at->h * V[k];
    interval->retraction_load = endpoint_load(at, is_good, interval->retraction_load);
    endpoint_record(n, at->past, V);
    lie_product_coadjoint_change(at->lie_product, at->tau, at->X, at->m, at->dp);
    product_advance(at->system, at->tau, z->q, z->q_carry, z->q, z->q_carry, at->X);
    if (at->endpoint->b1 != 0) {
        interval_force(at->system, at->self, t1, z->q, V, at->start.P, at->kick);
        for (int k = 0; k < n; k++) at->dp[k] += last * at->kick[k];
    }
    compensated_add(n, z->p, z->p_carry, z->p, z->p_carry, at->dp);
    return is_good;
}

/* `count` steps from `from` to `to`. What is not finite stays so: one look at the end is enough. */
REAL_INLINE noe_lane_status endpoint_run(struct noe_interval *interval,
                                         const struct endpoint_view *at, long count) {
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
        is_good &= endpoint_step(interval, at, t, t1, has_previous_step, to);
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

/* Some steps; where one fails, as many as do not, by halves. What a step leaves to the next is
 * saved for that. */
static noe_lane_status endpoint_splitting_steps(struct noe_interval *interval, long count) {
    enum { BLOCK = 64 };
    const struct endpoint_view at = endpoint_view(interval);
    const int n = at.n, kept = (ENDPOINT_DEPTH + 1) * n;
    const bool begins =
        at.endpoint->b0 != 0 && at.endpoint->b1 != 0 && !interval->has_previous_step;
    if (!interval->has_previous_step) {
        small_zero(kept, at.past);
        for (int k = 0; k < n; k++) at.past[k] = interval->velocity[k];
    }
    for (int i = 0; i < kept; i++) at.saved[i] = at.past[i];
    noe_lane_status outcome;
    for (count = count < BLOCK ? count : BLOCK;; count /= 2) {
        outcome = endpoint_run(interval, &at, count);
        if (count == 1 || !mask_any(interval->is_active & (outcome != NOE_OK))) break;
        for (int i = 0; i < kept; i++) at.past[i] = at.saved[i];
    }
    interval->evaluations += count + begins;
    interval->has_previous_step = true;
    interval->taken = count;
    for (int k = 0; k < n; k++) interval->velocity[k] = at.y[k];
    return outcome;
}

static bool endpoint_splitting_serves(const struct noe_problem *problem) {
    return endpoint_is_direct(problem->system);
}

const struct kernel endpoint_splitting_kernel = {
    .name = "splitting",
    .symbol = "endpoint_splitting_kernel",
    .source = "methods/hamilton_pontryagin/fast/endpoint_splitting.c",
    .serves = endpoint_splitting_serves,
    .steps = endpoint_splitting_steps,
};
