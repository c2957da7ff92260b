/* Automatic differentiation on the graph: reverse mode for gradients, forward mode for directional
 * derivatives. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "model/graph/graph_store.h"

/* An operand of a node and the partial derivative by it. */
struct argument {
    int node, partial;
};

static int list_power(struct graph *graph, struct graph_half_powers power,
                      struct argument *argument) {
    const int lower = graph_half_power(graph, power.base, power.count - 2);
    const int half = graph_number(graph, (real)power.count / 2);
    argument[0] = (struct argument){power.base, graph_mul(graph, half, lower)};
    return 1;
}

/* Treats a quotient as a product with a power of the denominator. */
static int list_quotient(struct graph *graph, int at, struct argument *argument) {
    const struct graph_node node = graph->node[at];
    const struct graph_half_powers below = graph_half_powers(graph, node.b);
    argument[0] = (struct argument){node.a, graph_half_power(graph, below.base, -below.count)};
    if (below.count == 2) {
        const int partial = graph_neg(graph, graph_div(graph, at, node.b));
        argument[1] = (struct argument){node.b, partial};
    } else {
        const int lower = graph_half_power(graph, below.base, -below.count - 2);
        const int half = graph_number(graph, -(real)below.count / 2);
        argument[1] =
            (struct argument){below.base, graph_mul(graph, half, graph_mul(graph, node.a, lower))};
    }
    return 2;
}

/* Writes the operands of a node and returns their number. Operands that do not depend on the leaves
 * in `bits` may be left without a derivative. */
static int list_arguments(struct graph *graph, int at, unsigned bits, struct argument argument[2]) {
    const struct graph_node node = graph->node[at];
    const struct graph_half_powers power = graph_half_powers(graph, at);
    const int one = graph_number(graph, 1);
    if (node.op < GRAPH_ADD) return 0;
    if (power.base != at) return list_power(graph, power, argument);
    if (node.op == GRAPH_DIV) return list_quotient(graph, at, argument);
    argument[0].node = node.a;
    argument[1].node = node.b;
    if (node.op == GRAPH_CALL) {
        const int count = node.b < 0 ? 1 : 2;
        for (int k = 0; k < count; k++)
            if (graph->depends[argument[k].node] & bits)
                argument[k].partial = graph_partial(graph, node.f, k, node.a, node.b);
        return count;
    }
    argument[0].partial = node.op == GRAPH_MUL   ? node.b
                          : node.op == GRAPH_NEG ? graph_number(graph, -1)
                                                 : one;
    argument[1].partial = node.op == GRAPH_MUL   ? node.a
                          : node.op == GRAPH_SUB ? graph_number(graph, -1)
                                                 : one;
    return node.op == GRAPH_NEG ? 1 : 2;
}

/* Properties of a node in a sweep. While they are computed, slot[node] is its index in the
 * order. */
struct node_info {
    bool is_affine; /* affine in the leaves */
    bool stops;     /* reverse sweep stops here */
    int uses;       /* number of uses by nodes of the sweep */
};

/* A reverse sweep. Each node at which it stops is passed to `found` with its adjoint. */
struct reverse {
    unsigned bits;
    const struct node_info *info; /* by index in the sweep's order; NULL: stop at leaves only */
    void (*found)(void *data, int node, int adjoint);
    void *data;
};

static void share_adjoint(struct graph *graph, int at, int adjoint, unsigned bits) {
    struct argument argument[2];
    const int count = list_arguments(graph, at, bits, argument);
    for (int k = 0; k < count; k++) {
        const int node = argument[k].node;
        if (!(graph->depends[node] & bits)) continue;
        const int share = graph_mul(graph, adjoint, argument[k].partial);
        const int sum = graph_add(graph, graph->sweep->slot[node], share);
        graph->sweep->slot[node] = sum; /* stored last, because graph_add may move the slots */
    }
}

/* Reverse sweep over the nodes that graph_reach has listed from `root`. */
static void reverse_sweep(struct graph *graph, int root, const struct reverse *reverse) {
    const int zero = graph_number(graph, 0), one = graph_number(graph, 1);
    struct graph_sweep *sweep = graph->sweep;
    for (int i = 0; i < sweep->length; i++) sweep->slot[sweep->order[i]] = zero;
    sweep->slot[root] = one;
    for (int i = sweep->length - 1; i >= 0 && !graph->failed; i--) {
        const int at = sweep->order[i], adjoint = sweep->slot[at];
        if (adjoint == zero) continue; /* an intermediate node of a power */
        if (reverse->info ? reverse->info[i].stops : graph->node[at].op < GRAPH_ADD)
            reverse->found(reverse->data, at, adjoint);
        else
            share_adjoint(graph, at, adjoint, reverse->bits);
    }
}

struct gradient {
    const struct graph *graph;
    int n, *at;
};

static void found_leaf(void *data, int node, int adjoint) {
    const struct gradient *gradient = data;
    const int index = gradient->graph->node[node].a;
    if (index < gradient->n) gradient->at[index] = adjoint;
}

void graph_partials(struct graph *graph, int root, enum graph_op leaf, int n, int *partial) {
    struct gradient result = {graph, n, partial};
    const struct reverse reverse = {graph_leaf_mask(leaf), NULL, found_leaf, &result};
    if (graph->failed) return;
    graph_reach(graph, root, reverse.bits);
    reverse_sweep(graph, root, &reverse);
}

void graph_gradient(struct graph *graph, int root, enum graph_op leaf, int n, int *gradient) {
    const int zero = graph_number(graph, 0);
    for (int i = 0; i < n; i++) gradient[i] = zero;
    graph_partials(graph, root, leaf, n, gradient);
}

static bool is_affine(const struct graph *graph, int at, unsigned bits,
                      const struct node_info *info) {
    const struct graph_node *node = &graph->node[at];
    if (node->op < GRAPH_ADD) return true;
    if (node->op >= GRAPH_POWER) return false;
    const int *slot = graph->sweep->slot;
    const bool has_two = node->op != GRAPH_NEG;
    const bool on_a = graph->depends[node->a] & bits;
    const bool on_b = has_two && graph->depends[node->b] & bits;
    if ((on_a && !info[slot[node->a]].is_affine) || (on_b && !info[slot[node->b]].is_affine))
        return false;
    return node->op == GRAPH_MUL ? !(on_a && on_b) : node->op == GRAPH_DIV ? !on_b : true;
}

/* The sweep stops at an affine sum whose terms have no other users. Shared nodes, and nodes
 * multiplied by a factor, collect their adjoints first. */
static bool stops_sweep(const struct graph *graph, int at, unsigned bits,
                        const struct node_info *info) {
    const struct graph_node *node = &graph->node[at];
    const int *slot = graph->sweep->slot;
    if (node->op < GRAPH_ADD) return true;
    if (node->op != GRAPH_ADD && node->op != GRAPH_SUB) return false;
    const bool is_a_shared = graph->depends[node->a] & bits && info[slot[node->a]].uses > 1;
    const bool is_b_shared = graph->depends[node->b] & bits && info[slot[node->b]].uses > 1;
    return info[slot[at]].is_affine && !is_a_shared && !is_b_shared;
}

static void classify_nodes(const struct graph *graph, unsigned bits, struct node_info *info) {
    const struct graph_sweep *sweep = graph->sweep;
    for (int i = 0; i < sweep->length; i++) {
        const struct graph_node *node = &graph->node[sweep->order[i]];
        sweep->slot[sweep->order[i]] = i;
        info[i].is_affine = is_affine(graph, sweep->order[i], bits, info);
        const int child[2] = {
            node->op < GRAPH_ADD ? -1 : node->a,
            node->op < GRAPH_ADD || node->op == GRAPH_NEG || node->op == GRAPH_POWER ? -1
                                                                                     : node->b};
        for (int k = 0; k < 2; k++)
            if (child[k] >= 0 && graph->depends[child[k]] & bits)
                info[sweep->slot[child[k]]].uses++;
    }
    for (int i = 0; i < sweep->length; i++)
        info[i].stops = stops_sweep(graph, sweep->order[i], bits, info);
}

void graph_adjoints(struct graph *graph, int root, enum graph_op leaf,
                    void (*found)(void *data, int node, int adjoint), void *data) {
    const unsigned bits = graph_leaf_mask(leaf);
    if (graph->failed || !(graph_depends(graph, root) & bits)) return;
    graph_reach(graph, root, bits);
    struct node_info *info = calloc((size_t)graph->sweep->length, sizeof *info);
    graph->failed = !info;
    if (!info) return;
    classify_nodes(graph, bits, info);
    const struct reverse reverse = {bits, info, found, data};
    reverse_sweep(graph, root, &reverse);
    free(info);
}

static int leaf_rate(const struct graph_node *node, enum graph_op leaf, int count,
                     const struct graph_rate *rate) {
    for (int i = 0; node->op == leaf && i < count; i++)
        if (node->a == rate[i].index || leaf == GRAPH_TIME) return rate[i].node;
    return 0;
}

int graph_rate(struct graph *graph, int root, enum graph_op leaf, int count,
               const struct graph_rate *rate) {
    const unsigned bits = graph_leaf_mask(leaf);
    const int zero = graph_number(graph, 0);
    struct argument argument[2];
    if (graph->failed || !(graph_depends(graph, root) & bits)) return zero;
    graph_reach(graph, root, bits);
    struct graph_sweep *sweep = graph->sweep;
    for (int i = 0; i < sweep->length && !graph->failed; i++) {
        const int at = sweep->order[i];
        int derivative = leaf_rate(&graph->node[at], leaf, count, rate);
        const int arguments = list_arguments(graph, at, bits, argument);
        for (int k = 0; k < arguments; k++) {
            const int by = argument[k].node;
            if (!(graph->depends[by] & bits) || sweep->slot[by] == zero) continue;
            const int share = graph_mul(graph, argument[k].partial, sweep->slot[by]);
            derivative = graph_add(graph, derivative, share);
        }
        sweep->slot[at] = derivative;
    }
    return sweep->slot[root];
}

int graph_derivative(struct graph *graph, int root, enum graph_op leaf, int index) {
    return graph_rate(graph, root, leaf, 1, &(struct graph_rate){index, graph_number(graph, 1)});
}
