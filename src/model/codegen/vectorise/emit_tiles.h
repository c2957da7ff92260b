/* Loops that are carried out together, a piece of each at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EMIT_PIECES_H
#define MODEL_EMIT_PIECES_H

#include "model/codegen/emit_plan.h"

enum {
    EMIT_PIECE = 256,     /* members of a piece: what they leave stays near the processor */
    EMIT_PIECE_HALO = 32, /* members by which loops of a group may be ahead or behind */
    EMIT_PIECE_ROOM = EMIT_PIECE + 2 * EMIT_PIECE_HALO
};

/* Finds the groups of a plan whose loops and slots are known. */
enum noe_status emit_pieces_make(struct emit_plan *plan);
void emit_pieces_clear(struct emit_pieces *pieces);

/* The group of a loop, or -1. */
int emit_pieces_group(const struct emit_plan *plan, int loop);

#endif
