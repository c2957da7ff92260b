/* LU factorisation of tridiagonal matrices.
 *
 * The rows form a dependency chain: a product and a difference in the solution, and a quotient in
 * the factorisation. L and U have unit diagonals to keep the chain that short. If the matrix is
 * diagonally dominant, no row exchanges are needed, and two chains run at the same time from either
 * end to the middle (twisted factorisation). */
/* SPDX-License-Identifier: MIT */
#include "linalg/tridiagonal.h"

/* Entries of row i beside and on the diagonal. The factorisation replaces a pivot by its
 * inverse. */
#define LOWER(a, i) (a)[3 * (i)-1]
#define PIVOT(a, i) (a)[3 * (i)]
#define UPPER(a, i) (a)[3 * (i) + 1]

static inline bool is_pivot(real inverse) { return real_is_finite(inverse) && inverse != 0; }

/* Diagonal dominance, |a_ii| >= sum_j |a_ij| off the diagonal, which elimination in any order
 * preserves. False for NaN. */
static bool is_dominant(int n, const real *a) {
    if (n == 1) return true;
    int count = noe_abs(PIVOT(a, 0)) >= noe_abs(UPPER(a, 0));
    for (int i = 1; i + 1 < n; i++)
        count += noe_abs(PIVOT(a, i)) >= noe_abs(LOWER(a, i)) + noe_abs(UPPER(a, i));
    count += noe_abs(PIVOT(a, n - 1)) >= noe_abs(LOWER(a, n - 1));
    return count == n;
}

/* Eliminates the entry `multiplier` with the pivot row, whose entry `own` is scaled to the unit
 * diagonal of U. Returns the change of the next diagonal entry. */
static inline real eliminate(real inverse, real *multiplier, real *own) {
    const real factor = *multiplier * inverse, product = factor * *own;
    *multiplier = factor;
    *own *= inverse;
    return product;
}

/* Eliminates rows 0 to m - 1 downwards and rows n - 1 to m + 1 upwards. */
static bool factor_twisted(int n, real *a) {
    const int m = n / 2, pairs = n - 1 - m;
    real top = PIVOT(a, 0), bottom = PIVOT(a, n - 1), last = {0};
    bool is_regular = true;
    for (int i = 0, j = n - 1; i < m; i++, j--) {
        const real inverse = 1 / top;
        PIVOT(a, i) = inverse;
        is_regular &= is_pivot(inverse);
        top = PIVOT(a, i + 1) - eliminate(inverse, &LOWER(a, i + 1), &UPPER(a, i));
        if (i == pairs) break;
        const real other = 1 / bottom;
        PIVOT(a, j) = other;
        is_regular &= is_pivot(other);
        last = eliminate(other, &UPPER(a, j - 1), &LOWER(a, j));
        bottom = PIVOT(a, j - 1) - last;
    }
    PIVOT(a, m) = 1 / (top - last);
    return is_regular & is_pivot(PIVOT(a, m));
}

static void solve_twisted(int n, real *restrict x, const real *a) {
    const int m = n / 2, pairs = n - 1 - m;
    real top = x[0], bottom = x[n - 1], last = {0};
    for (int i = 0, j = n - 1; i < m; i++, j--) {
        x[i] = top * PIVOT(a, i);
        top = x[i + 1] - LOWER(a, i + 1) * top;
        if (i == pairs) break;
        x[j] = bottom * PIVOT(a, j);
        last = UPPER(a, j - 1) * bottom;
        bottom = x[j - 1] - last;
    }
    x[m] = top = bottom = (top - last) * PIVOT(a, m);
    for (int i = m - 1, j = m + 1; i >= 0; i--, j++) {
        x[i] = top = x[i] - UPPER(a, i) * top;
        if (j == n) break;
        x[j] = bottom = x[j] - LOWER(a, j) * bottom;
    }
}

/* Elimination from the top with partial pivoting. A row exchange fills an entry of the second
 * superdiagonal. */
static bool factor_swapping(int n, real *a, real *second, lane_index *pivot, bool *has_swaps) {
    real diagonal = PIVOT(a, 0), right = n > 1 ? UPPER(a, 0) : real_broadcast(0);
    *has_swaps = false;
    for (int k = 0; k + 1 < n; k++) {
        const real next = LOWER(a, k + 1), below = PIVOT(a, k + 1);
        const real beside = k + 2 < n ? UPPER(a, k + 1) : real_broadcast(0);
        const bool is_swapped = !(noe_abs(diagonal) >= noe_abs(next));
        const real inverse = 1 / (is_swapped ? next : diagonal);
        const real factor = (is_swapped ? diagonal : next) * inverse;
        if (!is_pivot(inverse)) return false;
        pivot[k] = is_swapped;
        *has_swaps |= is_swapped;
        PIVOT(a, k) = inverse;
        LOWER(a, k + 1) = factor;
        UPPER(a, k) = (is_swapped ? below : right) * inverse;
        second[k] = is_swapped ? beside * inverse : real_broadcast(0);
        diagonal = is_swapped ? right - factor * below : below - factor * right;
        right = is_swapped ? -factor * beside : beside;
    }
    PIVOT(a, n - 1) = 1 / diagonal;
    return is_pivot(PIVOT(a, n - 1));
}

static void solve_swapped(int n, real *restrict x, const real *a, const real *second,
                          const lane_index *pivot) {
    real last = x[0], before = {0}; /* before: x[k + 2] in the back substitution */
    for (int k = 0; k + 1 < n; k++) {
        const real first = pivot[k] ? x[k + 1] : last, other = pivot[k] ? last : x[k + 1];
        x[k] = first * PIVOT(a, k);
        last = other - LOWER(a, k + 1) * first;
    }
    x[n - 1] = last *= PIVOT(a, n - 1);
    for (int k = n - 2; k >= 0; k--) {
        const real now = (x[k] - second[k] * before) - UPPER(a, k) * last;
        before = last;
        x[k] = last = now;
    }
}

static void solve_plain(int n, real *restrict x, const real *a) {
    real last = x[0];
    x[0] = last * PIVOT(a, 0);
    for (int k = 1; k < n; k++) {
        last = x[k] - LOWER(a, k) * last;
        x[k] = last * PIVOT(a, k);
    }
    last = x[n - 1];
    for (int k = n - 2; k >= 0; k--) x[k] = last = x[k] - UPPER(a, k) * last;
}

mask tridiagonal_factor(int n, real *a, lane_index *pivot, enum tridiagonal_form *form) {
    bool has_swaps = false;
    *form = is_dominant(n, a) ? TRIDIAGONAL_TWISTED : TRIDIAGONAL_PLAIN;
    if (*form == TRIDIAGONAL_TWISTED) return factor_twisted(n, a);
    const bool is_regular = factor_swapping(n, a, a + 3 * (size_t)n, pivot, &has_swaps);
    if (has_swaps) *form = TRIDIAGONAL_SWAPPED;
    return is_regular;
}

void tridiagonal_solve(int n, real *x, const real *a, const lane_index *pivot,
                       enum tridiagonal_form form) {
    switch (form) {
    case TRIDIAGONAL_TWISTED: solve_twisted(n, x, a); return;
    case TRIDIAGONAL_PLAIN: solve_plain(n, x, a); return;
    case TRIDIAGONAL_SWAPPED: solve_swapped(n, x, a, a + 3 * (size_t)n, pivot); return;
    }
}

/* From the signs of the pivots and the row exchanges. */
real tridiagonal_sign(int n, const real *a, const lane_index *pivot, enum tridiagonal_form form) {
    bool is_negative = false;
    for (int k = 0; k < n; k++) is_negative ^= PIVOT(a, k) < 0;
    for (int k = 0; form == TRIDIAGONAL_SWAPPED && k + 1 < n; k++) is_negative ^= pivot[k] != 0;
    return is_negative ? -1 : 1;
}
