/* Strength reduction of inverse square roots: powers x^(-k/2) become one operation each. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_PROGRAM_INVERSE_ROOTS_H
#define MODEL_CODEGEN_VECTORISE_PROGRAM_INVERSE_ROOTS_H

#include "model/codegen/program.h"

/* A program with its own graph. */
struct program_roots {
    struct graph graph;
    struct program program;
};

/* Makes the program that evaluates `given` with operations HALF_POWER. They replace powers of every
 * base x of which an inverse root occurs (x^(-1/2), x^(-3/2), ..., or a division by such a root),
 * including sqrt(x), 1/x and divisions by x. Prepared values of `given` become parameters. */
enum noe_status program_roots_make(struct program_roots *roots, const struct graph *graph,
                                   const struct program *given);
void program_roots_clear(struct program_roots *roots);

#endif
