/* C text of outputs that are leaves of the graph and need no operation. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_LEAVES_H
#define MODEL_CODEGEN_EMIT_LEAVES_H

#include "model/codegen/emitter.h"

/* Writes all such outputs of the current routine. */
enum noe_status emit_leaves(struct emitter *e);

#endif
