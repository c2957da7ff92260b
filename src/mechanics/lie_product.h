/* Stages of a step on a product of Lie groups and R^n, in the coordinates x -> g tau(x) at its
 * start, where tau is the retraction.
 *
 * At a stage with coordinates x and coordinate velocity V let T = T(x) be the left-trivialised
 * tangent dtau, E = (T V)', S(m) = (T^T m)' and H = (P.T V)''. The system is evaluated at (g
 * tau(x), T V), where it has P = L_v and W = L_q + f. In the coordinates these are Pi = T^T P and F
 * = T^T W + E^T P; in the frame of g the force is N = Ad*_tau(-x) W. On R^n T = 1, E = 0, Ad = 1,
 * so Pi = P and F = N = W. docs/theory_groups.md has the derivation. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_LIE_PRODUCT_H
#define MECHANICS_LIE_PRODUCT_H

#include <stdio.h>

#include "linalg/small_matrix.h"
#include "mechanics/interval.h"

/* A factor of the product: a group, or one coordinate of R^n. */
struct lie_factor {
    const struct noe_space *space; /* NULL: a coordinate of R^n */
    int tangent, size;             /* offset and number of its components in tangent vectors */
    int square;                    /* offset of its matrix among those of all factors */
};

/* A block of derivatives of the momenta or forces of one factor by another, row by row. */
struct lie_block {
    int row, col, first;
};

struct lie_product {
    int npieces, nblocks;
    int nz;     /* total number of entries of all blocks */
    int square; /* total size of the matrices of all factors; those of R^n are unused */
    const struct lie_factor *piece;
    const struct lie_block *block;
    const int *from; /* index of each block entry in the system's sparsity pattern, or -1 */
};

/* The Lie product of a system, in one block of memory to free(). NULL if memory runs out. */
struct lie_product *lie_product_make(const struct noe_system *system);
/* Writes the rows and columns of all blocks, offset by row0 and col0. Returns their number. */
int lie_product_sparsity(const struct lie_product *lie_product, int row0, int col0, int *row,
                         int *col);
/* Writes the rows and columns of the diagonal blocks, one block after the other. */
int lie_product_diagonal_sparsity(const struct lie_product *lie_product, int *row, int *col);
/* Writes C text that defines specialised_lie_product. */
void lie_product_write(FILE *out, const struct lie_product *lie_product);

/* A stage: the evaluation of the system, and its representation in the coordinates of the step. */
struct lie_stage {
    real *x, *v;      /* its point is g tau(x), and v = T V is the velocity in the Lagrangian */
    real *P, *W, *D;  /* system functions at (g tau(x), v) */
    real *T, *E;      /* matrices of all factors, one after the other */
    real *Pi, *F, *N; /* Pi and F in the coordinates, N in the frame of g */
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

/* Forces and their derivatives in the frame of g: Pi = Ad*_tau(-x) P and F = N. */
void lie_product_frame_forces(const struct lie_product *lie_product, int tau,
                              const struct lie_stage *at);
void lie_product_frame_derivatives(const struct lie_product *lie_product, int tau,
                                   const struct lie_stage *at, size_t nz);

/* Gathers a block from one part of a system's D. */
static inline void lie_product_gather(const struct lie_product *lie_product,
                                      const struct lie_block *block, int count, const real *part,
                                      real *A) {
    for (int e = 0; e < count; e++) {
        const int from = lie_product->from[block->first + e];
        A[e] = from < 0 ? real_broadcast(0) : part[from];
    }
}

/* values = a block of one part of a system's D, times T of the column factor if T is not NULL. */
void lie_product_block(const struct lie_product *lie_product, const struct lie_block *block,
                       const real *part, const real *T, real *values);
/* The matrix A with A m = ad*_v m on one group, and y += ad*_v m on all groups. */
void lie_product_bracket_matrix(const struct lie_factor *piece, const real *v, real *A);
void lie_product_add_bracket(const struct lie_product *lie_product, const real *v, const real *m,
                             real *y);
/* y = A x and y = A^T x with the matrices A of the factors; y = x on R^n. */
void lie_product_apply(const struct lie_product *lie_product, real *y, const real *A,
                       const real *x);
void lie_product_apply_transpose(const struct lie_product *lie_product, real *y, const real *A,
                                 const real *x);
/* y += factor A x, where A has the given values in the blocks, including the rows of R^n. */
void lie_product_add_product(const struct lie_product *lie_product, scalar factor,
                             const real *values, const real *x, real *y);
/* T(x), T(-x), T(x)^-1 and Ad_tau(x)^-1 of the group factors. */
void lie_product_dtau(const struct lie_product *lie_product, int tau, real *T, const real *x);
void lie_product_dtau_minus(const struct lie_product *lie_product, int tau, real *T, const real *x);
void lie_product_tangent_inverse(const struct lie_product *lie_product, int tau, real *T,
                                 const real *x);
void lie_factor_adjoint_back(const struct lie_factor *piece, int tau, const real *x, real *Ad);
void lie_product_adjoint_back(const struct lie_product *lie_product, int tau, real *Ad,
                              const real *x);
/* dp += (Ad*_tau(x) - 1) m in the group factors. */
void lie_product_coadjoint_change(const struct lie_product *lie_product, int tau, const real *x,
                                  const real *m, real *dp);
/* Derivative of the end of a step with g1 = g tau(X) and p1 = Ad*_tau(X) B. */
struct lie_product_variation {
    int n;
    const real *X, *dX, *p1, *dB;
};
/* s_1 = Ad_tau(X)^-1 s_0 + T(X) dX, dp_1 = Ad*_tau(X) dB + B(p_1) T(X) dX; dz = (s_0, dp_0). */
void lie_product_end_tangent(const struct lie_product *lie_product, int tau,
                             const struct lie_product_variation *end, const real *dz, real *dz1);
/* s_1 alone. */
void lie_product_point_tangent(const struct lie_product *lie_product, int tau, const real *X,
                               const real *dX, const real *s0, real *s1);
/* The largest |x| of a group relative to the limit of its retraction, or `retraction_load` if that
 * is larger. */
real lie_product_load(const struct lie_product *lie_product, int tau, const real *x,
                      real retraction_load);

#endif
