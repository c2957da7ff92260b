/* LU factorisation of small dense matrices. */
/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

static inline lane_index pivot_row(int n, const real *a, int k) {
    lane_index best = lane_index_broadcast(k);
    real largest = noe_abs(a[k * n + k]);
    for (int i = k + 1; i < n; i++) {
        const real size = noe_abs(a[i * n + k]);
        const mask is_larger = size > largest;
        largest = real_select(is_larger, size, largest);
        best = lane_index_select(is_larger, lane_index_broadcast(i), best);
    }
    return best;
}

static inline void swap_rows(int width, real *restrict x, real *restrict y, mask where) {
    for (int j = 0; j < width; j++) {
        const real t = x[j];
        x[j] = real_select(where, y[j], t);
        y[j] = real_select(where, t, y[j]);
    }
}

/* Exchanges row k of n rows with the row `other` >= k. */
static inline void exchange(int n, int width, real *a, int k, lane_index other) {
#if defined NOE_LANES && NOE_LANES > 1
    for (int i = k + 1; i < n; i++)
        if (mask_any(other == i)) swap_rows(width, a + k * width, a + i * width, other == i);
#else
    (void)n;
    if (other != k) swap_rows(width, a + k * width, a + other * width, true);
#endif
}

static inline mask factor_sized(int n, real *a, lane_index *pivot) {
    mask is_regular = mask_broadcast(true);
    for (int k = 0; k < n; k++) {
        real *const top = a + k * n;
        pivot[k] = pivot_row(n, a, k);
        exchange(n, n, a, k, pivot[k]);
        const real inverse = 1 / top[k];
        is_regular &= real_is_finite(inverse) & (inverse != 0);
        if (!mask_any(is_regular)) return is_regular;
        top[k] = inverse;
        for (int i = k + 1; i < n; i++) {
            real *restrict const row = a + i * n;
            const real factor = row[k] * inverse;
            row[k] = factor;
            for (int j = k + 1; j < n; j++) row[j] -= factor * top[j];
        }
    }
    return is_regular;
}

static inline void solve_sized(int n, real *x, const real *a, const lane_index *pivot) {
    for (int k = 0; k < n; k++) exchange(n, 1, x, k, pivot[k]);
    for (int i = 1; i < n; i++) {
        real sum = x[i];
        for (int j = 0; j < i; j++) sum -= a[i * n + j] * x[j];
        x[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        real sum = x[i];
        for (int j = i + 1; j < n; j++) sum -= a[i * n + j] * x[j];
        x[i] = sum * a[i * n + i];
    }
}

/* Inverse of a 2 x 2 matrix with one division. */
static mask invert_pair(real *a) {
    const real inverse = 1 / (a[0] * a[3] - a[1] * a[2]), first = a[0];
    a[0] = a[3] * inverse;
    a[1] = -a[1] * inverse;
    a[2] = -a[2] * inverse;
    a[3] = first * inverse;
    return real_is_finite(inverse) & (inverse != 0);
}

static void apply_pair(real *x, const real *a) {
    const real first = x[0];
    x[0] = a[0] * first + a[1] * x[1];
    x[1] = a[2] * first + a[3] * x[1];
}

/* Inverse of a 3 x 3 matrix by cofactors. */
static mask invert_triple(real *a) {
    const real c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
               c2 = a[3] * a[7] - a[4] * a[6];
    const real inverse = 1 / (a[0] * c0 + a[1] * c1 + a[2] * c2);
    const real all[9] = {c0, a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
                         c1, a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
                         c2, a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3]};
    for (int e = 0; e < 9; e++) a[e] = all[e] * inverse;
    return real_is_finite(inverse) & (inverse != 0);
}

static void apply_triple(real *x, const real *a) {
    const real y[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; i++) x[i] = a[3 * i] * y[0] + a[3 * i + 1] * y[1] + a[3 * i + 2] * y[2];
}

/* A constant size lets the compiler unroll the loops, whose overhead dominates for such small
 * matrices. */
mask dense_factor(int n, real *a, lane_index *pivot) {
    switch (n) {
    case 1: return factor_sized(1, a, pivot);
    case 2: return invert_pair(a);
    case 3: return invert_triple(a);
    default: return factor_sized(n, a, pivot);
    }
}

void dense_solve(int n, real *x, const real *a, const lane_index *pivot) {
    switch (n) {
    case 1: solve_sized(1, x, a, pivot); return;
    case 2: apply_pair(x, a); return;
    case 3: apply_triple(x, a); return;
    default: solve_sized(n, x, a, pivot); return;
    }
}

/* From the inverse for n = 2 and 3, else from the signs of the pivots and the row exchanges. */
real dense_sign(int n, const real *a, const lane_index *pivot) {
    real det = real_broadcast(1);
    if (n == 2) det = a[0] * a[3] - a[1] * a[2];
    if (n == 3)
        det = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
              a[2] * (a[3] * a[7] - a[4] * a[6]);
    for (int k = 0; k < n && n != 2 && n != 3; k++) {
        const mask is_negative = (a[k * n + k] < 0) ^ (pivot[k] != k);
        det = real_select(is_negative, -det, det);
    }
    return real_select(det < 0, real_broadcast(-1), real_broadcast(1));
}
