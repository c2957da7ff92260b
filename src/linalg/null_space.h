/* Basis of the null space of a matrix. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_NULL_SPACE_H
#define LINALG_NULL_SPACE_H

#include "base/real.h"

/* Writes a basis z_1, .., z_k of the vectors with A z = 0, one after the other, into `basis`, which
 * has room for n*n numbers, and returns k. A has m rows and n columns, row-major, and is
 * overwritten. Pivots of at most `least` count as zero. `order` is scratch for n integers. */
int null_space(int m, int n, real *A, real least, real *basis, int *order);

#endif
