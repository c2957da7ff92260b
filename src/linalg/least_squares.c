/* Minimum-norm linear least squares by a complete orthogonal factorisation A P = Q [T 0] Z
 * (Golub and Van Loan, Matrix Computations, 5.5). Q comes from Householder reflections with
 * column pivoting. Z comes from reflections of rows, which eliminate the entries right of the
 * triangle T. */
/* SPDX-License-Identifier: MIT */
#include "linalg/least_squares.h"

#ifndef NOE_LANES

static const double dependent = 1e-10;

size_t least_room(int n) { return (size_t)n * (size_t)n + 3 * (size_t)n; }

/* Euclidean norm of column j from row k on. */
static real column_norm(int n, const real *a, int k, int j) {
    real sum = 0;
    for (int i = k; i < n; i++) sum += a[i * n + j] * a[i * n + j];
    return noe_sqrt(sum);
}

/* Exchanges column k with the longest of the columns from k on. Returns its norm. */
static real pivot_column(int n, real *a, int k, lane_index *order) {
    int best = k;
    real longest = column_norm(n, a, k, k);
    for (int j = k + 1; j < n; j++) {
        const real size = column_norm(n, a, k, j);
        if (size > longest) {
            longest = size;
            best = j;
        }
    }
    for (int i = 0; i < n && best != k; i++) {
        const real old = a[i * n + k];
        a[i * n + k] = a[i * n + best];
        a[i * n + best] = old;
    }
    const lane_index old = order[k];
    order[k] = order[best];
    order[best] = old;
    return longest;
}

/* Householder reflection u - t w (w.u), w = (1, rest), that maps column k to a multiple of e_k.
 * Returns t. */
static real reflect_column(int n, real *a, int k, real size) {
    const real head = a[k * n + k], end = head > 0 ? -size : size, scale = 1 / (head - end);
    const real t = (end - head) / end;
    for (int i = k + 1; i < n; i++) a[i * n + k] *= scale;
    for (int j = k + 1; j < n; j++) {
        real dot = a[k * n + j];
        for (int i = k + 1; i < n; i++) dot += a[i * n + k] * a[i * n + j];
        a[k * n + j] -= t * dot;
        for (int i = k + 1; i < n; i++) a[i * n + j] -= t * dot * a[i * n + k];
    }
    a[k * n + k] = end;
    return t;
}

/* Householder reflection that eliminates the entries of row k in columns `rank` and above, applied
 * to the rows above as well. Returns t. */
static real reflect_row(int n, real *a, int k, int rank) {
    real size = a[k * n + k] * a[k * n + k];
    for (int j = rank; j < n; j++) size += a[k * n + j] * a[k * n + j];
    size = noe_sqrt(size);
    const real head = a[k * n + k], end = head > 0 ? -size : size, scale = 1 / (head - end);
    const real t = (end - head) / end;
    for (int j = rank; j < n; j++) a[k * n + j] *= scale;
    for (int i = 0; i < k; i++) {
        real dot = a[i * n + k];
        for (int j = rank; j < n; j++) dot += a[k * n + j] * a[i * n + j];
        a[i * n + k] -= t * dot;
        for (int j = rank; j < n; j++) a[i * n + j] -= t * dot * a[k * n + j];
    }
    a[k * n + k] = end;
    return t;
}

int least_factor(int n, real *a, lane_index *order) {
    real *left = a + n * n, *right = left + n, first = 0;
    int rank = 0;
    if (!real_all_finite((size_t)n * (size_t)n, a)) return -1;
    for (int k = 0; k < n; k++) order[k] = k;
    for (; rank < n; rank++) {
        const real size = pivot_column(n, a, rank, order);
        if (rank == 0) first = size;
        if (!(size > dependent * first)) break;
        left[rank] = reflect_column(n, a, rank, size);
    }
    for (int k = rank - 1; k >= 0 && rank < n; k--) right[k] = reflect_row(n, a, k, rank);
    return rank;
}

void least_solve(int n, int rank, real *x, real *a, const lane_index *order) {
    real *left = a + n * n, *right = left + n, *y = right + n;
    for (int k = 0; k < rank; k++) {
        real dot = x[k];
        for (int i = k + 1; i < n; i++) dot += a[i * n + k] * x[i];
        x[k] -= left[k] * dot;
        for (int i = k + 1; i < n; i++) x[i] -= left[k] * dot * a[i * n + k];
    }
    for (int k = 0; k < n; k++) y[k] = k < rank ? x[k] : 0;
    for (int i = rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < rank; j++) y[i] -= a[i * n + j] * y[j];
        y[i] /= a[i * n + i];
    }
    for (int k = 0; k < rank && rank < n; k++) {
        real dot = y[k];
        for (int j = rank; j < n; j++) dot += a[k * n + j] * y[j];
        y[k] -= right[k] * dot;
        for (int j = rank; j < n; j++) y[j] -= right[k] * dot * a[k * n + j];
    }
    for (int k = 0; k < n; k++) x[order[k]] = y[k];
}

#endif
