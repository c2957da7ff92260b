/* Compensated summation: the round-off error of each sum is carried to the next one. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_COMPENSATED_SUM_H
#define BASE_COMPENSATED_SUM_H

#include "base/real.h"

/* x1 = x0 + dx in n numbers; the lost part of each sum goes to the carry (Kahan, 1965). Where dx is
 * the larger, as much is lost as dx had lost before. x1 may be x0, carry1 may be carry0. Files
 * compiled with NOE_PLAIN_SUMS let what is lost go, here and below. */
REAL_INLINE void compensated_add(int n, real *x1, real *carry1, const real *x0, const real *carry0,
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

/* Is what compensated_begin gives also what compensated_commit keeps? */
#if defined NOE_PLAIN_SUMS || defined NOE_LANES
enum { SUM_BEGINS_WHOLE = 1 };
#else
enum { SUM_BEGINS_WHOLE = 0 };
#endif

/* x + a b, with one rounding and ready early; compensated_commit follows. */
REAL_INLINE real compensated_begin(const real *x, const real *carry, real a, real b) {
#ifdef NOE_PLAIN_SUMS
    (void)carry;
    return noe_join(a, b, *x);
#elif defined NOE_LANES
    /* Other lanes fill the time that a late sum takes: fewer operations count for more, and of
     * those fewer additions. */
    return *x + noe_join(a, b, *carry);
#else
    (void)carry;
    return *x + a * b;
#endif
}

/* Keeps `sum`, that is x + a b, in (x, carry), with what earlier sums lost added again, unless
 * `is_late`: then a later sum does so. */
REAL_INLINE void compensated_commit(real *x, real *carry, real a, real b, real sum, bool is_late) {
#ifdef NOE_PLAIN_SUMS
    (void)carry, (void)a, (void)b, (void)is_late;
    *x = sum;
#elif defined NOE_LANES
    (void)is_late;
    *carry = noe_join(sum - *x, real_broadcast(-1), noe_join(a, b, *carry));
    *x = sum;
#else
    const real lost = a * b - (sum - *x), whole = is_late ? sum : sum + *carry;
    *carry = (is_late ? *carry : *carry - (whole - sum)) + lost;
    *x = whole;
#endif
}

/* Both. */
REAL_INLINE real compensated_update(real *x, real *carry, real a, real b, bool is_late) {
    const real sum = compensated_begin(x, carry, a, b);
    compensated_commit(x, carry, a, b, sum, is_late);
    return sum;
}

#endif
