/* Internals of the expression graph: unsimplified nodes and the scratch memory of sweeps. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_GRAPH_GRAPH_STORE_H
#define MODEL_GRAPH_GRAPH_STORE_H

#include "model/graph/graph.h"

/* A sweep (traversal) of a subgraph. A node is in the sweep if its mark equals the stamp. `order`
 * lists the nodes, operands first. `slot` holds the values that the sweep computes. All arrays are
 * as long as the graph. */
struct graph_sweep {
    int stamp, length;
    int *mark, *slot, *order;
};

/* The shared node (op, f, a, b), without simplification. Constants go through graph_number. */
int graph_intern(struct graph *graph, enum graph_op op, int f, int a, int b);

/* Dependence flag of leaves of kind `leaf`. */
unsigned graph_leaf_mask(enum graph_op leaf);

/* Starts a sweep over `root` and its operands: all of them if `mask` is 0, otherwise those whose
 * dependence meets `mask`. */
void graph_reach(const struct graph *graph, int root, unsigned mask);

/* A node as the power base^(count/2). Any node is itself to the power 2/2. */
struct graph_half_powers {
    int base, count;
};
struct graph_half_powers graph_half_powers(const struct graph *graph, int a);
int graph_half_power(struct graph *graph, int base, int count);

/* Partial derivative of function f by argument number `which`, at (x, y). */
int graph_partial(struct graph *graph, int f, int which, int x, int y);
void graph_rules_free(struct graph_rules *rules);

#endif
