/* Partitioned Runge-Kutta methods on Lagrangian systems: the hooks all their tables share. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_PRK_H
#define METHODS_PRK_H

#include "methods/interval.h"
#include "methods/tableau.h"
#include "spaces/product.h"

/* Makes the tableau of a method from the options of the problem and sets the problem's order. */
typedef void prk_maker(struct tableau *tableau, struct noe_problem *problem);

struct prk {
    prk_maker *make;
};

/* The tableau of a prepared problem. */
static inline const struct tableau *prk_tableau(const struct noe_problem *problem) {
    return problem->coefficients;
}

enum noe_status prk_prepare(struct noe_problem *problem, struct noe_error *error);
int prk_pattern(const struct noe_problem *problem, int *row, int *col);
void prk_guess(struct noe_interval *interval, noe_real *u);
void prk_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void prk_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r, noe_real *values);
void prk_finish(struct noe_interval *interval, const noe_real *u);
void prk_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r);
void prk_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                     noe_real *dz1);
noe_outcome prk_kernel(struct noe_interval *interval, long count);

/* For struct noe_method.describe, where the kernel is prk_kernel. */
char *prk_describe(const struct noe_problem *problem);

/* The hooks, for a row of a table of methods. */
#define PRK_HOOKS(its_prepare, its_kernel)                                                         \
    .prepare = its_prepare, .pattern = prk_pattern, .guess = prk_guess, .residual = prk_residual,  \
    .jacobian = prk_jacobian, .finish = prk_finish, .vary = prk_vary,                              \
    .vary_finish = prk_vary_finish, .kernel = its_kernel

/* One interval as these methods see it: sizes, coefficients, and the stages in its scratch. */
struct prk_view {
    const struct noe_system *system; /* what is known of it when a stepper is compiled */
    const struct noe_system *self;   /* the one that runs, with its parameters */
    const struct tableau *tableau;
    int n, np, s;
    size_t nz;
    real h;
    real *Q, *V, *P, *W, *D; /* points, velocities, momenta, forces, blocks: stage after stage */
    real *x;                 /* a sum */
    real *late;              /* 2n numbers: momentum before the last kick, and its carry */
};

STEP_INLINE struct prk_view prk_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct tableau *tableau = prk_tableau(problem);
    struct prk_view at = {
        .system = problem->system,
        .self = interval->problem->system,
        .tableau = tableau,
        .n = problem->system->n,
        .np = problem->np,
        .s = tableau->s,
        .nz = (size_t)problem->system->nz,
        .h = interval->h,
    };
    at.Q = interval->scratch;
    at.V = at.Q + at.s * at.np;
    at.P = at.V + at.s * at.n;
    at.W = at.P + at.s * at.n;
    at.x = at.W + at.s * at.n;
    at.late = at.x + at.n;
    at.D = at.late + 2 * at.n;
    return at;
}

/* Component k of h sum_j coefficient_j y_j over s arrays of n numbers, one after the other in y. */
STEP_INLINE real prk_component(const struct prk_view *at, const struct coefficient *coefficient,
                               int s, const real *y, int k) {
    const int n = at->n;
    real high = {0}, low = {0};
    for (int j = 0; j < s; j++) high += coefficient[j].high * y[j * n + k];
    if (!at->tableau->has_low) return at->h * high;
    for (int j = 0; j < s; j++) low += coefficient[j].low * y[j * n + k];
    return at->h * (high + low);
}

/* All components, into x. */
STEP_INLINE void prk_sum(const struct prk_view *at, const struct coefficient *coefficient, int s,
                         const real *y, real *restrict x) {
    for (int k = 0; k < at->n; k++) x[k] = prk_component(at, coefficient, s, y, k);
}

/* Q = q tau(h sum_j coefficient_j V_j). */
STEP_INLINE void prk_point(const struct prk_view *at, const struct coefficient *coefficient, int s,
                           const real *V, const real *q, real *restrict Q) {
    if (at->system->factors) {
        prk_sum(at, coefficient, s, V, at->x);
        product_retract(at->system, Q, q, at->x);
        return;
    }
    for (int k = 0; k < at->n; k++) Q[k] = q[k] + prk_component(at, coefficient, s, V, k);
}

/* y += factor A x, where A has the given values on the system's pattern. */
STEP_INLINE void prk_add_product(const struct noe_system *s, real factor, const real *values,
                                 const real *x, real *y) {
    for (int e = 0; s->row && e < s->nz; e++) y[s->row[e]] += factor * values[e] * x[s->col[e]];
    for (int i = 0; !s->row && i < s->n; i++)
        for (int j = 0; j < s->n; j++) y[i] += factor * values[i * s->n + j] * x[j];
}

/* The end of the interval from the stage velocities V and the forces in the stages. */
STEP_INLINE void prk_update(struct noe_interval *interval, const struct prk_view *at,
                            const real *V) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const real *last = V + (at->s - 1) * at->n;
    prk_sum(at, at->tableau->b, at->s, V, at->x);
    product_advance(at->system, to->q, to->q_carry, from->q, from->q_carry, at->x);
    prk_sum(at, at->tableau->bhat, at->s, at->W, at->x);
    sum_add(at->n, to->p, to->p_carry, from->p, from->p_carry, at->x);
    for (int k = 0; k < at->n; k++) interval->velocity[k] = last[k];
}

#endif
