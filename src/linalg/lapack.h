/* LU factorisation of large dense matrices by LAPACK, column-major. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_LAPACK_H
#define LINALG_LAPACK_H

#include <stdbool.h>

#include "base/real.h"

/* True if this build has LAPACK for its number type. */
bool lapack_available(void);
/* dense_factor, dense_solve and dense_sign for column-major a. */
mask lapack_factor(int n, real *a, lane_index *pivot);
void lapack_solve(int n, real *x, const real *a, const lane_index *pivot);
real lapack_sign(int n, const real *a, const lane_index *pivot);

#endif
