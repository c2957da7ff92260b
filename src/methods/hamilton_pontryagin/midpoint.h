/* One velocity a step and one point in its middle, on products of groups and R^n. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_MIDPOINT_H
#define METHODS_HAMILTON_PONTRYAGIN_MIDPOINT_H

#include "mechanics/block_product.h"
#include "mechanics/constraint_jacobian.h"
#include "mechanics/interval.h"
#include "methods/method.h"
#include "spaces/product.h"

enum noe_status midpoint_setup(struct noe_problem *problem, struct noe_error *error);
int midpoint_sparsity(const struct noe_problem *problem, int *row, int *col);
void midpoint_initial_guess(struct noe_interval *interval, noe_real *u);
void midpoint_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void midpoint_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values);
void midpoint_update(struct noe_interval *interval, const noe_real *u);
/* The functions above as a scheme, and the derivative of a step. */
extern const struct scheme midpoint_scheme;
extern const struct scheme_tangent midpoint_tangent;
/* For one rotation, by Cayley's map, and L = v.Mv/2 - U. */
extern const struct kernel midpoint_rigid_body_kernel;
/* True if that kernel serves the problem, but for its energy. */
bool midpoint_is_rigid_body(const struct noe_problem *problem);

/* With holonomic constraints of positions. */
void midpoint_constrained_initial_guess(struct noe_interval *interval, noe_real *u);
void midpoint_constrained_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void midpoint_constrained_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                                   noe_real *values);
void midpoint_constrained_update(struct noe_interval *interval, const noe_real *u);
extern const struct scheme midpoint_constrained_scheme;
extern const struct scheme_tangent midpoint_constrained_tangent;

/* One interval as this method sees it. */
struct midpoint_view {
    const struct noe_system *system, *self;
    const struct lie_product *lie_product;
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

REAL_INLINE struct midpoint_view midpoint_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct midpoint_view at = {.system = problem->system,
                               .self = interval->problem->system,
                               .lie_product = problem->lie_product,
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
    at.Tb = at.T + at.lie_product->square;
    at.K = at.Tb + at.lie_product->square;
    at.D = at.K + at.lie_product->square;
    at.Q = at.D + 4 * at.nz;
    return at;
}

/* Q, P, W and the momenta there, from V; the residual; its derivative in V; the end of the step. */
void midpoint_evaluate(struct noe_interval *interval, const struct midpoint_view *at, const real *V,
                       bool derivatives);
void midpoint_assemble(const struct midpoint_view *at, real *r);
void midpoint_blocks(const struct midpoint_view *at, real *values);
void midpoint_end(struct noe_interval *interval, const struct midpoint_view *at, const real *u);

static inline size_t midpoint_scratch(const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n, nz = (size_t)problem->system->nz;
    return 7 * n + 3 * (size_t)problem->lie_product->square + 4 * nz + (size_t)problem->np;
}

#endif
