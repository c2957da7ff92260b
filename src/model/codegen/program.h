/* A program: the nodes to evaluate, in order, for a list of outputs; emitted or interpreted. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_PROGRAM_H
#define MODEL_CODEGEN_PROGRAM_H

#include "model/graph/graph.h"
#include "noether.h"

/* One output: node `node` goes to number `index` of array `array`. */
struct program_output {
    int node, array, index;
};

struct program {
    int noutputs, nsteps;
    struct program_output *output;
    int *step;  /* nodes to evaluate, children first; leaves and numbers are not among them */
    int *uses;  /* uses[i]: how often step[i]'s value is read (a shared one becomes a variable) */
    int *place; /* place[node]: its index in `step`, negative where it has none */
    const int *prepared; /* prepared[node]: its index among the parameters, or negative; or NULL */
};

/* Makes the program of `count` outputs over `graph`. What an output needs stands as close before
 * it as the order of the outputs allows. `prepared` must outlive the program. */
enum noe_status program_make(struct program *program, const struct graph *graph, int count,
                             const struct program_output *output, const int *prepared);
void program_clear(struct program *program);

/* Puts the steps into another order: the new step i is the old step old[i]. */
enum noe_status program_reorder(struct program *program, const int *old);

/* The index among the parameters where the value of a node stands, or -1. */
int program_parameter(const struct program *program, const struct graph *graph, int node);

/* The nodes that a node reads: writes them to `child` and returns their number, at most 2. */
int program_children(const struct graph_node *node, int child[2]);

#endif
