/* C text of loops over steps that are alike. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_EMIT_LOOPS_H
#define MODEL_CODEGEN_VECTORISE_EMIT_LOOPS_H

#include "model/codegen/emitter.h"

/* The loop of the part being written; of a group all its loops, with its first part. */
enum noe_status emit_loops_write(struct emitter *e);
/* Outputs that are leaves, `count` of one array and one place; in loops where they are many. */
enum noe_status emit_loops_leaves(struct emitter *e, int count, const struct program_output *leaf);

#endif
