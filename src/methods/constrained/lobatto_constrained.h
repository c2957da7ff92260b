/* Lobatto IIIA-IIIB methods with constraints: functions, and view of an interval. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_LOBATTO_CONSTRAINED_H
#define METHODS_CONSTRAINED_LOBATTO_CONSTRAINED_H

#include "mechanics/constraint_jacobian.h"
#include "methods/runge_kutta/prk.h"

/* The tableau is the first member, because prk_tableau reads it. */
struct constrained {
    struct tableau tableau;
    bool recomputes; /* multipliers at the start of a step are computed from its state */
};

void constrained_initial_guess(struct noe_interval *interval, noe_real *u);
void constrained_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void constrained_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                          noe_real *values);
void constrained_update(struct noe_interval *interval, const noe_real *u);
/* Tangent map, for holonomic constraints only. */
extern const struct scheme_tangent constrained_tangent;
extern const struct scheme constrained_scheme;
/* RATTLE kernel: two stages, L = v.Mv/2 - U(t,q) on R^n. */
extern const struct kernel rattle_kernel;

/* Number of steps between comparisons of carried multipliers with those of the state. */
enum { CONSTRAINED_LOOK_EVERY = 64 };
REAL_INLINE void constrained_drift(struct noe_interval *interval, const real *carried,
                                   const real *demanded) {
    const struct noe_system *system = interval_problem(interval)->system;
    real off = {0}, size = {0};
    for (int a = system->nholonomic; a < constraint_count(system); a++) {
        off = real_max(noe_abs(carried[a] - demanded[a]), off);
        size = real_max(noe_abs(demanded[a]), size);
    }
    interval->multiplier_drift =
        real_max(real_select(size > 0, off / size, real_broadcast(0)), interval->multiplier_drift);
}

/* Offsets of unknowns and equations. Unknowns: stage velocities, then velocities at nodes, then h
 * times the multipliers (holonomic ones of stage 0, all of later stages). Equations: those of
 * stages and nodes, then g and phi of every later stage, then g' at the end. */
struct constrained_plan {
    int n, m, nholonomic, s;
    int first, nnodes; /* first stage with a node, and number of nodes */
    int nodes, lambda; /* offsets of the node velocities, and of the multipliers and constraint
                          equations */
    int nu;
};

REAL_INLINE struct constrained_plan constrained_plan(const struct noe_problem *problem) {
    struct constrained_plan plan = {.n = problem->system->n,
                                    .m = constraint_count(problem->system),
                                    .nholonomic = problem->system->nholonomic,
                                    .s = prk_tableau(problem)->s};
    plan.first = problem->system->nnonholonomic ? 1 : plan.s - 1;
    plan.nnodes = plan.s - plan.first;
    plan.nodes = plan.s * plan.n;
    plan.lambda = plan.nodes + plan.nnodes * plan.n;
    plan.nu = plan.lambda + plan.nholonomic + (plan.s - 1) * plan.m;
    return plan;
}

/* Offsets of the multipliers of stage j, and of the constraints of stage i > 0. */
REAL_INLINE int constrained_lambda(const struct constrained_plan *plan, int j) {
    return plan->lambda + (j ? plan->nholonomic + (j - 1) * plan->m : 0);
}

REAL_INLINE int constrained_equation(const struct constrained_plan *plan, int i) {
    return plan->lambda + (i - 1) * plan->m;
}

/* Range of the multipliers among the unknowns of stage j. */
REAL_INLINE struct constraint_jacobian_range
constrained_range(const struct constraint_jacobian *constraint_jacobian, int j) {
    return j ? constraint_jacobian_all(constraint_jacobian)
             : constraint_jacobian_holonomic(constraint_jacobian);
}

struct constrained_view {
    struct prk_view prk;
    struct constrained_plan plan;
    const struct constraint_jacobian *constraint_jacobian;
    int ncon;                /* number of constraint functions: g, psi, psi_t */
    real *start;             /* multipliers at the start of the step */
    real *v;                 /* on R^n: velocities and multipliers, stage after stage */
    real *c, *d;             /* constraint functions and derivatives at a stage */
    real *psi_V, *psi_N, *Y; /* psi_v in the coordinates, in the frame of the start, and the latter
                                times T(-X), stage after stage */
    real *nodes;
};

/* A node of one of the last stages: the velocity that belongs to its momentum. */
struct constrained_node {
    struct lie_stage stage; /* on R^n only v, P, W and D are used */
    real *c, *d;
    real *psi_V, *psi_x;
};

SCRATCH_INLINE struct constrained_node constrained_node_layout(struct scratch *scratch,
                                                               const struct constrained_view *at) {
    const struct lie_product *lie_product = at->prk.groups.lie_product;
    const struct noe_system *system = at->prk.system;
    const size_t n = (size_t)system->n, nzr = (size_t)at->constraint_jacobian->nz;
    struct constrained_node node = {.stage.v = scratch_reals(scratch, n + (size_t)at->plan.m)};
    node.stage.P = scratch_reals(scratch, n);
    node.stage.W = scratch_reals(scratch, n);
    node.stage.D = scratch_reals(scratch, 4 * (size_t)system->nz);
    node.c = scratch_reals(scratch, (size_t)at->ncon);
    node.d = scratch_reals(scratch, 2 * (size_t)system->nzc);
    node.psi_V = scratch_reals(scratch, nzr);
    node.psi_x = scratch_reals(scratch, nzr);
    if (!lie_product) return node;
    node.stage.x = scratch_reals(scratch, n);
    node.stage.Pi = scratch_reals(scratch, n);
    node.stage.F = scratch_reals(scratch, n);
    node.stage.N = scratch_reals(scratch, n);
    node.stage.T = scratch_reals(scratch, (size_t)lie_product->square);
    node.stage.E = scratch_reals(scratch, (size_t)lie_product->square);
    node.stage.C = scratch_reals(scratch, 4 * (size_t)lie_product->nz);
    node.stage.M = scratch_reals(scratch, 2 * (size_t)lie_product->nz);
    return node;
}

SCRATCH_INLINE size_t constrained_node_size(const struct constrained_view *at) {
    struct scratch scratch = {0};
    constrained_node_layout(&scratch, at);
    return scratch.count;
}

/* Layout behind the arrays of the stages, `prk`. */
SCRATCH_INLINE struct constrained_view constrained_layout(struct scratch *scratch,
                                                          const struct noe_problem *problem,
                                                          struct prk_view prk) {
    struct constrained_view at = {.prk = prk,
                                  .plan = constrained_plan(problem),
                                  .constraint_jacobian = problem->internals->constraint_jacobian};
    const size_t s = (size_t)at.plan.s, m = (size_t)at.plan.m, n = (size_t)at.plan.n;
    const size_t nzr = (size_t)at.constraint_jacobian->nz, nzc = (size_t)problem->system->nzc;
    at.ncon = at.plan.nholonomic + 2 * at.plan.m;
    at.start = scratch_reals(scratch, m);
    at.v = scratch_reals(scratch, s * (n + m));
    at.c = scratch_reals(scratch, s * (size_t)at.plan.nholonomic + 2 * m);
    at.d = scratch_reals(scratch, s * 2 * nzc);
    at.psi_V = scratch_reals(scratch, s * nzr);
    at.psi_N = scratch_reals(scratch, s * nzr);
    at.Y = scratch_reals(scratch, s * nzr);
    at.nodes = scratch_reals(scratch, (size_t)at.plan.nnodes * constrained_node_size(&at));
    return at;
}

/* The view of an interval, with `scratch` behind it. */
SCRATCH_INLINE struct constrained_view constrained_view_in(const struct noe_interval *interval,
                                                           struct scratch *scratch) {
    const struct prk_view prk = prk_view_in(interval, scratch);
    return constrained_layout(scratch, interval_problem(interval), prk);
}

REAL_INLINE struct constrained_view constrained_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    return constrained_view_in(interval, &scratch);
}

REAL_INLINE struct constrained_node constrained_node(const struct constrained_view *at, int i) {
    const size_t size = constrained_node_size(at);
    struct scratch scratch = scratch_carve(at->nodes + (size_t)(i - at->plan.first) * size);
    return constrained_node_layout(&scratch, at);
}

#endif
