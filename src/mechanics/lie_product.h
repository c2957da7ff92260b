/* Stages of a step on a product of groups and R^n, seen in the chart x -> g tau(x) of its start.
 *
 * With T = T(x), E = (T V)', S(m) = (T^T m)', H = (P.T V)'' at a stage's x and its velocity V in
 * the chart, the system is evaluated at (g tau(x), T V), where it has P = L_v and W = L_q + f. In
 * the chart these are Pi = T^T P,    F = T^T W + E^T P,    and in the frame of g    N = Ad*_tau(-x)
 * W. On R^n T = 1, E = 0, Ad = 1: Pi = P, F = N = W. docs/theory_groups.md has the derivation. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_LIE_PRODUCT_H
#define MECHANICS_LIE_PRODUCT_H

#include <stdio.h>

#include "linalg/small_matrix.h"
#include "mechanics/interval.h"

/* What a product is made of: its groups, and R^n coordinate by coordinate. */
struct lie_factor {
    const struct noe_space *space; /* NULL: a coordinate of R^n */
    int tangent, size;             /* where its numbers stand in tangents, and how many */
    int square;                    /* where its matrix stands among those of all pieces */
};

/* Where momenta or forces of one piece depend on another: numbers row by row. */
struct lie_block {
    int row, col, first;
};

struct lie_product {
    int npieces, nblocks;
    int nz;     /* numbers in all blocks */
    int square; /* numbers in the matrices of all pieces; those of R^n are not used */
    const struct lie_factor *piece;
    const struct lie_block *block;
    const int *from; /* of each number of a block its place in the system's pattern, or -1 */
};

/* The chart of a system, one block of memory to free(); NULL without memory. */
struct lie_product *lie_product_make(const struct noe_system *system);
/* Writes the rows and columns of all blocks, moved by row0 and col0; returns their number. */
int lie_product_sparsity(const struct lie_product *lie_product, int row0, int col0, int *row,
                         int *col);
/* The same of the blocks on the diagonal alone, one after the other. */
int lie_product_diagonal_sparsity(const struct lie_product *lie_product, int *row, int *col);
/* Writes C text that defines specialised_lie_product. */
void lie_product_write(FILE *out, const struct lie_product *lie_product);

/* A stage: what the system says of it, and that in the chart. */
struct lie_stage {
    real *x, *v;      /* g tau(x) is its point, v = T V what the Lagrangian sees */
    real *P, *W, *D;  /* at (g tau(x), v), as the system gives them */
    real *T, *E;      /* matrices of all pieces, one after the other */
    real *Pi, *F, *N; /* in the chart; in the frame of g */
    real *C, *M;      /* Pi_V, Pi_x, F_V, F_x and N_V, N_x: nz numbers each, block by block */
};

/* T, E and v of a stage from its x and V. */
void lie_stage_enter(const struct lie_product *lie_product, int tau, const struct lie_stage *at,
                     const real *V);
/* Pi, F, N from P and W. */
void lie_product_forces(const struct lie_product *lie_product, int tau, const struct lie_stage *at);
/* Their derivatives C and M from D, whose four parts have nz numbers each. */
void lie_product_system_derivatives(const struct lie_product *lie_product, int tau,
                                    const struct lie_stage *at, size_t nz, const real *V);

/* The same in the frame of g: Pi = Ad*_tau(-x) P and F = N. */
void lie_product_frame_forces(const struct lie_product *lie_product, int tau,
                              const struct lie_stage *at);
void lie_product_frame_derivatives(const struct lie_product *lie_product, int tau,
                                   const struct lie_stage *at, size_t nz);

/* The numbers of a block in one part of a system's D. */
static inline void lie_product_gather(const struct lie_product *lie_product,
                                      const struct lie_block *block, int count, const real *part,
                                      real *A) {
    for (int e = 0; e < count; e++) {
        const int from = lie_product->from[block->first + e];
        A[e] = from < 0 ? real_broadcast(0) : part[from];
    }
}

/* values = a block's part of a system's D, times the columns' T where it is given. */
void lie_product_block(const struct lie_product *lie_product, const struct lie_block *block,
                       const real *part, const real *T, real *values);
/* A with A m = ad*_v m on one group; y += ad*_v m on all. */
void lie_product_bracket_matrix(const struct lie_factor *piece, const real *v, real *A);
void lie_product_add_bracket(const struct lie_product *lie_product, const real *v, const real *m,
                             real *y);
/* y = A x, y = A^T x with the pieces' matrices A; y = x on R^n. */
void lie_product_apply(const struct lie_product *lie_product, real *y, const real *A,
                       const real *x);
void lie_product_apply_transpose(const struct lie_product *lie_product, real *y, const real *A,
                                 const real *x);
/* y += factor A x, where A has the given values in the blocks; rows of R^n too. */
void lie_product_add_product(const struct lie_product *lie_product, scalar factor,
                             const real *values, const real *x, real *y);
/* T(x), T(-x), T(x)^-1 and Ad_tau(x)^-1 of the pieces that are groups. */
void lie_product_dtau(const struct lie_product *lie_product, int tau, real *T, const real *x);
void lie_product_dtau_minus(const struct lie_product *lie_product, int tau, real *T, const real *x);
void lie_product_tangent_inverse(const struct lie_product *lie_product, int tau, real *T,
                                 const real *x);
void lie_factor_adjoint_back(const struct lie_factor *piece, int tau, const real *x, real *Ad);
void lie_product_adjoint_back(const struct lie_product *lie_product, int tau, real *Ad,
                              const real *x);
/* dp += (Ad*_tau(x) - 1) m in the pieces that are groups. */
void lie_product_coadjoint_change(const struct lie_product *lie_product, int tau, const real *x,
                                  const real *m, real *dp);
/* How the end of an interval moves: g1 = g tau(X), p1 = Ad*_tau(X) B. */
struct lie_product_variation {
    int n;
    const real *X, *dX, *p1, *dB;
};
/* s_1 = Ad_tau(X)^-1 s_0 + T(X) dX, dp_1 = Ad*_tau(X) dB + B(p_1) T(X) dX; dz = (s_0, dp_0). */
void lie_product_end_tangent(const struct lie_product *lie_product, int tau,
                             const struct lie_product_variation *end, const real *dz, real *dz1);
/* The first of them alone. */
void lie_product_point_tangent(const struct lie_product *lie_product, int tau, const real *X,
                               const real *dX, const real *s0, real *s1);
/* The largest |x| of a group over the limit of its retraction, or `reach` if that is larger. */
real lie_product_load(const struct lie_product *lie_product, int tau, const real *x,
                      real retraction_load);

#endif
