/* Stochastic variational integrators: random kicks of the momentum between drifts. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_STOCHASTIC_STOCHASTIC_H
#define METHODS_STOCHASTIC_STOCHASTIC_H

#include "mechanics/brownian.h"
#include "mechanics/interval.h"
#include "mechanics/lie_product.h"
#include "methods/hamilton_pontryagin/free_motion.h"
#include "methods/method.h"
#include "methods/stochastic/ornstein_uhlenbeck.h"
#include "spaces/product.h"

/* Kernels of stochastic-euler and stochastic-baoab. */
extern const struct kernel stochastic_euler_kernel, stochastic_baoab_kernel;

/* Residual form of stochastic-euler. */
void stochastic_initial_guess(struct noe_interval *interval, noe_real *u);
void stochastic_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void stochastic_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                         noe_real *values);
void stochastic_update(struct noe_interval *interval, const noe_real *u);

/* True if a step consists of kicks and drifts that are uncoupled between factors. */
static inline bool stochastic_is_direct(const struct noe_system *system) {
    return (system->traits & (NOE_SEPARABLE | NOE_DAMPED)) &&
           (!system->factors || system->traits & NOE_BLOCK_MASS);
}

/* True if the system has friction or noise (a heat bath). */
static inline bool stochastic_has_bath(const struct noe_system *system) {
    return system->nnoises || !(system->traits & NOE_SEPARABLE);
}

/* View of an interval. */
struct stochastic_view {
    const struct noe_system *system, *self;
    const struct lie_product *lie_product;
    const struct legendre *legendre;
    int n, m, tau;
    real h, root;                   /* square root of h, the factor of normal numbers */
    real *V, *X;                    /* velocity and increment of a drift */
    real *mom, *dp;                 /* momentum of a drift, and sum of kicks */
    real *w, *P;                    /* force and momentum */
    real *rest;                     /* n zeros (zero velocity) */
    real *dB;                       /* m Brownian increments */
    real *b;                        /* noise matrix, n x m */
    real *D;                        /* derivative blocks of the system, if the step needs them */
    real *K;                        /* n x n, or n + 1 numbers, of the residual form */
    struct ornstein_uhlenbeck bath; /* heat bath */
};

/* The arrays of a step: those of kicks and drifts, and those of the residual form or the heat bath.
 */
enum stochastic_arrays { STOCHASTIC_PLAIN, STOCHASTIC_RESIDUAL, STOCHASTIC_BATH };

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct stochastic_view stochastic_layout(struct scratch *scratch,
                                                        const struct noe_problem *problem,
                                                        enum stochastic_arrays arrays) {
    const struct noe_system *system = problem->system;
    struct stochastic_view at = {.system = system,
                                 .lie_product = problem->internals->lie_product,
                                 .n = system->n,
                                 .m = system->nnoises,
                                 .tau = problem->retraction};
    const size_t n = (size_t)at.n, m = (size_t)at.m;
    at.V = scratch_reals(scratch, n);
    at.X = scratch_reals(scratch, n);
    at.mom = scratch_reals(scratch, n);
    at.dp = scratch_reals(scratch, n);
    at.w = scratch_reals(scratch, n);
    at.P = scratch_reals(scratch, n);
    at.rest = scratch_reals(scratch, n);
    at.dB = scratch_reals(scratch, m);
    at.b = scratch_reals(scratch, n * m);
    if (arrays != STOCHASTIC_PLAIN) at.D = scratch_reals(scratch, 4 * (size_t)system->nz);
    if (arrays == STOCHASTIC_RESIDUAL) at.K = scratch_reals(scratch, n * n + 1);
    if (arrays == STOCHASTIC_BATH) at.bath = ornstein_uhlenbeck_layout(scratch, at.n, at.m);
    at.bath.b = at.b;
    return at;
}

REAL_INLINE struct stochastic_view stochastic_view(const struct noe_interval *interval,
                                                   enum stochastic_arrays arrays) {
    struct scratch scratch = scratch_carve(interval->scratch);
    struct stochastic_view at = stochastic_layout(&scratch, interval_problem(interval), arrays);
    at.self = interval->problem->system;
    at.legendre = interval->legendre;
    at.h = interval->h;
    at.root = noe_sqrt(interval->h);
    return at;
}

/* The arrays of stochastic-baoab. */
static inline enum stochastic_arrays stochastic_baoab_arrays(const struct noe_system *system) {
    return stochastic_has_bath(system) ? STOCHASTIC_BATH : STOCHASTIC_PLAIN;
}

/* Draws the Brownian increments of step k. */
REAL_INLINE void stochastic_draw(const struct noe_interval *interval,
                                 const struct stochastic_view *at, long k) {
    noise_draw(interval, k);
    for (int j = 0; j < at->m; j++) at->dB[j] = at->root * interval->normal[j];
}

#endif
