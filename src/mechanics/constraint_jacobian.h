/* Derivatives of constraints in the chart of a step: where they stand and how they turn. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_CONSTRAINT_JACOBIAN_H
#define MECHANICS_CONSTRAINT_JACOBIAN_H

#include <stdio.h>

#include "mechanics/constraint_schur.h"
#include "mechanics/lie_product.h"

/* Where one constraint depends on one piece of a product: `size` numbers. */
struct constraint_jacobian_block {
    int row, tangent, size, first;
    int square; /* where the piece's matrix stands among those of all, -1 on R^n */
};

/* Rows of constraints, holonomic ones first; a piece is there as a whole or not at all. */
struct constraint_jacobian {
    int nblocks, nz;
    int nholonomic, nblocks_holonomic, nz_holonomic;
    const struct constraint_jacobian_block *block;
    const int *from; /* of each number its place in the system's pattern, or -1 */
    /* psi M^-1 psi^T of holonomic constraints and of all, where there is such a matrix. */
    struct constraint_schur position, velocity;
};

/* A range of its blocks and numbers, and the first row it may have. */
struct constraint_jacobian_range {
    int first, last, begin, end, row;
};

static inline struct constraint_jacobian_range
constraint_jacobian_all(const struct constraint_jacobian *r) {
    return (struct constraint_jacobian_range){0, r->nblocks, 0, r->nz, 0};
}

static inline struct constraint_jacobian_range
constraint_jacobian_holonomic(const struct constraint_jacobian *r) {
    return (struct constraint_jacobian_range){0, r->nblocks_holonomic, 0, r->nz_holonomic, 0};
}

static inline struct constraint_jacobian_range
constraint_jacobian_nonholonomic(const struct constraint_jacobian *r) {
    return (struct constraint_jacobian_range){r->nblocks_holonomic, r->nblocks, r->nz_holonomic,
                                              r->nz, r->nholonomic};
}

/* One block of memory to free(); NULL without memory. The chart may be NULL: R^n. */
struct constraint_jacobian *constraint_jacobian_make(const struct noe_system *system,
                                                     const struct lie_product *lie_product);
/* Writes C text that defines specialised_constraint_jacobian. */
void constraint_jacobian_write(FILE *out, const struct constraint_jacobian *constraint_jacobian);
/* Writes rows and columns of a range, or those of its transpose; returns their number. */
int constraint_jacobian_sparsity(const struct constraint_jacobian *constraint_jacobian,
                                 struct constraint_jacobian_range range, bool is_transposed,
                                 int row0, int col0, int *row, int *col);

/* y = A M, where A has the given values on the system's pattern and M is a matrix of each piece; y
 * = A on R^n and where M is NULL. */
void constraint_jacobian_right(const struct constraint_jacobian *constraint_jacobian,
                               const real *values, const real *M, real *y);
/* y = A M, where A is such a y; y += A M. */
void constraint_jacobian_coadjoint_change(const struct constraint_jacobian *constraint_jacobian,
                                          const real *A, const real *M, real *y);
void constraint_jacobian_add(const struct constraint_jacobian *constraint_jacobian,
                             const real *values, const real *M, real *y);
/* to += factor A^T x with the signs of reactions, for the rows of a range: x begins with
 * its first row. */
void constraint_jacobian_push(const struct noe_system *system,
                              const struct constraint_jacobian *constraint_jacobian,
                              struct constraint_jacobian_range range, real factor, const real *A,
                              const real *x, real *to);
/* The round-off of g at the point q of np numbers, where A is g_q. */
real constraint_jacobian_noise(const struct constraint_jacobian *constraint_jacobian, const real *A,
                               int np, const real *q);
/* values = factor A; the same with the signs of reactions. */
void constraint_jacobian_scale(const struct constraint_jacobian *constraint_jacobian,
                               struct constraint_jacobian_range range, real factor, const real *A,
                               real *values);
void constraint_jacobian_scale_signed(const struct noe_system *system,
                                      const struct constraint_jacobian *constraint_jacobian,
                                      struct constraint_jacobian_range range, real factor,
                                      const real *A, real *values);

#endif
