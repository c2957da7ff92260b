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

REAL_INLINE struct stochastic_view stochastic_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_system *system = problem->system;
    const int n = system->n, m = system->nnoises;
    struct stochastic_view at = {.system = system,
                                 .self = interval->problem->system,
                                 .lie_product = problem->lie_product,
                                 .legendre = interval->legendre,
                                 .n = n,
                                 .m = m,
                                 .tau = problem->retraction,
                                 .h = interval->h,
                                 .root = noe_sqrt(interval->h)};
    at.V = interval->scratch;
    at.X = at.V + n;
    at.mom = at.X + n;
    at.dp = at.mom + n;
    at.w = at.dp + n;
    at.P = at.w + n;
    at.rest = at.P + n;
    at.dB = at.rest + n;
    at.b = at.dB + m;
    at.D = at.b + n * m;
    at.K = at.D + 4 * (size_t)system->nz;
    at.bath = ornstein_uhlenbeck_carve(n, m, at.b, at.K);
    return at;
}

/* Size of the workspace before D. */
static inline size_t stochastic_plain_scratch(const struct noe_system *system) {
    const size_t n = (size_t)system->n, m = (size_t)system->nnoises;
    return 7 * n + m + n * m;
}

/* Draws the Brownian increments of step k. */
REAL_INLINE void stochastic_draw(const struct noe_interval *interval,
                                 const struct stochastic_view *at, long k) {
    noise_draw(interval, k);
    for (int j = 0; j < at->m; j++) at->dB[j] = at->root * interval->normal[j];
}

#endif
