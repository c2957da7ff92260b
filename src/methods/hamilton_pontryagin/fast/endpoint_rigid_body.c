/* Endpoint rule of one rigid body: kick, drift and kick of endpoint_splitting.c on the stack.
 *
 * The drift M V = T_R(X)^T m with X = hV reads T(X)^-1 M V = m on rotations. With the retraction
 * `new` the unknown is u = V/sqrt(1 - X.X/4), as in endpoint_rigid_body.h; with the others u = V.
 */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/fast/endpoint_rigid_body.h"

#include "methods/hamilton_pontryagin/endpoint.h"

/* r = A(X) M V - m, A = T^-1; J = A M + h (A P)'. */
REAL_INLINE void body_others(const void *self, int n, const real *V, real *r, real *J) {
    const struct body_drift *drift = self;
    const real X[3] = {drift->h * V[0], drift->h * V[1], drift->h * V[2]};
    const struct hat_matrix A = so3_inverse(drift->tau, vec3_dot(X, X));
    real P[3], matrix[9], slope[9];
    rigid_body_momentum(&drift->mass, V, P);
    hat_matrix_apply(r, &A, X, P);
    for (int i = 0; i < n; i++) r[i] -= drift->m[i];
    if (!J) return;
    vec3_zero(matrix);
    vec3_zero(slope);
    hat_matrix_add_matrix(matrix, &A, X);
    hat_matrix_add_slope(slope, &A, X, P);
    vec3_multiply(J, matrix, drift->mass.M);
    for (int e = 0; e < 9; e++) J[e] += drift->h * slope[e];
}

REAL_INLINE bool body_is_new(int tau) { return tau == SO3_CHORD || tau == SE3_SHIFT; }

static const struct small_newton_equation body_general = {.residual = body_others};

/* W at the attitude of the body. */
REAL_INLINE void body_force(const struct noe_interval *interval, real t, const real *V,
                            struct rigid_body *body) {
    const struct noe_system *system = interval_problem(interval)->system;
    real R[9], P[3];
    group_accumulator_point(system->factors->space, &body->g, R);
    interval_force(system, interval->problem->system, t, R, V, P, body->W);
}

/* The largest increment of the steps, and the lanes in which all had a root. */
struct body_progress {
    real increment; /* largest X.X */
    mask is_found;
};

/* Step k of a run. It ends at t1. */
REAL_INLINE void body_step(const struct noe_interval *interval, const struct endpoint_view *at,
                           struct body_drift *drift, long k, real t1, struct rigid_body *body,
                           struct body_progress *progress) {
    const int tau = body_is_new(at->tau) ? SO3_CAY : at->tau;
    const real first = at->h * at->endpoint->b0, last = at->h * at->endpoint->b1;
    real u[3], X[3], dp[3], turned[3];
    for (int i = 0; i < 3; i++) {
        dp[i] = at->endpoint->b0 != 0 ? first * body->W[i] : real_broadcast(0);
        drift->m[i] = body->p[i] + dp[i];
    }
    extrapolation_guess(3, body->past, u);
    progress->is_found &= body_is_new(at->tau)
                              ? small_newton_solve(3, &body_quadratic, drift, NULL, body->past, u)
                              : small_newton_solve(3, &body_general, drift, NULL, body->past, u);
    extrapolation_record(3, body->past, u);
    for (int i = 0; i < 3; i++) X[i] = at->h * u[i];
    progress->increment = real_max(vec3_dot(X, X), progress->increment);
    so3_coadjoint_change(tau, turned, X, drift->m);
    group_accumulator_retract(at->system->factors->space, tau, &body->g, X, k);
    if (at->endpoint->b1 != 0) body_force(interval, t1, u, body);
    for (int i = 0; i < 3; i++) {
        dp[i] += turned[i];
        if (at->endpoint->b1 != 0) dp[i] += last * body->W[i];
    }
    compensated_add(3, body->p, body->carry, body->p, body->carry, dp);
}

/* The increments relative to the limit of the retraction. With `new` every root is inside the
 * limit. In lanes without a root it is the increment of the last velocity. */
REAL_INLINE real rigid_body_retraction_load(const struct noe_interval *interval,
                                            const struct endpoint_view *at,
                                            const struct body_progress *progress) {
    const scalar limit = so3_limit(at->tau);
    const real *V = interval->velocity, lost = at->h * at->h * vec3_dot(V, V);
    const real max = body_is_new(at->tau) ? real_broadcast(0) : progress->increment;
    if (!(limit > 0)) return real_broadcast(0);
    return noe_sqrt(real_select(progress->is_found, max, lost)) / limit;
}

/* V of the last step, from u. */
REAL_INLINE void body_velocity(const struct endpoint_view *at, real *V) {
    const real square = 0.25 * at->h * at->h * vec3_dot(V, V), scale = 1 / noe_sqrt(1 + square);
    for (int i = 0; i < 3 && body_is_new(at->tau); i++) V[i] *= scale;
}

static noe_lane_status endpoint_rigid_body_steps(struct noe_interval *interval, long count) {
    const struct endpoint_view at = endpoint_view(interval);
    const struct noe_space *space = at.system->factors->space;
    const long start = interval->from->k;
    const bool keeps_force = at.endpoint->b0 != 0 && at.endpoint->b1 != 0;
    struct body_drift drift = {.tau = at.tau, .h = at.h};
    struct body_progress progress = {.is_found = mask_broadcast(true)};
    struct rigid_body body;
    real t = interval->t;
    rigid_body_load(interval, 3, space, &body);
    rigid_body_mass_load(interval, &drift.mass);
    for (long k = 0; k < count; k++) {
        const real t1 = interval->origin + (scalar)(start + k + 1) * at.h;
        const bool has_force = keeps_force && (k || interval->has_previous_step);
        if (at.endpoint->b0 != 0 && !has_force) body_force(interval, t, body.past, &body);
        body_step(interval, &at, &drift, start + k, t1, &body, &progress);
        t = t1;
    }
    interval->retraction_load = rigid_body_retraction_load(interval, &at, &progress);
    const noe_lane_status outcome =
        rigid_body_status(&body, 3, progress.is_found & (interval->retraction_load < 1));
    if (rigid_body_has_failed(interval, count, outcome)) return outcome;
    interval->evaluations += count + (keeps_force && !interval->has_previous_step);
    rigid_body_store(interval, 3, space, &body, count);
    body_velocity(&at, interval->velocity);
    return outcome;
}

static bool endpoint_rigid_body_serves(const struct noe_problem *problem) {
    return endpoint_is_direct(problem->system) && rigid_body_is_rotation(problem->system);
}

const struct kernel endpoint_rigid_body_kernel = {
    .name = "rigid-body",
    .symbol = "endpoint_rigid_body_kernel",
    .source = "methods/hamilton_pontryagin/fast/endpoint_rigid_body.c",
    .serves = endpoint_rigid_body_serves,
    .scratch = rigid_body_scratch,
    .steps = endpoint_rigid_body_steps,
};
