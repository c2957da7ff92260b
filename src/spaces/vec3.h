/* Vectors of three numbers and matrices of three by three, row by row. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_VEC3_H
#define SPACES_VEC3_H

#include "base/real.h"

REAL_INLINE real vec3_dot(const real *x, const real *y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* z = x cross y; z is neither. */
REAL_INLINE void vec3_cross(real *restrict z, const real *x, const real *y) {
    z[0] = x[1] * y[2] - x[2] * y[1];
    z[1] = x[2] * y[0] - x[0] * y[2];
    z[2] = x[0] * y[1] - x[1] * y[0];
}

/* y += factor x. */
REAL_INLINE void vec3_add(real *y, real factor, const real *x) {
    for (int i = 0; i < 3; i++) y[i] += factor * x[i];
}

/* y = A x; y is not x. */
REAL_INLINE void vec3_apply(real *restrict y, const real *A, const real *x) {
    for (int i = 0; i < 3; i++) y[i] = vec3_dot(A + 3 * i, x);
}

/* y = A^T x; y is not x. */
REAL_INLINE void vec3_apply_transposed(real *restrict y, const real *A, const real *x) {
    for (int i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/* C = A B; C is neither. */
REAL_INLINE void vec3_multiply(real *restrict C, const real *A, const real *B) {
    for (int i = 0; i < 3; i++) vec3_apply_transposed(C + 3 * i, B, A + 3 * i);
}

/* C = the adjugate of A, C A = det(A) I; returns det(A). */
REAL_INLINE real vec3_adjugate(real *restrict C, const real *A) {
    C[0] = A[4] * A[8] - A[5] * A[7];
    C[1] = A[2] * A[7] - A[1] * A[8];
    C[2] = A[1] * A[5] - A[2] * A[4];
    C[3] = A[5] * A[6] - A[3] * A[8];
    C[4] = A[0] * A[8] - A[2] * A[6];
    C[5] = A[2] * A[3] - A[0] * A[5];
    C[6] = A[3] * A[7] - A[4] * A[6];
    C[7] = A[1] * A[6] - A[0] * A[7];
    C[8] = A[0] * A[4] - A[1] * A[3];
    return A[0] * C[0] + A[1] * C[3] + A[2] * C[6];
}

/* A = 0. */
REAL_INLINE void vec3_zero(real *A) {
    for (int i = 0; i < 9; i++) A[i] = real_broadcast(0);
}

/* A += factor I. */
REAL_INLINE void vec3_add_identity(real *A, real factor) {
    for (int i = 0; i < 3; i++) A[4 * i] += factor;
}

/* A += factor x^, where x^ y = x cross y. */
REAL_INLINE void vec3_add_hat(real *A, real factor, const real *x) {
    const real a = factor * x[0], b = factor * x[1], c = factor * x[2];
    A[1] -= c;
    A[2] += b;
    A[3] += c;
    A[5] -= a;
    A[6] -= b;
    A[7] += a;
}

/* A = factor x^ B; A is not B. */
REAL_INLINE void vec3_hat_times(real *restrict A, real factor, const real *x, const real *B) {
    real hat[9];
    vec3_zero(hat);
    vec3_add_hat(hat, factor, x);
    vec3_multiply(A, hat, B);
}

/* A = factor B x^; A is not B. */
REAL_INLINE void vec3_times_hat(real *restrict A, real factor, const real *B, const real *x) {
    real hat[9];
    vec3_zero(hat);
    vec3_add_hat(hat, factor, x);
    vec3_multiply(A, B, hat);
}

/* A += factor x y^T. */
REAL_INLINE void vec3_add_outer(real *A, real factor, const real *x, const real *y) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[3 * i + j] += factor * x[i] * y[j];
}

/* A += factor (x y^T + y x^T). */
REAL_INLINE void vec3_add_symmetric(real *A, real factor, const real *x, const real *y) {
    vec3_add_outer(A, factor, x, y);
    vec3_add_outer(A, factor, y, x);
}

#endif
