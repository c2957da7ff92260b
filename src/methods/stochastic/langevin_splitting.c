/* Langevin splitting (BAOAB) and stochastic Euler: steps of systems with noise,
 * dp = (L_q + f) dt + b(t,q) dB, L = v.Mv/2 - U(t,q).
 *
 * A drift of length s takes (g, m) to g tau(sV), Ad*_tau(sV) m, where M V = T_R(sV)^T m: on R^n to
 * q + s M^-1 m, m. Between drifts the random discrete forces of the principle kick the momentum. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/block_product.h"
#include "methods/stochastic/stochastic.h"

/* p += dp, then a drift over the time s, in place. */
REAL_INLINE mask stochastic_drift(struct noe_interval *interval, const struct stochastic_view *at,
                                  real s, const struct noe_state *z) {
    const int n = at->n;
    mask is_good = mask_broadcast(true);
    for (int i = 0; i < n; i++) at->V[i] = at->mom[i] = z->p[i] + at->dp[i];
    legendre_solve(at->legendre, at->V);
    if (at->lie_product)
        is_good =
            free_motion_all(at->lie_product, at->tau, s, at->legendre->blocks, at->mom, at->V);
    for (int i = 0; i < n; i++) at->X[i] = s * at->V[i];
    if (at->lie_product) {
        interval->retraction_load =
            lie_product_load(at->lie_product, at->tau, at->X, interval->retraction_load);
        lie_product_coadjoint_change(at->lie_product, at->tau, at->X, at->mom, at->dp);
    }
    product_advance(at->system, at->tau, z->q, z->q_carry, z->q, z->q_carry, at->X);
    compensated_add(n, z->p, z->p_carry, z->p, z->p_carry, at->dp);
    return is_good;
}

/* The variational Euler method with explicit friction: forces at the configuration and velocity of
 * the start,
 *
 *     m = p + h w(t, g, M^-1 p) + b(t, g) dB,    g1 = g tau(hV),    p1 = Ad*_tau(hV) m. */
REAL_INLINE mask euler_step(struct noe_interval *interval, const struct stochastic_view *at, real t,
                            real t1, long k, const struct noe_state *z) {
    const int n = at->n, m = at->m;
    (void)t1;
    for (int i = 0; i < n; i++) at->V[i] = z->p[i];
    legendre_solve(at->legendre, at->V);
    interval_force(at->system, at->self, t, z->q, at->V, at->P, at->w);
    stochastic_draw(interval, at, k);
    noise_matrix(at->system, at->self, t, z->q, at->rest, at->b);
    for (int i = 0; i < n; i++) {
        at->dp[i] = at->h * at->w[i];
        for (int j = 0; j < m; j++) at->dp[i] += at->b[i * m + j] * at->dB[j];
    }
    return stochastic_drift(interval, at, at->h, z);
}

/* Computes A = G M^-1 with the friction G = -w_v, and b, at (t, q). Then integrates the Ornstein-
 * Uhlenbeck process over the step. */
REAL_INLINE void baoab_find_bath(struct noe_interval *interval, const struct stochastic_view *at,
                                 real t, const real *q) {
    const struct noe_system *system = at->system;
    const int n = at->n;
    const real *wv = at->D + 2 * (size_t)system->nz;
    interval_second(system, at->self, t, q, at->rest, at->P, at->w, at->D);
    interval->evaluations++;
    small_zero(n * n, at->bath.A);
    for (int e = 0; e < system->nz; e++) {
        const int i = system->row ? system->row[e] : e / n,
                  j = system->row ? system->col[e] : e % n;
        at->bath.A[i * n + j] = -wv[e];
    }
    for (int i = 0; i < n; i++) legendre_solve(at->legendre, at->bath.A + i * n);
    noise_matrix(system, at->self, t, q, at->rest, at->bath.b);
    ornstein_uhlenbeck_integrate(&at->bath, at->h);
}

/* (h/2) w(t, g, 0), the force that does not depend on velocities. */
REAL_INLINE void baoab_kick(struct noe_interval *interval, const struct stochastic_view *at, real t,
                            const struct noe_state *z) {
    const real half = 0.5 * at->h;
    interval_force(at->system, at->self, t, z->q, at->rest, at->P, at->w);
    interval->evaluations++;
    for (int i = 0; i < at->n; i++) at->dp[i] = half * at->w[i];
}

/* BAOAB: half a kick, half a drift, the exact Ornstein-Uhlenbeck flow over the whole step, half a
 * drift, half a kick: the flows of the parts of dp = (w(t, g, 0) - G v) dt + b dB, g' = g v
 * (Leimkuhler and Matthews, 2013). */
REAL_INLINE mask baoab_step(struct noe_interval *interval, const struct stochastic_view *at, real t,
                            real t1, long k, const struct noe_state *z) {
    const real half = 0.5 * at->h;
    const bool has_bath = stochastic_has_bath(at->system);
    const bool is_steady = at->system->traits & NOE_STEADY_BATH;
    baoab_kick(interval, at, t, z);
    mask is_good = stochastic_drift(interval, at, half, z);
    small_zero(at->n, at->dp);
    if (has_bath) {
        stochastic_draw(interval, at, k);
        if (!is_steady) baoab_find_bath(interval, at, t + half, z->q);
        ornstein_uhlenbeck_kick(&at->bath, z->p, at->dB, interval->normal + at->m, at->dp);
    }
    is_good &= stochastic_drift(interval, at, half, z);
    baoab_kick(interval, at, t1, z);
    compensated_add(at->n, z->p, z->p_carry, z->p, z->p_carry, at->dp);
    return is_good;
}

typedef mask stochastic_step(struct noe_interval *interval, const struct stochastic_view *at,
                             real t, real t1, long k, const struct noe_state *z);

/* Takes `count` steps from `from` to `to`. NaN and infinity propagate, so one check at the end
 * suffices. */
REAL_INLINE noe_lane_status stochastic_run(struct noe_interval *interval,
                                           const struct stochastic_view *at, stochastic_step *step,
                                           long count) {
    const struct noe_state *from = interval->from, *to = interval->to;
    const int n = at->n, np = interval_problem(interval)->np;
    mask is_good = mask_broadcast(true);
    real t = interval->t;
    small_zero(n, at->rest);
    interval->retraction_load = real_broadcast(0);
    for (int i = 0; i < np; i++) to->q[i] = from->q[i];
    for (int i = 0; i < n; i++) {
        to->p[i] = from->p[i];
        to->q_carry[i] = from->q_carry[i];
        to->p_carry[i] = from->p_carry[i];
    }
    for (long k = 0; k < count; k++) {
        const real t1 = interval->origin + (scalar)(from->k + k + 1) * at->h;
        is_good &= step(interval, at, t, t1, from->k + k, to);
        t = t1;
    }
    const mask is_finite_q = real_all_finite((size_t)np, to->q);
    const mask is_finite_p = real_all_finite((size_t)n, to->p);
    const mask is_lost = mask_not(is_good) | (interval->retraction_load >= 1);
    noe_lane_status outcome = lane_status_join(lane_status_broadcast(NOE_OK),
                                               mask_not(is_finite_q & is_finite_p), NOE_NOT_FINITE);
    outcome = lane_status_join(outcome, is_lost, NOE_NOT_CONVERGED);
    if (count > 1 && mask_any(interval->is_active & (outcome != NOE_OK))) return outcome;
    for (int i = 0; i < n; i++) interval->velocity[i] = at->V[i];
    interval->t1 = t;
    interval->taken = count;
    interval->has_previous_step = true;
    return outcome;
}

static noe_lane_status stochastic_euler(struct noe_interval *interval, long count) {
    const struct stochastic_view at = stochastic_view(interval, STOCHASTIC_PLAIN);
    const noe_lane_status outcome = stochastic_run(interval, &at, euler_step, count);
    interval->evaluations += interval->taken;
    return outcome;
}

static noe_lane_status stochastic_baoab(struct noe_interval *interval, long count) {
    const enum stochastic_arrays arrays =
        stochastic_baoab_arrays(interval_problem(interval)->system);
    const struct stochastic_view at = stochastic_view(interval, arrays);
    const bool is_steady = at.system->traits & NOE_STEADY_BATH;
    if (stochastic_has_bath(at.system) && is_steady && !interval->has_previous_step) {
        small_zero(at.n, at.rest);
        baoab_find_bath(interval, &at, interval->t, interval->from->q);
    }
    return stochastic_run(interval, &at, baoab_step, count);
}

static bool stochastic_serves(const struct noe_problem *problem) {
    return stochastic_is_direct(problem->system);
}

const struct kernel stochastic_euler_kernel = {
    .name = "splitting",
    .symbol = "stochastic_euler_kernel",
    .source = "methods/stochastic/langevin_splitting.c",
    .serves = stochastic_serves,
    .steps = stochastic_euler,
};

const struct kernel stochastic_baoab_kernel = {
    .name = "splitting",
    .symbol = "stochastic_baoab_kernel",
    .source = "methods/stochastic/langevin_splitting.c",
    .serves = stochastic_serves,
    .steps = stochastic_baoab,
};
