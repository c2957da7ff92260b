/* C text of functions of many numbers, evaluated several at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EMIT_MANY_H
#define MODEL_EMIT_MANY_H

/* Loops of calls call them. */
extern const char emit_many_functions[];

#endif
