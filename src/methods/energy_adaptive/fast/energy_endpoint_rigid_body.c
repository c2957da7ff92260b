/* The kick, the drift and the kick of one body that turns, by `new`, with lengths that keep the
 * discrete energy, in local numbers.
 *
 * With m = p + (h/2) W, the unknown u of ray_body.h, X = hu and s = 1/(1 + X.X/4),
 *     E = s u.Mu/2 + (U + U1)/2,   dU1 = -W1.e,   e = s (dX - X cross dX/2),
 * for V.MV = s u.Mu, and W1 is the force at the end, g cay(X). */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy.h"
#include "methods/energy_adaptive/fast/energy_rigid_body.h"
#include "methods/hamilton_pontryagin/endpoint.h"
#include "methods/hamilton_pontryagin/fast/endpoint_rigid_body.h"

/* A step. */
struct energy_drift {
    struct body_drift drift; /* m and h of the length that is tried */
    struct noe_interval *interval;
    struct energy_body at;
};

STEP_INLINE real energy_drift_energy(void *self) {
    const struct energy_drift *step = self;
    return energy_body_hamiltonian(&step->at, &step->drift.mass);
}

STEP_INLINE void energy_drift_begin(void *self, const struct energy_clock *clock) {
    struct energy_drift *step = self;
    step->at.anchor = clock->anchor;
    step->at.gap = clock->gap;
}

STEP_INLINE void energy_drift_set(void *self, real h) {
    struct energy_drift *step = self;
    step->drift.h = h;
    for (int i = 0; i < 3; i++)
        step->drift.m[i] = step->at.body.p[i] + 0.5 * h * step->at.body.W[i];
}

/* Force and potential at R; nothing depends on time. */
STEP_INLINE real energy_drift_force(const struct energy_drift *step, const real *R, real *W) {
    struct noe_interval *interval = step->interval;
    const struct noe_system *system = interval_problem(interval)->system;
    const real V[3] = {real_of(0), real_of(0), real_of(0)};
    real P[3];
    interval->evaluations++;
    interval_force(system, interval->problem->system, interval->t, R, V, P, W);
    return body_potential(interval, interval->t, R);
}

/* r_x = -n - (h/2) (m + n) cross u - (h^2/4) ((2m + n).u) u, n = (h/2) W. */
STEP_INLINE void energy_drift_stretch(const struct energy_drift *step, const real *u, real *rx) {
    const real half = 0.5 * step->drift.h;
    real n[3], a[3], b[3], turned[3];
    for (int i = 0; i < 3; i++) {
        n[i] = half * step->at.body.W[i];
        a[i] = half * (step->drift.m[i] + n[i]);
        b[i] = a[i] + half * step->drift.m[i];
    }
    const real along = half * three_dot(b, u);
    three_cross(turned, a, u);
    for (int i = 0; i < 3; i++) rx[i] = -(n[i] + turned[i] + along * u[i]);
}

STEP_INLINE void energy_drift_look(void *self, const real *u, struct energy_look *look) {
    const struct energy_drift *step = self;
    const real h = step->drift.h, half = 0.5 * h, a = half * half, uu = three_dot(u, u);
    const real X[3] = {h * u[0], h * u[1], h * u[2]}, s = 1 / (1 + a * uu), U = step->at.U;
    real P[3], q[4], R[9], W[3], turned[3];
    body_new(&step->drift, 3, u, look->r, look->J);
    energy_drift_stretch(step, u, look->rx);
    walk_change(ROTATION_CAY, q, step->at.body.g.g, X);
    for (int i = 0; i < 4; i++) q[i] += step->at.body.g.g[i];
    rotation_along_quaternion(R, q, 2 / walk_square(q));
    const real U1 = energy_drift_force(step, R, W);
    body_momentum(&step->drift.mass, u, P);
    three_cross(turned, u, W);
    const real T = 0.5 * s * three_dot(u, P), less = 2 * a * T;
    const real size = 2 * T + 0.5 * (noe_abs(T - U) + noe_abs(T - U1));
    energy_body_balance(&step->at, T + 0.5 * (U + U1), size, look);
    for (int i = 0; i < 3; i++)
        look->Eu[i] = s * ((P[i] - less * u[i]) - half * (W[i] + half * turned[i]));
    look->Ex = -s * (less * uu + half * three_dot(W, u));
}

STEP_INLINE real energy_drift_bend(const void *self, const struct energy_look *look, const real *d,
                                   real *left) {
    const struct energy_drift *step = self;
    (void)look;
    return energy_body_bend(&step->drift.mass, step->drift.h, step->at.body.past, d, left);
}

STEP_INLINE void energy_drift_end(void *self, long k, const real *u, struct length *length,
                                  struct energy_clock *clock) {
    struct energy_drift *step = self;
    struct body *body = &step->at.body;
    const struct noe_space *space = interval_problem(step->interval)->system->factors->space;
    const real h = step->drift.h, half = 0.5 * h, U = step->at.U;
    const real X[3] = {h * u[0], h * u[1], h * u[2]}, s = 1 / (1 + half * half * three_dot(u, u));
    real R[9], P[3], dp[3];
    (void)length;
    rotation_coadjoint_change(ROTATION_CAY, dp, X, step->drift.m);
    for (int i = 0; i < 3; i++) dp[i] += half * body->W[i];
    walk_turn(space, ROTATION_CAY, &body->g, X, k);
    walk_point(space, &body->g, R);
    step->at.U = energy_drift_force(step, R, body->W);
    for (int i = 0; i < 3; i++) dp[i] += half * body->W[i];
    sum_add(3, body->p, body->carry, body->p, body->carry, dp);
    body_momentum(&step->drift.mass, u, P);
    clock->energy = 0.5 * s * three_dot(u, P) + 0.5 * (U + step->at.U);
    clock->gap = energy_body_hamiltonian(&step->at, &step->drift.mass) - clock->anchor;
}

static const struct energy_rule energy_drift_rule = {
    &body_quadratic,   energy_drift_energy, energy_drift_begin, energy_drift_set,
    energy_drift_look, energy_drift_bend,   energy_drift_end};

STEP_INLINE void energy_drift_probe(void *search, real h, real dx, truth where,
                                    struct length_trial *trial) {
    energy_few_probe(3, &energy_drift_rule, search, h, dx, where, trial);
}

/* The velocity of the last step is that of its u. */
STEP_INLINE noe_outcome energy_drift_run(struct noe_interval *interval, long count) {
    const struct noe_space *space = interval_problem(interval)->system->factors->space;
    struct energy_drift step = {.drift.tau = ROTATION_NEW, .interval = interval};
    body_mass_load(interval, &step.drift.mass);
    energy_body_load(&step.at, interval, &step.drift.mass);
    if (!interval->force_known) {
        real R[9];
        walk_point(space, &step.at.body.g, R);
        energy_drift_force(&step, R, step.at.body.W);
    }
    const noe_outcome outcome =
        energy_body_run(interval, count, &energy_drift_rule, energy_drift_probe, &step, &step.at);
    if (!interval->taken) return outcome;
    const real *u = step.at.body.past, half = 0.5 * interval->h;
    const real scale = 1 / noe_sqrt(1 + half * half * three_dot(u, u));
    for (int i = 0; i < 3; i++) interval->velocity[i] *= scale;
    return outcome;
}

noe_outcome energy_ray_kernel(struct noe_interval *interval, long count) {
    interval->reach = real_of(0);
    return few_steps(interval, count, energy_drift_run);
}
