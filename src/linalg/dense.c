/* LU factorisation of small dense matrices. */
/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

static inline int pivot_row(int n, const real *a, int k) {
    int best = k;
    real largest = noe_abs(a[k * n + k]);
    for (int i = k + 1; i < n; i++) {
        const real size = noe_abs(a[i * n + k]);
        if (!(size > largest)) continue;
        largest = size;
        best = i;
    }
    return best;
}

static inline void swap_rows(int n, real *restrict x, real *restrict y) {
    for (int j = 0; j < n; j++) {
        const real t = x[j];
        x[j] = y[j];
        y[j] = t;
    }
}

static inline bool factor_sized(int n, real *a, int *pivot) {
    for (int k = 0; k < n; k++) {
        real *const top = a + k * n;
        pivot[k] = pivot_row(n, a, k);
        if (pivot[k] != k) swap_rows(n, top, a + pivot[k] * n);
        const real inverse = 1 / top[k];
        if (!real_is_finite(inverse) || inverse == 0) return false;
        top[k] = inverse;
        for (int i = k + 1; i < n; i++) {
            real *restrict const row = a + i * n;
            const real factor = row[k] * inverse;
            row[k] = factor;
            for (int j = k + 1; j < n; j++) row[j] -= factor * top[j];
        }
    }
    return true;
}

static inline void solve_sized(int n, real *x, const real *a, const int *pivot) {
    for (int k = 0; k < n; k++) {
        const real t = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = t;
    }
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

/* Two by two: the inverse itself, with one division. */
static bool invert_pair(real *a) {
    const real inverse = 1 / (a[0] * a[3] - a[1] * a[2]), first = a[0];
    if (!real_is_finite(inverse) || inverse == 0) return false;
    a[0] = a[3] * inverse;
    a[1] = -a[1] * inverse;
    a[2] = -a[2] * inverse;
    a[3] = first * inverse;
    return true;
}

static void apply_pair(real *x, const real *a) {
    const real first = x[0];
    x[0] = a[0] * first + a[1] * x[1];
    x[1] = a[2] * first + a[3] * x[1];
}

/* A constant size lets the compiler unroll everything: for matrices this small that is the cost. */
bool dense_factor(int n, real *a, int *pivot) {
    switch (n) {
    case 1: return factor_sized(1, a, pivot);
    case 2: return invert_pair(a);
    case 3: return factor_sized(3, a, pivot);
    default: return factor_sized(n, a, pivot);
    }
}

void dense_solve(int n, real *x, const real *a, const int *pivot) {
    switch (n) {
    case 1: solve_sized(1, x, a, pivot); return;
    case 2: apply_pair(x, a); return;
    case 3: solve_sized(3, x, a, pivot); return;
    default: solve_sized(n, x, a, pivot); return;
    }
}
