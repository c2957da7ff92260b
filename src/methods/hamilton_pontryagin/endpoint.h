/* Hamilton-Pontryagin integrators with nodes at the ends of the step: L_d = h (b0 L(g, V) + b1 L(g
 * tau(hV), V)). */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_ENDPOINT_H
#define METHODS_HAMILTON_PONTRYAGIN_ENDPOINT_H

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
    return problem->coefficients;
}

/* The data of a scheme: its weights and its order on groups. */
struct endpoint_family {
    struct endpoint endpoint;
    int order;     /* order if L depends on g */
    bool is_euler; /* of order 2 where it does not */
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
/* The next step, as far as it is known, for `momentum = stage`. */
struct stage_momentum {
    struct noe_interval next;
    struct noe_state from;
    real *V; /* velocity of the step that ends */
};
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

enum { ENDPOINT_DEPTH = 5 }; /* depth of the extrapolation of the kernel */

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
    real *past;      /* kernel: differences of V in earlier steps, by degree */
    real *kick;      /* kernel: force at the start of the next step */
    real *saved;     /* kernel: copies of both at an earlier step */
};

REAL_INLINE struct endpoint_view endpoint_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct endpoint_view at = {.system = problem->system,
                               .self = interval->problem->system,
                               .lie_product = problem->lie_product,
                               .endpoint = endpoint_of(problem),
                               .n = problem->system->n,
                               .tau = problem->retraction,
                               .nz = (size_t)problem->system->nz,
                               .h = interval->h};
    const int n = at.n;
    at.start.P = interval->scratch;
    at.start.W = at.start.P + n;
    at.end.P = at.start.W + n;
    at.end.W = at.end.P + n;
    at.X = at.end.W + n;
    at.m = at.X + n;
    at.y = at.m + n;
    at.dp = at.y + n;
    at.T = at.dp + n;
    at.S = at.T + at.lie_product->square;
    at.start.D = at.S + at.lie_product->square;
    at.end.D = at.start.D + 4 * at.nz;
    at.past = at.end.D + 4 * at.nz;
    at.kick = at.past + ENDPOINT_DEPTH * n;
    at.saved = at.kick + n;
    at.Q = at.saved + (ENDPOINT_DEPTH + 1) * n;
    return at;
}

static inline size_t endpoint_scratch(const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n, nz = (size_t)problem->system->nz;
    return (12 + 2 * ENDPOINT_DEPTH) * n + 2 * (size_t)problem->lie_product->square + 8 * nz +
           2 * (size_t)problem->np;
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
