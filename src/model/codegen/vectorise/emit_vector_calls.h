/* C text of functions of many numbers, evaluated several at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_EMIT_VECTOR_CALLS_H
#define MODEL_CODEGEN_VECTORISE_EMIT_VECTOR_CALLS_H

/* Loops of calls call them. */
extern const char emit_vector_calls_functions[];

#endif
