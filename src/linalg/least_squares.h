/* Least-squares solutions of least length, for dense matrices that may be singular. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_LEAST_SQUARES_H
#define LINALG_LEAST_SQUARES_H

#include <stddef.h>

#include "base/real.h"

/* Reals that the factors of an n x n matrix need; the matrix comes first, row by row. */
size_t least_room(int n);
/* Replaces a by its factors, with n numbers in order; returns the rank: a column counts as
 * dependent on others if less than 1e-10 of the largest is left of it. -1 if it is not finite. */
int least_factor(int n, real *a, lane_index *order);
/* x <- the shortest of those that leave least of a x - b, for b in x. */
void least_solve(int n, int rank, real *x, real *a, const lane_index *order);

#endif
