/* Replaces sparse.c in builds without KLU, or without KLU for the number type. */
/* SPDX-License-Identifier: MIT */
#include "linalg/sparse.h"

#include <stddef.h>

bool sparse_available(void) { return false; }

struct sparse *sparse_create(int n, int *start, int *index) {
    (void)n, (void)start, (void)index;
    return NULL;
}

void sparse_free(struct sparse *sparse) { (void)sparse; }

mask sparse_factor(struct sparse *sparse, real *values, bool *keeps_pivots) {
    (void)sparse, (void)values, (void)keeps_pivots;
    return false;
}

void sparse_solve(struct sparse *sparse, real *x) { (void)sparse, (void)x; }
