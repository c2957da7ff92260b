/* Callbacks of a model that evaluate several points by SIMD instructions. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_SIMD_CALLBACKS_H
#define MODEL_JIT_SIMD_CALLBACKS_H

#include "noether_model.h"

/* Compiles the callbacks force_simd and stage_simd of the model's system, which are NULL before. On
 * failure they stay NULL. */
enum noe_status model_compile_simd(struct noe_model *model,
                                   const struct noe_model_settings *settings,
                                   struct noe_error *error);

#endif
