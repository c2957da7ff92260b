/* Linear systems with a fixed sparsity pattern, solved by the fastest solver for their size. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_LINEAR_SYSTEM_H
#define LINALG_LINEAR_SYSTEM_H

#include "base/arena.h"
#include "linalg/banded.h"
#include "linalg/sparse.h"
#include "noether.h"

enum linear_kind {
    LINEAR_NONE,
    LINEAR_DENSE,
    LINEAR_LAPACK,
    LINEAR_LEAST,
    LINEAR_BANDED,
    LINEAR_SPARSE
};

/* Choice of solver for systems of one sparsity pattern. */
struct linear_plan {
    enum linear_kind kind;
    struct banded band;
    bool is_in_place; /* the entries in the given order are the matrix */
    int *order; /* banded: 2n numbers, the old index of each new unknown, then the new index of each
                   old one; NULL: identity */
};

/* Solver choices of a problem, for its steps, the mass matrix, the mass matrix with constraints,
 * and the multipliers alone. */
struct noe_plan {
    struct linear_plan step, mass, constrained, schur;
};

struct linear {
    enum linear_kind kind;
    int n, nz;        /* unknowns, nonzero entries */
    size_t room;      /* number of reals in a */
    int rank;         /* least squares: numerical rank of the matrix */
    bool is_in_place; /* entry e goes to a[e] */
    real *a;          /* matrix, then its factors (sparse: compressed columns) */
    int *at;          /* entry e goes to a[at[e]] */
    lane_index *pivot;
    struct banded band;
    const int *order;   /* owned by the plan */
    real *x;            /* banded: right-hand side in the new order */
    int *start, *index; /* sparse: compressed columns */
    real *pivoted;      /* sparse: the matrix for which the pivots were chosen */
    bool has_pivots;    /* sparse: pivots have been chosen */
    bool keeps_pivots;  /* sparse: the current factors reuse the pivots of an earlier matrix */
    struct sparse *sparse;
};

/* Kind of a system. A specialised stepper has small dense systems only. */
#ifdef NOE_SPECIALISED
#define LINEAR_KIND(linear) LINEAR_DENSE
#else
#define LINEAR_KIND(linear) ((linear)->kind)
#endif

/* Chooses the solver for n unknowns with nz distinct entries (row, col). If row is NULL, the matrix
 * is full, row by row. */
struct linear_plan linear_plan(int n, int nz, const int *row, const int *col);
void linear_plan_clear(struct linear_plan *plan);
/* Switches the plan to minimum-norm least squares (dense), for systems that may be
 * rank-deficient. */
void linear_plan_least(struct linear_plan *plan);
/* Measures (first pass) or carves (second pass) the memory of a system of the given size. */
void linear_layout(struct linear *linear, struct arena *arena, int n, int nz,
                   const struct linear_plan *plan);
/* Initialises the system with the sparsity pattern of the plan. row and col are not kept. */
enum noe_status linear_init(struct linear *linear, const int *row, const int *col);
/* Releases memory outside the arena. */
void linear_clear(struct linear *linear);
/* Factorises the matrix with the given entries; `values` may be `a` itself if they are in place.
 * False if the matrix is singular or not finite. The caller passes n because it is a constant in a
 * specialised stepper. */
mask linear_factor(struct linear *linear, int n, const real *values);
/* Rebuilds the factors that lie outside the arena after the arena was overwritten by that of
 * another system. The result has the same bits. */
void linear_renew(struct linear *linear);
/* x <- a^-1 x. */
void linear_solve(const struct linear *linear, int n, real *x);
/* Sign of the determinant of the last matrix, 1 or -1; 0 if the solver does not provide it. */
real linear_sign(const struct linear *linear, int n);
/* Name of the kind. */
const char *linear_kind_text(enum linear_kind kind);

#endif
