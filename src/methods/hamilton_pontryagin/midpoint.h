/* The variational midpoint rule on products of Lie groups and R^n: one velocity a step and one node
 * at its midpoint. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_MIDPOINT_H
#define METHODS_HAMILTON_PONTRYAGIN_MIDPOINT_H

#include "base/scratch.h"
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
/* Kernel for a single rigid body on SO(3) with the Cayley map and L = v.Mv/2 - U. */
extern const struct kernel midpoint_rigid_body_kernel;

/* Variant with holonomic constraints at position level. */
void midpoint_constrained_initial_guess(struct noe_interval *interval, noe_real *u);
void midpoint_constrained_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void midpoint_constrained_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                                   noe_real *values);
void midpoint_constrained_update(struct noe_interval *interval, const noe_real *u);
extern const struct scheme midpoint_constrained_scheme;
extern const struct scheme_tangent midpoint_constrained_tangent;

/* View of an interval. */
struct midpoint_view {
    const struct noe_system *system, *self;
    const struct lie_product *lie_product;
    int n, tau;
    size_t nz;
    real h;
    const real *p;    /* momentum at the start */
    const real *kick; /* difference from the momentum of the state; NULL: none */
    real *x, *Q;      /* half the increment, and the midpoint */
    real *P, *W, *D;  /* momentum, force and derivative blocks at the midpoint */
    real *m, *after;  /* momentum before and after the force, in the frame of the midpoint */
    real *sum;        /* workspace for a sum and a tangent vector, 2n numbers */
    real *T, *Tb, *K; /* matrices of the factors: T(x), T(-x), and the diagonal term K */
};

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct midpoint_view midpoint_layout(struct scratch *scratch,
                                                    const struct noe_problem *problem) {
    struct midpoint_view at = {.system = problem->system,
                               .lie_product = problem->internals->lie_product,
                               .n = problem->system->n,
                               .tau = problem->retraction,
                               .nz = (size_t)problem->system->nz};
    const size_t n = (size_t)at.n, square = (size_t)at.lie_product->square;
    at.x = scratch_reals(scratch, n);
    at.P = scratch_reals(scratch, n);
    at.W = scratch_reals(scratch, n);
    at.m = scratch_reals(scratch, n);
    at.after = scratch_reals(scratch, n);
    at.sum = scratch_reals(scratch, 2 * n);
    at.T = scratch_reals(scratch, square);
    at.Tb = scratch_reals(scratch, square);
    at.K = scratch_reals(scratch, square);
    at.D = scratch_reals(scratch, 4 * at.nz);
    at.Q = scratch_reals(scratch, (size_t)problem->np);
    return at;
}

REAL_INLINE struct midpoint_view midpoint_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    struct midpoint_view at = midpoint_layout(&scratch, interval_problem(interval));
    at.self = interval->problem->system;
    at.h = interval->h;
    at.p = interval->from->p;
    return at;
}

/* Evaluation at V, residual, derivative of the residual by V, and end of the step. */
void midpoint_evaluate(struct noe_interval *interval, const struct midpoint_view *at, const real *V,
                       bool derivatives);
void midpoint_assemble(const struct midpoint_view *at, real *r);
void midpoint_blocks(const struct midpoint_view *at, real *values);
void midpoint_end(struct noe_interval *interval, const struct midpoint_view *at, const real *u);

#endif
