/* The Hamiltonian of a system, H(q,p) = p.v - L(q,v) where p = L_v(q,v), and its forces. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_HAMILTONIAN_H
#define MECHANICS_HAMILTONIAN_H

#include "base/scratch.h"
#include "mechanics/block_product.h"
#include "mechanics/interval.h"

/* Workspace of an evaluation. */
struct hamiltonian {
    const struct noe_system *system, *self;
    struct legendre *legendre;
    const real *guess; /* initial guess of the velocity */
    int n;
    size_t nz;
    real t;
    real *v, *P, *W, *D; /* at the last evaluated point */
    real *column;        /* workspace of n numbers */
    real *slope;         /* L_q and L_t if there are forces */
};

/* Layout of the workspace, without the data of an interval. */
SCRATCH_INLINE struct hamiltonian hamiltonian_layout(struct scratch *scratch,
                                                     const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const size_t n = (size_t)system->n;
    struct hamiltonian at = {.system = system, .n = system->n, .nz = (size_t)system->nz};
    at.v = scratch_reals(scratch, n);
    at.P = scratch_reals(scratch, n);
    at.W = scratch_reals(scratch, n);
    at.column = scratch_reals(scratch, n);
    at.slope = scratch_reals(scratch, n + 1);
    at.D = scratch_reals(scratch, 4 * at.nz);
    return at;
}

/* Adds the data of an interval: the Hamiltonian at the midpoint of the step in time. */
REAL_INLINE void hamiltonian_place(struct hamiltonian *at, const struct noe_interval *interval) {
    at->self = interval->problem->system;
    at->legendre = interval->legendre;
    at->guess = interval->velocity;
    at->t = interval_time(interval, 0.5);
}

/* Below y = (q,p) is one array of 2n numbers. Results are not finite if no velocity has this
 * momentum. */

REAL_INLINE bool hamiltonian_has_forces(const struct hamiltonian *at) {
    return !(at->system->traits & NOE_UNFORCED);
}

/* x <- L_vv^-1 x with the last factorised mass matrix. */
REAL_INLINE void hamiltonian_solve(const struct hamiltonian *at, real *x) {
    if (at->system->traits & NOE_CONSTANT_MASS)
        legendre_solve(at->legendre, x);
    else
        linear_solve(&at->legendre->mass, at->n, x);
}

/* H(y) and, if g is not NULL, its gradient g = (-L_q, v). */
real hamiltonian_value(const struct hamiltonian *at, const real *y, real *g);
/* The gradient minus the force, x = (-W, v), and its derivative G, 2n x 2n row by row. Without
 * forces G is the Hessian of H. G may be NULL. */
void hamiltonian_field(const struct hamiltonian *at, const real *y, real *x, real *G);

#endif
