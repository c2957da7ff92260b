/* Compensated addition: what rounding loses is kept and added later. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include "base/real.h"

/* x1 = x0 + dx in n numbers; the lost part of each sum goes to the carry (Kahan, 1965). Where dx is
 * the larger, as much is lost as dx had lost before. x1 may be x0, carry1 may be carry0. */
static inline void sum_add(int n, real *x1, real *carry1, const real *x0, const real *carry0,
                           const real *dx) {
    for (int i = 0; i < n; i++) {
        const real old = x0[i], y = dx[i] + carry0[i], sum = old + y;
        carry1[i] = y - (sum - old);
        x1[i] = sum;
    }
}

#endif
