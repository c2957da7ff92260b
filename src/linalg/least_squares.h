/* Minimum-norm linear least squares, for dense matrices that may be rank-deficient. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_LEAST_SQUARES_H
#define LINALG_LEAST_SQUARES_H

#include <stddef.h>

#include "base/real.h"

/* Number of reals that the factors of an n x n matrix need. The matrix comes first, row by row. */
size_t least_room(int n);
/* Replaces a by its factors and fills n column numbers in order. Returns the numerical rank, or -1
 * if a is not finite. A column counts as linearly dependent if the norm of its remainder is below
 * 1e-10 of the largest. */
int least_factor(int n, real *a, lane_index *order);
/* x <- the solution of minimal norm among those that minimise |a x - b|, with b given in x. */
void least_solve(int n, int rank, real *x, real *a, const lane_index *order);

#endif
