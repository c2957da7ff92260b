/* LU factorisation of small dense matrices, row-major, with partial pivoting. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_DENSE_H
#define LINALG_DENSE_H

#include <stdbool.h>

#include "base/real.h"

/* Replaces a (n x n) by its LU factors, or by its inverse if n is 2 or 3, for dense_solve. False if
 * a is singular or not finite. */
mask dense_factor(int n, real *a, lane_index *pivot);
/* x <- a^-1 x with the result of dense_factor. */
void dense_solve(int n, real *x, const real *a, const lane_index *pivot);
/* Sign of the determinant, 1 or -1, from the result of dense_factor. */
real dense_sign(int n, const real *a, const lane_index *pivot);

#endif
