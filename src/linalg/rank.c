/* Which rows of a matrix follow from those before them, by Gram and Schmidt's process. */
/* SPDX-License-Identifier: MIT */
#include "linalg/rank.h"

static real length(int n, const real *row) {
    real sum = 0;
    for (int k = 0; k < n; k++) sum += row[k] * row[k];
    return noe_sqrt(sum);
}

/* row -= its parts along the `count` orthonormal or zero rows before it. */
static void reduce(int n, int count, const real *rows, real *row) {
    for (int pass = 0; pass < 2; pass++) /* the second removes the round-off of the first */
        for (int i = 0; i < count; i++) {
            const real *other = rows + (long)i * n;
            real dot = 0;
            for (int k = 0; k < n; k++) dot += other[k] * row[k];
            for (int k = 0; k < n; k++) row[k] -= dot * other[k];
        }
}

int rank_rows(int m, int n, real *rows, real least, bool *is_redundant) {
    int rank = 0;
    for (int i = 0; i < m; i++) {
        real *row = rows + (long)i * n;
        const real size = length(n, row);
        reduce(n, i, rows, row);
        const real left = length(n, row);
        is_redundant[i] = !(left > least * size);
        for (int k = 0; k < n; k++) row[k] = is_redundant[i] ? 0 : row[k] / left;
        rank += !is_redundant[i];
    }
    return rank;
}
