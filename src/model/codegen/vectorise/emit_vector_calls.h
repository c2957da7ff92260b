/* C text of vector calls: elementary functions applied to arrays, 8 elements at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_EMIT_VECTOR_CALLS_H
#define MODEL_CODEGEN_VECTORISE_EMIT_VECTOR_CALLS_H

/* Definitions that loops of calls use. */
extern const char emit_vector_calls_functions[];

#endif
