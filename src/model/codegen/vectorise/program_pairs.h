/* Schedules independent divisions and square roots in pairs, so that one SIMD instruction computes
 * both. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_PROGRAM_PAIRS_H
#define MODEL_CODEGEN_VECTORISE_PROGRAM_PAIRS_H

#include "model/codegen/program.h"

/* Reorders the steps so that independent divisions, and independent square roots, become adjacent
 * pairs. Sets `starts_pair[i]` if steps i and i + 1 are a pair. */
enum noe_status program_pairs(struct program *program, const struct graph *graph,
                              bool *starts_pair);

#endif
