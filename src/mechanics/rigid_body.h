/* A single group factor over many steps per call, on the stack: momentum, group element, and the
 * data that the next step begins with. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_RIGID_BODY_H
#define MECHANICS_RIGID_BODY_H

#include "mechanics/lie_product.h"
#include "mechanics/small_newton.h"
#include "spaces/group_accumulator.h"

struct rigid_body {
    real p[SMALL_MAX], carry[SMALL_MAX];
    real W[SMALL_MAX]; /* force for the next step, if the method stores it */
    real past[EXTRAPOLATION_DEPTH * SMALL_MAX]; /* unknowns of earlier steps */
    struct group_accumulator g;
};

/* The part that the scratch stores from call to call. It begins where the arrays of the residual
 * do, because a step uses one of them. */
struct rigid_body_memory {
    real *W, *past, *g;
};

SCRATCH_INLINE struct rigid_body_memory rigid_body_layout(struct scratch *scratch, size_t n,
                                                          size_t np) {
    struct rigid_body_memory memory = {.W = scratch_reals(scratch, n)};
    memory.past = scratch_reals(scratch, EXTRAPOLATION_DEPTH * n);
    memory.g = scratch_reals(scratch, n + np);
    return memory;
}

static inline size_t rigid_body_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    rigid_body_layout(&scratch, (size_t)problem->system->n, (size_t)problem->np);
    return scratch.count;
}

REAL_INLINE struct rigid_body_memory rigid_body_memory(const struct noe_interval *interval, int n) {
    struct scratch scratch = scratch_carve(interval->scratch);
    return rigid_body_layout(&scratch, (size_t)n, (size_t)interval_problem(interval)->np);
}

/* True if the system is a single rotation. */
static inline bool rigid_body_is_rotation(const struct noe_system *system) {
    return system->nfactors == 1 && system->factors->space->kind.is_rotation;
}

/* The constant mass matrix of a single rotation. */
struct rigid_body_mass {
    bool is_diagonal;
    real M[9];
};

REAL_INLINE void rigid_body_mass_load(const struct noe_interval *interval,
                                      struct rigid_body_mass *mass) {
    const struct lie_product *lie_product = interval_problem(interval)->internals->lie_product;
    mass->is_diagonal = legendre_is_diagonal(interval->legendre);
    lie_product_gather(lie_product, lie_product->block, 9, interval->legendre->blocks, mass->M);
}

/* P = M v. */
REAL_INLINE void rigid_body_momentum(const struct rigid_body_mass *mass, const real *v, real *P) {
    for (int i = 0; i < 3 && mass->is_diagonal; i++) P[i] = mass->M[4 * i] * v[i];
    if (!mass->is_diagonal) vec3_apply(P, mass->M, v);
}

/* True if M has the entry (i,j). */
REAL_INLINE bool rigid_body_mass_has(const struct rigid_body_mass *mass, int i, int j) {
    return i == j || !mass->is_diagonal;
}

/* The potential U of L = V.MV/2 - U(t,g). */
REAL_INLINE real rigid_body_potential(const struct noe_interval *interval, real t, const real *R) {
    const real still[3] = {real_broadcast(0), real_broadcast(0), real_broadcast(0)};
    const struct noe_system *system = interval_problem(interval)->system;
    return -interval_lagrangian(system, interval->problem->system, t, R, still);
}

/* Loads the state at the start of the interval; momenta have n numbers. */
REAL_INLINE void rigid_body_load(const struct noe_interval *interval, int n,
                                 const struct noe_space *space, struct rigid_body *body) {
    const struct noe_state *from = interval->from;
    const struct rigid_body_memory memory = rigid_body_memory(interval, n);
    for (int i = 0; i < n; i++) {
        body->p[i] = from->p[i];
        body->carry[i] = from->p_carry[i];
        body->W[i] = interval->has_previous_step ? memory.W[i] : real_broadcast(0);
    }
    if (!interval->has_previous_step) {
        extrapolation_begin(n, body->past, interval->velocity);
        group_accumulator_begin(space, &body->g, from->q, from->q_carry);
        return;
    }
    for (int i = 0; i < EXTRAPOLATION_DEPTH * n; i++) body->past[i] = memory.past[i];
    group_accumulator_load(space, &body->g, memory.g);
}

/* Stores the state at the end, after `count` steps. */
REAL_INLINE void rigid_body_store(struct noe_interval *interval, int n,
                                  const struct noe_space *space, const struct rigid_body *body,
                                  long count) {
    const struct noe_state *to = interval->to;
    const struct rigid_body_memory memory = rigid_body_memory(interval, n);
    for (int i = 0; i < n; i++) {
        to->p[i] = body->p[i];
        to->p_carry[i] = body->carry[i];
        memory.W[i] = body->W[i];
        interval->velocity[i] = body->past[i];
    }
    for (int i = 0; i < EXTRAPOLATION_DEPTH * n; i++) memory.past[i] = body->past[i];
    group_accumulator_store(space, &body->g, memory.g);
    group_accumulator_end(space, &body->g, to->q, to->q_carry);
    interval->has_previous_step = true;
    interval->taken = count;
    interval->t1 = interval->origin + (scalar)(interval->from->k + count) * interval->h;
}

/* Status of the steps. NaN and infinity propagate, so one check after the last step suffices. */
REAL_INLINE noe_lane_status rigid_body_status(const struct rigid_body *body, int n, mask is_found) {
    const mask is_finite = real_all_finite((size_t)n, body->p);
    const noe_lane_status outcome =
        lane_status_join(lane_status_broadcast(NOE_OK), mask_not(is_finite), NOE_NOT_FINITE);
    return lane_status_join(outcome, mask_not(is_found), NOE_NOT_CONVERGED);
}

/* True if one of several steps failed, so that fewer must be taken. */
REAL_INLINE bool rigid_body_has_failed(const struct noe_interval *interval, long count,
                                       noe_lane_status outcome) {
    return count > 1 && mask_any(interval->is_active & (outcome != NOE_OK));
}

#endif
