/* The Hamiltonian of a system, H(q,p) = p.v - L(q,v) where p = L_v(q,v), and its forces. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_HAMILTONIAN_H
#define MECHANICS_HAMILTONIAN_H

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

/* Size of the workspace in reals. */
static inline size_t hamiltonian_scratch(const struct noe_problem *problem) {
    return 5 * (size_t)problem->system->n + 1 + 4 * (size_t)problem->system->nz;
}

/* The Hamiltonian at the midpoint of the step in time. Its workspace begins at `scratch`. */
REAL_INLINE struct hamiltonian hamiltonian_view(const struct noe_interval *interval,
                                                real *scratch) {
    const struct noe_system *system = interval_problem(interval)->system;
    const int n = system->n;
    return (struct hamiltonian){.system = system,
                                .self = interval->problem->system,
                                .legendre = interval->legendre,
                                .guess = interval->velocity,
                                .n = n,
                                .nz = (size_t)system->nz,
                                .t = interval_time(interval, 0.5),
                                .v = scratch,
                                .P = scratch + n,
                                .W = scratch + 2 * n,
                                .column = scratch + 3 * n,
                                .slope = scratch + 4 * n,
                                .D = scratch + 5 * n + 1};
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
