/* Compensated addition: what rounding loses is kept and added later. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include "base/real.h"

/* x1 = x0 + dx in n numbers; the lost part of each sum goes to the carry (Kahan, 1965). Where dx is
 * the larger, as much is lost as dx had lost before. x1 may be x0, carry1 may be carry0. Files
 * compiled with NOE_PLAIN_SUMS let what is lost go, here and below. */
REAL_INLINE void sum_add(int n, real *x1, real *carry1, const real *x0, const real *carry0,
                         const real *dx) {
    REAL_UNROLL for (int i = 0; i < n; i++) {
#ifdef NOE_PLAIN_SUMS
        carry1[i] = carry0[i];
        x1[i] = x0[i] + dx[i];
#else
        const real old = x0[i], y = dx[i] + carry0[i], sum = old + y;
        carry1[i] = y - (sum - old);
        x1[i] = sum;
#endif
    }
}

/* x + a b, and the compensated sum for later: what is returned has one rounding and is ready early,
 * what is kept in (x, carry) has its lost part added again, at once or, if `is_late`, by a later
 * sum. */
REAL_INLINE real sum_early(real *x, real *carry, real a, real b, bool is_late) {
#ifdef NOE_PLAIN_SUMS
    (void)carry, (void)is_late;
    return *x = noe_join(a, b, *x);
#elif defined NOE_LANES
    /* Other lanes fill the time that a late sum takes: fewer operations count for more, and of
     * those fewer additions. */
    const real y = noe_join(a, b, *carry), sum = *x + y;
    (void)is_late;
    *carry = noe_join(sum - *x, real_of(-1), y);
    return *x = sum;
#else
    const real dx = a * b, sum = *x + dx, lost = *carry + (dx - (sum - *x));
    const real whole = is_late ? sum : sum + lost;
    *carry = is_late ? lost : lost - (whole - sum);
    *x = whole;
    return sum;
#endif
}

#endif
