/* Derivatives on the graph: reverse sweep for gradients, forward sweep for one direction. */
/* SPDX-License-Identifier: MIT */
#include "model/graph_store.h"

/* d (node) / d (its argument number `which`). */
static int partial(struct graph *graph, int at, int which) {
    const struct graph_node node = graph->node[at];
    switch (node.op) {
    case GRAPH_ADD: return graph_number(graph, 1);
    case GRAPH_SUB: return graph_number(graph, which ? -1 : 1);
    case GRAPH_NEG: return graph_number(graph, -1);
    case GRAPH_MUL: return which ? node.a : node.b;
    case GRAPH_DIV:
        if (which) return graph_neg(graph, graph_div(graph, at, node.b));
        return graph_div(graph, graph_number(graph, 1), node.b);
    case GRAPH_POWER:
        return graph_mul(graph, graph_number(graph, node.b),
                         graph_power(graph, node.a, node.b - 1));
    default: return graph_partial(graph, node.f, which, node.a, node.b);
    }
}

/* Number of arguments whose partial derivatives are taken. */
static int arity(const struct graph_node *node) {
    if (node->op < GRAPH_ADD) return 0;
    return node->op == GRAPH_NEG || node->op == GRAPH_POWER || node->b < 0 ? 1 : 2;
}

void graph_gradient(struct graph *graph, int root, enum graph_op leaf, int n, int *gradient) {
    const unsigned mask = graph_leaf_mask(leaf);
    const int zero = graph_number(graph, 0), one = graph_number(graph, 1);
    for (int i = 0; i < n; i++) gradient[i] = zero;
    if (graph->failed) return;
    graph_reach(graph, root, mask);
    struct graph_sweep *sweep = graph->sweep;
    for (int i = 0; i < sweep->length; i++) sweep->slot[sweep->order[i]] = zero;
    sweep->slot[root] = one;
    for (int i = sweep->length - 1; i >= 0 && !graph->failed; i--) {
        const int at = sweep->order[i], adjoint = sweep->slot[at];
        const struct graph_node node = graph->node[at];
        if (node.op == leaf && node.a < n) gradient[node.a] = adjoint;
        for (int which = 0; which < arity(&node); which++) {
            const int child = which ? node.b : node.a;
            if (!(graph->depends[child] & mask)) continue;
            const int share = graph_mul(graph, adjoint, partial(graph, at, which));
            const int sum = graph_add(graph, sweep->slot[child], share);
            sweep->slot[child] = sum; /* only now: adding may have moved the slots */
        }
    }
}

int graph_derivative(struct graph *graph, int root, enum graph_op leaf, int index) {
    const unsigned mask = graph_leaf_mask(leaf);
    const int zero = graph_number(graph, 0), one = graph_number(graph, 1);
    if (graph->failed || !(graph_depends(graph, root) & mask)) return zero;
    graph_reach(graph, root, mask);
    struct graph_sweep *sweep = graph->sweep;
    for (int i = 0; i < sweep->length && !graph->failed; i++) {
        const int at = sweep->order[i];
        const struct graph_node node = graph->node[at];
        int derivative = node.op == leaf && (node.a == index || leaf == GRAPH_TIME) ? one : zero;
        for (int which = 0; which < arity(&node); which++) {
            const int child = which ? node.b : node.a;
            if (!(graph->depends[child] & mask) || sweep->slot[child] == zero) continue;
            const int share = graph_mul(graph, partial(graph, at, which), sweep->slot[child]);
            derivative = graph_add(graph, derivative, share);
        }
        sweep->slot[at] = derivative;
    }
    return sweep->slot[root];
}
