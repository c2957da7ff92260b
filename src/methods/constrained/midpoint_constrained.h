/* The midpoint rule with holonomic constraints: one interval as it sees it. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_MIDPOINT_CONSTRAINED_H
#define METHODS_CONSTRAINED_MIDPOINT_CONSTRAINED_H

#include "methods/hamilton_pontryagin/midpoint.h"

/* What the rule without constraints does not have. */
struct middle_joint {
    const struct constraint_jacobian *constraint_jacobian;
    int n, m;
    real *p, *kick;    /* the momentum behind the reaction, and that */
    real *v;           /* V, with multipliers that are zero */
    real *Q1, *c, *d;  /* the end, and its constraints with derivatives */
    real *start, *end; /* g_q at both, in the frames there */
    real *M, *other;   /* matrices of pieces */
    /* For the derivative of a step: of the system at the start, with reactions and without; a
     * variation of the state. */
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
