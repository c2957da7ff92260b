/* One velocity a step of one body that turns: the kick, the drift and the kick of ray_kernel.c in
 * local numbers.
 *
 * The drift M V = T_R(X)^T m with X = hV reads T(X)^-1 M V = m on rotations. For `new` the unknown
 * is not V but u = V/sqrt(1 - X.X/4), as in ray_body.h; for the others u = V. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/fast/endpoint_rigid_body.h"

#include "methods/hamilton_pontryagin/endpoint.h"

/* r = A(X) M V - m, A = T^-1; J = A M + h (A P)'. */
STEP_INLINE void body_others(const void *self, int n, const real *V, real *r, real *J) {
    const struct body_drift *drift = self;
    const real X[3] = {drift->h * V[0], drift->h * V[1], drift->h * V[2]};
    const struct axial A = rotation_inverse(drift->tau, three_dot(X, X));
    real P[3], matrix[9], slope[9];
    body_momentum(&drift->mass, V, P);
    axial_apply(r, &A, X, P);
    for (int i = 0; i < n; i++) r[i] -= drift->m[i];
    if (!J) return;
    three_zero(matrix);
    three_zero(slope);
    axial_add_matrix(matrix, &A, X);
    axial_add_slope(slope, &A, X, P);
    three_multiply(J, matrix, drift->mass.M);
    for (int e = 0; e < 9; e++) J[e] += drift->h * slope[e];
}

STEP_INLINE bool body_is_new(int tau) { return tau == ROTATION_NEW || tau == ROTATION_SHIFT; }

static const struct few_equation body_general = {body_others, NULL};

/* W at the body's attitude. */
STEP_INLINE void body_force(const struct noe_interval *interval, real t, const real *V,
                            struct body *body) {
    const struct noe_system *system = interval_problem(interval)->system;
    real R[9], P[3];
    walk_point(system->factors->space, &body->g, R);
    interval_force(system, interval->problem->system, t, R, V, P, body->W);
}

/* How far the steps went, and whether all had a root. */
struct body_way {
    real turn; /* the largest X.X */
    truth is_found;
};

/* Step k of a run, which ends at t1. */
STEP_INLINE void body_step(const struct noe_interval *interval, const struct ray_view *at,
                           struct body_drift *drift, long k, real t1, struct body *body,
                           struct body_way *way) {
    const int tau = body_is_new(at->tau) ? ROTATION_CAY : at->tau;
    const real first = at->h * at->ray->b0, last = at->h * at->ray->b1;
    real u[3], X[3], dp[3], turned[3];
    for (int i = 0; i < 3; i++) {
        dp[i] = at->ray->b0 != 0 ? first * body->W[i] : real_of(0);
        drift->m[i] = body->p[i] + dp[i];
    }
    few_guess(3, body->past, u);
    way->is_found &= body_is_new(at->tau) ? few_solve(3, &body_quadratic, drift, body->past, u)
                                          : few_solve(3, &body_general, drift, body->past, u);
    few_learn(3, body->past, u);
    for (int i = 0; i < 3; i++) X[i] = at->h * u[i];
    way->turn = real_larger(three_dot(X, X), way->turn);
    rotation_coadjoint_change(tau, turned, X, drift->m);
    walk_turn(at->system->factors->space, tau, &body->g, X, k);
    if (at->ray->b1 != 0) body_force(interval, t1, u, body);
    for (int i = 0; i < 3; i++) {
        dp[i] += turned[i];
        if (at->ray->b1 != 0) dp[i] += last * body->W[i];
    }
    sum_add(3, body->p, body->carry, body->p, body->carry, dp);
}

/* The increments in units of the limit: `new` finds only such as are below; where there is none,
 * that of the velocity before. */
STEP_INLINE real body_reach(const struct noe_interval *interval, const struct ray_view *at,
                            const struct body_way *way) {
    const scalar limit = rotation_limit(at->tau);
    const real *V = interval->velocity, lost = at->h * at->h * three_dot(V, V);
    const real most = body_is_new(at->tau) ? real_of(0) : way->turn;
    if (!(limit > 0)) return real_of(0);
    return noe_sqrt(real_select(way->is_found, most, lost)) / limit;
}

/* V of the last step, from u. */
STEP_INLINE void body_velocity(const struct ray_view *at, real *V) {
    const real square = 0.25 * at->h * at->h * three_dot(V, V), scale = 1 / noe_sqrt(1 + square);
    for (int i = 0; i < 3 && body_is_new(at->tau); i++) V[i] *= scale;
}

/* `count` steps from `from` to `to`, unless one of several fails. */
STEP_INLINE noe_outcome body_run(struct noe_interval *interval, long count) {
    const struct ray_view at = ray_view(interval);
    const struct noe_space *space = at.system->factors->space;
    const long start = interval->from->k;
    const bool keeps_force = at.ray->b0 != 0 && at.ray->b1 != 0;
    struct body_drift drift = {.tau = at.tau, .h = at.h};
    struct body_way way = {.is_found = truth_of(true)};
    struct body body;
    real t = interval->t;
    body_load(interval, 3, space, &body);
    body_mass_load(interval, &drift.mass);
    for (long k = 0; k < count; k++) {
        const real t1 = interval->origin + (scalar)(start + k + 1) * at.h;
        const bool has_force = keeps_force && (k || interval->force_known);
        if (at.ray->b0 != 0 && !has_force) body_force(interval, t, body.past, &body);
        body_step(interval, &at, &drift, start + k, t1, &body, &way);
        t = t1;
    }
    interval->reach = body_reach(interval, &at, &way);
    const noe_outcome outcome = body_outcome(&body, 3, way.is_found & (interval->reach < 1));
    if (body_has_failed(interval, count, outcome)) return outcome;
    interval->evaluations += count + (keeps_force && !interval->force_known);
    body_store(interval, 3, space, &body, count);
    body_velocity(&at, interval->velocity);
    return outcome;
}

noe_outcome ray_body_kernel(struct noe_interval *interval, long count) {
    return few_steps(interval, count, body_run);
}
