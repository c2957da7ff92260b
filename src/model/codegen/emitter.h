/* What the files that write a routine share. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMITTER_H
#define MODEL_CODEGEN_EMITTER_H

#include "model/codegen/emit.h"

struct emitter {
    struct writer *out;
    const struct emit_style *style;
    const struct graph *graph;
    const struct program *program;
    const struct routine *routine;
    struct emit_plan plan;
    int part, nnames; /* the part being written, and the variables in it so far */
};

/* An operand, or anything else that stands alone, as a `real`. */
void emit_real(struct emitter *e, int node);
/* What stands before the value of an output: `w[3] = `. */
void emit_target(struct emitter *e, const struct program_output *output);
/* The name of function f. */
void emit_function_name(struct emitter *e, int f);

#endif
