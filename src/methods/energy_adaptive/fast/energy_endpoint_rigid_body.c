/* Kick, drift and kick of one rigid body with the retraction `new` and with step sizes that
 * preserve the discrete energy, on the stack.
 *
 * With m = p + (h/2) W, the unknown u of hamilton_pontryagin/fast/endpoint_rigid_body.h, X = hu and
 * s = 1/(1 + X.X/4),
 *     E = s u.Mu/2 + (U + U1)/2,   dU1 = -W1.e,   e = s (dX - X cross dX/2),
 * because V.MV = s u.Mu, and W1 is the force at the end g cay(X). */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy.h"
#include "methods/energy_adaptive/fast/energy_rigid_body.h"
#include "methods/hamilton_pontryagin/endpoint.h"
#include "methods/hamilton_pontryagin/fast/endpoint_rigid_body.h"

/* A step. */
struct energy_drift {
    struct body_drift drift; /* m and h of the trial step size */
    struct noe_interval *interval;
    struct energy_body at;
};

REAL_INLINE real energy_drift_energy(void *self) {
    const struct energy_drift *step = self;
    return energy_body_hamiltonian(&step->at, &step->drift.mass);
}

REAL_INLINE void energy_drift_begin(void *self, const struct energy_run_state *clock) {
    struct energy_drift *step = self;
    step->at.energy_target = clock->energy_target;
    step->at.energy_defect = clock->energy_defect;
}

REAL_INLINE void energy_drift_set(void *self, real h) {
    struct energy_drift *step = self;
    step->drift.h = h;
    for (int i = 0; i < 3; i++)
        step->drift.m[i] = step->at.body.p[i] + 0.5 * h * step->at.body.W[i];
}

/* Force and potential at R, which do not depend on time. */
REAL_INLINE real energy_drift_force(const struct energy_drift *step, const real *R, real *W) {
    struct noe_interval *interval = step->interval;
    const struct noe_system *system = interval_problem(interval)->system;
    const real V[3] = {real_broadcast(0), real_broadcast(0), real_broadcast(0)};
    real P[3];
    interval->evaluations++;
    interval_force(system, interval->problem->system, interval->t, R, V, P, W);
    return rigid_body_potential(interval, interval->t, R);
}

/* r_x = -n - (h/2) (m + n) cross u - (h^2/4) ((2m + n).u) u, n = (h/2) W. */
REAL_INLINE void energy_drift_stretch(const struct energy_drift *step, const real *u, real *rx) {
    const real half = 0.5 * step->drift.h;
    real n[3], a[3], b[3], turned[3];
    for (int i = 0; i < 3; i++) {
        n[i] = half * step->at.body.W[i];
        a[i] = half * (step->drift.m[i] + n[i]);
        b[i] = a[i] + half * step->drift.m[i];
    }
    const real along = half * vec3_dot(b, u);
    vec3_cross(turned, a, u);
    for (int i = 0; i < 3; i++) rx[i] = -(n[i] + turned[i] + along * u[i]);
}

REAL_INLINE void energy_drift_evaluate(void *self, const real *u,
                                       struct bordered_evaluation *values) {
    const struct energy_drift *step = self;
    const real h = step->drift.h, half = 0.5 * h, a = half * half, uu = vec3_dot(u, u);
    const real X[3] = {h * u[0], h * u[1], h * u[2]}, s = 1 / (1 + a * uu), U = step->at.U;
    real P[3], q[4], R[9], W[3], turned[3];
    body_new(&step->drift, 3, u, values->r, values->J);
    energy_drift_stretch(step, u, values->rx);
    group_accumulator_change(SO3_CAY, q, step->at.body.g.g, X);
    for (int i = 0; i < 4; i++) q[i] += step->at.body.g.g[i];
    so3_along_quaternion(R, q, 2 / group_accumulator_square(q));
    const real U1 = energy_drift_force(step, R, W);
    rigid_body_momentum(&step->drift.mass, u, P);
    vec3_cross(turned, u, W);
    const real T = 0.5 * s * vec3_dot(u, P), less = 2 * a * T;
    const real size = 2 * T + 0.5 * (noe_abs(T - U) + noe_abs(T - U1));
    energy_body_equation(&step->at, T + 0.5 * (U + U1), size, values);
    for (int i = 0; i < 3; i++)
        values->Eu[i] = s * ((P[i] - less * u[i]) - half * (W[i] + half * turned[i]));
    values->Ex = -s * (less * uu + half * vec3_dot(W, u));
}

REAL_INLINE real energy_drift_quadratic(const void *self, const struct bordered_evaluation *values,
                                        const real *d, real *left) {
    const struct energy_drift *step = self;
    (void)values;
    return energy_body_quadratic(&step->drift.mass, step->drift.h, step->at.body.past, d, left);
}

REAL_INLINE void energy_drift_end(void *self, long k, const real *u,
                                  struct step_size_search *length, struct energy_run_state *clock) {
    struct energy_drift *step = self;
    struct rigid_body *body = &step->at.body;
    const struct noe_space *space = interval_problem(step->interval)->system->factors->space;
    const real h = step->drift.h, half = 0.5 * h, U = step->at.U;
    const real X[3] = {h * u[0], h * u[1], h * u[2]}, s = 1 / (1 + half * half * vec3_dot(u, u));
    real R[9], P[3], dp[3];
    (void)length;
    so3_coadjoint_change(SO3_CAY, dp, X, step->drift.m);
    for (int i = 0; i < 3; i++) dp[i] += half * body->W[i];
    group_accumulator_retract(space, SO3_CAY, &body->g, X, k);
    group_accumulator_point(space, &body->g, R);
    step->at.U = energy_drift_force(step, R, body->W);
    for (int i = 0; i < 3; i++) dp[i] += half * body->W[i];
    compensated_add(3, body->p, body->carry, body->p, body->carry, dp);
    rigid_body_momentum(&step->drift.mass, u, P);
    clock->energy = 0.5 * s * vec3_dot(u, P) + 0.5 * (U + step->at.U);
    clock->energy_defect =
        energy_body_hamiltonian(&step->at, &step->drift.mass) - clock->energy_target;
}

static const struct energy_rule energy_drift_rule = {
    &body_quadratic,       energy_drift_energy,    energy_drift_begin, energy_drift_set,
    energy_drift_evaluate, energy_drift_quadratic, energy_drift_end};

REAL_INLINE void energy_drift_probe(void *search, real h, real dx, mask where,
                                    struct step_trial *trial) {
    bordered_probe(3, &energy_drift_rule, search, h, dx, where, trial);
}

/* The velocity of the last step, from u. */
static noe_lane_status energy_endpoint_steps(struct noe_interval *interval, long count) {
    const struct noe_space *space = interval_problem(interval)->system->factors->space;
    struct energy_drift step = {.drift.tau = SO3_CHORD, .interval = interval};
    interval->retraction_load = real_broadcast(0);
    rigid_body_mass_load(interval, &step.drift.mass);
    energy_body_load(&step.at, interval, &step.drift.mass);
    if (!interval->has_previous_step) {
        real R[9];
        group_accumulator_point(space, &step.at.body.g, R);
        energy_drift_force(&step, R, step.at.body.W);
    }
    const noe_lane_status outcome =
        energy_body_run(interval, count, &energy_drift_rule, energy_drift_probe, &step, &step.at);
    if (!interval->taken) return outcome;
    const real *u = step.at.body.past, half = 0.5 * interval->h;
    const real scale = 1 / noe_sqrt(1 + half * half * vec3_dot(u, u));
    for (int i = 0; i < 3; i++) interval->velocity[i] *= scale;
    return outcome;
}

static bool energy_endpoint_serves(const struct noe_problem *problem) {
    return endpoint_is_direct(problem->system) && rigid_body_is_rotation(problem->system) &&
           energy_is_conservative(problem->system);
}

const struct kernel energy_endpoint_kernel = {
    .name = "rigid-body",
    .symbol = "energy_endpoint_kernel",
    .source = "methods/energy_adaptive/fast/energy_endpoint_rigid_body.c",
    .serves = energy_endpoint_serves,
    .scratch = rigid_body_scratch,
    .steps = energy_endpoint_steps,
};
