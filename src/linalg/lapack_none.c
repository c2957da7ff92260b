/* Stands in for lapack.c where LAPACK is missing or has no such number type. */
/* SPDX-License-Identifier: MIT */
#include "linalg/lapack.h"

bool lapack_available(void) { return false; }

bool lapack_factor(int n, real *a, int *pivot) {
    (void)n, (void)a, (void)pivot;
    return false;
}

void lapack_solve(int n, real *x, const real *a, const int *pivot) {
    (void)n, (void)x, (void)a, (void)pivot;
}
