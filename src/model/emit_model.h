/* The C file of a model that is compiled and loaded. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EMIT_MODEL_H
#define MODEL_EMIT_MODEL_H

#include "model/emit.h"

/* Nothing in the file comes from the model's text but numbers and operations. */
enum noe_status emit_model(struct writer *out, const struct routines *routines);

/* The model's functions alone, to be inlined into a stepper in the same file. */
enum noe_status emit_inline_functions(struct writer *out, const struct routines *routines);

#endif
