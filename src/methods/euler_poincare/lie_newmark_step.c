/* Lie-Newmark and Lie-Verlet methods for p' = ad*_v p, p = Mv, g' = g v.
 *
 *     tln   P(v1) - (h/2) ad*_v1 P(v1) = p + (h/2) ad*_v0 p,
 *           g1 = g tau(h (v0 + v1)/2), or as printed g1 = g tau(h v0)
 *     mln   P(v) - (h/2) ad*_v P(v) = p,    p1 = p + h ad*_v P(v),    g1 = g tau(h v)
 *     lv    Q - (h/2) ad*_v0 Q = p,    p1 = Mv1 = Q + (h/2) ad*_v1 Q,
 *           g1 = g tau(h v0/2) tau(h v1/2)
 * with tau = cay (Bou-Rabee, 2007, 5.3, with the mistakes of print corrected). */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "mechanics/rigid_body.h"
#include "methods/euler_poincare/lie_newmark.h"
#include "spaces/se3_retraction.h"

void newmark_initial_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n;
    memcpy(u, interval->velocity, (size_t)n * sizeof *u);
}

/* Computes v0 and the right-hand side, p or p + (h/2) ad*_v0 p. */
REAL_INLINE void newmark_given(const struct noe_interval *interval, const struct euler_poincare *at,
                               real *v0, real *c) {
    const real *p = interval->from->p, half = at->h * 0.5;
    real turned[SMALL_MAX];
    for (int k = 0; k < at->n; k++) c[k] = p[k];
    if (!newmark_of(interval)->is_trapezoidal) return;
    const mask is_regular = euler_poincare_velocity(at, p, v0);
    euler_poincare_coadjoint_change(at, v0, p, turned);
    for (int k = 0; k < at->n; k++)
        c[k] = real_select(is_regular, c[k] + half * turned[k], real_broadcast(NAN));
}

void newmark_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct euler_poincare at = euler_poincare_view(interval);
    real v0[SMALL_MAX], c[SMALL_MAX], P[SMALL_MAX] = {0};
    newmark_given(interval, &at, v0, c);
    newmark_left(&at, u, c, P, r);
}

void newmark_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                      noe_real *values) {
    const struct euler_poincare at = euler_poincare_view(interval);
    real v0[SMALL_MAX], c[SMALL_MAX], P[SMALL_MAX] = {0};
    newmark_given(interval, &at, v0, c);
    newmark_left(&at, u, c, P, r);
    newmark_slope(&at, u, P, values);
}

void newmark_update(struct noe_interval *interval, const noe_real *u) {
    const struct euler_poincare at = euler_poincare_view(interval);
    const struct newmark *rule = newmark_of(interval);
    const bool is_trapezoidal = rule->is_trapezoidal;
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    real v0[SMALL_MAX] = {0}, c[SMALL_MAX], P[SMALL_MAX] = {0}, turned[SMALL_MAX], x[SMALL_MAX];
    newmark_given(interval, &at, v0, c);
    euler_poincare_momentum(&at, u, P);
    euler_poincare_coadjoint_change(&at, u, P, turned);
    for (int k = 0; k < at.n; k++) {
        x[k] = at.h * (rule->start * v0[k] + rule->end * u[k]);
        turned[k] *= is_trapezoidal ? at.h * 0.5 : at.h;
        turned[k] += is_trapezoidal ? c[k] - from->p[k] : real_broadcast(0);
        interval->velocity[k] = u[k];
    }
    at.space->advance(1, 0, to->q, to->q_carry, from->q, from->q_carry, x);
    compensated_add(at.n, to->p, to->p_carry, from->p, from->p_carry, turned);
}

/* m <- y with y - ad*_x y/2 = m. */
REAL_INLINE void half_turn(const struct euler_poincare *at, const real *x, real *m) {
    switch (at->space->kind.algebra) {
    case NOE_ALGEBRA_SO3: so3_half_turn(m, x); break;
    case NOE_ALGEBRA_SE3: se3_half_turn(m, x); break;
    default: euler_poincare_solve(at, 0.5, x, m);
    }
}

/* A state that is updated in place. */
struct newmark_state {
    real *q, *q_carry, *p, *p_carry;
};

REAL_INLINE struct newmark_state begin_at(const struct noe_interval *interval,
                                          const struct euler_poincare *at) {
    const struct noe_state *from = interval->from, *to = interval->to;
    for (int k = 0; k < at->np; k++) to->q[k] = from->q[k];
    for (int k = 0; k < at->n; k++) {
        to->p[k] = from->p[k];
        to->q_carry[k] = from->q_carry[k];
        to->p_carry[k] = from->p_carry[k];
    }
    return (struct newmark_state){to->q, to->q_carry, to->p, to->p_carry};
}

/* g <- g tau(factor v). */
REAL_INLINE void turn_by(const struct euler_poincare *at, real *g, real *carry, real factor,
                         const real *v) {
    real x[SMALL_MAX];
    for (int k = 0; k < at->n; k++) x[k] = factor * v[k];
    at->space->advance(1, 0, g, carry, g, carry, x);
}

/* v <- v1, and p <- p + (h/2) ad*_(v0+v1) Q. */
REAL_INLINE mask lv_step(const struct euler_poincare *at, const struct newmark_state *z, real *v) {
    const int n = at->n;
    const real half = at->h * 0.5;
    real Q[SMALL_MAX], M[SMALL_SQUARE], B[SMALL_SQUARE], x[SMALL_MAX];
    lane_index pivot[SMALL_MAX];
    for (int k = 0; k < n; k++) {
        x[k] = at->h * v[k];
        Q[k] = z->p[k];
    }
    half_turn(at, x, Q);
    turn_by(at, z->q, z->q_carry, half, v);
    euler_poincare_mass(at, M);
    at->space->maps.poisson(B, Q);
    for (int e = 0; e < n * n; e++) M[e] -= half * B[e];
    const mask is_regular = dense_factor(n, M, pivot);
    for (int k = 0; k < n; k++) x[k] = Q[k];
    dense_solve(n, x, M, pivot);
    for (int k = 0; k < n; k++) {
        const real sum = half * (v[k] + x[k]);
        v[k] = x[k];
        x[k] = sum;
    }
    turn_by(at, z->q, z->q_carry, half, v);
    small_zero(n, Q);
    small_add_apply(n, n, Q, 1, B, x);
    compensated_add(n, z->p, z->p_carry, z->p, z->p_carry, Q);
    return is_regular;
}

static noe_lane_status newmark_lv(struct noe_interval *interval, long count) {
    const struct euler_poincare at = euler_poincare_view(interval);
    const struct newmark_state z = begin_at(interval, &at);
    real v[SMALL_MAX] = {0};
    mask is_good = mask_broadcast(true);
    for (long k = 0; k < count; k++) {
        is_good &= euler_poincare_velocity(&at, z.p, v);
        is_good &= lv_step(&at, &z, v);
    }
    return newmark_end(interval, &at, count, v, is_good);
}

/* Step k of tln or mln. scale M^-1 is h/2 M^-1, so that x is h v0/2 first. */
REAL_INLINE mask newmark_step(const struct euler_poincare *at, const struct newmark *rule,
                              const real *scale, long k, struct rigid_body *z) {
    const bool is_trapezoidal = rule->is_trapezoidal;
    const real factor = is_trapezoidal ? at->h * 0.5 : at->h;
    const int n = at->n;
    real x[SMALL_MAX] = {0}, turned[SMALL_MAX] = {0}, c[SMALL_MAX], u[SMALL_MAX], y[SMALL_MAX];
    real P[SMALL_MAX] = {0}, dp[SMALL_MAX];
    if (is_trapezoidal) {
        euler_poincare_increment(at, scale, z->p, x);
        euler_poincare_coadjoint_change(at, x, z->p, turned);
    }
    for (int i = 0; i < n; i++) c[i] = is_trapezoidal ? z->p[i] + turned[i] : z->p[i];
    extrapolation_guess(n, z->past, u);
    const mask is_good = small_newton_solve(
        n, &newmark_quadratic, &(const struct newmark_equation){at, c}, NULL, z->past, u);
    euler_poincare_momentum(at, u, P);
    for (int i = 0; i < n; i++) y[i] = factor * u[i];
    euler_poincare_coadjoint_change(at, y, P, dp);
    for (int i = 0; i < n; i++) {
        dp[i] = is_trapezoidal ? turned[i] + dp[i] : dp[i];
        x[i] = is_trapezoidal ? 2 * rule->start * x[i] + 2 * rule->end * y[i] : y[i];
    }
    extrapolation_record(n, z->past, u);
    compensated_add(n, z->p, z->carry, z->p, z->carry, dp);
    group_accumulator_retract(at->space, 0, &z->g, x, k);
    return is_good;
}

static noe_lane_status newmark_steps(struct noe_interval *interval, long count) {
    const struct euler_poincare at = euler_poincare_view(interval);
    const struct newmark *rule = newmark_of(interval);
    struct rigid_body z;
    real scale[SMALL_MAX];
    mask is_found = mask_broadcast(true);
    interval->retraction_load = real_broadcast(0);
    rigid_body_load(interval, at.n, at.space, &z);
    euler_poincare_scale(&at, 0.5 * at.h, scale);
    for (long k = 0; k < count; k++)
        is_found &= newmark_step(&at, rule, scale, interval->from->k + k, &z);
    const noe_lane_status outcome = rigid_body_status(&z, at.n, is_found);
    if (!rigid_body_has_failed(interval, count, outcome))
        rigid_body_store(interval, at.n, at.space, &z, count);
    return outcome;
}

const struct kernel newmark_kernel = {
    .name = "rigid-body",
    .symbol = "newmark_kernel",
    .source = "methods/euler_poincare/lie_newmark_step.c",
    .scratch = rigid_body_scratch,
    .steps = newmark_steps,
};

const struct kernel newmark_lv_kernel = {
    .name = "lie-verlet",
    .symbol = "newmark_lv_kernel",
    .source = "methods/euler_poincare/lie_newmark_step.c",
    .steps = newmark_lv,
};
