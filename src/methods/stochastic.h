/* Methods for systems with noise: momenta are kicked at random between drifts. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_STOCHASTIC_H
#define METHODS_STOCHASTIC_H

#include "methods/bath.h"
#include "methods/chart.h"
#include "methods/drift.h"
#include "methods/interval.h"
#include "methods/noise.h"
#include "spaces/product.h"

/* Kernels of the two. */
noe_outcome stochastic_euler(struct noe_interval *interval, long count);
noe_outcome stochastic_baoab(struct noe_interval *interval, long count);

/* Is there a bath: friction or noise? */
static inline bool stochastic_has_bath(const struct noe_system *system) {
    return system->nnoises || !(system->traits & NOE_SEPARABLE);
}

/* One interval as these methods see it. */
struct stochastic_view {
    const struct noe_system *system, *self;
    const struct chart *chart;
    const struct legendre *legendre;
    int n, m, tau;
    real h, root;   /* root of h: what normal numbers are multiplied with */
    real *V, *X;    /* velocity and increment of a drift */
    real *mom, *dp; /* momentum of a drift, a sum of kicks */
    real *w, *P;    /* a force */
    real *rest;     /* no velocity: n zeros */
    real *dB;       /* m increments */
    real *D;        /* the system's blocks; only with a bath, as what follows */
    struct bath bath;
};

STEP_INLINE struct stochastic_view stochastic_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_system *system = problem->system;
    const int n = system->n, m = system->nnoises;
    struct stochastic_view at = {.system = system,
                                 .self = interval->problem->system,
                                 .chart = problem->chart,
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
    at.D = at.dB + m;
    at.bath = bath_carve(n, m, at.D + 4 * (size_t)system->nz);
    return at;
}

/* What stands before D. */
static inline size_t stochastic_plain_scratch(const struct noe_system *system) {
    return 7 * (size_t)system->n + (size_t)system->nnoises;
}

#endif
