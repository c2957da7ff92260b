/* One group that goes many steps in local numbers: momentum, point, and what the next step begins
 * with. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_FAST_RIGID_BODY_H
#define METHODS_FAST_RIGID_BODY_H

#include "mechanics/lie_product.h"
#include "methods/fast/small_newton.h"
#include "spaces/group_accumulator.h"

struct rigid_body {
    real p[SMALL_MAX], carry[SMALL_MAX];
    real W[SMALL_MAX]; /* a force that the next step needs, if the method keeps it */
    real past[SMALL_NEWTON_DEPTH * SMALL_MAX]; /* unknowns of the steps before */
    struct group_accumulator g;
};

/* Reals in the scratch that keep it from call to call. */
static inline size_t rigid_body_scratch(const struct noe_problem *problem) {
    return (size_t)((2 + SMALL_NEWTON_DEPTH) * problem->system->n + problem->np);
}

/* Is the system a single rotation? */
static inline bool rigid_body_is_rotation(const struct noe_system *system) {
    return system->nfactors == 1 && system->factors->space->is_rotation;
}

/* The constant mass of a single rotation. */
struct rigid_body_mass {
    bool is_diagonal;
    real M[9];
};

REAL_INLINE void rigid_body_mass_load(const struct noe_interval *interval,
                                      struct rigid_body_mass *mass) {
    const struct lie_product *lie_product = interval_problem(interval)->lie_product;
    mass->is_diagonal = legendre_is_diagonal(interval->legendre);
    lie_product_gather(lie_product, lie_product->block, 9, interval->legendre->blocks, mass->M);
}

/* P = M v. */
REAL_INLINE void rigid_body_momentum(const struct rigid_body_mass *mass, const real *v, real *P) {
    for (int i = 0; i < 3 && mass->is_diagonal; i++) P[i] = mass->M[4 * i] * v[i];
    if (!mass->is_diagonal) vec3_apply(P, mass->M, v);
}

/* Does M have the entry (i,j)? */
REAL_INLINE bool rigid_body_mass_has(const struct rigid_body_mass *mass, int i, int j) {
    return i == j || !mass->is_diagonal;
}

/* U where L = V.MV/2 - U(t,g). */
REAL_INLINE real rigid_body_potential(const struct noe_interval *interval, real t, const real *R) {
    const real still[3] = {real_broadcast(0), real_broadcast(0), real_broadcast(0)};
    const struct noe_system *system = interval_problem(interval)->system;
    return -interval_lagrangian(system, interval->problem->system, t, R, still);
}

/* At the interval's start; n numbers in a momentum. */
REAL_INLINE void rigid_body_load(const struct noe_interval *interval, int n,
                                 const struct noe_space *space, struct rigid_body *body) {
    const struct noe_state *from = interval->from;
    const real *kept = interval->scratch;
    for (int i = 0; i < n; i++) {
        body->p[i] = from->p[i];
        body->carry[i] = from->p_carry[i];
        body->W[i] = interval->has_previous_step ? kept[i] : real_broadcast(0);
    }
    if (!interval->has_previous_step) {
        small_newton_begin(n, body->past, interval->velocity);
        group_accumulator_begin(space, &body->g, from->q, from->q_carry);
        return;
    }
    for (int i = 0; i < SMALL_NEWTON_DEPTH * n; i++) body->past[i] = kept[n + i];
    group_accumulator_load(space, &body->g, kept + (1 + SMALL_NEWTON_DEPTH) * n);
}

/* At its end, `count` steps later. */
REAL_INLINE void rigid_body_store(struct noe_interval *interval, int n,
                                  const struct noe_space *space, const struct rigid_body *body,
                                  long count) {
    const struct noe_state *to = interval->to;
    real *kept = interval->scratch;
    for (int i = 0; i < n; i++) {
        to->p[i] = body->p[i];
        to->p_carry[i] = body->carry[i];
        kept[i] = body->W[i];
        interval->velocity[i] = body->past[i];
    }
    for (int i = 0; i < SMALL_NEWTON_DEPTH * n; i++) kept[n + i] = body->past[i];
    group_accumulator_store(space, &body->g, kept + (1 + SMALL_NEWTON_DEPTH) * n);
    group_accumulator_end(space, &body->g, to->q, to->q_carry);
    interval->has_previous_step = true;
    interval->taken = count;
    interval->t1 = interval->origin + (scalar)(interval->from->k + count) * interval->h;
}

/* What came of `count` steps; what is not finite stays so: one look at the end is enough. */
REAL_INLINE noe_lane_status rigid_body_status(const struct rigid_body *body, int n, mask is_found) {
    const mask is_finite = real_all_finite((size_t)n, body->p);
    const noe_lane_status outcome =
        lane_status_join(lane_status_broadcast(NOE_OK), mask_not(is_finite), NOE_NOT_FINITE);
    return lane_status_join(outcome, mask_not(is_found), NOE_NOT_CONVERGED);
}

/* Must a run of more than one step be taken again, for fewer? */
REAL_INLINE bool rigid_body_has_failed(const struct noe_interval *interval, long count,
                                       noe_lane_status outcome) {
    return count > 1 && mask_any(interval->is_active & (outcome != NOE_OK));
}

#endif
