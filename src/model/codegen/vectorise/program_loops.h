/* A program as loops over steps that are alike, and the steps between them. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_PROGRAM_LOOPS_H
#define MODEL_CODEGEN_VECTORISE_PROGRAM_LOOPS_H

#include "model/codegen/vectorise/program_isomorphic.h"

/* `count` steps from `first` on; number i of an operand's loop goes to number i of this one where
 * the operand is written in place. */
struct program_loop {
    int first, count;
    int into;     /* the loop in which it is written in place, or -1 */
    int size;     /* operations of a pass, with those written in place */
    bool is_call; /* a function that is evaluated for several numbers at once */
    int stage;    /* it runs before the single steps of the next stage */
};

struct program_loops {
    int nloops;
    struct program_loop *loop; /* in the order in which they can run */
    int *loop_of;              /* by step: -1 for a single one */
    int *stage;                /* by step */
};

/* Finds the loops of a program and puts its steps into an order in which those of a loop follow
 * one another; `is_vector` as in program_isomorphic_make. Makes none (nloops = 0, the program as it
 * was) where that does not pay: it does with functions of several numbers at once, and in a program
 * of more than `large` steps if at least half of them are in loops. */
enum noe_status program_loops_make(struct program_loops *loops, struct program *program,
                                   const struct graph *graph, const bool *is_vector, int large);
void program_loops_clear(struct program_loops *loops);

#endif
