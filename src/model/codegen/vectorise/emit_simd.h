/* C text of the functions that evaluate a model at several points side by side. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_EMIT_SIMD_H
#define MODEL_CODEGEN_VECTORISE_EMIT_SIMD_H

#include "model/codegen/emit.h"

/* model_wide_force, model_wide_first, model_wide_momentum and model_wide_stage over noe_wide, and,
 * as in struct noe_system, model_force_simd and model_stage_simd; after noether_system.h and
 * base/lane_functions.h, in a file where noe_real is one number. */
enum noe_status emit_simd_functions(struct writer *out, const struct system_functions *routines);

#endif
