/* Memory that is measured first and carved afterwards by the same layout function. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/real.h"

/* With base == NULL an arena only counts; the second pass hands out addresses in the block. With an
 * image, which is a copy of an equal block, a later pass fills the arrays of reals from it and
 * leaves everything else as it is. */
struct arena {
    char *base;
    size_t used;
    const char *image;
};

static inline void *arena_take(struct arena *arena, size_t bytes) {
    void *at = arena->base ? arena->base + arena->used : NULL;
    arena->used += (bytes + 63) & ~(size_t)63; /* every array starts on its own cache line */
    return at;
}

static inline real *arena_reals(struct arena *arena, size_t count) {
    const size_t at = arena->used, bytes = count * sizeof(real);
    real *reals = arena_take(arena, bytes);
    if (arena->image) memcpy(reals, arena->image + at, bytes);
    return reals;
}

static inline int *arena_ints(struct arena *arena, size_t count) {
    return arena_take(arena, count * sizeof(int));
}

#endif
