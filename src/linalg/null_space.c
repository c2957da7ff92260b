/* Basis of the null space of a matrix, by Gaussian elimination with complete pivoting. */
/* SPDX-License-Identifier: MIT */
#include "linalg/null_space.h"

#include <string.h>

static void swap(real *x, real *y) {
    const real old = *x;
    *x = *y;
    *y = old;
}

/* Moves the largest entry of rows and columns k.. to the place (k,k). Returns its size. */
static real pivot(int m, int n, real *A, int k, int *order) {
    int row = k, col = k;
    real most = 0;
    for (int i = k; i < m; i++)
        for (int j = k; j < n; j++)
            if (noe_abs(A[i * n + j]) > most) most = noe_abs(A[i * n + j]), row = i, col = j;
    for (int j = 0; j < n; j++) swap(&A[k * n + j], &A[row * n + j]);
    for (int i = 0; i < m; i++) swap(&A[i * n + k], &A[i * n + col]);
    const int old = order[k];
    order[k] = order[col];
    order[col] = old;
    return most;
}

/* A P = L [U V; 0 0] with U regular. Returns its size, the rank. */
static int eliminate(int m, int n, real *A, real least, int *order) {
    for (int j = 0; j < n; j++) order[j] = j;
    for (int k = 0; k < m && k < n; k++) {
        if (!(pivot(m, n, A, k, order) > least)) return k;
        for (int i = k + 1; i < m; i++) {
            const real factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n && factor != 0; j++) A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return m < n ? m : n;
}

/* P^T z = (-U^-1 V e, e), one z for each unit vector e. */
int null_space(int m, int n, real *A, real least, real *basis, int *order) {
    const int rank = eliminate(m, n, A, least, order);
    for (int free = rank; free < n; free++, basis += n) {
        memset(basis, 0, (size_t)n * sizeof *basis);
        basis[order[free]] = 1;
        for (int i = rank - 1; i >= 0; i--) {
            real sum = A[i * n + free];
            for (int j = i + 1; j < rank; j++) sum += A[i * n + j] * basis[order[j]];
            basis[order[i]] = -sum / A[i * n + i];
        }
    }
    return n - rank;
}
