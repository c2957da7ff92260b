/* LU factorisation of sparse matrices by KLU (Davis and Palamadai Natarajan, 2010). */
/* SPDX-License-Identifier: MIT */
#include "linalg/sparse.h"

#include <klu.h>
#include <stdlib.h>

struct sparse {
    int n;
    int *start, *index;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

bool sparse_available(void) { return true; }

struct sparse *sparse_create(int n, int *start, int *index) {
    struct sparse *sparse = calloc(1, sizeof *sparse);
    if (!sparse) return NULL;
    sparse->n = n;
    sparse->start = start;
    sparse->index = index;
    klu_defaults(&sparse->common);
    sparse->symbolic = klu_analyze(n, start, index, &sparse->common);
    if (sparse->symbolic) return sparse;
    free(sparse);
    return NULL;
}

void sparse_free(struct sparse *sparse) {
    if (!sparse) return;
    klu_free_numeric(&sparse->numeric, &sparse->common);
    klu_free_symbolic(&sparse->symbolic, &sparse->common);
    free(sparse);
}

/* Refactorises with the old pivots, as long as the pivot growth is moderate. */
static bool refactor(struct sparse *s, real *values) {
    const double least_growth = 1e-6; /* reciprocal pivot growth below which accuracy suffers */
    if (!s->numeric) return false;
    if (!klu_refactor(s->start, s->index, values, s->symbolic, s->numeric, &s->common))
        return false;
    if (s->common.status != KLU_OK) return false;
    klu_rgrowth(s->start, s->index, values, s->symbolic, s->numeric, &s->common);
    return s->common.rgrowth >= least_growth;
}

mask sparse_factor(struct sparse *s, real *values, bool *keeps_pivots) {
    if (!real_is_finite(real_norm((size_t)s->start[s->n], values))) return false;
    *keeps_pivots = refactor(s, values);
    if (*keeps_pivots) return true;
    klu_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_factor(s->start, s->index, values, s->symbolic, &s->common);
    return s->numeric && s->common.status == KLU_OK;
}

void sparse_solve(struct sparse *s, real *x) {
    klu_solve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
}
