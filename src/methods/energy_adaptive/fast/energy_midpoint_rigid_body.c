/* The midpoint rule of one rigid body with the Cayley map and with step sizes that preserve the
 * discrete energy, on the stack.
 *
 * With y = hV/4 and Q as in hamilton_pontryagin/fast/midpoint_rigid_body.h,
 *     E = V.MV/2 + U(Q),   dU = -W.e,   e = (h/2) (dV + V dx - y cross dV)/(1 + y.y),   dx = dh/h.
 */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy.h"
#include "methods/energy_adaptive/fast/energy_rigid_body.h"
#include "methods/hamilton_pontryagin/fast/midpoint_rigid_body.h"
#include "methods/hamilton_pontryagin/midpoint.h"

/* A step. */
struct energy_rotation {
    struct midpoint_turn turn;
    struct energy_body at;
};

REAL_INLINE real energy_rotation_energy(void *self) {
    const struct energy_rotation *step = self;
    return energy_body_hamiltonian(&step->at, &step->turn.mass);
}

REAL_INLINE void energy_rotation_begin(void *self, const struct energy_run_state *clock) {
    struct energy_rotation *step = self;
    step->at.energy_target = clock->energy_target;
    step->at.energy_defect = clock->energy_defect;
    for (int i = 0; i < 3; i++) step->turn.p[i] = step->at.body.p[i];
    for (int i = 0; i < 4; i++) step->turn.q[i] = step->at.body.g.g[i];
}

REAL_INLINE void energy_rotation_set(void *self, real h) {
    struct energy_rotation *step = self;
    step->turn.h = h;
}

/* r_x = 2 y cross P + 4 (y.P) y - 2 y.y P - (h/2) (W + 2 y cross W + Z + y cross Z), with the
 * derivative Z = (h/2)/(1 + y.y) D V of W. */
REAL_INLINE void energy_rotation_stretch(const struct midpoint_turn *turn, const real *V,
                                         const real *y, const real *W, const real *Z, real *rx) {
    const real half = 0.5 * turn->h, yy = vec3_dot(y, y);
    real P[3], yP[3], sum[3], turned[3];
    rigid_body_momentum(&turn->mass, V, P);
    vec3_cross(yP, y, P);
    for (int i = 0; i < 3; i++) sum[i] = 2 * W[i] + Z[i];
    vec3_cross(turned, y, sum);
    const real along = 2 * vec3_dot(y, P);
    for (int i = 0; i < 3; i++)
        rx[i] = 2 * (yP[i] + along * y[i] - yy * P[i]) - half * ((W[i] + Z[i]) + turned[i]);
}

REAL_INLINE void energy_rotation_evaluate(void *self, const real *V,
                                          struct bordered_evaluation *values) {
    const struct energy_rotation *step = self;
    const struct midpoint_turn *turn = &step->turn;
    const real half = 0.5 * turn->h, quarter = 0.25 * turn->h;
    const real y[3] = {quarter * V[0], quarter * V[1], quarter * V[2]};
    const real factor = half / (1 + vec3_dot(y, y));
    real U, P[3], W[3], D[9], Z[3], turned[3];
    midpoint_turn_force(turn, V, W, D, &U);
    midpoint_turn_equation(turn, V, W, D, values->r, values->J);
    vec3_apply(Z, D, V);
    for (int i = 0; i < 3; i++) Z[i] *= factor;
    energy_rotation_stretch(turn, V, y, W, Z, values->rx);
    rigid_body_momentum(&turn->mass, V, P);
    vec3_cross(turned, y, W);
    const real T = 0.5 * vec3_dot(V, P);
    energy_body_equation(&step->at, T + U, 2 * T + noe_abs(T - U), values);
    for (int i = 0; i < 3; i++) values->Eu[i] = P[i] - factor * (W[i] + turned[i]);
    values->Ex = -factor * vec3_dot(W, V);
}

REAL_INLINE real energy_rotation_quadratic(const void *self,
                                           const struct bordered_evaluation *values, const real *d,
                                           real *left) {
    const struct energy_rotation *step = self;
    (void)values;
    return energy_body_quadratic(&step->turn.mass, step->turn.h, step->at.body.past, d, left);
}

REAL_INLINE void energy_rotation_end(void *self, long k, const real *V,
                                     struct step_size_search *length,
                                     struct energy_run_state *clock) {
    struct energy_rotation *step = self;
    const struct midpoint_turn *turn = &step->turn;
    const struct noe_space *space = interval_problem(turn->interval)->system->factors->space;
    real middle, W[3], P[3], R[9];
    (void)length;
    midpoint_turn_force(turn, V, W, NULL, &middle);
    midpoint_turn_end(turn, space, k, V, W, &step->at.body);
    group_accumulator_point(space, &step->at.body.g, R);
    step->at.U = rigid_body_potential(turn->interval, turn->t, R);
    rigid_body_momentum(&turn->mass, V, P);
    clock->energy = 0.5 * vec3_dot(V, P) + middle;
    clock->energy_defect = energy_body_hamiltonian(&step->at, &turn->mass) - clock->energy_target;
}

static const struct energy_rule energy_rotation_rule = {
    &midpoint_turn_newton,    energy_rotation_energy,    energy_rotation_begin, energy_rotation_set,
    energy_rotation_evaluate, energy_rotation_quadratic, energy_rotation_end};

REAL_INLINE void energy_rotation_probe(void *search, real h, real dx, mask where,
                                       struct step_trial *trial) {
    bordered_probe(3, &energy_rotation_rule, search, h, dx, where, trial);
}

static noe_lane_status energy_midpoint_steps(struct noe_interval *interval, long count) {
    struct energy_rotation step = {
        .turn = {.interval = interval, .t = interval->t}}; /* L does not depend on time */
    interval->retraction_load = real_broadcast(0);
    rigid_body_mass_load(interval, &step.turn.mass);
    energy_body_load(&step.at, interval, &step.turn.mass);
    return energy_body_run(interval, count, &energy_rotation_rule, energy_rotation_probe, &step,
                           &step.at);
}

static bool energy_midpoint_serves(const struct noe_problem *problem) {
    return midpoint_is_rigid_body(problem) && energy_is_conservative(problem->system);
}

const struct kernel energy_midpoint_kernel = {
    .name = "rigid-body",
    .symbol = "energy_midpoint_kernel",
    .source = "methods/energy_adaptive/fast/energy_midpoint_rigid_body.c",
    .serves = energy_midpoint_serves,
    .scratch = rigid_body_scratch,
    .steps = energy_midpoint_steps,
};
