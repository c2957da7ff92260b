/* Variational partitioned Runge-Kutta methods (VPRK): functions shared by all Butcher tableaux. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_RUNGE_KUTTA_PRK_H
#define METHODS_RUNGE_KUTTA_PRK_H

#include "base/scratch.h"
#include "base/simd_pack.h"
#include "mechanics/block_product.h"
#include "mechanics/interval.h"
#include "mechanics/lie_product.h"
#include "methods/method.h"
#include "methods/runge_kutta/tableau.h"
#include "spaces/product.h"

/* Makes the tableau of a method from the options of the problem and sets the problem's order. */
typedef void prk_maker(struct tableau *tableau, struct noe_problem *problem);

struct prk {
    prk_maker *make;
};

/* The Butcher tableau of a problem after setup. */
static inline const struct tableau *prk_tableau(const struct noe_problem *problem) {
    return problem->internals->coefficients;
}

enum noe_status prk_setup(struct noe_problem *problem, struct noe_error *error);
int prk_sparsity(const struct noe_problem *problem, int *row, int *col);
void prk_initial_guess(struct noe_interval *interval, noe_real *u);
void prk_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void prk_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r, noe_real *values);
void prk_update(struct noe_interval *interval, const noe_real *u);

/* The functions above but the setup, as members of a scheme. */
#define PRK_FUNCTIONS                                                                              \
    .sparsity = prk_sparsity, SCHEME_FUNCTIONS(prk), .coefficients_type = "struct tableau",        \
    .write_coefficients = prk_write_coefficients, .tangent = &prk_tangent
/* The functions above as a scheme, on R^n and on groups, and the derivative of a step. */
extern const struct scheme prk_scheme, prk_lie_scheme;
extern const struct scheme_tangent prk_tangent;
/* For coefficients that are a tableau. */
void prk_write_coefficients(FILE *out, const struct noe_problem *problem);

/* Kernels: kicks and drifts, explicit tableaux, Newton's method for few unknowns, fixed-point
 * iteration with the stages in lanes; explicit tableaux on groups. */
extern const struct kernel prk_splitting_kernel, prk_explicit_kernel, prk_newton_kernel;
extern const struct kernel prk_fixed_point_kernel, prk_lie_kernel;
/* Explicit tableaux on the components of (g,p), with a projection; explicit tableaux of either kind
 * with step sizes that follow the local error. */
extern const struct kernel prk_embedded_kernel, prk_adaptive_kernel;
noe_lane_status prk_explicit_steps(struct noe_interval *interval, long count);
noe_lane_status embedded_steps(struct noe_interval *interval, long count);

/* Writes a tableau as an initialiser in C. */
void prk_write_tableau(FILE *out, const struct tableau *tableau, bool is_wide);

/* The end g tau(X) of an interval on groups, and data shared by its stages. */
struct prk_groups {
    const struct lie_product *lie_product; /* NULL on R^n, where the other members are unused */
    real *X, *B;  /* B = p + all forces of the interval, in the frame of g */
    real *ptilde; /* replaces p in the residual */
    real *T, *S;  /* T(-X), S(-X, B) */
    real *N;      /* forces in the frame of g, stage after stage */
    real *K;      /* derivatives of ptilde by the stage velocities */
    real *stages;
};

/* View of an interval: sizes, coefficients, and the stages in its workspace. */
struct prk_view {
    const struct noe_system
        *system; /* the system as a compile-time constant in a specialised stepper */
    const struct noe_system *self; /* the system of the run, with its parameters */
    const struct tableau *tableau;
    int n, np, s, tau;
    size_t nz;
    real h;
    real *Q, *V, *P, *W, *D; /* configurations, velocities, momenta, forces and derivative blocks,
                                stage after stage; on groups in the coordinates of lie_product.h */
    real *x;                 /* workspace for a sum */
    real *late;              /* 2n numbers: momentum before the last kick, and its compensation */
    struct prk_groups groups;
};

/* View of one stage on groups; P, W, N and D of all stages are in the view of the interval. */
SCRATCH_INLINE struct lie_stage prk_stage_layout(struct scratch *scratch,
                                                 const struct prk_view *at) {
    const struct lie_product *lie_product = at->groups.lie_product;
    const size_t n = (size_t)at->n, square = (size_t)lie_product->square;
    struct lie_stage stage = {.x = scratch_reals(scratch, n)};
    stage.v = scratch_reals(scratch, n + (size_t)constraint_count(at->system));
    stage.P = scratch_reals(scratch, n);
    stage.W = scratch_reals(scratch, n);
    stage.T = scratch_reals(scratch, square);
    stage.E = scratch_reals(scratch, square);
    stage.M = scratch_reals(scratch, 2 * (size_t)lie_product->nz);
    stage.D = scratch_reals(scratch, 4 * (size_t)at->system->nz);
    return stage;
}

SCRATCH_INLINE size_t prk_stage_size(const struct prk_view *at) {
    struct scratch scratch = {0};
    prk_stage_layout(&scratch, at);
    return scratch.count;
}

SCRATCH_INLINE void prk_groups_layout(struct scratch *scratch, struct prk_view *at) {
    struct prk_groups *groups = &at->groups;
    const size_t n = (size_t)at->n, s = (size_t)at->s;
    groups->X = scratch_reals(scratch, n);
    groups->B = scratch_reals(scratch, n);
    groups->ptilde = scratch_reals(scratch, n);
    groups->T = scratch_reals(scratch, (size_t)groups->lie_product->square);
    groups->S = scratch_reals(scratch, (size_t)groups->lie_product->square);
    groups->K = scratch_reals(scratch, s * at->nz);
    groups->N = scratch_reals(scratch, s * n);
    groups->stages = scratch_reals(scratch, s * prk_stage_size(at));
}

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct prk_view prk_layout(struct scratch *scratch,
                                          const struct noe_problem *problem) {
    const struct lie_product *lie_product = problem->internals->lie_product;
    struct prk_view at = {
        .system = problem->system,
        .tableau = prk_tableau(problem),
        .n = problem->system->n,
        .np = problem->np,
        .s = prk_tableau(problem)->s,
        .tau = problem->retraction,
        .nz = (size_t)(lie_product ? lie_product->nz : problem->system->nz),
        .groups.lie_product = lie_product,
    };
    const size_t n = (size_t)at.n, s = (size_t)at.s;
    at.Q = scratch_reals(scratch, s * (size_t)at.np);
    at.V = scratch_reals(scratch, s * n);
    at.P = scratch_reals(scratch, s * n);
    at.W = scratch_reals(scratch, s * n);
    at.x = scratch_reals(scratch, n);
    at.late = scratch_reals(scratch, 2 * n);
    at.D = scratch_reals(scratch, s * 4 * at.nz);
    if (lie_product) prk_groups_layout(scratch, &at);
    return at;
}

/* The view of an interval, with `scratch` behind it. */
SCRATCH_INLINE struct prk_view prk_view_in(const struct noe_interval *interval,
                                           struct scratch *scratch) {
    struct prk_view at = prk_layout(scratch, interval_problem(interval));
    at.self = interval->problem->system;
    at.h = interval->h;
    return at;
}

REAL_INLINE struct prk_view prk_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    return prk_view_in(interval, &scratch);
}

/* View of stage i on groups. */
REAL_INLINE struct lie_stage prk_stage(const struct prk_view *at, int i) {
    struct scratch scratch = scratch_carve(at->groups.stages + (size_t)i * prk_stage_size(at));
    struct lie_stage stage = prk_stage_layout(&scratch, at);
    stage.Pi = at->P + i * at->n;
    stage.F = at->W + i * at->n;
    stage.N = at->groups.N + i * at->n;
    stage.C = at->D + (size_t)i * 4 * at->nz;
    return stage;
}

/* Counterparts on groups: the residual of R^n with P, W, p in the coordinates of lie_product.h, and
 * its additional terms. */
void prk_groups_evaluate(struct noe_interval *interval, const struct prk_view *at, const real *V,
                         bool derivatives);
void prk_groups_add(const struct prk_view *at, int j, real *block);
void prk_lie_update(struct noe_interval *interval, const struct prk_view *at, const real *u);

/* L = v.Mv/2 - U(t,q) on R^n: p_q and w_v are zero. */
REAL_INLINE bool prk_is_separable(const struct prk_view *at) {
    return (at->system->traits & NOE_SEPARABLE) && !at->groups.lie_product;
}

/* The momentum in the residual. */
REAL_INLINE const real *prk_momentum(const struct noe_interval *interval,
                                     const struct prk_view *at) {
    return at->groups.lie_product ? at->groups.ptilde : interval->from->p;
}

/* Component k of h sum_j coefficient_j y_j over s arrays of n numbers, one after the other in y. */
REAL_INLINE real prk_component(const struct prk_view *at, const struct coefficient *coefficient,
                               int s, const real *y, int k) {
    const int n = at->n;
    real high = {0}, low = {0};
    for (int j = 0; j < s; j++) high += coefficient[j].high * y[j * n + k];
    if (!at->tableau->has_low) return at->h * high;
    for (int j = 0; j < s; j++) low += coefficient[j].low * y[j * n + k];
    return at->h * (high + low);
}

/* True if each component is a single product. Then loops without the inner sum are faster. */
REAL_INLINE bool prk_is_single(const struct prk_view *at, int s) {
    return s == 1 && !at->tableau->has_low;
}

/* Computes all components into x. */
REAL_INLINE void prk_sum(const struct prk_view *at, const struct coefficient *coefficient, int s,
                         const real *y, real *restrict x) {
    const real h = at->h;
    const scalar c = coefficient[0].high;
    if (prk_is_single(at, s)) {
        for (int k = 0; k < at->n; k++) x[k] = h * (c * y[k]);
        return;
    }
    for (int k = 0; k < at->n; k++) x[k] = prk_component(at, coefficient, s, y, k);
}

/* R_i = P_i - p - h sum_j ahat_ij W_j. */
REAL_INLINE void prk_assemble(const struct prk_view *at, const real *p, real *r) {
    const real h = at->h;
    const scalar c = at->tableau->ahat[0][0].high;
    if (prk_is_single(at, at->s)) {
        for (int k = 0; k < at->n; k++) r[k] = at->P[k] - p[k] - h * (c * at->W[k]);
        return;
    }
    for (int i = 0; i < at->s; i++, r += at->n) {
        const real *P = at->P + i * at->n;
        for (int k = 0; k < at->n; k++)
            r[k] = P[k] - p[k] - prk_component(at, at->tableau->ahat[i], at->s, at->W, k);
    }
}

/* dR_i/dV_j = delta_ij p_v(i) + h a_ij p_q(i) - h ahat_ij w_v(j) - h^2 sum_l ahat_il a_lj w_q(l).
 */
REAL_INLINE void prk_block(const struct prk_view *at, int i, int j, real *restrict block) {
    const struct tableau *t = at->tableau;
    const size_t nz = at->nz;
    const real *pv = at->D + (size_t)i * 4 * nz, *pq = pv + nz;
    const real *wv = at->D + (size_t)j * 4 * nz + 2 * nz;
    if (at->s == 1 && prk_is_separable(at)) { /* one loop */
        const real factor = at->h * at->h * t->ahat[0][0].value * t->a[0][0].value;
        const real *wq = at->D + 3 * nz;
        for (size_t e = 0; e < nz; e++) block[e] = pv[e] - factor * wq[e];
        return;
    }
    const scalar diagonal = i == j;
    const real ha = at->h * t->a[i][j].value, hahat = at->h * t->ahat[i][j].value;
    if (prk_is_separable(at))
        for (size_t e = 0; e < nz; e++) block[e] = diagonal * pv[e];
    else
        for (size_t e = 0; e < nz; e++) block[e] = diagonal * pv[e] + ha * pq[e] - hahat * wv[e];
    for (int l = 0; l < at->s; l++) {
        if (t->ahat[i][l].value == 0 || t->a[l][j].value == 0) continue;
        const real factor = at->h * at->h * t->ahat[i][l].value * t->a[l][j].value;
        const real *wq = at->D + (size_t)l * 4 * nz + 3 * nz;
        for (size_t e = 0; e < nz; e++) block[e] -= factor * wq[e];
    }
}

/* Q = q tau(h sum_j coefficient_j V_j). */
REAL_INLINE void prk_point(const struct prk_view *at, const struct coefficient *coefficient, int s,
                           const real *V, const real *q, real *restrict Q) {
    if (at->system->factors) {
        prk_sum(at, coefficient, s, V, at->x);
        product_retract(at->system, at->tau, Q, q, at->x);
        return;
    }
    const real h = at->h;
    const scalar c = coefficient[0].high;
    if (prk_is_single(at, s)) {
        for (int k = 0; k < at->n; k++) Q[k] = q[k] + h * (c * V[k]);
        return;
    }
    for (int k = 0; k < at->n; k++) Q[k] = q[k] + prk_component(at, coefficient, s, V, k);
}

/* x1 = x0 + h sum_j coefficient_j y_j with compensated summation. */
REAL_INLINE void prk_add(const struct prk_view *at, const struct coefficient *coefficient,
                         const real *y, real *restrict x1, real *restrict carry1, const real *x0,
                         const real *carry0) {
    const real h = at->h;
    const scalar c = coefficient[0].high;
    if (!prk_is_single(at, at->s)) {
        prk_sum(at, coefficient, at->s, y, at->x);
        compensated_add(at->n, x1, carry1, x0, carry0, at->x);
        return;
    }
    for (int k = 0; k < at->n; k++) {
        const real dx = h * (c * y[k]);
        compensated_add(1, &x1[k], &carry1[k], &x0[k], &carry0[k], &dx);
    }
}

/* Writes the end of the interval from the stage velocities V and the stage forces. */
REAL_INLINE void prk_write_end(struct noe_interval *interval, const struct prk_view *at,
                               const real *V) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const real *last = V + (at->s - 1) * at->n;
    if (at->system->factors) {
        prk_sum(at, at->tableau->b, at->s, V, at->x);
        product_advance(at->system, at->tau, to->q, to->q_carry, from->q, from->q_carry, at->x);
    } else {
        prk_add(at, at->tableau->b, V, to->q, to->q_carry, from->q, from->q_carry);
    }
    prk_add(at, at->tableau->bhat, at->W, to->p, to->p_carry, from->p, from->p_carry);
    for (int k = 0; k < at->n; k++) interval->velocity[k] = last[k];
}

#endif
