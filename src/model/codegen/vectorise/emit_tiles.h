/* Loop tiling: loops that read one another run together, one tile of each at a time, so that
 * intermediate values stay in the L1 cache. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_EMIT_TILES_H
#define MODEL_CODEGEN_VECTORISE_EMIT_TILES_H

#include "model/codegen/emit_plan.h"

enum {
    EMIT_TILE = 256,     /* members of a tile; their values fit in the L1 cache */
    EMIT_TILE_HALO = 32, /* max members by which loops of a group may be ahead or behind */
    EMIT_TILE_ROOM = EMIT_TILE + 2 * EMIT_TILE_HALO
};

/* Finds the groups of a plan whose loops and slots are known. */
enum noe_status emit_tiles_make(struct emit_plan *plan);
void emit_tiles_clear(struct emit_tiles *tiles);

/* Group of a loop, or -1. */
int emit_tiles_group(const struct emit_plan *plan, int loop);

#endif
