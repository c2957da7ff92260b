/* One linear system with a fixed pattern, solved in the way that pays for its size. */
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

/* How systems of one pattern are solved. */
struct linear_plan {
    enum linear_kind kind;
    struct banded band;
    bool is_in_place; /* the entries in their own order are the matrix */
    int *order; /* banded: 2n numbers, the unknowns in their new order, then the new places of the
                   unknowns; NULL: their own order */
};

/* The plans of a problem: of its steps, of the mass matrix, of that with constraints, and of the
 * multipliers alone. */
struct noe_plan {
    struct linear_plan step, mass, constrained, schur;
};

struct linear {
    enum linear_kind kind;
    int n, nz;        /* unknowns, entries */
    size_t room;      /* reals in a */
    int rank;         /* least squares: of the matrix */
    bool is_in_place; /* entry e goes to a[e] */
    real *a;          /* matrix, then its factors (sparse: compressed columns) */
    int *at;          /* entry e goes to a[at[e]] */
    lane_index *pivot;
    struct banded band;
    const int *order;   /* the plan's */
    real *x;            /* banded: a right side in the new order */
    int *start, *index; /* sparse: compressed columns */
    real *pivoted;      /* sparse: the matrix that the pivots were chosen for, */
    bool has_pivots;    /* if there was one, */
    bool keeps_pivots;  /* and whether the factors are those of a later one */
    struct sparse *sparse;
};

/* The kind of a system; a specialised stepper has only small dense ones. */
#ifdef NOE_SPECIALISED
#define LINEAR_KIND(linear) LINEAR_DENSE
#else
#define LINEAR_KIND(linear) ((linear)->kind)
#endif

/* Chooses how to solve for n unknowns with nz entries at (row, col), each once; NULL: full, row by
 * row. */
struct linear_plan linear_plan(int n, int nz, const int *row, const int *col);
void linear_plan_clear(struct linear_plan *plan);
/* Systems that may be singular: least-squares solutions of least length, dense. */
void linear_plan_least(struct linear_plan *plan);
/* Measures (first pass) or carves (second pass) the memory of a system of the given size. */
void linear_layout(struct linear *linear, struct arena *arena, int n, int nz,
                   const struct linear_plan *plan);
/* Takes the pattern of the plan; row and col are not kept. */
enum noe_status linear_init(struct linear *linear, const int *row, const int *col);
/* Releases what lies outside the arena. */
void linear_clear(struct linear *linear);
/* Factorises the matrix with the given entries, which may be `a` itself where they are in place;
 * false if it is singular or not finite. Callers give the number of unknowns: to a specialised
 * stepper it is a constant. */
mask linear_factor(struct linear *linear, int n, const real *values);
/* After the numbers of another system were copied into this one: whatever lies outside of them is
 * made again, to the same bits. */
void linear_renew(struct linear *linear);
/* x <- a^-1 x. */
void linear_solve(const struct linear *linear, int n, real *x);
/* The sign of the determinant of the last matrix, 1 or -1; 0 where the kind does not tell. */
real linear_sign(const struct linear *linear, int n);
/* The kind in words. */
const char *linear_kind_text(enum linear_kind kind);

#endif
