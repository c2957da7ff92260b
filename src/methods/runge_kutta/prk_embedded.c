/* Explicit Runge-Kutta methods in the embedding space, with a projection to the group after each
 * step: baselines of comparisons.
 *
 *     K_i = g_i v_i,    k_i = ad*_v p_i + W(g_i, v_i),    L_v(g_i, v_i) = p_i,
 *     g_i = g + h sum_j a_ij K_j,   p_i = p + h sum_j a_ij k_j,   p1 = p + h sum_j b_j k_j,
 * and g1 is the point of the group nearest to g + h sum_j b_j K_j. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "methods/runge_kutta/prk.h"
#include "spaces/vec3.h"

/* Kg = rate of g with velocity v, factor by factor. */
REAL_INLINE void embedded_rates(const struct noe_system *system, const real *g, const real *v,
                                real *Kg) {
    for (int f = 0; f < system->nfactors; f++) {
        const struct noe_factor *factor = &system->factors[f];
        const struct noe_space *space = factor->space;
        const int point = space->point * factor->size;
        const bool is_rotation = space->kind.is_rotation;
        for (int i = 0; i < 3 && is_rotation; i++) vec3_cross(Kg + 3 * i, g + 3 * i, v);
        if (!is_rotation) small_zero(point, Kg);
        for (int i = 0; i < space->nframe && !is_rotation; i++) {
            const struct noe_frame *frame = &space->frame[i];
            Kg[frame->point] += (scalar)frame->factor * g[frame->from] * v[frame->tangent];
        }
        for (int i = 0; i < point && !space->retractions; i++) Kg[i] = v[i];
        g += point;
        Kg += point;
        v += space->tangent * factor->size;
    }
}

/* True if an earlier stage has the same coefficient as stage j. */
REAL_INLINE bool embedded_is_repeated(const struct coefficient *coefficient, int j) {
    bool is_repeated = false;
    REAL_UNROLL
    for (int i = 0; i < j; i++) is_repeated |= coefficient[i].value == coefficient[j].value;
    return is_repeated;
}

/* Component i of h sum_j coefficient_j k_j over s arrays of `count` numbers. Stages with equal
 * coefficients are added first. */
REAL_INLINE real embedded_sum(real h, const struct coefficient *coefficient, int s, int count,
                              const real *k, int i) {
    real sum = {0};
    bool is_empty = true;
    REAL_UNROLL
    for (int j = 0; j < s; j++) {
        if (coefficient[j].value == 0 || embedded_is_repeated(coefficient, j)) continue;
        real same = k[j * count + i];
        REAL_UNROLL
        for (int l = j + 1; l < s; l++)
            if (coefficient[l].value == coefficient[j].value) same += k[l * count + i];
        same *= h * coefficient[j].value;
        sum = is_empty ? same : sum + same;
        is_empty = false;
    }
    return sum;
}

REAL_INLINE void embedded_project(const struct noe_system *system, real *g) {
    for (int f = 0; f < system->nfactors; f++) {
        const struct noe_factor *factor = &system->factors[f];
        if (factor->space->retractions) factor->space->maps.project(g);
        g += factor->space->point * factor->size;
    }
}

/* The current state, and the stages of a step: derivatives of all stages; point, momentum and
 * velocity of one. */
struct embedded {
    real *q, *p, *carry;
    real *Kg, *kp, *g, *m, *v;
};

REAL_INLINE noe_lane_status embedded_velocity(const struct noe_interval *interval,
                                              const struct prk_view *at, real t,
                                              const struct embedded *z) {
    if (!(at->system->traits & NOE_SEPARABLE))
        return legendre_velocity(interval->legendre, t, z->g, z->m, z->v);
    for (int k = 0; k < at->n; k++) z->v[k] = z->m[k];
    legendre_solve(interval->legendre, z->v);
    return lane_status_join(lane_status_broadcast(NOE_OK), interval->legendre->is_singular,
                            NOE_SINGULAR);
}

REAL_INLINE noe_lane_status embedded_stage(const struct noe_interval *interval,
                                           const struct prk_view *at, int i, real t,
                                           const struct embedded *z) {
    const struct coefficient *a = at->tableau->a[i];
    real *kp = z->kp + i * at->n;
    REAL_UNROLL
    for (int k = 0; k < at->np; k++)
        z->g[k] = z->q[k] + embedded_sum(at->h, a, i, at->np, z->Kg, k);
    REAL_UNROLL
    for (int k = 0; k < at->n; k++) z->m[k] = z->p[k] + embedded_sum(at->h, a, i, at->n, z->kp, k);
    const noe_lane_status outcome = embedded_velocity(interval, at, t, z);
    interval_force(at->system, at->self, t, z->g, z->v, at->x, kp);
    embedded_rates(at->system, z->g, z->v, z->Kg + i * at->np);
    lie_product_add_bracket(at->groups.lie_product, z->v, z->m, kp);
    return outcome;
}

REAL_INLINE noe_lane_status embedded_step(const struct noe_interval *interval,
                                          const struct prk_view *at, real t, real t1,
                                          const struct embedded *z) {
    const struct tableau *tableau = at->tableau;
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    REAL_UNROLL
    for (int i = 0; i < at->s; i++) {
        const scalar c = tableau->c[i];
        const noe_lane_status found =
            embedded_stage(interval, at, i, c == 1 ? t1 : t + c * at->h, z);
        outcome = lane_status_select(outcome == NOE_OK, found, outcome);
    }
    REAL_UNROLL
    for (int k = 0; k < at->np; k++)
        z->q[k] += embedded_sum(at->h, tableau->b, at->s, at->np, z->Kg, k);
    REAL_UNROLL
    for (int k = 0; k < at->n; k++) {
        const real dp = embedded_sum(at->h, tableau->b, at->s, at->n, z->kp, k);
        compensated_add(1, &z->p[k], &z->carry[k], &z->p[k], &z->carry[k], &dp);
    }
    embedded_project(at->system, z->q);
    return outcome;
}

/* Takes `count` steps from `from` in z. If a step fails, the result of all is discarded. NaN and
 * infinity propagate, so one check at the end suffices. */
REAL_INLINE noe_lane_status embedded_run(struct noe_interval *interval, const struct prk_view *at,
                                         long count, const struct embedded *z) {
    const struct noe_state *from = interval->from, *to = interval->to;
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    real t = interval->t;
    for (int k = 0; k < at->np; k++) z->q[k] = from->q[k];
    for (int k = 0; k < at->n; k++) {
        z->p[k] = from->p[k];
        z->carry[k] = from->p_carry[k];
        z->v[k] = interval->velocity[k];
    }
    for (long k = 1; k <= count; k++) {
        const real end = interval->origin + (scalar)(from->k + k) * at->h;
        const real t1 = count == 1 ? interval->t1 : end;
        const noe_lane_status found = embedded_step(interval, at, t, t1, z);
        outcome = lane_status_select(outcome == NOE_OK, found, outcome);
        t = t1;
    }
    const mask is_finite_q = real_all_finite((size_t)at->np, z->q);
    const mask is_finite_p = real_all_finite((size_t)at->n, z->p);
    outcome = lane_status_join(outcome, mask_not(is_finite_q & is_finite_p), NOE_NOT_FINITE);
    if (count > 1 && mask_any(interval->is_active & (outcome != NOE_OK))) return outcome;
    for (int k = 0; k < at->np; k++) to->q[k] = z->q[k];
    for (int k = 0; k < at->n; k++) {
        to->p[k] = z->p[k];
        to->p_carry[k] = z->carry[k];
        to->q_carry[k] = real_broadcast(0);
        interval->velocity[k] = z->v[k];
    }
    interval->t1 = t;
    interval->taken = count;
    return outcome;
}

enum { EMBEDDED_POINT = 12, EMBEDDED_TANGENT = 6, EMBEDDED_STAGES = 4 };

/* Small systems run in registers. Others, and those whose stages are read later, run in memory. */
REAL_INLINE noe_lane_status embedded_block(struct noe_interval *interval, const struct prk_view *at,
                                           long count) {
    const struct noe_state *to = interval->to;
    const bool is_small =
        at->np <= EMBEDDED_POINT && at->n <= EMBEDDED_TANGENT && at->s <= EMBEDDED_STAGES;
    if (!is_small) {
        const struct embedded z = {to->q, to->p, to->p_carry, at->Q, at->V, at->groups.stages,
                                   at->P, at->W};
        return embedded_run(interval, at, count, &z);
    }
    real q[EMBEDDED_POINT], p[EMBEDDED_TANGENT], carry[EMBEDDED_TANGENT], g[EMBEDDED_POINT];
    real m[EMBEDDED_TANGENT], v[EMBEDDED_TANGENT], Kg[EMBEDDED_STAGES * EMBEDDED_POINT];
    real kp[EMBEDDED_STAGES * EMBEDDED_TANGENT];
    const struct embedded z = {q, p, carry, Kg, kp, g, m, v};
    return embedded_run(interval, at, count, &z);
}

noe_lane_status embedded_steps(struct noe_interval *interval, long count) {
    const struct prk_view at = prk_view(interval);
    interval->retraction_load = real_broadcast(0);
    interval->evaluations += at.s * count;
    return embedded_block(interval, &at, count);
}

const struct kernel prk_embedded_kernel = {
    .name = "explicit",
    .symbol = "prk_embedded_kernel",
    .source = "methods/runge_kutta/prk_embedded.c",
    .steps = embedded_steps,
};
