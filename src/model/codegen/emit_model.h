/* The C file of a model that is compiled and loaded. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_MODEL_H
#define MODEL_CODEGEN_EMIT_MODEL_H

#include "model/codegen/emit.h"

/* Nothing in the file comes from the model's text but numbers and operations. With `is_vector`
 * (see vectors.h) it is for options and libraries of lanes. */
enum noe_status emit_model(struct writer *out, const struct system_functions *routines,
                           const bool *is_vector);

/* A file with programs as functions of their own, each of which looks like its routine. */
enum noe_status emit_functions(struct writer *out, const struct graph *graph, int count,
                               const struct program *program, const struct routine *routine);

/* What noe_real is in the file: one number, or, by NOE_LANES, one or several. */
enum emit_numbers { EMIT_SCALARS, EMIT_LANES };

/* The model's functions alone (model_force, ...), to be inlined into a stepper in the same file,
 * after model_abi.h and, for lanes and vectors, lane_functions.h. */
enum noe_status emit_inline_functions(struct writer *out, const struct system_functions *routines,
                                      enum emit_numbers numbers, const bool *is_vector);

#endif
