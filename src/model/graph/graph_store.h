/* What the files of the graph share: raw nodes and the scratch of sweeps. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_GRAPH_GRAPH_STORE_H
#define MODEL_GRAPH_GRAPH_STORE_H

#include "model/graph/graph.h"

/* One sweep over a part of the graph. A node is in the sweep if its mark is the stamp; `order`
 * lists them, children first; `slot` holds what the sweep computes. All arrays are as long as the
 * graph. */
struct graph_sweep {
    int stamp, length;
    int *mark, *slot, *order;
};

/* The node (op, f, a, b), shared, with no simplification; numbers go through graph_number. */
int graph_intern(struct graph *graph, enum graph_op op, int f, int a, int b);

/* The dependence mask of the leaves of kind `leaf`. */
unsigned graph_leaf_mask(enum graph_op leaf);

/* Starts a sweep over `root` and what it is made of: all of it if `mask` is 0, otherwise only nodes
 * whose dependence meets `mask`. */
void graph_reach(const struct graph *graph, int root, unsigned mask);

/* A node as a power: base to the exponent count/2; any node is itself to the exponent 2/2. */
struct graph_half_powers {
    int base, count;
};
struct graph_half_powers graph_half_powers(const struct graph *graph, int a);
int graph_half_power(struct graph *graph, int base, int count);

/* Partial derivative of function f with respect to its argument number `which`, at (x, y). */
int graph_partial(struct graph *graph, int f, int which, int x, int y);
void graph_rules_free(struct graph_rules *rules);

#endif
