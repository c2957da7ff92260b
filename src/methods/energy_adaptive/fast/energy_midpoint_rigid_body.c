/* The midpoint rule of one body that turns, by Cayley's map, with lengths that keep the discrete
 * energy, in local numbers.
 *
 * With y = hV/4 and Q as in middle_body.h,
 *     E = V.MV/2 + U(Q),   dU = -W.e,   e = (h/2) (dV + V dx - y cross dV)/(1 + y.y),   dx = dh/h.
 */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy.h"
#include "methods/energy_adaptive/fast/energy_rigid_body.h"
#include "methods/hamilton_pontryagin/fast/midpoint_rigid_body.h"

/* A step. */
struct energy_turn {
    struct middle_turn turn;
    struct energy_body at;
};

STEP_INLINE real energy_turn_energy(void *self) {
    const struct energy_turn *step = self;
    return energy_body_hamiltonian(&step->at, &step->turn.mass);
}

STEP_INLINE void energy_turn_begin(void *self, const struct energy_clock *clock) {
    struct energy_turn *step = self;
    step->at.anchor = clock->anchor;
    step->at.gap = clock->gap;
    for (int i = 0; i < 3; i++) step->turn.p[i] = step->at.body.p[i];
    for (int i = 0; i < 4; i++) step->turn.q[i] = step->at.body.g.g[i];
}

STEP_INLINE void energy_turn_set(void *self, real h) {
    struct energy_turn *step = self;
    step->turn.h = h;
}

/* r_x = 2 y cross P + 4 (y.P) y - 2 y.y P - (h/2) (W + 2 y cross W + Z + y cross Z), where
 * Z = (h/2)/(1 + y.y) D V is how W changes. */
STEP_INLINE void energy_turn_stretch(const struct middle_turn *turn, const real *V, const real *y,
                                     const real *W, const real *Z, real *rx) {
    const real half = 0.5 * turn->h, yy = three_dot(y, y);
    real P[3], yP[3], sum[3], turned[3];
    body_momentum(&turn->mass, V, P);
    three_cross(yP, y, P);
    for (int i = 0; i < 3; i++) sum[i] = 2 * W[i] + Z[i];
    three_cross(turned, y, sum);
    const real along = 2 * three_dot(y, P);
    for (int i = 0; i < 3; i++)
        rx[i] = 2 * (yP[i] + along * y[i] - yy * P[i]) - half * ((W[i] + Z[i]) + turned[i]);
}

STEP_INLINE void energy_turn_look(void *self, const real *V, struct energy_look *look) {
    const struct energy_turn *step = self;
    const struct middle_turn *turn = &step->turn;
    const real half = 0.5 * turn->h, quarter = 0.25 * turn->h;
    const real y[3] = {quarter * V[0], quarter * V[1], quarter * V[2]};
    const real factor = half / (1 + three_dot(y, y));
    real U, P[3], W[3], D[9], Z[3], turned[3];
    middle_turn_force(turn, V, W, D, &U);
    middle_turn_equation(turn, V, W, D, look->r, look->J);
    three_apply(Z, D, V);
    for (int i = 0; i < 3; i++) Z[i] *= factor;
    energy_turn_stretch(turn, V, y, W, Z, look->rx);
    body_momentum(&turn->mass, V, P);
    three_cross(turned, y, W);
    const real T = 0.5 * three_dot(V, P);
    energy_body_balance(&step->at, T + U, 2 * T + noe_abs(T - U), look);
    for (int i = 0; i < 3; i++) look->Eu[i] = P[i] - factor * (W[i] + turned[i]);
    look->Ex = -factor * three_dot(W, V);
}

STEP_INLINE real energy_turn_bend(const void *self, const struct energy_look *look, const real *d,
                                  real *left) {
    const struct energy_turn *step = self;
    (void)look;
    return energy_body_bend(&step->turn.mass, step->turn.h, step->at.body.past, d, left);
}

STEP_INLINE void energy_turn_end(void *self, long k, const real *V, struct length *length,
                                 struct energy_clock *clock) {
    struct energy_turn *step = self;
    const struct middle_turn *turn = &step->turn;
    const struct noe_space *space = interval_problem(turn->interval)->system->factors->space;
    real middle, W[3], P[3], R[9];
    (void)length;
    middle_turn_force(turn, V, W, NULL, &middle);
    middle_turn_end(turn, space, k, V, W, &step->at.body);
    walk_point(space, &step->at.body.g, R);
    step->at.U = body_potential(turn->interval, turn->t, R);
    body_momentum(&turn->mass, V, P);
    clock->energy = 0.5 * three_dot(V, P) + middle;
    clock->gap = energy_body_hamiltonian(&step->at, &turn->mass) - clock->anchor;
}

static const struct energy_rule energy_turn_rule = {
    &middle_few,      energy_turn_energy, energy_turn_begin, energy_turn_set,
    energy_turn_look, energy_turn_bend,   energy_turn_end};

STEP_INLINE void energy_turn_probe(void *search, real h, real dx, truth where,
                                   struct length_trial *trial) {
    energy_few_probe(3, &energy_turn_rule, search, h, dx, where, trial);
}

STEP_INLINE noe_outcome energy_turn_run(struct noe_interval *interval, long count) {
    struct energy_turn step = {.turn = {.interval = interval, .t = interval->t}}; /* no time in L */
    body_mass_load(interval, &step.turn.mass);
    energy_body_load(&step.at, interval, &step.turn.mass);
    return energy_body_run(interval, count, &energy_turn_rule, energy_turn_probe, &step, &step.at);
}

noe_outcome energy_middle_kernel(struct noe_interval *interval, long count) {
    interval->reach = real_of(0);
    return few_steps(interval, count, energy_turn_run);
}
