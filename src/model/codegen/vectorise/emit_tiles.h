/* Loops that are carried out together, a piece of each at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_EMIT_TILES_H
#define MODEL_CODEGEN_VECTORISE_EMIT_TILES_H

#include "model/codegen/emit_plan.h"

enum {
    EMIT_TILE = 256,     /* members of a piece: what they leave stays near the processor */
    EMIT_TILE_HALO = 32, /* members by which loops of a group may be ahead or behind */
    EMIT_TILE_ROOM = EMIT_TILE + 2 * EMIT_TILE_HALO
};

/* Finds the groups of a plan whose loops and slots are known. */
enum noe_status emit_tiles_make(struct emit_plan *plan);
void emit_tiles_clear(struct emit_tiles *pieces);

/* The group of a loop, or -1. */
int emit_tiles_group(const struct emit_plan *plan, int loop);

#endif
