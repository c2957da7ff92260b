/* State shared by the files that emit one routine. */
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
    int part, nnames; /* current part, and number of variables in it so far */
};

/* Writes an operand or any other self-contained expression as a `real`. */
void emit_real(struct emitter *e, int node);
/* Writes the left side of an output's assignment: `w[3] = `. */
void emit_target(struct emitter *e, const struct program_output *output);
/* Writes the name of elementary function f. */
void emit_function_name(struct emitter *e, int f);

#endif
