/* The energy equation of a step, which determines the step size if it is an unknown. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_ADAPTIVE_DISCRETE_ENERGY_H
#define METHODS_ENERGY_ADAPTIVE_DISCRETE_ENERGY_H

#include "mechanics/interval.h"
#include "methods/method.h"

/* On R^n without cancellation, on groups by differences of energies. */
extern const struct noe_energy_equation energy_of_stages;
extern const struct noe_energy_equation energy_of_group_stages, energy_of_midpoint,
    energy_of_endpoint;
/* Like energy_of_endpoint, with the step size found after the increments (one pass). */
extern const struct noe_energy_equation energy_of_endpoint_onepass;

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

REAL_INLINE struct energy_view energy_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const int n = problem->system->n;
    struct energy_view at;
    at.here = interval->scratch + problem->nscratch - (6 * n + 2 + problem->np);
    at.gradient = at.here + n + 1;
    at.p = at.gradient + n + 1;
    at.v = at.p + n;
    at.dq = at.v + n;
    at.dp = at.dq + n;
    at.q = at.dp + n;
    return at;
}

static inline size_t energy_scratch(const struct noe_problem *problem) {
    return (size_t)(6 * problem->system->n + 2 + problem->np);
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
