/* LU factorisation of sparse matrices by KLU, compressed columns. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_SPARSE_H
#define LINALG_SPARSE_H

#include <stdbool.h>

#include "base/real.h"

struct sparse; /* symbolic analysis, factors and their memory */

/* True if this build has a sparse solver for its number type. */
bool sparse_available(void);
/* Analyses the n x n pattern (start, index) of compressed columns; NULL if that fails. The pattern
 * must outlive the result. */
struct sparse *sparse_create(int n, int *start, int *index);
void sparse_free(struct sparse *sparse);
/* Factorises. The first call chooses pivots and allocates. Later calls reuse the pivots while the
 * pivot growth is moderate, and set *keeps_pivots then. False if the matrix is singular or not
 * finite. */
mask sparse_factor(struct sparse *sparse, real *values, bool *keeps_pivots);
/* x <- a^-1 x. */
void sparse_solve(struct sparse *sparse, real *x);

#endif
