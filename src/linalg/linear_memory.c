/* A linear system's memory and pattern. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "linalg/linear.h"

void linear_layout(struct linear *linear, struct arena *arena) {
    const size_t n = (size_t)linear->n, nz = (size_t)linear->nz;
    const bool is_sparse = linear->kind == LINEAR_SPARSE, is_banded = linear->kind == LINEAR_BANDED;
    linear->room = is_sparse ? nz : is_banded ? banded_room(&linear->band) : n * n;
    linear->a = arena_reals(arena, linear->room);
    linear->at = arena_ints(arena, nz);
    linear->pivot = arena_ints(arena, n);
    if (is_banded && linear->order) linear->x = arena_reals(arena, n);
    if (!is_sparse) return;
    linear->start = arena_ints(arena, n + 1);
    linear->index = arena_ints(arena, nz);
}

/* Sorts entries by column, then row: counting by row first, then by column, keeps both orders. */
static void compress(struct linear *l, const int *row, const int *col) {
    int *by_row = l->index; /* borrowed until the end */
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

static void place_in_band(struct linear *l, const int *row, const int *col) {
    const int *place = l->order ? l->order + l->n : NULL;
    for (int e = 0; e < l->nz; e++) {
        const int i = place ? place[row[e]] : row[e], j = place ? place[col[e]] : col[e];
        l->at[e] = (int)banded_place(&l->band, i, j);
    }
}

enum noe_status linear_init(struct linear *linear, const int *row, const int *col) {
    if (linear->kind == LINEAR_SPARSE) {
        compress(linear, row, col);
        linear->sparse = sparse_create(linear->n, linear->start, linear->index);
        return linear->sparse ? NOE_OK : NOE_NO_MEMORY;
    }
    if (linear->kind == LINEAR_BANDED) {
        place_in_band(linear, row, col);
        return NOE_OK;
    }
    const int n = linear->n;
    const bool by_columns = linear->kind == LINEAR_LAPACK;
    for (int e = 0; e < linear->nz; e++) {
        const int i = row ? row[e] : e / n, j = row ? col[e] : e % n;
        linear->at[e] = by_columns ? j * n + i : i * n + j;
    }
    return NOE_OK;
}

void linear_clear(struct linear *linear) {
    sparse_free(linear->sparse);
    linear->sparse = NULL;
    free(linear->order);
    linear->order = NULL;
}

const char *linear_kind_text(enum linear_kind kind) {
    switch (kind) {
    case LINEAR_NONE: return "none";
    case LINEAR_DENSE: return "dense";
    case LINEAR_LAPACK: return "lapack";
    case LINEAR_BANDED: return "banded";
    case LINEAR_SPARSE: return "sparse";
    }
    return "none";
}
