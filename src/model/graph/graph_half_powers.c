/* Canonical form of powers with half-integer exponents. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/graph/graph_store.h"

/* With s the base, u = sqrt(s) and i = 1/s, the powers are
 *     ..., i i i u, i i u, 1/u, u, s u, s^2 u, ...   and   ..., 1/s^2, i, s, s^2, ...
 * so that the forces of a potential in 1/|x| and their derivatives need one root and one division.
 * Beyond CHAIN_MAX factors a division replaces the product. */
enum { CHAIN_MAX = 7 };

static bool is_square_root(const struct graph_node *node) {
    return node->op == GRAPH_CALL && strcmp(graph_functions[node->f].c_name, "noe_sqrt") == 0;
}

static int square_root(struct graph *graph, int a) {
    int f = 0;
    while (strcmp(graph_functions[f].c_name, "noe_sqrt") != 0) f++;
    return graph_call(graph, f, a, -1);
}

/* Recognises u, s^n, and one divided by u, s or s^n. Any other node is its own base. */
static struct graph_half_powers short_form(const struct graph *graph, int a) {
    const struct graph_node *node = &graph->node[a];
    const bool is_inverse = node->op == GRAPH_DIV && graph_is_number(graph, node->a, 1);
    const int under = is_inverse ? node->b : a;
    if (is_inverse) node = &graph->node[under];
    struct graph_half_powers form = {under, 2};
    if (node->op == GRAPH_POWER) form = (struct graph_half_powers){node->a, 2 * node->b};
    if (is_square_root(node)) form = (struct graph_half_powers){node->a, 1};
    if (is_inverse) form.count = -form.count;
    return form;
}

/* Twice the exponent of `a` as a power of `base`, or 0 if it is no such power. */
static int count_over(const struct graph *graph, int a, int base) {
    const struct graph_node *node = &graph->node[a];
    if (a == base) return 2;
    const struct graph_half_powers whole = short_form(graph, a);
    if (whole.base == base) return whole.count;
    if (node->op != GRAPH_MUL && node->op != GRAPH_DIV) return 0;
    const struct graph_half_powers x = short_form(graph, node->a), y = short_form(graph, node->b);
    if (node->op == GRAPH_DIV) return x.base == base && y.base == base ? x.count - y.count : 0;
    if (x.base != base && y.base != base) return 0;
    const int first = x.base == base ? x.count : y.count;
    const int rest = count_over(graph, x.base == base ? node->b : node->a, base);
    return rest ? first + rest : 0;
}

struct graph_half_powers graph_half_powers(const struct graph *graph, int a) {
    const struct graph_node *node = &graph->node[a];
    const struct graph_half_powers whole = short_form(graph, a);
    if (whole.base != a || (node->op != GRAPH_MUL && node->op != GRAPH_DIV)) return whole;
    const int child[2] = {node->a, node->b};
    for (int k = 0; k < 2; k++) {
        const int base = short_form(graph, child[k]).base;
        const int count = count_over(graph, a, base);
        if (count) return (struct graph_half_powers){base, count};
    }
    return whole;
}

int graph_half_power(struct graph *graph, int base, int count) {
    if (graph->failed) return 0;
    if (count % 2 == 0) return graph_power(graph, base, count / 2);
    const int root = square_root(graph, base), one = graph_number(graph, 1);
    if (count == 1) return root;
    if (count == -1 || graph->node[base].op == GRAPH_NUMBER) return graph_power(graph, root, count);
    if (count > 0)
        return graph_intern(graph, GRAPH_MUL, 0, graph_power(graph, base, count / 2), root);
    if (count < -CHAIN_MAX) {
        const int below = graph_power(graph, base, (1 - count) / 2);
        return graph_intern(graph, GRAPH_DIV, 0, root, below);
    }
    const int inverse = graph_intern(graph, GRAPH_DIV, 0, one, base);
    int power = root;
    for (; count < 0; count += 2) power = graph_intern(graph, GRAPH_MUL, 0, inverse, power);
    return power;
}
