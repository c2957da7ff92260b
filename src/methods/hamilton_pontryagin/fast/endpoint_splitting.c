/* One velocity a step, directly: a kick, a drift, a kick.
 *
 * Where L = V.MV/2 - U(t,g) and M couples no two pieces, the residual of ray.c with m = p + h b0
 * W(g) falls apart into M V = T_R(hV)^T m, piece by piece: on R^n V = m/M, on a group a few
 * unknowns and none of the forces (methods/hamilton_pontryagin/free_motion.h). */
/* SPDX-License-Identifier: MIT */
#include "methods/fast/rigid_body.h"
#include "methods/hamilton_pontryagin/endpoint.h"

/* V of this step from those before, and then theirs from it. */
STEP_INLINE void ray_extrapolate(int n, const real *past, real *V) {
    for (int i = 0; i < n; i++) {
        V[i] = past[i];
        for (int j = 1; j < RAY_DEPTH; j++) V[i] += past[j * n + i];
    }
}

STEP_INLINE void ray_learn(int n, real *past, const real *V) {
    for (int i = 0; i < n; i++) {
        real fresh = V[i];
        for (int j = 0; j < RAY_DEPTH; j++) {
            const real old = past[j * n + i];
            past[j * n + i] = fresh;
            fresh -= old;
        }
    }
}

/* How far the increments went; where there is no V, those it was sought from. */
STEP_INLINE real ray_reach(const struct ray_view *at, truth is_good, real reach) {
    const real found = chart_reach(at->chart, at->tau, at->X, reach);
    if (truth_all(is_good)) return found;
    real *guess = at->start.P;
    ray_extrapolate(at->n, at->past, guess);
    for (int k = 0; k < at->n; k++) guess[k] *= at->h;
    return real_select(is_good, found, chart_reach(at->chart, at->tau, guess, reach));
}

/* One step in place: z = (q, p) and what their sums lost. The force at the end is the next one's.
 */
STEP_INLINE truth ray_step(struct noe_interval *interval, const struct ray_view *at, real t,
                           real t1, bool force_known, const struct noe_state *z) {
    const real first = at->h * at->ray->b0, last = at->h * at->ray->b1;
    const int n = at->n;
    real *V = at->y;
    ray_extrapolate(n, at->past, V);
    if (at->ray->b0 != 0 && !force_known)
        interval_force(at->system, at->self, t, z->q, V, at->start.P, at->kick);
    for (int k = 0; k < n; k++) {
        at->dp[k] = at->ray->b0 != 0 ? first * at->kick[k] : real_of(0);
        at->m[k] = z->p[k] + at->dp[k];
    }
    const truth is_good =
        drift_all(at->chart, at->tau, at->h, interval->legendre->blocks, at->m, V);
    for (int k = 0; k < n; k++) at->X[k] = at->h * V[k];
    interval->reach = ray_reach(at, is_good, interval->reach);
    ray_learn(n, at->past, V);
    chart_turn(at->chart, at->tau, at->X, at->m, at->dp);
    product_advance(at->system, at->tau, z->q, z->q_carry, z->q, z->q_carry, at->X);
    if (at->ray->b1 != 0) {
        interval_force(at->system, at->self, t1, z->q, V, at->start.P, at->kick);
        for (int k = 0; k < n; k++) at->dp[k] += last * at->kick[k];
    }
    sum_add(n, z->p, z->p_carry, z->p, z->p_carry, at->dp);
    return is_good;
}

/* `count` steps from `from` to `to`. What is not finite stays so: one look at the end is enough. */
STEP_INLINE noe_outcome ray_run(struct noe_interval *interval, const struct ray_view *at,
                                long count) {
    const struct noe_state *from = interval->from, *to = interval->to;
    const int n = at->n, np = interval_problem(interval)->np;
    const bool keeps_force = at->ray->b0 != 0 && at->ray->b1 != 0;
    bool force_known = keeps_force && interval->force_known;
    truth is_good = truth_of(true);
    real t = interval->t;
    interval->reach = real_of(0);
    for (int i = 0; i < np; i++) to->q[i] = from->q[i];
    for (int k = 0; k < n; k++) {
        to->p[k] = from->p[k];
        to->q_carry[k] = from->q_carry[k];
        to->p_carry[k] = from->p_carry[k];
    }
    for (long k = 1; k <= count; k++) {
        const real t1 = interval->origin + (scalar)(from->k + k) * at->h;
        is_good &= ray_step(interval, at, t, t1, force_known, to);
        force_known = keeps_force;
        t = t1;
    }
    interval->t1 = t;
    const truth is_finite_q = real_all_finite((size_t)np, to->q);
    const truth is_finite_p = real_all_finite((size_t)n, to->p);
    const truth is_lost = truth_not(is_good) | (interval->reach >= 1);
    const noe_outcome outcome =
        outcome_join(outcome_of(NOE_OK), truth_not(is_finite_q & is_finite_p), NOE_NOT_FINITE);
    return outcome_join(outcome, is_lost, NOE_NOT_CONVERGED);
}

/* Some steps; where one fails, as many as do not, by halves. What a step leaves to the next is
 * saved for that. */
noe_outcome ray_kernel(struct noe_interval *interval, long count) {
    enum { BLOCK = 64 };
    const struct ray_view at = ray_view(interval);
    if (body_is_rotation(at.system)) return ray_body_kernel(interval, count);
    const int n = at.n, kept = (RAY_DEPTH + 1) * n;
    const bool begins = at.ray->b0 != 0 && at.ray->b1 != 0 && !interval->force_known;
    if (!interval->force_known) {
        small_zero(kept, at.past);
        for (int k = 0; k < n; k++) at.past[k] = interval->velocity[k];
    }
    for (int i = 0; i < kept; i++) at.saved[i] = at.past[i];
    noe_outcome outcome;
    for (count = count < BLOCK ? count : BLOCK;; count /= 2) {
        outcome = ray_run(interval, &at, count);
        if (count == 1 || !truth_any(interval->is_active & (outcome != NOE_OK))) break;
        for (int i = 0; i < kept; i++) at.past[i] = at.saved[i];
    }
    interval->evaluations += count + begins;
    interval->force_known = true;
    interval->taken = count;
    for (int k = 0; k < n; k++) interval->velocity[k] = at.y[k];
    return outcome;
}
