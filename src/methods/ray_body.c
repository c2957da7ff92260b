/* One velocity a step of one body that turns: the kick, the drift and the kick of ray_kernel.c in
 * local numbers.
 *
 * The drift M V = T_R(X)^T m with X = hV reads T(X)^-1 M V = m on rotations. For `new` the unknown
 * is not V but u = V/sqrt(1 - X.X/4), with which tau(X) = cay(hu) and
 *     M u = m + (h/2) m cross u + (h^2/4) (m.u) u,
 * quadratic and without roots (Lee, Leok and McClamroch, 2007); for the others u = V. */
/* SPDX-License-Identifier: MIT */
#include "methods/few.h"
#include "methods/ray.h"
#include "spaces/walk.h"

/* The drift's equation. */
struct body_drift {
    int tau;
    bool is_diagonal; /* M is */
    real h;
    real M[9];
    real m[3];
};

STEP_INLINE void body_momentum(const struct body_drift *drift, const real *u, real *P) {
    for (int i = 0; i < 3 && drift->is_diagonal; i++) P[i] = drift->M[4 * i] * u[i];
    if (!drift->is_diagonal) three_apply(P, drift->M, u);
}

/* r = M u - m - (h/2) m cross u - (h^2/4) (m.u) u, J = M - (h/2) m^ - (h^2/4) ((m.u) I + u m^T). */
STEP_INLINE void body_new(const struct body_drift *drift, const real *u, real *r, real *J) {
    const real half = 0.5 * drift->h, *m = drift->m, *M = drift->M;
    const real a[3] = {half * m[0], half * m[1], half * m[2]};
    const real y[3] = {half * u[0], half * u[1], half * u[2]}, along = three_dot(a, y);
    real P[3], turned[3];
    body_momentum(drift, u, P);
    three_cross(turned, a, u);
    for (int i = 0; i < 3; i++) r[i] = P[i] - m[i] - (turned[i] + along * u[i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const bool has_mass = i == j || !drift->is_diagonal;
            const real outer = y[i] * a[j], entry = i == j ? along + outer : outer;
            J[3 * i + j] = has_mass ? M[3 * i + j] - entry : -entry;
        }
    three_add_hat(J, real_of(-1), a);
}

/* r = A(X) M V - m, A = T^-1; J = A M + h (A P)'. */
STEP_INLINE void body_others(const struct body_drift *drift, const real *V, real *r, real *J) {
    const real X[3] = {drift->h * V[0], drift->h * V[1], drift->h * V[2]};
    const struct axial A = rotation_inverse(drift->tau, three_dot(X, X));
    real P[3], matrix[9], slope[9];
    body_momentum(drift, V, P);
    axial_apply(r, &A, X, P);
    for (int i = 0; i < 3; i++) r[i] -= drift->m[i];
    if (!J) return;
    three_zero(matrix);
    three_zero(slope);
    axial_add_matrix(matrix, &A, X);
    axial_add_slope(slope, &A, X, P);
    three_multiply(J, matrix, drift->M);
    for (int e = 0; e < 9; e++) J[e] += drift->h * slope[e];
}

STEP_INLINE bool body_is_new(int tau) { return tau == ROTATION_NEW || tau == ROTATION_SHIFT; }

STEP_INLINE void body_residual(const void *self, int n, const real *u, real *r, real *J) {
    const struct body_drift *drift = self;
    (void)n;
    if (body_is_new(drift->tau))
        body_new(drift, u, r, J);
    else
        body_others(drift, u, r, J);
}

/* Of `new`: r(u - d) = -(h^2/4) (m.d) d. */
STEP_INLINE void body_bend(const void *self, int n, const real *d, real *r) {
    const struct body_drift *drift = self;
    const real factor = (-0.25 * drift->h * drift->h) * three_dot(drift->m, d);
    for (int i = 0; i < n; i++) r[i] = factor * d[i];
}

/* A body that moves on: momentum, attitude, the force at it, the unknowns of the steps before. */
struct body {
    real p[3], carry[3], W[3], past[3 * FEW_DEPTH];
    struct walk g;
    real turn; /* the largest X.X */
    truth is_good;
};

STEP_INLINE const struct noe_space *body_space(const struct noe_interval *interval) {
    return interval_problem(interval)->chart->piece->space;
}

STEP_INLINE struct body body_load(const struct noe_interval *interval) {
    const struct noe_state *from = interval->from;
    const real *kept = interval->scratch;
    struct body body = {.is_good = truth_of(true)};
    for (int i = 0; i < 3; i++) {
        body.p[i] = from->p[i];
        body.carry[i] = from->p_carry[i];
        body.W[i] = interval->force_known ? kept[i] : real_of(0);
    }
    if (interval->force_known) {
        for (int i = 0; i < 3 * FEW_DEPTH; i++) body.past[i] = kept[3 + i];
        walk_load(body_space(interval), &body.g, kept + 3 + 3 * FEW_DEPTH);
    } else {
        few_begin(3, body.past, interval->velocity);
        walk_begin(body_space(interval), &body.g, from->q, from->q_carry);
    }
    return body;
}

STEP_INLINE void body_store(struct noe_interval *interval, const struct body *body) {
    struct noe_state *to = interval->to;
    real *kept = interval->scratch;
    for (int i = 0; i < 3; i++) {
        to->p[i] = body->p[i];
        to->p_carry[i] = body->carry[i];
        kept[i] = body->W[i];
    }
    for (int i = 0; i < 3 * FEW_DEPTH; i++) kept[3 + i] = body->past[i];
    walk_store(body_space(interval), &body->g, kept + 3 + 3 * FEW_DEPTH);
    walk_end(body_space(interval), &body->g, to->q, to->q_carry);
}

/* W at the body's attitude. */
STEP_INLINE void body_force(const struct noe_interval *interval, const struct ray_view *at, real t,
                            const real *V, struct body *body) {
    real R[9], P[3];
    walk_point(body_space(interval), &body->g, R);
    interval_force(at->system, at->self, t, R, V, P, body->W);
}

/* Step k of a run, which ends at t1. */
STEP_INLINE void body_step(const struct noe_interval *interval, const struct ray_view *at,
                           struct body_drift *drift, long k, real t1, struct body *body) {
    const struct few_equation equation = {body_residual, body_is_new(at->tau) ? body_bend : NULL};
    const int tau = body_is_new(at->tau) ? ROTATION_CAY : at->tau;
    const real first = at->h * at->ray->b0, last = at->h * at->ray->b1;
    real u[3], X[3], dp[3], turned[3];
    for (int i = 0; i < 3; i++) {
        dp[i] = at->ray->b0 != 0 ? first * body->W[i] : real_of(0);
        drift->m[i] = body->p[i] + dp[i];
    }
    few_guess(3, body->past, u);
    body->is_good &= few_solve(3, &equation, drift, body->past, u);
    few_learn(3, body->past, u);
    for (int i = 0; i < 3; i++) X[i] = at->h * u[i];
    body->turn = real_larger(three_dot(X, X), body->turn);
    rotation_coadjoint_change(tau, turned, X, drift->m);
    walk_turn(body_space(interval), tau, &body->g, X, k);
    if (at->ray->b1 != 0) body_force(interval, at, t1, u, body);
    for (int i = 0; i < 3; i++) {
        dp[i] += turned[i];
        if (at->ray->b1 != 0) dp[i] += last * body->W[i];
    }
    sum_add(3, body->p, body->carry, body->p, body->carry, dp);
}

/* How far the increments went in units of the limit: `new` finds only such as are below; where
 * there is none, the one before would have gone. */
STEP_INLINE real body_reach(const struct ray_view *at, const struct body *body) {
    const scalar limit = rotation_limit(at->tau);
    const real lost = at->h * at->h * three_dot(body->past, body->past);
    const real most = body_is_new(at->tau) ? real_of(0) : body->turn;
    if (!(limit > 0)) return real_of(0);
    return noe_sqrt(real_select(body->is_good, most, lost)) / limit;
}

/* V of the last step. */
STEP_INLINE void body_velocity(const struct ray_view *at, const struct body *body, real *V) {
    const real *u = body->past;
    const real square = 0.25 * at->h * at->h * three_dot(u, u);
    const real scale = body_is_new(at->tau) ? 1 / noe_sqrt(1 + square) : real_of(1);
    for (int i = 0; i < 3; i++) V[i] = scale * u[i];
}

/* `count` steps from `from` to `to`; nothing is kept of more than one of which one fails. What is
 * not finite stays so: one look at the end is enough. */
STEP_INLINE noe_outcome body_run(struct noe_interval *interval, const struct ray_view *at,
                                 long count) {
    const long start = interval->from->k;
    const bool keeps_force = at->ray->b0 != 0 && at->ray->b1 != 0;
    struct body_drift drift = {.tau = at->tau, .h = at->h};
    struct body body = body_load(interval);
    real t = interval->t;
    drift.is_diagonal = legendre_is_diagonal(interval->legendre);
    chart_gather(at->chart, at->chart->block, 9, interval->legendre->blocks, drift.M);
    for (long k = 0; k < count; k++) {
        const real t1 = interval->origin + (scalar)(start + k + 1) * at->h;
        const bool has_force = keeps_force && (k || interval->force_known);
        if (at->ray->b0 != 0 && !has_force) body_force(interval, at, t, body.past, &body);
        body_step(interval, at, &drift, start + k, t1, &body);
        t = t1;
    }
    interval->reach = body_reach(at, &body);
    const truth is_lost = truth_not(body.is_good) | (interval->reach >= 1);
    const truth is_finite_p = real_all_finite(3, body.p);
    const truth is_finite = is_finite_p & (walk_square(body.g.g) < HUGE_VAL);
    noe_outcome outcome = outcome_join(outcome_of(NOE_OK), truth_not(is_finite), NOE_NOT_FINITE);
    outcome = outcome_join(outcome, is_lost, NOE_NOT_CONVERGED);
    if (count > 1 && truth_any(interval->is_active & (outcome != NOE_OK))) return outcome;
    body_store(interval, &body);
    body_velocity(at, &body, interval->velocity);
    interval->evaluations += count + (keeps_force && !interval->force_known);
    interval->force_known = true;
    interval->taken = count;
    interval->t1 = t;
    return outcome;
}

/* Some steps; where one fails, as many as do not, by halves. */
noe_outcome ray_body_kernel(struct noe_interval *interval, long count) {
    enum { BLOCK = 256 };
    const struct ray_view at = ray_view(interval);
    noe_outcome outcome;
    if (count > BLOCK) count = BLOCK;
    interval->taken = 0;
    for (;; count /= 2) {
        outcome = body_run(interval, &at, count);
        if (interval->taken) return outcome;
    }
}
