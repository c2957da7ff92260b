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

static inline size_t constrained_node_scratch(const struct noe_problem *problem) {
    const struct lie_product *lie_product = problem->lie_product;
    const struct noe_system *system = problem->system;
    const size_t n = (size_t)system->n, m = (size_t)constraint_count(system);
    const size_t groups =
        lie_product ? 4 * n + 2 * (size_t)lie_product->square + 6 * (size_t)lie_product->nz : 0;
    return 3 * n + m + 4 * (size_t)system->nz + (size_t)system->nholonomic + 2 * m +
           2 * (size_t)system->nzc + 2 * (size_t)problem->constraint_jacobian->nz + groups;
}

static inline size_t constrained_scratch(const struct noe_problem *problem) {
    const struct constrained_plan plan = constrained_plan(problem);
    const size_t s = (size_t)plan.s, n = (size_t)plan.n, m = (size_t)plan.m;
    return prk_scratch(problem) + m + s * (n + m) + (size_t)plan.nholonomic + 2 * m +
           s * (size_t)(2 * problem->system->nzc + 3 * problem->constraint_jacobian->nz +
                        plan.nholonomic) +
           (size_t)plan.nnodes * constrained_node_scratch(problem);
}

REAL_INLINE struct constrained_view constrained_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct constrained_view at = {.prk = prk_view(interval),
                                  .plan = constrained_plan(problem),
                                  .constraint_jacobian = problem->constraint_jacobian};
    const int s = at.plan.s, m = at.plan.m, nzr = at.constraint_jacobian->nz;
    at.ncon = at.plan.nholonomic + 2 * m;
    at.start = interval->scratch + prk_scratch(problem);
    at.v = at.start + m;
    at.c = at.v + s * (at.plan.n + m);
    at.d = at.c + s * at.plan.nholonomic + 2 * m;
    at.psi_V = at.d + s * 2 * problem->system->nzc;
    at.psi_N = at.psi_V + s * nzr;
    at.Y = at.psi_N + s * nzr;
    at.nodes = at.Y + s * nzr;
    return at;
}

REAL_INLINE struct constrained_node constrained_node(const struct constrained_view *at,
                                                     const struct noe_problem *problem, int i) {
    const struct lie_product *lie_product = at->prk.groups.lie_product;
    const int n = at->plan.n, nzr = at->constraint_jacobian->nz;
    real *next = at->nodes + (size_t)(i - at->plan.first) * constrained_node_scratch(problem);
    struct constrained_node node = {.stage.v = next};
    node.stage.P = node.stage.v + n + at->plan.m;
    node.stage.W = node.stage.P + n;
    node.stage.D = node.stage.W + n;
    node.c = node.stage.D + 4 * problem->system->nz;
    node.d = node.c + at->ncon;
    node.psi_V = node.d + 2 * problem->system->nzc;
    node.psi_x = node.psi_V + nzr;
    if (!lie_product) return node;
    node.stage.x = node.psi_x + nzr;
    node.stage.Pi = node.stage.x + n;
    node.stage.F = node.stage.Pi + n;
    node.stage.N = node.stage.F + n;
    node.stage.T = node.stage.N + n;
    node.stage.E = node.stage.T + lie_product->square;
    node.stage.C = node.stage.E + lie_product->square;
    node.stage.M = node.stage.C + 4 * lie_product->nz;
    return node;
}

#endif
