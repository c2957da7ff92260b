/* One velocity a step and one point in its middle, on products of groups and R^n. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_MIDDLE_H
#define METHODS_MIDDLE_H

#include "mechanics/interval.h"
#include "mechanics/block_product.h"
#include "mechanics/constraint_jacobian.h"
#include "spaces/product.h"

enum noe_status middle_prepare(struct noe_problem *problem, struct noe_error *error);
int middle_pattern(const struct noe_problem *problem, int *row, int *col);
void middle_guess(struct noe_interval *interval, noe_real *u);
void middle_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void middle_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                     noe_real *values);
void middle_finish(struct noe_interval *interval, const noe_real *u);
void middle_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r);
void middle_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                        noe_real *dz1);
/* For one rotation, by Cayley's map, and L = v.Mv/2 - U. */
noe_outcome middle_kernel(struct noe_interval *interval, long count);
char *middle_describe(const struct noe_problem *problem);

/* With holonomic constraints of positions. */
enum noe_status middle_constrained_prepare(struct noe_problem *problem, struct noe_error *error);
int middle_constrained_pattern(const struct noe_problem *problem, int *row, int *col);
void middle_constrained_guess(struct noe_interval *interval, noe_real *u);
void middle_constrained_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void middle_constrained_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                                 noe_real *values);
void middle_constrained_finish(struct noe_interval *interval, const noe_real *u);
void middle_constrained_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r);
void middle_constrained_vary_finish(struct noe_interval *interval, const noe_real *dz,
                                    const noe_real *du, noe_real *dz1);
char *middle_constrained_describe(const struct noe_problem *problem);

#define MIDDLE_CONSTRAINED_HOOKS                                                                   \
    .prepare = middle_constrained_prepare, .pattern = middle_constrained_pattern,                  \
    .guess = middle_constrained_guess, .residual = middle_constrained_residual,                    \
    .jacobian = middle_constrained_jacobian, .finish = middle_constrained_finish,                  \
    .vary = middle_constrained_vary, .vary_finish = middle_constrained_vary_finish,                \
    .describe = middle_constrained_describe

#define MIDDLE_HOOKS                                                                               \
    .prepare = middle_prepare, .pattern = middle_pattern, .guess = middle_guess,                   \
    .residual = middle_residual, .jacobian = middle_jacobian, .finish = middle_finish,             \
    .vary = middle_vary, .vary_finish = middle_vary_finish, .describe = middle_describe

/* One interval as this method sees it. */
struct middle_view {
    const struct noe_system *system, *self;
    const struct chart *chart;
    int n, tau;
    size_t nz;
    real h;
    const real *p;    /* the momentum at the start, */
    const real *kick; /* and how it differs from the state's; NULL: not at all */
    real *x, *Q;      /* half the increment, and the point in the middle */
    real *P, *W, *D;  /* there */
    real *m, *after;  /* momentum before and after the force, in the frame of the middle */
    real *sum;        /* some sum */
    real *T, *Tb, *K; /* matrices of pieces: T(x), T(-x), what stands on the diagonal */
};

STEP_INLINE struct middle_view middle_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct middle_view at = {.system = problem->system,
                             .self = interval->problem->system,
                             .chart = problem->chart,
                             .n = problem->system->n,
                             .tau = problem->retraction,
                             .nz = (size_t)problem->system->nz,
                             .h = interval->h,
                             .p = interval->from->p};
    at.x = interval->scratch;
    at.P = at.x + at.n;
    at.W = at.P + at.n;
    at.m = at.W + at.n;
    at.after = at.m + at.n;
    at.sum = at.after + at.n;
    at.T = at.sum + 2 * at.n;
    at.Tb = at.T + at.chart->square;
    at.K = at.Tb + at.chart->square;
    at.D = at.K + at.chart->square;
    at.Q = at.D + 4 * at.nz;
    return at;
}

/* Q, P, W and the momenta there, from V; the residual; its derivative in V; the end of the step. */
void middle_evaluate(struct noe_interval *interval, const struct middle_view *at, const real *V,
                     bool derivatives);
void middle_assemble(const struct middle_view *at, real *r);
void middle_blocks(const struct middle_view *at, real *values);
void middle_end(struct noe_interval *interval, const struct middle_view *at, const real *u);

static inline size_t middle_scratch(const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n, nz = (size_t)problem->system->nz;
    return 7 * n + 3 * (size_t)problem->chart->square + 4 * nz + (size_t)problem->np;
}

#endif
