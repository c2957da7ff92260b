/* One linear system with a fixed pattern, solved in the way that pays for its size. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_LINEAR_H
#define LINALG_LINEAR_H

#include "base/arena.h"
#include "linalg/sparse.h"
#include "noether.h"

enum linear_kind { LINEAR_NONE, LINEAR_DENSE, LINEAR_LAPACK, LINEAR_SPARSE };

struct linear {
    enum linear_kind kind;
    int n, nz;   /* unknowns, entries */
    size_t room; /* reals in a */
    real *a;     /* matrix, then its factors (sparse: compressed columns) */
    int *at;     /* entry e goes to a[at[e]] */
    lane_int *pivot;
    int *start, *index; /* sparse: compressed columns */
    struct sparse *sparse;
};

/* The kind of a system; a specialised stepper has only small dense ones. */
#ifdef NOE_SPECIALISED
#define LINEAR_KIND(linear)  LINEAR_DENSE
#define LINEAR_CHOICE(n, nz) LINEAR_DENSE
#else
#define LINEAR_KIND(linear)  ((linear)->kind)
#define LINEAR_CHOICE(n, nz) linear_choose(n, nz)
#endif

/* Chooses the kind for n unknowns and nz entries. */
enum linear_kind linear_choose(int n, int nz);
/* Measures (first pass) or carves (second pass) the memory of a system of the given size. */
void linear_layout(struct linear *linear, struct arena *arena, int n, int nz);
/* Takes the pattern, each entry once; row and col are not kept. NULL: full, row by row. */
enum noe_status linear_init(struct linear *linear, const int *row, const int *col);
/* Releases what lies outside the arena. */
void linear_clear(struct linear *linear);
/* Factorises the matrix with the given entries; false if it is singular or not finite. */
truth linear_factor(struct linear *linear, const real *values);
/* x <- a^-1 x. */
void linear_solve(const struct linear *linear, real *x);
/* The kind in words. */
const char *linear_kind_text(enum linear_kind kind);

#endif
