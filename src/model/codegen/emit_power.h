/* Integer powers in generated C: one small function for each exponent. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_POWER_H
#define MODEL_CODEGEN_EMIT_POWER_H

#include "model/codegen/emit.h"

/* Writes the name of the function for `exponent`. */
void emit_power_name(struct writer *out, const struct emit_style *style, int exponent);
/* Writes the functions for all exponents that the programs use. */
enum noe_status emit_power_functions(struct writer *out, const struct emit_style *style,
                                     const char *storage, const struct graph *graph, int count,
                                     const struct program *program);

#endif
