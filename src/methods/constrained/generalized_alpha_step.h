/* The generalised-alpha method: functions, and view of an interval. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_GENERALIZED_ALPHA_STEP_H
#define METHODS_CONSTRAINED_GENERALIZED_ALPHA_STEP_H

#include "base/scratch.h"
#include "mechanics/block_product.h"
#include "mechanics/constraint_jacobian.h"
#include "methods/method.h"
#include "spaces/product.h"

struct alpha {
    scalar alpha_m, alpha_f, beta, gamma;
    bool is_central; /* the start uses central finite differences */
};

void alpha_initial_guess(struct noe_interval *interval, noe_real *u);
void alpha_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void alpha_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                    noe_real *values);
void alpha_update(struct noe_interval *interval, const noe_real *u);

struct alpha_view {
    const struct noe_system *system, *self;
    const struct lie_product *lie_product;
    const struct constraint_jacobian *constraint_jacobian; /* NULL if there are no constraints */
    const struct alpha *alpha;
    int n, m, tau;
    size_t nz;
    real h;
    real *a, *b;                  /* stored from step to step */
    real *v, *F;                  /* at the start; multipliers follow the velocity */
    real *X, *Q;                  /* increment h x, and end */
    real *v1, *a1, *b1, *P1, *F1; /* values at the end */
    real *sum, *rate, *ahead, *Fs;
    real *T, *D;
    real *c, *d; /* constraint functions and derivatives at the end */
};

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct alpha_view alpha_layout(struct scratch *scratch,
                                              const struct noe_problem *problem) {
    struct alpha_view at = {.system = problem->system,
                            .lie_product = problem->internals->lie_product,
                            .constraint_jacobian = problem->internals->constraint_jacobian,
                            .alpha = problem->internals->coefficients,
                            .n = problem->system->n,
                            .m = constraint_count(problem->system),
                            .tau = problem->retraction,
                            .nz = (size_t)problem->system->nz};
    real **const vectors[] = {&at.a,  &at.b,  &at.v,  &at.F,   &at.X,    &at.v1,    &at.a1,
                              &at.b1, &at.P1, &at.F1, &at.sum, &at.rate, &at.ahead, &at.Fs};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = scratch_reals(scratch, (size_t)(at.n + at.m));
    at.T = scratch_reals(scratch, (size_t)at.lie_product->square);
    at.D = scratch_reals(scratch, 4 * at.nz);
    at.Q = scratch_reals(scratch, (size_t)problem->np);
    at.c = scratch_reals(scratch, 3 * (size_t)at.m);
    at.d = scratch_reals(scratch, 2 * (size_t)problem->system->nzc);
    return at;
}

REAL_INLINE struct alpha_view alpha_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    struct alpha_view at = alpha_layout(&scratch, interval_problem(interval));
    at.self = interval->problem->system;
    at.h = interval->h;
    return at;
}

#endif
