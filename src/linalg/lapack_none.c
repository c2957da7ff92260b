/* Replaces lapack.c in builds without LAPACK, or without LAPACK for the number type. */
/* SPDX-License-Identifier: MIT */
#include "linalg/lapack.h"

bool lapack_available(void) { return false; }

mask lapack_factor(int n, real *a, lane_index *pivot) {
    (void)n, (void)a, (void)pivot;
    return false;
}

void lapack_solve(int n, real *x, const real *a, const lane_index *pivot) {
    (void)n, (void)x, (void)a, (void)pivot;
}

real lapack_sign(int n, const real *a, const lane_index *pivot) {
    (void)n, (void)a, (void)pivot;
    return real_broadcast(0);
}
