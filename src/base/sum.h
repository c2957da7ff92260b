/* Compensated addition: what rounding loses is kept and added later. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include "base/real.h"

/* x <- x + dx in n numbers; the lost part of each sum goes to `carry` (Kahan, 1965). Where dx is
 * the larger, as much is lost as dx had lost before. */
static inline void sum_add(int n, real *restrict x, real *restrict carry, const real *restrict dx) {
    for (int i = 0; i < n; i++) {
        const real old = x[i], y = dx[i] + carry[i], sum = old + y;
        carry[i] = y - (sum - old);
        x[i] = sum;
    }
}

#endif
