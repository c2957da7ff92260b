/* Linearly dependent rows of a matrix, by the Gram-Schmidt process. */
/* SPDX-License-Identifier: MIT */
#include "linalg/row_rank.h"

static real norm(int n, const real *row) {
    real sum = 0;
    for (int k = 0; k < n; k++) sum += row[k] * row[k];
    return noe_sqrt(sum);
}

/* Subtracts the projections of `row` on the `count` orthonormal or zero rows before it. */
static void reduce(int n, int count, const real *rows, real *row) {
    for (int pass = 0; pass < 2; pass++) /* the second removes the round-off of the first */
        for (int i = 0; i < count; i++) {
            const real *other = rows + (long)i * n;
            real dot = 0;
            for (int k = 0; k < n; k++) dot += other[k] * row[k];
            for (int k = 0; k < n; k++) row[k] -= dot * other[k];
        }
}

int rank_rows(int m, int n, real *rows, real min, bool *is_redundant) {
    int rank = 0;
    for (int i = 0; i < m; i++) {
        real *row = rows + (long)i * n;
        const real size = norm(n, row);
        reduce(n, i, rows, row);
        const real rest = norm(n, row);
        is_redundant[i] = !(rest > min * size);
        for (int k = 0; k < n; k++) row[k] = is_redundant[i] ? 0 : row[k] / rest;
        rank += !is_redundant[i];
    }
    return rank;
}

/* Jacobi rotation that makes two rows orthogonal. Returns the cosine of their angle before. */
static real rotate_rows(int n, real *x, real *y) {
    real xx = 0, yy = 0, xy = 0;
    for (int k = 0; k < n; k++) {
        xx += x[k] * x[k];
        yy += y[k] * y[k];
        xy += x[k] * y[k];
    }
    if (xy == 0) return 0;
    const real tau = (yy - xx) / (2 * xy), root = noe_sqrt(1 + tau * tau);
    const real t = tau >= 0 ? 1 / (tau + root) : 1 / (tau - root);
    const real c = 1 / noe_sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < n; k++) {
        const real old = x[k];
        x[k] = c * old - s * y[k];
        y[k] = s * old + c * y[k];
    }
    return noe_abs(xy) / noe_sqrt(xx * yy);
}

real rank_least_singular(int m, int n, real *rows, real *row) {
    enum { SWEEPS_MAX = 30 };
    real min = HUGE_VAL;
    *row = 0;
    for (int i = 0; i < m; i++) *row = noe_max(*row, norm(n, rows + (long)i * n));
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        real off = 0;
        for (int i = 0; i < m; i++)
            for (int j = i + 1; j < m; j++)
                off = noe_max(off, rotate_rows(n, rows + (long)i * n, rows + (long)j * n));
        if (!(off > 4 * NOE_EPSILON)) break;
    }
    for (int i = 0; i < m; i++) min = noe_min(min, norm(n, rows + (long)i * n));
    return min;
}
