/* LU factorisation of small dense matrices, row-major, with partial pivoting. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_DENSE_H
#define LINALG_DENSE_H

#include <stdbool.h>

#include "base/real.h"

/* Replaces a (n x n) by what dense_solve needs: its factors, or its inverse; false if it is
 * singular or not finite. */
mask dense_factor(int n, real *a, lane_index *pivot);
/* x <- a^-1 x with the factors of dense_factor. */
void dense_solve(int n, real *x, const real *a, const lane_index *pivot);
/* The sign of the determinant, 1 or -1, by the same factors. */
real dense_sign(int n, const real *a, const lane_index *pivot);

#endif
