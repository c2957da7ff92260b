/* Products with the derivative blocks of a system (p_v, p_q, w_v, w_q on its sparsity pattern). */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_BLOCK_PRODUCT_H
#define MECHANICS_BLOCK_PRODUCT_H

#include "mechanics/interval.h"

/* y += factor A x, where A has the given values on the system's pattern. */
REAL_INLINE void pattern_add_product(const struct noe_system *s, real factor, const real *values,
                                     const real *x, real *y) {
    for (int e = 0; s->row && e < s->nz;) { /* a run of entries of one row is summed at once */
        const int i = s->row[e];
        real sum = y[i];
        do sum += factor * values[e] * x[s->col[e]];
        while (++e < s->nz && s->row[e] == i);
        y[i] = sum;
    }
    for (int i = 0; !s->row && i < s->n; i++)
        for (int j = 0; j < s->n; j++) y[i] += factor * values[i * s->n + j] * x[j];
}

#endif
