/* Inverse roots of a program as one operation each. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_PROGRAM_INVERSE_ROOTS_H
#define MODEL_CODEGEN_VECTORISE_PROGRAM_INVERSE_ROOTS_H

#include "model/codegen/program.h"

/* A program over a graph of its own. */
struct program_roots {
    struct graph graph;
    struct program program;
};

/* Makes the program that evaluates `given` with HALF_POWERs: of every number x of which an inverse
 * root is wanted (x^(-1/2), x^(-3/2), ..., or a division by such a root), also the root, 1/x and
 * divisions by x. Parameters that `given` has prepared are parameters here. */
enum noe_status program_roots_make(struct program_roots *roots, const struct graph *graph,
                                   const struct program *given);
void program_roots_clear(struct program_roots *roots);

#endif
