/* Memory pool of syntax trees. */
/* SPDX-License-Identifier: MIT */
#include "model/language/tree.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16 };

struct tree_chunk {
    struct tree_chunk *before;
    size_t room;
    _Alignas(max_align_t) char bytes[];
};

static bool add_chunk(struct tree_pool *pool, size_t bytes) {
    const size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct tree_chunk *chunk = malloc(sizeof *chunk + room);
    if (!chunk) return false;
    *chunk = (struct tree_chunk){.before = pool->chunk, .room = room};
    pool->chunk = chunk;
    pool->used = 0;
    return true;
}

void *tree_take(struct tree_pool *pool, size_t bytes) {
    const size_t unit = _Alignof(max_align_t);
    bytes = (bytes + unit - 1) / unit * unit;
    const bool fits = pool->chunk && pool->chunk->room - pool->used >= bytes;
    if (!fits && !add_chunk(pool, bytes)) return NULL;
    void *at = pool->chunk->bytes + pool->used;
    pool->used += bytes;
    return memset(at, 0, bytes);
}

struct tree_mark tree_mark(const struct tree_pool *pool) {
    return (struct tree_mark){pool->chunk, pool->used};
}

void tree_release(struct tree_pool *pool, struct tree_mark mark) {
    while (pool->chunk != mark.chunk) {
        struct tree_chunk *before = pool->chunk->before;
        free(pool->chunk);
        pool->chunk = before;
    }
    pool->used = mark.used;
}

void tree_clear(struct tree_pool *pool) { tree_release(pool, (struct tree_mark){NULL, 0}); }
