/* C source file of a model, to be compiled and loaded. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_MODEL_H
#define MODEL_CODEGEN_EMIT_MODEL_H

#include "model/codegen/emit.h"

/* Emits the whole file. It takes only numbers and operations from the model's text. `is_vector` as
 * in vector_functions.h: if given, the file must be compiled with the options and libraries of the
 * SIMD target. */
enum noe_status emit_model(struct writer *out, const struct system_functions *routines,
                           const bool *is_vector);

/* Emits a file with the given programs as functions, each with the signature of its routine. */
enum noe_status emit_functions(struct writer *out, const struct graph *graph, int count,
                               const struct program *program, const struct routine *routine);

/* Type of noe_real in the file: a scalar, or (by NOE_LANES) a scalar or SIMD lanes. */
enum emit_numbers { EMIT_SCALARS, EMIT_LANES };

/* Emits the model's functions alone (model_force, ...), to be inlined into a stepper. They must
 * follow model_abi.h and, for lanes and vector functions, base/lane_functions.h in the same file.
 */
enum noe_status emit_inline_functions(struct writer *out, const struct system_functions *routines,
                                      enum emit_numbers numbers, const bool *is_vector);

#endif
