/* Choice of the linear solver by size and sparsity pattern. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "linalg/bandwidth_ordering.h"
#include "linalg/lapack.h"
#include "linalg/linear_system.h"

/* Crossover sizes of the solvers, measured on banded and full matrices. A specialised stepper has
 * few unknowns and always uses the dense solver. */
enum { THREE_DIAGONALS_FROM = 6, DENSE_UP_TO = 24, LAPACK_FROM = 48, DIAGONALS_MAX = 48 };
static const double sparse_density = 0.3;

static enum linear_kind choose_without_band(int n, int nz) {
    const double density = (double)nz / ((double)n * n);
    if (n == 0) return LINEAR_NONE;
    if (n > DENSE_UP_TO && density <= sparse_density && sparse_available()) return LINEAR_SPARSE;
    return n >= LAPACK_FROM && lapack_available() ? LINEAR_LAPACK : LINEAR_DENSE;
}

/* Bandwidths of a pattern whose unknown i gets the number place[i] (NULL: i). At least one diagonal
 * on either side, so that a NaN or infinity propagates into a pivot. */
static struct banded band_of(int n, int nz, const int *row, const int *col, const int *place) {
    struct banded band = {.n = n, .below = 1, .above = 1};
    for (int e = 0; e < nz; e++) {
        const int i = place ? place[row[e]] : row[e], j = place ? place[col[e]] : col[e];
        if (i - j > band.below) band.below = i - j;
        if (j - i > band.above) band.above = j - i;
    }
    const int width = band.below > band.above ? band.below : band.above;
    if (width <= BANDED_NARROW) band.below = band.above = width;
    return band;
}

static int diagonals(struct banded band) { return band.below + band.above; }

/* Reorders the unknowns if that at least halves the bandwidth. */
static void narrow(struct linear_plan *plan, int nz, const int *row, const int *col) {
    const int n = plan->band.n;
    int *order = malloc(2 * (size_t)n * sizeof *order), *place = order + n;
    if (order && ordering_narrow(n, nz, row, col, 2 * DIAGONALS_MAX, order)) {
        for (int i = 0; i < n; i++) place[order[i]] = i;
        const struct banded band = band_of(n, nz, row, col, place);
        if (2 * diagonals(band) <= diagonals(plan->band)) {
            plan->band = band;
            plan->order = order;
            return;
        }
    }
    free(order);
}

/* True if the entries in the given order are the matrix that the plan stores. */
static bool is_in_place(const struct linear_plan *plan, int n, int nz, const int *row,
                        const int *col) {
    const bool is_dense = plan->kind == LINEAR_DENSE;
    if (is_dense ? nz != n * n : plan->kind != LINEAR_BANDED || plan->order) return false;
    if (!is_dense && (diagonals(plan->band) > 2 || nz != 3 * n - 2)) return false;
    for (int e = 0; row && e < nz; e++) {
        const size_t at =
            is_dense ? (size_t)(row[e] * n + col[e]) : banded_place(&plan->band, row[e], col[e]);
        if (at != (size_t)e) return false;
    }
    return true;
}

static struct linear_plan choose(int n, int nz, const int *row, const int *col) {
    struct linear_plan plan = {.kind = choose_without_band(n, nz)};
    if (n < THREE_DIAGONALS_FROM || !row) return plan;
    plan.band = band_of(n, nz, row, col, NULL);
    if (n <= DENSE_UP_TO && diagonals(plan.band) > 2) return plan;
    if (diagonals(plan.band) > 2) narrow(&plan, nz, row, col);
    if (diagonals(plan.band) <= DIAGONALS_MAX && 2 * diagonals(plan.band) <= n)
        plan.kind = LINEAR_BANDED;
    return plan;
}

struct linear_plan linear_plan(int n, int nz, const int *row, const int *col) {
    struct linear_plan plan = choose(n, nz, row, col);
    plan.is_in_place = is_in_place(&plan, n, nz, row, col);
    return plan;
}

void linear_plan_least(struct linear_plan *plan) {
    linear_plan_clear(plan);
    *plan = (struct linear_plan){.kind = LINEAR_LEAST};
}

void linear_plan_clear(struct linear_plan *plan) {
    free(plan->order);
    plan->order = NULL;
}
