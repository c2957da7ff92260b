/* The midpoint rule of one body that turns, by Cayley's map, in local numbers. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/fast/midpoint_rigid_body.h"

#include "methods/hamilton_pontryagin/midpoint.h"

/* Step k of a run. */
STEP_INLINE truth middle_turn_step(struct middle_turn *turn, const struct noe_space *space, long k,
                                   struct body *body) {
    real V[3], W[3];
    for (int i = 0; i < 3; i++) turn->p[i] = body->p[i];
    for (int i = 0; i < 4; i++) turn->q[i] = body->g.g[i];
    few_guess(3, body->past, V);
    const truth is_found = few_solve(3, &middle_few, turn, body->past, V);
    few_learn(3, body->past, V);
    middle_turn_force(turn, V, W, NULL, NULL);
    middle_turn_end(turn, space, k, V, W, body);
    return is_found;
}

/* `count` steps from `from` to `to`, unless one of several fails. */
STEP_INLINE noe_outcome middle_turn_run(struct noe_interval *interval, long count) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_space *space = problem->system->factors->space;
    struct middle_turn turn = {.interval = interval, .h = interval->h};
    struct body body;
    truth is_found = truth_of(true);
    real t = interval->t;
    body_load(interval, 3, space, &body);
    body_mass_load(interval, &turn.mass);
    for (long k = interval->from->k; k < interval->from->k + count; k++) {
        turn.t = t + 0.5 * turn.h;
        is_found &= middle_turn_step(&turn, space, k, &body);
        t = interval->origin + (scalar)(k + 1) * turn.h;
    }
    const noe_outcome outcome = body_outcome(&body, 3, is_found);
    if (body_has_failed(interval, count, outcome)) return outcome;
    body_store(interval, 3, space, &body, count);
    return outcome;
}

noe_outcome middle_kernel(struct noe_interval *interval, long count) {
    interval->reach = real_of(0);
    return few_steps(interval, count, middle_turn_run);
}
