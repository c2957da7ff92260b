/* Derivatives of constraints in the chart of a step: where they stand and how they turn. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_REACTION_H
#define METHODS_REACTION_H

#include <stdio.h>

#include "mechanics/lie_product.h"
#include "mechanics/constraint_schur.h"

/* Where one constraint depends on one piece of a product: `size` numbers. */
struct reaction_block {
    int row, tangent, size, first;
    int square; /* where the piece's matrix stands among those of all, -1 on R^n */
};

/* Rows of constraints, holonomic ones first; a piece is there as a whole or not at all. */
struct reaction {
    int nblocks, nz;
    int nholonomic, nblocks_holonomic, nz_holonomic;
    const struct reaction_block *block;
    const int *from; /* of each number its place in the system's pattern, or -1 */
    /* psi M^-1 psi^T of holonomic constraints and of all, where there is such a matrix. */
    struct gram position, velocity;
};

/* A range of its blocks and numbers, and the first row it may have. */
struct reaction_range {
    int first, last, begin, end, row;
};

static inline struct reaction_range reaction_all(const struct reaction *r) {
    return (struct reaction_range){0, r->nblocks, 0, r->nz, 0};
}

static inline struct reaction_range reaction_holonomic(const struct reaction *r) {
    return (struct reaction_range){0, r->nblocks_holonomic, 0, r->nz_holonomic, 0};
}

static inline struct reaction_range reaction_nonholonomic(const struct reaction *r) {
    return (struct reaction_range){r->nblocks_holonomic, r->nblocks, r->nz_holonomic, r->nz,
                                   r->nholonomic};
}

/* One block of memory to free(); NULL without memory. The chart may be NULL: R^n. */
struct reaction *reaction_make(const struct noe_system *system, const struct chart *chart);
/* Writes C text that defines specialised_reaction. */
void reaction_write(FILE *out, const struct reaction *reaction);
/* Writes rows and columns of a range, or those of its transpose; returns their number. */
int reaction_pattern(const struct reaction *reaction, struct reaction_range range,
                     bool is_transposed, int row0, int col0, int *row, int *col);

/* y = A M, where A has the given values on the system's pattern and M is a matrix of each piece; y
 * = A on R^n and where M is NULL. */
void reaction_right(const struct reaction *reaction, const real *values, const real *M, real *y);
/* y = A M, where A is such a y; y += A M. */
void reaction_turn(const struct reaction *reaction, const real *A, const real *M, real *y);
void reaction_add(const struct reaction *reaction, const real *values, const real *M, real *y);
/* to += factor A^T x with the signs of reactions, for the rows of a range: x begins with
 * its first row. */
void reaction_push(const struct noe_system *system, const struct reaction *reaction,
                   struct reaction_range range, real factor, const real *A, const real *x,
                   real *to);
/* The round-off of g at the point q of np numbers, where A is g_q. */
real reaction_noise(const struct reaction *reaction, const real *A, int np, const real *q);
/* values = factor A; the same with the signs of reactions. */
void reaction_scale(const struct reaction *reaction, struct reaction_range range, real factor,
                    const real *A, real *values);
void reaction_scale_signed(const struct noe_system *system, const struct reaction *reaction,
                           struct reaction_range range, real factor, const real *A, real *values);

#endif
