/* Interpreter: runs the functions of a system from their programs, without a compiler. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_INTERPRET_H
#define MODEL_CODEGEN_INTERPRET_H

#include "model/codegen/system_functions.h"

struct interpret;

/* Makes the interpreted form of the routines, which may be freed afterwards. */
enum noe_status interpret_create(struct interpret **code, const struct system_functions *routines);
void interpret_free(struct interpret *code);

/* A system that has callbacks only; `data` of the system passed to them is the struct interpret. */
extern const struct noe_system interpret_functions;

#endif
