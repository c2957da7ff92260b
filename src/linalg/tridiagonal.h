/* LU factorisation of tridiagonal matrices. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_TRIDIAGONAL_H
#define LINALG_TRIDIAGONAL_H

#include <stdbool.h>

#include "base/real.h"

enum tridiagonal_form {
    TRIDIAGONAL_TWISTED, /* eliminated from both ends towards the middle, without row exchanges */
    TRIDIAGONAL_PLAIN,   /* eliminated from the top, without row exchanges */
    TRIDIAGONAL_SWAPPED,
};

/* a holds the 3n - 2 entries row by row and has room for 4n numbers. Replaces it by its factors and
 * fills n pivots. False if a is singular or not finite. */
mask tridiagonal_factor(int n, real *a, lane_index *pivot, enum tridiagonal_form *form);
/* x <- a^-1 x. */
void tridiagonal_solve(int n, real *x, const real *a, const lane_index *pivot,
                       enum tridiagonal_form form);
/* The sign of the determinant, 1 or -1. */
real tridiagonal_sign(int n, const real *a, const lane_index *pivot, enum tridiagonal_form form);

#endif
