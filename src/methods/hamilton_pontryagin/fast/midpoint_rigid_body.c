/* The midpoint rule of one rigid body with the Cayley map, on the stack. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/fast/midpoint_rigid_body.h"

#include "methods/hamilton_pontryagin/midpoint.h"

/* Step k of a run. */
REAL_INLINE mask midpoint_turn_step(struct midpoint_turn *turn, const struct noe_space *space,
                                    long k, struct rigid_body *body) {
    real V[3], W[3];
    for (int i = 0; i < 3; i++) turn->p[i] = body->p[i];
    for (int i = 0; i < 4; i++) turn->q[i] = body->g.g[i];
    extrapolation_guess(3, body->past, V);
    const mask is_found = small_newton_solve(3, &midpoint_turn_newton, turn, NULL, body->past, V);
    extrapolation_record(3, body->past, V);
    midpoint_turn_force(turn, V, W, NULL, NULL);
    midpoint_turn_end(turn, space, k, V, W, body);
    return is_found;
}

static noe_lane_status midpoint_rigid_body_steps(struct noe_interval *interval, long count) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_space *space = problem->system->factors->space;
    struct midpoint_turn turn = {.interval = interval, .h = interval->h};
    struct rigid_body body;
    mask is_found = mask_broadcast(true);
    real t = interval->t;
    interval->retraction_load = real_broadcast(0);
    rigid_body_load(interval, 3, space, &body);
    rigid_body_mass_load(interval, &turn.mass);
    for (long k = interval->from->k; k < interval->from->k + count; k++) {
        turn.t = t + 0.5 * turn.h;
        is_found &= midpoint_turn_step(&turn, space, k, &body);
        t = interval->origin + (scalar)(k + 1) * turn.h;
    }
    const noe_lane_status outcome = rigid_body_status(&body, 3, is_found);
    if (rigid_body_has_failed(interval, count, outcome)) return outcome;
    rigid_body_store(interval, 3, space, &body, count);
    return outcome;
}

bool midpoint_is_rigid_body(const struct noe_problem *problem) {
    return (problem->system->traits & NOE_SEPARABLE) && problem->retraction == SO3_CAY &&
           rigid_body_is_rotation(problem->system);
}

const struct kernel midpoint_rigid_body_kernel = {
    .name = "rigid-body",
    .symbol = "midpoint_rigid_body_kernel",
    .source = "methods/hamilton_pontryagin/fast/midpoint_rigid_body.c",
    .serves = midpoint_is_rigid_body,
    .scratch = rigid_body_scratch,
    .steps = midpoint_rigid_body_steps,
};
