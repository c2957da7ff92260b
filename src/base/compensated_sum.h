/* Compensated summation: the round-off error of each sum is carried to the next one. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_COMPENSATED_SUM_H
#define BASE_COMPENSATED_SUM_H

#include "base/real.h"

/* x1 = x0 + dx for n components. The round-off error of each sum goes to the carry (Kahan, 1965).
 * If |dx| > |x0|, the error is as large as the round-off of dx itself. x1 may be x0, and carry1 may
 * be carry0. With NOE_PLAIN_SUMS the functions of this file drop the round-off error. */
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

/* True if the result of compensated_begin is the value that compensated_commit stores. */
#if defined NOE_PLAIN_SUMS || defined NOE_LANES
enum { SUM_BEGINS_WHOLE = 1 };
#else
enum { SUM_BEGINS_WHOLE = 0 };
#endif

/* x + a b with one rounding, available before the carry is updated. compensated_commit must
 * follow. */
REAL_INLINE real compensated_begin(const real *x, const real *carry, real a, real b) {
#ifdef NOE_PLAIN_SUMS
    (void)carry;
    return noe_join(a, b, *x);
#elif defined NOE_LANES
    /* Other lanes hide the latency of the sum, so the number of operations decides, above all the
     * number of additions. */
    return *x + noe_join(a, b, *carry);
#else
    (void)carry;
    return *x + a * b;
#endif
}

/* Stores `sum` = x + a b in (x, carry), and adds the carry of earlier sums unless `defer_carry`. In
 * that case a later sum adds it. */
REAL_INLINE void compensated_commit(real *x, real *carry, real a, real b, real sum,
                                    bool defer_carry) {
#ifdef NOE_PLAIN_SUMS
    (void)carry, (void)a, (void)b, (void)defer_carry;
    *x = sum;
#elif defined NOE_LANES
    (void)defer_carry;
    *carry = noe_join(sum - *x, real_broadcast(-1), noe_join(a, b, *carry));
    *x = sum;
#else
    const real lost = a * b - (sum - *x), whole = defer_carry ? sum : sum + *carry;
    *carry = (defer_carry ? *carry : *carry - (whole - sum)) + lost;
    *x = whole;
#endif
}

/* compensated_begin and compensated_commit in one call. */
REAL_INLINE real compensated_update(real *x, real *carry, real a, real b, bool defer_carry) {
    const real sum = compensated_begin(x, carry, a, b);
    compensated_commit(x, carry, a, b, sum, defer_carry);
    return sum;
}

#endif
