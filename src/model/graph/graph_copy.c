/* Copies expressions to another graph, with their leaves replaced. */
/* SPDX-License-Identifier: MIT */
#include "model/graph/graph.h"
#include "model/graph/graph_store.h"

static int copy_operation(struct graph *to, const struct graph_node *node, const int *copy) {
    const int a = copy[node->a];
    switch (node->op) {
    case GRAPH_ADD: return graph_add(to, a, copy[node->b]);
    case GRAPH_SUB: return graph_sub(to, a, copy[node->b]);
    case GRAPH_MUL: return graph_mul(to, a, copy[node->b]);
    case GRAPH_DIV: return graph_div(to, a, copy[node->b]);
    case GRAPH_NEG: return graph_neg(to, a);
    case GRAPH_POWER: return graph_power(to, a, node->b);
    default: return graph_call(to, node->f, a, node->b >= 0 ? copy[node->b] : -1);
    }
}

int graph_copy(struct graph *to, const struct graph *from, int root, int *copy,
               graph_replacement *leaf, void *data) {
    graph_reach(from, root, 0);
    for (int i = 0; i < from->sweep->length; i++) {
        const int at = from->sweep->order[i];
        const struct graph_node *node = &from->node[at];
        if (copy[at] >= 0) continue;
        if (node->op == GRAPH_NUMBER)
            copy[at] = graph_number(to, node->value);
        else
            copy[at] = node->op < GRAPH_ADD ? leaf(data, node->op, node->a)
                                            : copy_operation(to, node, copy);
    }
    return copy[root];
}
