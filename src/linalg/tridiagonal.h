/* LU factorisation of tridiagonal matrices. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_TRIDIAGONAL_H
#define LINALG_TRIDIAGONAL_H

#include <stdbool.h>

#include "base/real.h"

enum tridiagonal_form {
    TRIDIAGONAL_TWISTED, /* eliminated from both ends towards the middle, without swaps of rows */
    TRIDIAGONAL_PLAIN,   /* from the top, no rows swapped */
    TRIDIAGONAL_SWAPPED,
};

/* a holds four times n numbers: those below the diagonal (the first is zero), on it, above it (the
 * last is zero), and room. It is replaced by its factors, with n numbers in pivot; false if it is
 * singular or not finite. */
truth tridiagonal_factor(int n, real *a, lane_int *pivot, enum tridiagonal_form *form);
/* x <- a^-1 x. */
void tridiagonal_solve(int n, real *x, const real *a, const lane_int *pivot,
                       enum tridiagonal_form form);

#endif
