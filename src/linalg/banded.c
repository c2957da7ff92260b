/* Banded LU factorisation with partial pivoting inside the band.
 *
 * Row i stores columns i - below to i + below + above, because pivoting widens the upper factor.
 * The multipliers stay where they were computed, so a right-hand side is permuted and reduced
 * column by column. A tridiagonal matrix stores only its own entries, row by row. */
/* SPDX-License-Identifier: MIT */
#include "linalg/banded.h"

/* Constant bandwidths let the compiler unroll the inner loops. */
#define INLINE static inline __attribute__((always_inline))

static bool is_tridiagonal(const struct banded *band) {
    return band->below == 1 && band->above == 1;
}

INLINE int smaller(int x, int y) { return x < y ? x : y; }
INLINE bool is_pivot(real inverse) { return real_is_finite(inverse) && inverse != 0; }

size_t banded_room(const struct banded *band) {
    return (size_t)band->n * (size_t)(2 * band->below + band->above + 1);
}

size_t banded_place(const struct banded *band, int i, int j) {
    const size_t row = (size_t)i, column = (size_t)(j - i + band->below);
    if (is_tridiagonal(band)) return 3 * row + column - 1;
    return row * (size_t)(2 * band->below + band->above + 1) + column;
}

/* In the functions below, `row` points at the diagonal entry of a row. */

INLINE int pivot_row(int rows, int width, const real *row) {
    int best = 0;
    real largest = noe_abs(row[0]);
    for (int i = 1; i <= rows; i++) {
        const real size = noe_abs(row[i * (width - 1)]);
        best = size > largest ? i : best;
        largest = size > largest ? size : largest;
    }
    return best;
}

/* Exchanges a row with the row `best` places below. Both extend `reach` columns to the right. */
INLINE void swap_rows(int best, int width, int reach, real *row) {
    real *const other = row + best * (width - 1);
    for (int j = 0; j <= reach; j++) {
        const real t = row[j];
        row[j] = other[j];
        other[j] = t;
    }
}

INLINE void eliminate(int rows, int width, int reach, real *row) {
    for (int i = 1; i <= rows; i++) {
        real *restrict const other = row + i * (width - 1);
        const real factor = other[0] * row[0];
        other[0] = factor;
        for (int j = 1; j <= reach; j++) other[j] -= factor * row[j];
    }
}

INLINE bool factor_sized(struct banded *band, int below, int above, real *a, lane_index *pivot) {
    const int n = band->n, width = 2 * below + above + 1;
    int end = 0; /* last column that row exchanges above have filled */
    real *row = a + below;
    band->has_swaps = false;
    for (int k = 0; k < n; k++, row += width) {
        const int rows = smaller(below, n - 1 - k), best = pivot_row(rows, width, row);
        pivot[k] = best;
        if (best) {
            swap_rows(best, width, below + above, row);
            band->has_swaps = true;
            end = best + k + above > end ? best + k + above : end;
        }
        row[0] = 1 / row[0];
        if (!is_pivot(row[0])) return false;
        if (end <= k + above)
            eliminate(rows, width, above, row);
        else
            eliminate(rows, width, below + above, row);
    }
    return true;
}

static void solve_any(const struct banded *band, real *x, const real *a, const lane_index *pivot) {
    const int n = band->n, below = band->below, above = band->above, width = 2 * below + above + 1;
    const int reach = band->has_swaps ? below + above : above;
    const real *row = a + below;
    for (int k = 0; k < n; k++, row += width) {
        const int rows = smaller(below, n - 1 - k);
        const real pivotal = x[k + pivot[k]];
        x[k + pivot[k]] = x[k];
        x[k] = pivotal;
        for (int i = 1; i <= rows; i++) x[k + i] -= row[i * (width - 1)] * pivotal;
    }
    for (int k = n - 1; k >= 0; k--) {
        row -= width;
        const int columns = smaller(reach, n - 1 - k);
        real sum = x[k];
        for (int j = columns; j > 0; j--)
            sum -= row[j] * x[k + j]; /* the most recent result is used last */
        x[k] = sum * row[0];
    }
}

/* Returns sum - row . recent, where recent[0] is the latest of `count` results. The caller then
 * adds the next result. */
INLINE real subtract(int count, real sum, const real *row, int stride, const real *recent) {
    for (int j = count - 1; j >= 0; j--) sum -= row[j * stride] * recent[j];
    return sum;
}

INLINE void remember(int count, real *recent, real next) {
    for (int j = count - 1; j > 0; j--) recent[j] = recent[j - 1];
    recent[0] = next;
}

/* Without row exchanges both sweeps go row by row. The recent results of a narrow band stay in
 * registers. */
INLINE void solve_narrow(const struct banded *band, int width, real *x, const real *a) {
    const int n = band->n, stride = 3 * width + 1;
    real recent[BANDED_NARROW] = {0};
    const real *row = a + width;
    for (int k = 0; k < n; k++, row += stride) {
        const real next = subtract(width, x[k], row - 1, -1, recent);
        remember(width, recent, next);
        x[k] = next;
    }
    for (int j = 0; j < width; j++) recent[j] = 0;
    for (int k = n - 1; k >= 0; k--) {
        row -= stride;
        const real next = subtract(width, x[k], row + 1, 1, recent) * row[0];
        remember(width, recent, next);
        x[k] = next;
    }
}

/* Bandwidth of a narrow band with equal numbers of diagonals below and above; 0 for any other
 * band. */
static int narrow_width(const struct banded *band) {
    return band->below == band->above && band->below <= BANDED_NARROW ? band->below : 0;
}

mask banded_factor(struct banded *band, real *a, lane_index *pivot) {
    switch (narrow_width(band)) {
    case 1: return tridiagonal_factor(band->n, a, pivot, &band->form);
    case 2: return factor_sized(band, 2, 2, a, pivot);
    case 3: return factor_sized(band, 3, 3, a, pivot);
    case 4: return factor_sized(band, 4, 4, a, pivot);
    case 5: return factor_sized(band, 5, 5, a, pivot);
    default: return factor_sized(band, band->below, band->above, a, pivot);
    }
}

void banded_solve(const struct banded *band, real *x, const real *a, const lane_index *pivot) {
    const int width = narrow_width(band);
    if (width == 1) {
        tridiagonal_solve(band->n, x, a, pivot, band->form);
        return;
    }
    switch (band->has_swaps ? 0 : width) {
    case 2: solve_narrow(band, 2, x, a); return;
    case 3: solve_narrow(band, 3, x, a); return;
    case 4: solve_narrow(band, 4, x, a); return;
    case 5: solve_narrow(band, 5, x, a); return;
    default: solve_any(band, x, a, pivot); return;
    }
}

real banded_sign(const struct banded *band, const real *a, const lane_index *pivot) {
    const int width = 2 * band->below + band->above + 1;
    bool is_negative = false;
    if (is_tridiagonal(band)) return tridiagonal_sign(band->n, a, pivot, band->form);
    for (int k = 0; k < band->n; k++)
        is_negative ^= (a[k * width + band->below] < 0) ^ (pivot[k] != 0);
    return is_negative ? -1 : 1;
}
