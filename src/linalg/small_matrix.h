/* Products of small row-major matrices (blocks of a few rows and columns). */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_SMALL_MATRIX_H
#define LINALG_SMALL_MATRIX_H

#include "base/real.h"

enum { SMALL_MAX = 6, SMALL_SQUARE = SMALL_MAX * SMALL_MAX };

/* y += factor A x, A being rows x cols. */
static inline void small_add_apply(int rows, int cols, real *restrict y, scalar factor,
                                   const real *A, const real *x) {
    for (int i = 0; i < rows; i++) {
        real sum = {0};
        for (int j = 0; j < cols; j++) sum += A[i * cols + j] * x[j];
        y[i] += factor * sum;
    }
}

/* y += factor A^T x, A being rows x cols. */
static inline void small_add_dual(int rows, int cols, real *restrict y, scalar factor,
                                  const real *A, const real *x) {
    for (int j = 0; j < cols; j++) {
        real sum = {0};
        for (int i = 0; i < rows; i++) sum += A[i * cols + j] * x[i];
        y[j] += factor * sum;
    }
}

/* C += A B, A being rows x inner, B inner x cols. */
static inline void small_add_product(int rows, int inner, int cols, real *restrict C, const real *A,
                                     const real *B) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            real sum = {0};
            for (int k = 0; k < inner; k++) sum += A[i * inner + k] * B[k * cols + j];
            C[i * cols + j] += sum;
        }
}

/* C += A^T B, A being inner x rows, B inner x cols. */
static inline void small_add_dual_product(int rows, int inner, int cols, real *restrict C,
                                          const real *A, const real *B) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            real sum = {0};
            for (int k = 0; k < inner; k++) sum += A[k * rows + i] * B[k * cols + j];
            C[i * cols + j] += sum;
        }
}

static inline void small_zero(int count, real *x) {
    for (int i = 0; i < count; i++) x[i] = real_broadcast(0);
}

#endif
