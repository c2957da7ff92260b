/* Galerkin methods: one polynomial a step, whose velocity is a sum of Legendre polynomials. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_GALERKIN_GALERKIN_H
#define METHODS_GALERKIN_GALERKIN_H

#include "base/scratch.h"
#include "mechanics/block_product.h"
#include "mechanics/interval.h"
#include "methods/method.h"

enum { GALERKIN_MODES_MAX = 11, GALERKIN_NODES_MAX = 25 };

/* The system is evaluated at `nodes` times, the first and last of which are the ends. At node k, v
 * = sum_j mode_kj c_j and q = q0 + h sum_j path_kj c_j. */
struct galerkin {
    int modes, nodes;
    scalar time[GALERKIN_NODES_MAX]; /* fraction of the step */
    scalar mode[GALERKIN_NODES_MAX][GALERKIN_MODES_MAX],
        path[GALERKIN_NODES_MAX][GALERKIN_MODES_MAX];
    /* R_i = sum_k (momentum_ik P_k - h force_ik W_k) - start_i p0. */
    scalar momentum[GALERKIN_MODES_MAX][GALERKIN_NODES_MAX],
        force[GALERKIN_MODES_MAX][GALERKIN_NODES_MAX];
    scalar start[GALERKIN_MODES_MAX];
};

static inline const struct galerkin *galerkin_of(const struct noe_problem *problem) {
    return problem->internals->coefficients;
}

int galerkin_sparsity(const struct noe_problem *problem, int *row, int *col);
void galerkin_initial_guess(struct noe_interval *interval, noe_real *u);
void galerkin_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void galerkin_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values);
void galerkin_update(struct noe_interval *interval, const noe_real *u);
extern const struct scheme_tangent galerkin_tangent;
void galerkin_dense_output(struct noe_interval *interval, const noe_real *u, noe_real x,
                           noe_real *q, noe_real *v);
void galerkin_write_coefficients(FILE *out, const struct noe_problem *problem);

/* View of an interval. */
struct galerkin_view {
    const struct noe_system *system, *self;
    const struct galerkin *modal;
    int n;
    size_t nz;
    real h;
    real *q, *v, *P, *W, *D; /* values at all nodes, one after the other */
};

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct galerkin_view galerkin_layout(struct scratch *scratch,
                                                    const struct noe_problem *problem) {
    struct galerkin_view at = {.system = problem->system,
                               .modal = galerkin_of(problem),
                               .n = problem->system->n,
                               .nz = (size_t)problem->system->nz};
    const size_t nodes = (size_t)at.modal->nodes, size = nodes * (size_t)at.n;
    at.q = scratch_reals(scratch, size);
    at.v = scratch_reals(scratch, size);
    at.P = scratch_reals(scratch, size);
    at.W = scratch_reals(scratch, size);
    at.D = scratch_reals(scratch, nodes * 4 * at.nz);
    return at;
}

REAL_INLINE struct galerkin_view galerkin_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    struct galerkin_view at = galerkin_layout(&scratch, interval_problem(interval));
    at.self = interval->problem->system;
    at.h = interval->h;
    return at;
}

/* Block `part` (p_v, p_q, w_v, w_q) of node k. */
REAL_INLINE const real *galerkin_block(const struct galerkin_view *at, int k, int part) {
    return at->D + ((size_t)k * 4 + (size_t)part) * at->nz;
}

#endif
