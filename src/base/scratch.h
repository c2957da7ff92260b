/* Packed arrays of reals in the scratch of a method. One layout function per family measures the
 * arrays and carves them, so that the two cannot disagree. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"

/* Layout functions are always inlined. Then `is_carved` is a constant, and no test of it remains.
 */
#define SCRATCH_INLINE static inline __attribute__((always_inline))

/* {0} only counts. */
struct scratch {
    real *base;
    size_t count; /* reals so far */
    bool is_carved;
};

/* Arrays that begin at `base`. */
SCRATCH_INLINE struct scratch scratch_carve(real *base) {
    return (struct scratch){.base = base, .is_carved = true};
}

/* An array of `count` reals; NULL if they are only counted. */
SCRATCH_INLINE real *scratch_reals(struct scratch *scratch, size_t count) {
    real *reals = scratch->is_carved ? scratch->base + scratch->count : NULL;
    scratch->count += count;
    return reals;
}

#endif
