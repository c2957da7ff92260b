/* The midpoint rule with holonomic constraints: view of an interval. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_MIDPOINT_CONSTRAINED_H
#define METHODS_CONSTRAINED_MIDPOINT_CONSTRAINED_H

#include "methods/hamilton_pontryagin/midpoint.h"

/* Data in addition to the rule without constraints. */
struct middle_joint {
    const struct constraint_jacobian *constraint_jacobian;
    int n, m;
    real *p, *kick;    /* momentum after the constraint force, and the constraint force */
    real *v;           /* V, followed by zero multipliers */
    real *Q1, *c, *d;  /* the end, and its constraints with derivatives */
    real *start, *end; /* g_q at start and end, in their frames */
    real *M, *other;   /* matrices of the factors */
    /* For the tangent map: the system at the start with and without constraint forces, and a
     * tangent vector. */
    real *P, *W, *D, *free, *dz;
};

REAL_INLINE struct middle_joint middle_joint(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_system *system = problem->system;
    struct middle_joint at = {.constraint_jacobian = problem->constraint_jacobian,
                              .n = system->n,
                              .m = constraint_count(system)};
    at.p = interval->scratch + midpoint_scratch(problem);
    at.kick = at.p + at.n;
    at.v = at.kick + at.n;
    at.c = at.v + at.n + at.m;
    at.Q1 = at.c + 3 * at.m;
    at.d = at.Q1 + problem->np;
    at.start = at.d + 2 * system->nzc;
    at.end = at.start + at.constraint_jacobian->nz;
    at.M = at.end + at.constraint_jacobian->nz;
    at.other = at.M + problem->lie_product->square;
    at.P = at.other + problem->lie_product->square;
    at.W = at.P + at.n;
    at.D = at.W + at.n;
    at.free = at.D + 4 * system->nz;
    at.dz = at.free + 4 * system->nz;
    return at;
}

#endif
