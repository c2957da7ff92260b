/* Constraint Jacobian on a product of Lie groups and R^n: its block structure, and products of its
 * blocks with the matrices of the group factors. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_CONSTRAINT_JACOBIAN_H
#define MECHANICS_CONSTRAINT_JACOBIAN_H

#include <stdio.h>

#include "mechanics/constraint_schur.h"
#include "mechanics/lie_product.h"

/* The block of one constraint and one factor of the product: `size` numbers. */
struct constraint_jacobian_block {
    int row, tangent, size, first;
    int square; /* offset of the factor's matrix among those of all factors; -1 on R^n */
};

/* One row a constraint, holonomic constraints first. A factor is stored as a whole or not at all.
 */
struct constraint_jacobian {
    int nblocks, nz;
    int nholonomic, nblocks_holonomic, nz_holonomic;
    const struct constraint_jacobian_block *block;
    const int *from; /* index of each number in the system's sparsity pattern, or -1 */
    /* Schur complements psi M^-1 psi^T of the holonomic constraints and of all constraints, if they
     * exist. */
    struct constraint_schur position, velocity;
};

/* A range of blocks and numbers, and its first row. */
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

/* Returns one block of memory to free(), or NULL if memory runs out. `lie_product` is NULL on R^n.
 */
struct constraint_jacobian *constraint_jacobian_make(const struct noe_system *system,
                                                     const struct lie_product *lie_product);
/* Writes C text that defines specialised_constraint_jacobian. */
void constraint_jacobian_write(FILE *out, const struct constraint_jacobian *constraint_jacobian);
/* Writes the rows and columns of a range or of its transpose. Returns their number. */
int constraint_jacobian_sparsity(const struct constraint_jacobian *constraint_jacobian,
                                 struct constraint_jacobian_range range, bool is_transposed,
                                 int row0, int col0, int *row, int *col);

/* y = A M, where A has the given values on the system's sparsity pattern and M has one matrix a
 * factor. y = A on R^n and if M is NULL. */
void constraint_jacobian_right(const struct constraint_jacobian *constraint_jacobian,
                               const real *values, const real *M, real *y);
/* y = A M and y += A M, where A is a result of constraint_jacobian_right. */
void constraint_jacobian_coadjoint_change(const struct constraint_jacobian *constraint_jacobian,
                                          const real *A, const real *M, real *y);
void constraint_jacobian_add(const struct constraint_jacobian *constraint_jacobian,
                             const real *values, const real *M, real *y);
/* to += factor A^T x with the signs of the constraint forces, for the rows of a range. x begins
 * with the first row of the range. */
void constraint_jacobian_push(const struct noe_system *system,
                              const struct constraint_jacobian *constraint_jacobian,
                              struct constraint_jacobian_range range, real factor, const real *A,
                              const real *x, real *to);
/* Round-off error of g at the point q of np numbers, where A is g_q. */
real constraint_jacobian_noise(const struct constraint_jacobian *constraint_jacobian, const real *A,
                               int np, const real *q);
/* values = factor A, without and with the signs of the constraint forces. */
void constraint_jacobian_scale(const struct constraint_jacobian *constraint_jacobian,
                               struct constraint_jacobian_range range, real factor, const real *A,
                               real *values);
void constraint_jacobian_scale_signed(const struct noe_system *system,
                                      const struct constraint_jacobian *constraint_jacobian,
                                      struct constraint_jacobian_range range, real factor,
                                      const real *A, real *values);

#endif
