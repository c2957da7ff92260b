/* C text of the SIMD variants of a model's functions, which evaluate it at several points at
 * once. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_EMIT_SIMD_H
#define MODEL_CODEGEN_VECTORISE_EMIT_SIMD_H

#include "model/codegen/emit.h"

/* Writes model_wide_force, model_wide_first, model_wide_momentum and model_wide_stage over
 * noe_wide, and the callbacks model_force_simd and model_stage_simd of struct noe_system. They must
 * follow model_abi.h and base/lane_functions.h in a file in which noe_real is a scalar. */
enum noe_status emit_simd_functions(struct writer *out, const struct system_functions *routines);

#endif
