/* Energy-momentum method by collocation. The unknowns are u = (X, F, a) with q1 = q + hX and p1 = p
 * + hF. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_PRESERVING_ENERGY_MOMENTUM_COLLOCATION_H
#define METHODS_ENERGY_PRESERVING_ENERGY_MOMENTUM_COLLOCATION_H

#include "methods/energy_preserving/discrete_gradient_step.h"

void collocation_initial_guess(struct noe_interval *interval, noe_real *u);
void collocation_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void collocation_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                          noe_real *values);
void collocation_update(struct noe_interval *interval, const noe_real *u);

/* View of an interval; y = (q,p) has 2n numbers. */
struct collocation_view {
    struct hamiltonian hamiltonian;
    int n;
    real h;
    real *y, *g, *g1; /* a point, and gradients inside and at the end */
    real *G;          /* Hessian inside */
};

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct collocation_view collocation_layout(struct scratch *scratch,
                                                          const struct noe_problem *problem) {
    struct collocation_view at = {.hamiltonian = hamiltonian_layout(scratch, problem),
                                  .n = problem->system->n};
    const size_t N = 2 * (size_t)at.n;
    at.y = scratch_reals(scratch, N);
    at.g = scratch_reals(scratch, N);
    at.g1 = scratch_reals(scratch, N);
    at.G = scratch_reals(scratch, N * N);
    return at;
}

REAL_INLINE struct collocation_view collocation_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    struct collocation_view at = collocation_layout(&scratch, interval_problem(interval));
    hamiltonian_place(&at.hamiltonian, interval);
    at.h = interval->h;
    return at;
}

#endif
