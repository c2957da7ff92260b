/* C text of outputs that need no operation. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_LEAVES_H
#define MODEL_CODEGEN_EMIT_LEAVES_H

#include "model/codegen/emitter.h"

/* All of them, of the routine being written. */
enum noe_status emit_leaves(struct emitter *e);

#endif
