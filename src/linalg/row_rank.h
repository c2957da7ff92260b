/* Which rows of a matrix follow from those before them. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_ROW_RANK_H
#define LINALG_ROW_RANK_H

#include <stdbool.h>

#include "base/real.h"

/* Makes the m rows of n numbers orthonormal, one after the other. Of a row that follows from those
 * before it at most the part `least` is left: is_redundant (m flags) says so, and the row becomes
 * zero. Returns the number of the others. */
int rank_rows(int m, int n, real *rows, real min, bool *is_redundant);

/* The smallest singular value of m rows of n numbers, by Jacobi's rotations, and the length of the
 * largest row; the rows become orthogonal. */
real rank_least_singular(int m, int n, real *rows, real *row);

#endif
