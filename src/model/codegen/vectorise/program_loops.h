/* Loop formation: turns classes of isomorphic steps into loops and reorders the program. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_PROGRAM_LOOPS_H
#define MODEL_CODEGEN_VECTORISE_PROGRAM_LOOPS_H

#include "model/codegen/vectorise/program_isomorphic.h"

/* Loop over the steps `first` to `first + count - 1`. If an operand is inlined, member i of its
 * loop is an operand of member i of this one. */
struct program_loop {
    int first, count;
    int into;     /* loop into which it is inlined, or -1 */
    int size;     /* operations in a pass, including inlined ones */
    bool is_call; /* evaluated by a vector function */
    int stage;    /* it runs before the single steps of the next stage */
};

struct program_loops {
    int nloops;
    struct program_loop *loop; /* in topological order */
    int *loop_of;              /* by step; -1: a single step */
    int *stage;                /* by step */
};

/* Finds the loops of a program and reorders its steps so that the members of a loop are
 * consecutive. `is_vector` as in program_isomorphic_make. Makes no loops (nloops = 0, program
 * unchanged) unless they are worthwhile: there are vector calls, or the program has more than
 * `large` steps of which at least half are in loops. */
enum noe_status program_loops_make(struct program_loops *loops, struct program *program,
                                   const struct graph *graph, const bool *is_vector, int large);
void program_loops_clear(struct program_loops *loops);

#endif
