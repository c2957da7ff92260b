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

static inline size_t collocation_scratch(const struct noe_problem *problem) {
    const size_t N = 2 * (size_t)problem->system->n;
    return hamiltonian_scratch(problem) + 3 * N + N * N;
}

REAL_INLINE struct collocation_view collocation_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const int n = problem->system->n;
    struct collocation_view at = {
        .n = n, .h = interval->h, .y = interval->scratch + hamiltonian_scratch(problem)};
    at.hamiltonian = hamiltonian_view(interval, interval->scratch);
    at.g = at.y + 2 * n;
    at.g1 = at.g + 2 * n;
    at.G = at.g1 + 2 * n;
    return at;
}

#endif
