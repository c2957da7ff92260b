/* Hamilton-Pontryagin integrators with nodes at the ends of the step: L_d = h (b0 L(g, V) + b1 L(g
 * tau(hV), V)). */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_ENDPOINT_H
#define METHODS_HAMILTON_PONTRYAGIN_ENDPOINT_H

#include "base/scratch.h"
#include "mechanics/block_product.h"
#include "mechanics/interval.h"
#include "mechanics/lie_product.h"
#include "methods/hamilton_pontryagin/free_motion.h"
#include "methods/method.h"
#include "spaces/product.h"

/* Coefficients of a member of the family. */
struct endpoint {
    scalar b0, b1; /* quadrature weights of the start and the end */
};

static inline const struct endpoint *endpoint_of(const struct noe_problem *problem) {
    return problem->internals->coefficients;
}

/* The data of a scheme: its weights and its order on groups. */
struct endpoint_family {
    struct endpoint endpoint;
    int order;     /* order if L depends on g */
    bool is_euler; /* the order is 2 if L does not depend on g */
};

/* True if the system has group factors only and does not depend on the group element. Then both
 * nodes give the same values. */
bool endpoint_is_invariant(const struct noe_system *system);
enum noe_status endpoint_setup(struct noe_problem *problem, struct noe_error *error);
int endpoint_sparsity(const struct noe_problem *problem, int *row, int *col);
void endpoint_initial_guess(struct noe_interval *interval, noe_real *u);
void endpoint_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void endpoint_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values);
void endpoint_update(struct noe_interval *interval, const noe_real *u);
/* The functions above as a scheme, its patterns, and the derivative of a step. */
extern const struct scheme endpoint_scheme;
extern const struct scheme_tangent endpoint_tangent;
void endpoint_write_coefficients(FILE *out, const struct noe_problem *problem);
/* Data of the next step for `momentum = stage`, behind the arrays of a step. */
struct stage_momentum {
    struct noe_interval next;
    struct noe_state from;
    real *V;            /* velocity of the step that ends */
    real *dV, *dX, *dP; /* tangent map: variations of V, hV and the stage momentum */
    real *dz1;          /* tangent map: variation of the node, 2n numbers */
};
SCRATCH_INLINE void stage_momentum_layout(struct scratch *scratch,
                                          const struct noe_problem *problem,
                                          struct stage_momentum *thesis) {
    const size_t n = (size_t)problem->system->n;
    thesis->from.q = scratch_reals(scratch, (size_t)problem->np);
    thesis->from.p = scratch_reals(scratch, n);
    thesis->V = scratch_reals(scratch, n);
    thesis->dV = scratch_reals(scratch, n);
    thesis->dX = scratch_reals(scratch, n);
    thesis->dP = scratch_reals(scratch, n);
    thesis->dz1 = scratch_reals(scratch, 2 * n);
}

void stage_momentum_look_ahead(struct noe_interval *interval, struct stage_momentum *thesis);
void stage_momentum_initial_guess(struct noe_interval *interval, noe_real *u);
void stage_momentum_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void stage_momentum_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                             noe_real *values);
void stage_momentum_update(struct noe_interval *interval, const noe_real *u);
extern const struct scheme stage_momentum_scheme;
/* Kernels: one rotation; any system whose step is a kick, drifts, and a kick. */
extern const struct kernel endpoint_rigid_body_kernel, endpoint_splitting_kernel;

/* True if a step is a kick, a free motion of each factor, and a kick. Then a splitting kernel
 * exists. */
static inline bool endpoint_is_direct(const struct noe_system *system) {
    return (system->traits & NOE_SEPARABLE) && (system->traits & NOE_BLOCK_MASS);
}

/* One of the two nodes: momentum, force and derivative blocks. */
struct endpoint_node {
    real *P, *W, *D;
};

/* View of an interval. */
struct endpoint_view {
    const struct noe_system *system, *self;
    const struct lie_product *lie_product;
    const struct endpoint *endpoint;
    int n, tau;
    size_t nz;
    real h;
    struct endpoint_node start, end;
    real *Q, *X, *m; /* end g tau(X) with X = hV, and m = p + h b0 W(g, V) */
    real *y, *dp;    /* T_R^T m, and a sum */
    real *T, *S;     /* matrices of the factors: tangents, and the derivative of y by X */
};

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct endpoint_view endpoint_layout(struct scratch *scratch,
                                                    const struct noe_problem *problem) {
    struct endpoint_view at = {.system = problem->system,
                               .lie_product = problem->internals->lie_product,
                               .endpoint = endpoint_of(problem),
                               .n = problem->system->n,
                               .tau = problem->retraction,
                               .nz = (size_t)problem->system->nz};
    const size_t n = (size_t)at.n, square = (size_t)at.lie_product->square;
    at.start.P = scratch_reals(scratch, n);
    at.start.W = scratch_reals(scratch, n);
    at.end.P = scratch_reals(scratch, n);
    at.end.W = scratch_reals(scratch, n);
    at.X = scratch_reals(scratch, n);
    at.m = scratch_reals(scratch, n);
    at.y = scratch_reals(scratch, n);
    at.dp = scratch_reals(scratch, n);
    at.T = scratch_reals(scratch, square);
    at.S = scratch_reals(scratch, square);
    at.start.D = scratch_reals(scratch, 4 * at.nz);
    at.end.D = scratch_reals(scratch, 4 * at.nz);
    at.Q = scratch_reals(scratch, (size_t)problem->np);
    return at;
}

/* The view of an interval, with `scratch` behind it. */
SCRATCH_INLINE struct endpoint_view endpoint_view_in(const struct noe_interval *interval,
                                                     struct scratch *scratch) {
    struct endpoint_view at = endpoint_layout(scratch, interval_problem(interval));
    at.self = interval->problem->system;
    at.h = interval->h;
    return at;
}

REAL_INLINE struct endpoint_view endpoint_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    return endpoint_view_in(interval, &scratch);
}

/* True if the free motions of the factors are uncoupled. Then the Jacobian is block diagonal. */
REAL_INLINE bool endpoint_is_uncoupled(const struct noe_system *system) {
    const unsigned needed = NOE_SEPARABLE | NOE_DIAGONAL_MASS;
    return (system->traits & needed) == needed;
}

/* True if L = v.Mv/2 - U(t,q). Then momenta are M V, and forces depend on the configuration alone.
 */
REAL_INLINE bool endpoint_is_separable(const struct endpoint_view *at) {
    return at->system->traits & NOE_SEPARABLE;
}

#endif
