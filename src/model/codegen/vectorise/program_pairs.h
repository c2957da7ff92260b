/* Slow operations of a program in twos. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_PROGRAM_PAIRS_H
#define MODEL_CODEGEN_VECTORISE_PROGRAM_PAIRS_H

#include "model/codegen/program.h"

/* Puts divisions, and square roots, that do not need one another next to each other, two by two: a
 * processor takes two in the time of one. `leads[i]` is set where step i and step i + 1 are two. */
enum noe_status program_pairs(struct program *program, const struct graph *graph, bool *leads);

#endif
