/* The energy balance of a step: what decides its length where that is an unknown. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_H
#define METHODS_ENERGY_H

#include "methods/middle.h"
#include "methods/prk.h"
#include "methods/ray.h"

/* On R^n, without cancellation; on groups by differences of energies. */
extern const struct noe_balance energy_of_stages;
extern const struct noe_balance energy_of_group_stages, energy_of_middle, energy_of_ray;
/* As energy_of_ray, with the length found after the increments. */
extern const struct noe_balance energy_of_ray_onepass;

/* What these hooks work in, behind the scratch of the family: points and tangents. */
struct energy_view {
    real *q, *p, *v;       /* on the way to an end */
    real *dq, *dp;         /* the way */
    real *here, *gradient; /* L_q and L_t at a stage, and on the way */
};

STEP_INLINE struct energy_view energy_view(const struct noe_interval *interval) {
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

#endif
