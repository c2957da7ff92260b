/* LU factorisation of tridiagonal matrices.
 *
 * Every row waits for the one before: a product and a difference in a solution, and a quotient in
 * the factorisation. Diagonals of L and U are one, so that no more is in that chain; and where the
 * matrix is diagonally dominant, which makes swaps of rows needless, two chains run at the same
 * time, from either end to the middle. */
/* SPDX-License-Identifier: MIT */
#include "linalg/tridiagonal.h"

/* The diagonals of the matrix, and those of its factors; `inverse` of the main one. */
struct diagonals {
    real *restrict lower, *restrict inverse, *restrict upper, *restrict second;
};

static inline struct diagonals diagonals(int n, real *a) {
    return (struct diagonals){a, a + n, a + 2 * (size_t)n, a + 3 * (size_t)n};
}

static inline bool is_pivot(real inverse) { return real_is_finite(inverse) && inverse != 0; }

/* |a_ii| >= sum_j |a_ij| off the diagonal: elimination in any order keeps it so. False for NaN. */
static bool is_dominant(int n, const real *a) {
    const real *lower = a, *diagonal = a + n, *upper = a + 2 * (size_t)n;
    int count = 0;
    for (int i = 0; i < n; i++)
        count += noe_abs(diagonal[i]) >= noe_abs(lower[i]) + noe_abs(upper[i]);
    return count == n;
}

/* One row of the elimination: `diagonal` of this row becomes that of the next, whose entry beside
 * it is `beside`; the multiplier and the row's own entry are replaced. Returns what was subtracted.
 */
static inline real eliminate(real inverse, real *multiplier, real *own) {
    const real factor = *multiplier * inverse, product = factor * *own;
    *multiplier = factor;
    *own *= inverse;
    return product;
}

/* Rows 0 to m - 1 downwards, rows n - 1 to m + 1 upwards. */
static bool factor_twisted(int n, struct diagonals d) {
    const int m = n / 2, pairs = n - 1 - m;
    real top = d.inverse[0], bottom = d.inverse[n - 1], last = {0};
    bool is_regular = true;
    for (int i = 0, j = n - 1; i < m; i++, j--) {
        d.inverse[i] = 1 / top;
        is_regular &= is_pivot(d.inverse[i]);
        top = d.inverse[i + 1] - eliminate(d.inverse[i], &d.lower[i + 1], &d.upper[i]);
        if (i == pairs) break;
        d.inverse[j] = 1 / bottom;
        is_regular &= is_pivot(d.inverse[j]);
        last = eliminate(d.inverse[j], &d.upper[j - 1], &d.lower[j]);
        bottom = d.inverse[j - 1] - last;
    }
    d.inverse[m] = 1 / (top - last);
    return is_regular & is_pivot(d.inverse[m]);
}

static void solve_twisted(int n, real *restrict x, struct diagonals d) {
    const int m = n / 2, pairs = n - 1 - m;
    real top = x[0], bottom = x[n - 1], last = {0};
    for (int i = 0, j = n - 1; i < m; i++, j--) {
        x[i] = top * d.inverse[i];
        top = x[i + 1] - d.lower[i + 1] * top;
        if (i == pairs) break;
        x[j] = bottom * d.inverse[j];
        last = d.upper[j - 1] * bottom;
        bottom = x[j - 1] - last;
    }
    x[m] = top = bottom = (top - last) * d.inverse[m];
    for (int i = m - 1, j = m + 1; i >= 0; i--, j++) {
        x[i] = top = x[i] - d.upper[i] * top;
        if (j == n) break;
        x[j] = bottom = x[j] - d.lower[j] * bottom;
    }
}

/* From the top; the larger of the two entries in a column is taken for the pivot. */
static bool factor_swapping(int n, struct diagonals d, lane_int *pivot, bool *has_swaps) {
    real diagonal = d.inverse[0], right = d.upper[0]; /* of the row to be eliminated with */
    *has_swaps = false;
    for (int k = 0; k + 1 < n; k++) {
        const real next = d.lower[k + 1], below = d.inverse[k + 1], beside = d.upper[k + 1];
        const bool is_swapped = !(noe_abs(diagonal) >= noe_abs(next));
        const real inverse = 1 / (is_swapped ? next : diagonal);
        const real factor = (is_swapped ? diagonal : next) * inverse;
        if (!is_pivot(inverse)) return false;
        pivot[k] = is_swapped;
        *has_swaps |= is_swapped;
        d.inverse[k] = inverse;
        d.lower[k + 1] = factor;
        d.upper[k] = (is_swapped ? below : right) * inverse;
        d.second[k] = is_swapped ? beside * inverse : real_of(0);
        diagonal = is_swapped ? right - factor * below : below - factor * right;
        right = is_swapped ? -factor * beside : beside;
    }
    d.inverse[n - 1] = 1 / diagonal;
    return is_pivot(d.inverse[n - 1]);
}

static void solve_swapped(int n, real *restrict x, struct diagonals d, const lane_int *pivot) {
    real last = x[0], before = {0}; /* before: x[k + 2] on the way back */
    for (int k = 0; k + 1 < n; k++) {
        const real first = pivot[k] ? x[k + 1] : last, other = pivot[k] ? last : x[k + 1];
        x[k] = first * d.inverse[k];
        last = other - d.lower[k + 1] * first;
    }
    x[n - 1] = last *= d.inverse[n - 1];
    for (int k = n - 2; k >= 0; k--) {
        const real now = (x[k] - d.second[k] * before) - d.upper[k] * last;
        before = last;
        x[k] = last = now;
    }
}

static void solve_plain(int n, real *restrict x, struct diagonals d) {
    real last = x[0];
    x[0] = last * d.inverse[0];
    for (int k = 1; k < n; k++) {
        last = x[k] - d.lower[k] * last;
        x[k] = last * d.inverse[k];
    }
    last = x[n - 1];
    for (int k = n - 2; k >= 0; k--) x[k] = last = x[k] - d.upper[k] * last;
}

truth tridiagonal_factor(int n, real *a, lane_int *pivot, enum tridiagonal_form *form) {
    bool has_swaps = false;
    *form = is_dominant(n, a) ? TRIDIAGONAL_TWISTED : TRIDIAGONAL_PLAIN;
    if (*form == TRIDIAGONAL_TWISTED) return factor_twisted(n, diagonals(n, a));
    const bool is_regular = factor_swapping(n, diagonals(n, a), pivot, &has_swaps);
    if (has_swaps) *form = TRIDIAGONAL_SWAPPED;
    return is_regular;
}

void tridiagonal_solve(int n, real *x, const real *a, const lane_int *pivot,
                       enum tridiagonal_form form) {
    const struct diagonals d = diagonals(n, (real *)a); /* not written to */
    switch (form) {
    case TRIDIAGONAL_TWISTED: solve_twisted(n, x, d); return;
    case TRIDIAGONAL_PLAIN: solve_plain(n, x, d); return;
    case TRIDIAGONAL_SWAPPED: solve_swapped(n, x, d, pivot); return;
    }
}
