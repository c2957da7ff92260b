/* The midpoint rule with holonomic constraints: view of an interval. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_MIDPOINT_CONSTRAINED_H
#define METHODS_CONSTRAINED_MIDPOINT_CONSTRAINED_H

#include "methods/hamilton_pontryagin/midpoint.h"

/* Data in addition to the rule without constraints. */
struct middle_joint {
    const struct constraint_jacobian *constraint_jacobian;
    int n, m;
    real *p, *kick;   /* momentum after the constraint force, and the constraint force */
    real *v;          /* V, followed by zero multipliers */
    real *Q1, *c, *d; /* the end, and its constraints with derivatives */
    real *start;      /* g_q at the start, in its frame */
    real *M, *other;  /* matrices of the factors */
    real *end_v;      /* velocity at the end */
    real *u, *mu;     /* reactions after the start, and before the end: the projected part */
    /* For the tangent map: the system at the start with and without constraint forces, and a
     * tangent vector; and the momentum at the end. */
    real *P, *W, *D, *free, *dz, *kept;
};

/* Layout behind the arrays of the rule without constraints. */
SCRATCH_INLINE struct middle_joint middle_joint_layout(struct scratch *scratch,
                                                       const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    struct middle_joint at = {.constraint_jacobian = problem->internals->constraint_jacobian,
                              .n = system->n,
                              .m = constraint_count(system)};
    const size_t n = (size_t)at.n, m = (size_t)at.m, nz = (size_t)system->nz;
    const size_t square = (size_t)problem->internals->lie_product->square;
    midpoint_layout(scratch, problem);
    at.p = scratch_reals(scratch, n);
    at.kick = scratch_reals(scratch, n);
    at.v = scratch_reals(scratch, n + m);
    at.c = scratch_reals(scratch, 3 * m);
    at.Q1 = scratch_reals(scratch, (size_t)problem->np);
    at.d = scratch_reals(scratch, 2 * (size_t)system->nzc);
    at.start = scratch_reals(scratch, (size_t)at.constraint_jacobian->nz);
    at.M = scratch_reals(scratch, square);
    at.other = scratch_reals(scratch, square);
    at.P = scratch_reals(scratch, n);
    at.W = scratch_reals(scratch, n);
    at.D = scratch_reals(scratch, 4 * nz);
    at.free = scratch_reals(scratch, 4 * nz);
    at.dz = scratch_reals(scratch, 2 * n);
    at.end_v = scratch_reals(scratch, n);
    at.mu = scratch_reals(scratch, m);
    at.u = scratch_reals(scratch, m);
    at.kept = scratch_reals(scratch, n);
    return at;
}

REAL_INLINE struct middle_joint middle_joint(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    return middle_joint_layout(&scratch, interval_problem(interval));
}

#endif
