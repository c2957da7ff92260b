/* Numbers side by side, one for each of NOE_WIDE points: what a processor's vectors are for. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include "base/real.h"
#include "noether_model.h"

/* Quadruple precision has no vectors, and lanes are side by side already. */
#if !defined NOE_QUAD && !(defined NOE_LANES && NOE_LANES > 1)
#define WIDE_AVAILABLE

typedef scalar wide __attribute__((vector_size(NOE_WIDE * sizeof(scalar)), may_alias));
typedef long wide_truth __attribute__((vector_size(NOE_WIDE * sizeof(long)), may_alias));

/* Pointers instead of values: without the processor's vectors there is no way to pass them. */
static inline void wide_abs(wide *to, const wide *x) {
    const wide_truth sign = (wide_truth){0} + ((long)1 << 63);
    *to = (wide)((wide_truth)*x & ~sign);
}

/* to = max(to, x); what is not a number in x is not seen. */
static inline void wide_enlarge(wide *to, const wide *x) {
    const wide_truth is_larger = *x > *to;
    *to = (wide)((is_larger & (wide_truth)*x) | (~is_larger & (wide_truth)*to));
}

/* The largest of the numbers. */
static inline scalar wide_largest(const wide *x) {
    scalar largest = (*x)[0];
    for (int i = 1; i < NOE_WIDE; i++) largest = (*x)[i] > largest ? (*x)[i] : largest;
    return largest;
}

#endif

#endif
