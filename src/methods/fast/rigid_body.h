/* One group that goes many steps in local numbers: momentum, point, and what the next step begins
 * with. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_BODY_H
#define METHODS_BODY_H

#include "mechanics/lie_product.h"
#include "methods/fast/small_newton.h"
#include "spaces/group_accumulator.h"

struct body {
    real p[SMALL_MAX], carry[SMALL_MAX];
    real W[SMALL_MAX];                /* a force that the next step needs, if the method keeps it */
    real past[FEW_DEPTH * SMALL_MAX]; /* unknowns of the steps before */
    struct walk g;
};

/* Reals in the scratch that keep it from call to call. */
static inline size_t body_scratch(const struct noe_problem *problem) {
    return (size_t)((2 + FEW_DEPTH) * problem->system->n + problem->np);
}

/* Is the system a single rotation? */
static inline bool body_is_rotation(const struct noe_system *system) {
    return system->nfactors == 1 && walk_is_rotation(system->factors->space);
}

/* The constant mass of a single rotation. */
struct body_mass {
    bool is_diagonal;
    real M[9];
};

STEP_INLINE void body_mass_load(const struct noe_interval *interval, struct body_mass *mass) {
    const struct chart *chart = interval_problem(interval)->chart;
    mass->is_diagonal = legendre_is_diagonal(interval->legendre);
    chart_gather(chart, chart->block, 9, interval->legendre->blocks, mass->M);
}

/* P = M v. */
STEP_INLINE void body_momentum(const struct body_mass *mass, const real *v, real *P) {
    for (int i = 0; i < 3 && mass->is_diagonal; i++) P[i] = mass->M[4 * i] * v[i];
    if (!mass->is_diagonal) three_apply(P, mass->M, v);
}

/* Does M have the entry (i,j)? */
STEP_INLINE bool body_mass_has(const struct body_mass *mass, int i, int j) {
    return i == j || !mass->is_diagonal;
}

/* U where L = V.MV/2 - U(t,g). */
STEP_INLINE real body_potential(const struct noe_interval *interval, real t, const real *R) {
    const real still[3] = {real_of(0), real_of(0), real_of(0)};
    const struct noe_system *system = interval_problem(interval)->system;
    return -interval_lagrangian(system, interval->problem->system, t, R, still);
}

/* At the interval's start; n numbers in a momentum. */
STEP_INLINE void body_load(const struct noe_interval *interval, int n,
                           const struct noe_space *space, struct body *body) {
    const struct noe_state *from = interval->from;
    const real *kept = interval->scratch;
    for (int i = 0; i < n; i++) {
        body->p[i] = from->p[i];
        body->carry[i] = from->p_carry[i];
        body->W[i] = interval->force_known ? kept[i] : real_of(0);
    }
    if (!interval->force_known) {
        few_begin(n, body->past, interval->velocity);
        walk_begin(space, &body->g, from->q, from->q_carry);
        return;
    }
    for (int i = 0; i < FEW_DEPTH * n; i++) body->past[i] = kept[n + i];
    walk_load(space, &body->g, kept + (1 + FEW_DEPTH) * n);
}

/* At its end, `count` steps later. */
STEP_INLINE void body_store(struct noe_interval *interval, int n, const struct noe_space *space,
                            const struct body *body, long count) {
    const struct noe_state *to = interval->to;
    real *kept = interval->scratch;
    for (int i = 0; i < n; i++) {
        to->p[i] = body->p[i];
        to->p_carry[i] = body->carry[i];
        kept[i] = body->W[i];
        interval->velocity[i] = body->past[i];
    }
    for (int i = 0; i < FEW_DEPTH * n; i++) kept[n + i] = body->past[i];
    walk_store(space, &body->g, kept + (1 + FEW_DEPTH) * n);
    walk_end(space, &body->g, to->q, to->q_carry);
    interval->force_known = true;
    interval->taken = count;
    interval->t1 = interval->origin + (scalar)(interval->from->k + count) * interval->h;
}

/* What came of `count` steps; what is not finite stays so: one look at the end is enough. */
STEP_INLINE noe_outcome body_outcome(const struct body *body, int n, truth is_found) {
    const truth is_finite = real_all_finite((size_t)n, body->p);
    const noe_outcome outcome =
        outcome_join(outcome_of(NOE_OK), truth_not(is_finite), NOE_NOT_FINITE);
    return outcome_join(outcome, truth_not(is_found), NOE_NOT_CONVERGED);
}

/* Must a run of more than one step be taken again, for fewer? */
STEP_INLINE bool body_has_failed(const struct noe_interval *interval, long count,
                                 noe_outcome outcome) {
    return count > 1 && truth_any(interval->is_active & (outcome != NOE_OK));
}

#endif
