/* Numbers side by side, one for each of NOE_WIDE points: what a processor's vectors are for. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SIMD_PACK_H
#define BASE_SIMD_PACK_H

#include <limits.h>

#include "base/real.h"
#include "noether_system.h"

/* Quadruple precision has no vectors, and lanes are side by side already. */
#if !defined NOE_QUAD && !(defined NOE_LANES && NOE_LANES > 1)
#define PACK_AVAILABLE

typedef scalar pack __attribute__((vector_size(NOE_WIDE * sizeof(scalar)), may_alias));
typedef long pack_mask __attribute__((vector_size(NOE_WIDE * sizeof(long)), may_alias));

/* Before a function of the library: it is compiled for several kinds of processors, and the one
 * that runs takes its own. The bits are the same. */
#if defined __x86_64__ && defined __GLIBC__ && defined __GNUC__ && !defined __clang__ &&           \
    !defined NOE_SPECIALISED
#define PACK_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PACK_CLONES
#endif

/* What such a function is made of must be inlined, or it is not compiled for its processor. */
#define PACK_INLINE static inline __attribute__((always_inline))

/* Pointers instead of values: without the processor's vectors there is no way to pass them. */
PACK_INLINE void pack_abs(pack *to, const pack *x) {
    const pack_mask all_but_sign = (pack_mask){0} + LONG_MAX;
    *to = (pack)((pack_mask)*x & all_but_sign);
}

/* to = max(to, x); what is not a number in x is not seen. */
PACK_INLINE void pack_enlarge(pack *to, const pack *x) {
    const pack_mask is_larger = *x > *to;
    *to = (pack)((is_larger & (pack_mask)*x) | (~is_larger & (pack_mask)*to));
}

/* The largest magnitude; not a number if one of them is not. Magnitudes are ordered as their bits
 * are, and what is not a number stands above all. */
PACK_INLINE scalar pack_largest(const pack *x) {
    union {
        long bits;
        scalar number;
    } largest = {0};
    for (int i = 0; i < NOE_WIDE; i++) {
        const long bits = ((const pack_mask)*x)[i] & LONG_MAX;
        largest.bits = bits > largest.bits ? bits : largest.bits;
    }
    return largest.number;
}

#endif

#endif
