/* The energy equation of a step, which determines the step size if it is an unknown. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_ADAPTIVE_DISCRETE_ENERGY_H
#define METHODS_ENERGY_ADAPTIVE_DISCRETE_ENERGY_H

#include "base/scratch.h"
#include "mechanics/interval.h"
#include "methods/method.h"

/* On R^n without cancellation, on groups by differences of energies. */
extern const struct energy_equation energy_of_stages;
extern const struct energy_equation energy_of_group_stages, energy_of_midpoint, energy_of_endpoint;
/* Like energy_of_endpoint, with the step size found after the increments (one pass). */
extern const struct energy_equation energy_of_endpoint_onepass;

/* Kernels for systems without forces besides L and without time, which find the step size on the
 * stack: one rotation by either rule, and a few coordinates by the midpoint rule. */
extern const struct kernel energy_endpoint_kernel, energy_midpoint_kernel, energy_vector_kernel;

/* True if L = v.Mv/2 - U(q), without forces. */
static inline bool energy_is_conservative(const struct noe_system *system) {
    const unsigned needed = NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED;
    return (system->traits & needed) == needed;
}

/* Workspace of these functions, behind that of the family. */
struct energy_view {
    real *q, *p, *v;       /* point on the line to an end */
    real *dq, *dp;         /* direction of the line */
    real *here, *gradient; /* L_q and L_t at a stage, and on the line */
};

SCRATCH_INLINE struct energy_view energy_layout(struct scratch *scratch,
                                                const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n;
    struct energy_view at = {.here = scratch_reals(scratch, n + 1)};
    at.gradient = scratch_reals(scratch, n + 1);
    at.p = scratch_reals(scratch, n);
    at.v = scratch_reals(scratch, n);
    at.dq = scratch_reals(scratch, n);
    at.dp = scratch_reals(scratch, n);
    at.q = scratch_reals(scratch, (size_t)problem->np);
    return at;
}

REAL_INLINE size_t energy_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    energy_layout(&scratch, problem);
    return scratch.count;
}

/* It ends the scratch, whatever the family. */
REAL_INLINE struct energy_view energy_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const size_t first = problem->internals->nscratch - energy_scratch(problem);
    struct scratch scratch = scratch_carve(interval->scratch + first);
    return energy_layout(&scratch, problem);
}

/* The energy of (q,p) at the end, and the size of its terms. NaN if the velocity does not exist. */
REAL_INLINE real energy_at_end(struct noe_interval *interval, real *size) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    const struct noe_state *to = interval->to;
    const struct energy_view at = energy_view(interval);
    for (int k = 0; k < system->n; k++) at.v[k] = interval->velocity[k];
    const noe_lane_status outcome =
        legendre_velocity(interval->legendre, interval->t1, to->q, to->p, at.v);
    const real L = system->lagrangian(self, interval->t1, to->q, at.v);
    real energy = -L;
    *size = noe_abs(L);
    for (int k = 0; k < system->n; k++) {
        energy += to->p[k] * at.v[k];
        *size += noe_abs(to->p[k] * at.v[k]);
    }
    return real_select(outcome == NOE_OK, energy, real_broadcast(NAN));
}

#endif
