/* Methods with one velocity a step on products of groups and R^n: nodes at the ends of the chart's
 * ray, L_d = h (b0 L(g, V) + b1 L(g tau(hV), V)). */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_RAY_H
#define METHODS_RAY_H

#include "mechanics/lie_product.h"
#include "methods/hamilton_pontryagin/free_motion.h"
#include "mechanics/interval.h"
#include "mechanics/block_product.h"
#include "spaces/product.h"

/* What tells one of them from another. */
struct ray {
    scalar b0, b1; /* weights of the start and the end */
};

static inline const struct ray *ray_of(const struct noe_problem *problem) {
    return problem->coefficients;
}

/* A family's data: its weights and its order on groups. */
struct ray_kind {
    struct ray ray;
    int order;                       /* where L depends on g */
    const struct noe_method *thesis; /* what serves `convention = thesis`, or NULL */
};

/* Nothing but groups, on which nothing depends on the point: then one node is as good as two. */
bool ray_is_invariant(const struct noe_system *system);
enum noe_status ray_prepare(struct noe_problem *problem, struct noe_error *error);
int ray_pattern(const struct noe_problem *problem, int *row, int *col);
void ray_guess(struct noe_interval *interval, noe_real *u);
void ray_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void ray_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r, noe_real *values);
void ray_finish(struct noe_interval *interval, const noe_real *u);
void ray_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r);
void ray_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                     noe_real *dz1);
/* The step that begins where one ends, as far as it is known, for `convention = thesis`. */
struct ray_thesis {
    struct noe_interval next;
    struct noe_state from;
    real *V; /* the velocity of the one that ends */
};
void ray_thesis_look_ahead(struct noe_interval *interval, struct ray_thesis *thesis);
/* Hooks of it. */
void ray_thesis_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void ray_thesis_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                         noe_real *values);
void ray_thesis_finish(struct noe_interval *interval, const noe_real *u);
void ray_thesis_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r);
void ray_thesis_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                            noe_real *dz1);
char *ray_describe(const struct noe_problem *problem);
noe_outcome ray_kernel(struct noe_interval *interval, long count);
/* The same for a system that is one rotation. */
noe_outcome ray_body_kernel(struct noe_interval *interval, long count);

/* Is a step a kick, a drift of every piece by itself, and a kick? Then there is a kernel. */
static inline bool ray_is_direct(const struct noe_system *system) {
    return (system->traits & NOE_SEPARABLE) && (system->traits & NOE_BLOCK_MASS);
}

#define RAY_HOOKS(its_prepare)                                                                     \
    .prepare = its_prepare, .pattern = ray_pattern, .guess = ray_guess, .residual = ray_residual,  \
    .jacobian = ray_jacobian, .finish = ray_finish, .vary = ray_vary,                              \
    .vary_finish = ray_vary_finish, .describe = ray_describe, .kernel = ray_kernel
#define RAY_THESIS_HOOKS                                                                           \
    .pattern = ray_pattern, .guess = ray_guess, .residual = ray_thesis_residual,                   \
    .jacobian = ray_thesis_jacobian, .finish = ray_thesis_finish, .vary = ray_thesis_vary,         \
    .vary_finish = ray_thesis_vary_finish, .describe = ray_describe

enum { RAY_DEPTH = 5 }; /* of the kernel's extrapolation */

/* One of the two nodes: momentum, force and blocks. */
struct ray_node {
    real *P, *W, *D;
};

/* One interval as these methods see it. */
struct ray_view {
    const struct noe_system *system, *self;
    const struct chart *chart;
    const struct ray *ray;
    int n, tau;
    size_t nz;
    real h;
    struct ray_node start, end;
    real *Q, *X, *m; /* the end g tau(X), X = hV; m = p + h b0 W(g, V) */
    real *y, *dp;    /* T_R^T m; a sum */
    real *T, *S;     /* matrices of pieces: tangents; the derivative of y in X */
    real *past;      /* of the kernel: differences of V in earlier steps, by degree; */
    real *kick;      /* then the force that the next step begins with; */
    real *saved;     /* then both as they were some steps before */
};

STEP_INLINE struct ray_view ray_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct ray_view at = {.system = problem->system,
                          .self = interval->problem->system,
                          .chart = problem->chart,
                          .ray = ray_of(problem),
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
    at.S = at.T + at.chart->square;
    at.start.D = at.S + at.chart->square;
    at.end.D = at.start.D + 4 * at.nz;
    at.past = at.end.D + 4 * at.nz;
    at.kick = at.past + RAY_DEPTH * n;
    at.saved = at.kick + n;
    at.Q = at.saved + (RAY_DEPTH + 1) * n;
    return at;
}

static inline size_t ray_scratch(const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n, nz = (size_t)problem->system->nz;
    return (12 + 2 * RAY_DEPTH) * n + 2 * (size_t)problem->chart->square + 8 * nz +
           2 * (size_t)problem->np;
}

/* Does the drift of each piece go its own way? Then the Jacobian has blocks on the diagonal only.
 */
STEP_INLINE bool ray_is_uncoupled(const struct noe_system *system) {
    const unsigned needed = NOE_SEPARABLE | NOE_DIAGONAL_MASS;
    return (system->traits & needed) == needed;
}

/* L = v.Mv/2 - U(t,q): momenta are M V, forces depend on the point alone. */
STEP_INLINE bool ray_is_separable(const struct ray_view *at) {
    return at->system->traits & NOE_SEPARABLE;
}

#endif
