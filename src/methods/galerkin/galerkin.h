/* One polynomial a step, whose velocity is a sum of Legendre's polynomials: its hooks. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_MODAL_H
#define METHODS_MODAL_H

#include "mechanics/interval.h"
#include "mechanics/block_product.h"

enum { MODAL_MODES_MAX = 11, MODAL_NODES_MAX = 25 };

/* The system is evaluated at `nodes` times, among them the two ends, the first and the last. At the
 * k-th, v = sum_j mode_kj c_j and q = q0 + h sum_j path_kj c_j. */
struct modal {
    int modes, nodes;
    scalar time[MODAL_NODES_MAX]; /* part of the step */
    scalar mode[MODAL_NODES_MAX][MODAL_MODES_MAX], path[MODAL_NODES_MAX][MODAL_MODES_MAX];
    /* R_i = sum_k (momentum_ik P_k - h force_ik W_k) - start_i p0. */
    scalar momentum[MODAL_MODES_MAX][MODAL_NODES_MAX], force[MODAL_MODES_MAX][MODAL_NODES_MAX];
    scalar start[MODAL_MODES_MAX];
};

static inline const struct modal *modal_of(const struct noe_problem *problem) {
    return problem->coefficients;
}

int modal_pattern(const struct noe_problem *problem, int *row, int *col);
void modal_guess(struct noe_interval *interval, noe_real *u);
void modal_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void modal_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                    noe_real *values);
void modal_finish(struct noe_interval *interval, const noe_real *u);
void modal_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r);
void modal_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                       noe_real *dz1);
void modal_inside(struct noe_interval *interval, const noe_real *u, noe_real x, noe_real *q,
                  noe_real *v);
/* For struct noe_method.describe. */
char *modal_describe(const struct noe_problem *problem);

#define MODAL_HOOKS                                                                                \
    .pattern = modal_pattern, .guess = modal_guess, .residual = modal_residual,                    \
    .jacobian = modal_jacobian, .finish = modal_finish, .vary = modal_vary,                        \
    .vary_finish = modal_vary_finish, .inside = modal_inside, .describe = modal_describe

/* One interval as these methods see it. */
struct modal_view {
    const struct noe_system *system, *self;
    const struct modal *modal;
    int n;
    size_t nz;
    real h;
    real *q, *v, *P, *W, *D; /* of all nodes, one after the other */
};

STEP_INLINE struct modal_view modal_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    struct modal_view at = {.system = problem->system,
                            .self = interval->problem->system,
                            .modal = modal_of(problem),
                            .n = problem->system->n,
                            .nz = (size_t)problem->system->nz,
                            .h = interval->h};
    const int size = at.modal->nodes * at.n;
    at.q = interval->scratch;
    at.v = at.q + size;
    at.P = at.v + size;
    at.W = at.P + size;
    at.D = at.W + size;
    return at;
}

/* Reals that all of these work in. */
static inline size_t modal_scratch(const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n, nz = (size_t)problem->system->nz;
    return (size_t)modal_of(problem)->nodes * 4 * (n + nz);
}

/* Block `part` (p_v, p_q, w_v, w_q) of node k. */
STEP_INLINE const real *modal_block(const struct modal_view *at, int k, int part) {
    return at->D + ((size_t)k * 4 + (size_t)part) * at->nz;
}

#endif
