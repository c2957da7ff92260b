/* A pack: one value for each of NOE_WIDE points, held in SIMD registers. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SIMD_PACK_H
#define BASE_SIMD_PACK_H

#include <limits.h>

#include "base/real.h"
#include "noether_system.h"

/* Quadruple precision has no SIMD registers, and a batch uses them for its lanes. */
#if !defined NOE_QUAD && !(defined NOE_LANES && NOE_LANES > 1)
#define PACK_AVAILABLE

typedef scalar pack __attribute__((vector_size(NOE_WIDE * sizeof(scalar)), may_alias));
typedef long pack_mask __attribute__((vector_size(NOE_WIDE * sizeof(long)), may_alias));

/* Marks functions that are compiled for several processor generations. The loader picks the variant
 * of the machine. All variants give the same bits. The thread sanitizer cannot run before the
 * loader has picked them. */
#if defined __x86_64__ && defined __GLIBC__ && defined __GNUC__ && !defined __clang__ &&           \
    !defined NOE_SPECIALISED && !defined __SANITIZE_THREAD__
#define PACK_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PACK_CLONES
#endif

/* Functions called by such a function must be inlined. Otherwise they are compiled for the base
 * processor. */
#define PACK_INLINE static inline __attribute__((always_inline))

/* Arguments are pointers because the calling convention of the base processor cannot pass packs by
 * value. */
PACK_INLINE void pack_abs(pack *to, const pack *x) {
    const pack_mask all_but_sign = (pack_mask){0} + LONG_MAX;
    *to = (pack)((pack_mask)*x & all_but_sign);
}

/* to = max(to, x); NaN in x is ignored. */
PACK_INLINE void pack_enlarge(pack *to, const pack *x) {
    const pack_mask is_larger = *x > *to;
    *to = (pack)((is_larger & (pack_mask)*x) | (~is_larger & (pack_mask)*to));
}

/* The largest magnitude; NaN if one of them is NaN. The bit patterns of magnitudes are ordered like
 * their values, and those of NaN are above all others. */
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
