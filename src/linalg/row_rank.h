/* Linearly dependent rows of a matrix, and its smallest singular value. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_ROW_RANK_H
#define LINALG_ROW_RANK_H

#include <stdbool.h>

#include "base/real.h"

/* Makes the m rows of n components orthonormal, one after the other. A row of which at most the
 * fraction `min` remains is linearly dependent on those before it: is_redundant marks it, and it
 * becomes zero. Returns the number of independent rows. */
int rank_rows(int m, int n, real *rows, real min, bool *is_redundant);

/* Smallest singular value of m rows of n components by one-sided Jacobi rotations, and in `row` the
 * norm of the largest row. The rows become orthogonal. */
real rank_least_singular(int m, int n, real *rows, real *row);

#endif
