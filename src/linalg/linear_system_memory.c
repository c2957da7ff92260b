/* Memory layout and sparsity pattern of a linear system. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "linalg/least_squares.h"
#include "linalg/linear_system.h"

void linear_layout(struct linear *linear, struct arena *arena, int n, int nz,
                   const struct linear_plan *plan) {
    linear->n = n;
    linear->nz = nz;
    linear->kind = LINEAR_KIND(plan);
    linear->is_in_place = plan->is_in_place && plan->kind == linear->kind;
    const bool is_sparse = LINEAR_KIND(linear) == LINEAR_SPARSE;
    linear->room = is_sparse ? (size_t)nz : (size_t)n * (size_t)n;
    if (LINEAR_KIND(linear) == LINEAR_BANDED) {
        linear->band = plan->band;
        linear->order = plan->order;
        linear->room = banded_room(&linear->band);
        if (linear->order) linear->x = arena_reals(arena, (size_t)n);
    }
    linear->a =
        arena_reals(arena, LINEAR_KIND(linear) == LINEAR_LEAST ? least_room(n) : linear->room);
    linear->at = arena_ints(arena, linear->is_in_place ? 0 : (size_t)nz);
    linear->pivot = arena_take(arena, (size_t)n * sizeof *linear->pivot);
    if (!is_sparse) return;
    linear->start = arena_ints(arena, (size_t)n + 1);
    linear->index = arena_ints(arena, (size_t)nz);
    linear->pivoted = arena_reals(arena, (size_t)nz);
}

/* Sorts the entries by column, then by row, with two stable counting sorts: first by row, then by
 * column. */
static void compress(struct linear *l, const int *row, const int *col) {
    int *by_row = l->index; /* used as scratch until the end */
    memset(l->start, 0, ((size_t)l->n + 1) * sizeof *l->start);
    for (int e = 0; e < l->nz; e++) l->start[row[e] + 1]++;
    for (int i = 0; i < l->n; i++) l->start[i + 1] += l->start[i];
    for (int e = 0; e < l->nz; e++) by_row[l->start[row[e]]++] = e;
    memset(l->start, 0, ((size_t)l->n + 1) * sizeof *l->start);
    for (int e = 0; e < l->nz; e++) l->start[col[e] + 1]++;
    for (int i = 0; i < l->n; i++) l->start[i + 1] += l->start[i];
    for (int k = 0; k < l->nz; k++) l->at[by_row[k]] = l->start[col[by_row[k]]]++;
    for (int i = l->n; i > 0; i--) l->start[i] = l->start[i - 1];
    l->start[0] = 0;
    for (int e = 0; e < l->nz; e++) l->index[l->at[e]] = row[e];
}

static inline void place_in_band(struct linear *l, const int *row, const int *col) {
    const int *place = l->order ? l->order + l->n : NULL;
    for (int e = 0; e < l->nz; e++) {
        const int i = place ? place[row[e]] : row[e], j = place ? place[col[e]] : col[e];
        l->at[e] = (int)banded_place(&l->band, i, j);
    }
}

enum noe_status linear_init(struct linear *linear, const int *row, const int *col) {
    if (linear->is_in_place) return NOE_OK;
    if (LINEAR_KIND(linear) == LINEAR_SPARSE) {
        compress(linear, row, col);
        linear->sparse = sparse_create(linear->n, linear->start, linear->index);
        return linear->sparse ? NOE_OK : NOE_NO_MEMORY;
    }
    if (LINEAR_KIND(linear) == LINEAR_BANDED) {
        place_in_band(linear, row, col);
        return NOE_OK;
    }
    const int n = linear->n;
    const bool by_columns = LINEAR_KIND(linear) == LINEAR_LAPACK;
    for (int e = 0; e < linear->nz; e++) {
        const int i = row ? row[e] : e / n, j = row ? col[e] : e % n;
        linear->at[e] = by_columns ? j * n + i : i * n + j;
    }
    return NOE_OK;
}

void linear_renew(struct linear *linear) {
    bool keeps_pivots;
    if (LINEAR_KIND(linear) != LINEAR_SPARSE || !linear->has_pivots) return;
    sparse_factor(linear->sparse, linear->pivoted, &keeps_pivots);
    if (linear->keeps_pivots) sparse_factor(linear->sparse, linear->a, &keeps_pivots);
}

void linear_clear(struct linear *linear) {
    if (LINEAR_KIND(linear) != LINEAR_SPARSE) return;
    sparse_free(linear->sparse);
    linear->sparse = NULL;
}

const char *linear_kind_text(enum linear_kind kind) {
    switch (kind) {
    case LINEAR_NONE: return "none";
    case LINEAR_DENSE: return "dense";
    case LINEAR_LAPACK: return "lapack";
    case LINEAR_LEAST: return "least squares";
    case LINEAR_BANDED: return "banded";
    case LINEAR_SPARSE: return "sparse";
    }
    return "none";
}
