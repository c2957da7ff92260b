/* Programs: straight-line code that evaluates a list of outputs. A program is emitted as C or
 * interpreted. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_PROGRAM_H
#define MODEL_CODEGEN_PROGRAM_H

#include "model/graph/graph.h"
#include "noether.h"

/* Output: the value of `node` is stored in element `index` of array `array`. */
struct program_output {
    int node, array, index;
};

struct program {
    int noutputs, nsteps;
    struct program_output *output;
    int *step;  /* nodes to evaluate, operands first; leaves and constants are not included */
    int *uses;  /* uses[i]: number of reads of step i's value (a shared one becomes a variable) */
    int *place; /* place[node]: its index in `step`, negative if it has none */
    const int *prepared; /* prepared[node]: its index among the parameters, or negative; or NULL */
};

/* Makes the program of `count` outputs over `graph` by depth-first traversal, so that operands are
 * computed close to their use. `prepared` must outlive the program. */
enum noe_status program_make(struct program *program, const struct graph *graph, int count,
                             const struct program_output *output, const int *prepared);
void program_clear(struct program *program);

/* Reorders the steps: new step i is old step old[i]. */
enum noe_status program_reorder(struct program *program, const int *old);

/* Index of a node's value among the parameters, or -1. */
int program_parameter(const struct program *program, const struct graph *graph, int node);

/* Writes the operands of a node to `child` and returns their number, at most 2. */
int program_children(const struct graph_node *node, int child[2]);

#endif
