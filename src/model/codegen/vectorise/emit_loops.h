/* C text of loops over isomorphic steps. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_EMIT_LOOPS_H
#define MODEL_CODEGEN_VECTORISE_EMIT_LOOPS_H

#include "model/codegen/emitter.h"

/* Writes the loop of the current part. The first part of a group writes all loops of the group,
 * tiled. */
enum noe_status emit_loops_write(struct emitter *e);
/* Writes `count` outputs that are leaves in the same place, into one array, by loops. */
enum noe_status emit_loops_leaves(struct emitter *e, int count, const struct program_output *leaf);

#endif
