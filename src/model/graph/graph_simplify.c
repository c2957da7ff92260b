/* Builders of the graph: constant folding, algebraic simplification and canonical order of
 * operands. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/graph/graph_store.h"

/* A product is stored as (constant) * (other factors), with a minus sign as the constant -1, so
 * that constants meet and fold. Only constants of modest size are moved, because others could
 * overflow in their new place. */
static bool is_modest(real c) {
    const real size = noe_abs(c);
    return size >= 0x1p-32 && size <= 0x1p32;
}

static bool is_number(const struct graph *graph, int a) {
    return graph->node[a].op == GRAPH_NUMBER;
}

static bool is_reciprocal(const struct graph *graph, int a) {
    return graph->node[a].op == GRAPH_DIV && graph_is_number(graph, graph->node[a].a, 1);
}

static int intern_commutative(struct graph *graph, enum graph_op op, int f, int a, int b) {
    const bool in_order = is_number(graph, a) || (a <= b && !is_number(graph, b));
    return in_order ? graph_intern(graph, op, f, a, b) : graph_intern(graph, op, f, b, a);
}

/* The factor `node` with its constant replaced by `value`. */
static int with_number(struct graph *graph, const struct graph_node *node, real value) {
    if (node->op == GRAPH_MUL && value == 1) return node->b;
    const int number = graph_number(graph, value);
    return node->op == GRAPH_NUMBER ? number : graph_intern(graph, node->op, 0, number, node->b);
}

int graph_take_number(struct graph *graph, int a, real *c) {
    const struct graph_node node = graph->node[a];
    if (node.op == GRAPH_NEG) {
        *c = -*c;
        return node.a;
    }
    const bool may_have = node.op == GRAPH_MUL || node.op == GRAPH_DIV;
    const struct graph_node *first = may_have ? &graph->node[node.a] : &node;
    if (first->op != GRAPH_NUMBER || first->value == 1) return a;
    const real value = first->value;
    if (is_modest(value) && is_modest(*c * value)) {
        *c *= value;
        return with_number(graph, &node, 1);
    }
    if (!(value < 0)) return a;
    *c = -*c;
    return with_number(graph, &node, -value);
}

/* True if x is a power of two, so that 1/x is exact. */
static bool is_power_of_two(real x) {
    int exponent;
    return (real)(double)x == x && fabs(frexp((double)x, &exponent)) == 0.5;
}

/* c times x. x has no constant to extract. */
static int scale(struct graph *graph, real c, int x) {
    const struct graph_node node = graph->node[x];
    if (node.op == GRAPH_NUMBER) return graph_number(graph, c * node.value);
    if (c == 1) return x;
    if (is_reciprocal(graph, x))
        return graph_intern(graph, GRAPH_DIV, 0, graph_number(graph, c), node.b);
    if (c == -1 && node.op == GRAPH_SUB) return graph_intern(graph, GRAPH_SUB, 0, node.b, node.a);
    if (c == -1) return graph_intern(graph, GRAPH_NEG, 0, x, 0);
    return graph_intern(graph, GRAPH_MUL, 0, graph_number(graph, c), x);
}

static bool is_negative(const struct graph *graph, int a) {
    const struct graph_node *node = &graph->node[a];
    if (node->op == GRAPH_NEG) return true;
    if (node->op == GRAPH_MUL || node->op == GRAPH_DIV) node = &graph->node[node->a];
    return node->op == GRAPH_NUMBER && node->value < 0;
}

int graph_add(struct graph *graph, int a, int b) {
    if (graph->failed) return 0;
    if (is_number(graph, a) && is_number(graph, b))
        return graph_number(graph, graph->node[a].value + graph->node[b].value);
    if (graph_is_number(graph, a, 0)) return b;
    if (graph_is_number(graph, b, 0)) return a;
    if (a == b) return graph_mul(graph, graph_number(graph, 2), a);
    if (is_negative(graph, b)) return graph_sub(graph, a, graph_neg(graph, b));
    if (is_negative(graph, a)) return graph_sub(graph, b, graph_neg(graph, a));
    return intern_commutative(graph, GRAPH_ADD, 0, a, b);
}

int graph_sub(struct graph *graph, int a, int b) {
    if (graph->failed) return 0;
    if (is_number(graph, a) && is_number(graph, b))
        return graph_number(graph, graph->node[a].value - graph->node[b].value);
    if (graph_is_number(graph, b, 0)) return a;
    if (graph_is_number(graph, a, 0)) return graph_neg(graph, b);
    if (a == b) return graph_number(graph, 0);
    if (is_negative(graph, b)) return graph_add(graph, a, graph_neg(graph, b));
    if (is_negative(graph, a) && !is_number(graph, a))
        return graph_neg(graph, graph_add(graph, graph_neg(graph, a), b));
    return graph_intern(graph, GRAPH_SUB, 0, a, b);
}

int graph_neg(struct graph *graph, int a) {
    if (graph->failed) return 0;
    if (is_number(graph, a)) return graph_number(graph, -graph->node[a].value);
    real c = -1;
    const int x = graph_take_number(graph, a, &c);
    return graph->failed ? 0 : scale(graph, c, x);
}

/* x y. Neither has a constant to extract. Powers of one base are merged, also those in a
 * denominator. */
static int product(struct graph *graph, int x, int y) {
    if (graph_is_number(graph, x, 1)) return y;
    if (graph_is_number(graph, y, 1)) return x;
    const struct graph_half_powers of_x = graph_half_powers(graph, x),
                                   of_y = graph_half_powers(graph, y);
    if (of_x.base == of_y.base && abs(of_x.count + of_y.count) <= 2 * GRAPH_POWER_MAX)
        return graph_half_power(graph, of_x.base, of_x.count + of_y.count);
    const int over_x = graph->node[x].op == GRAPH_DIV ? graph->node[x].b : -1;
    const int over_y = graph->node[y].op == GRAPH_DIV ? graph->node[y].b : -1;
    if (over_x == y) return graph->node[x].a;
    if (over_y == x) return graph->node[y].a;
    if (is_reciprocal(graph, x)) return graph_div(graph, y, over_x);
    if (is_reciprocal(graph, y)) return graph_div(graph, x, over_y);
    return intern_commutative(graph, GRAPH_MUL, 0, x, y);
}

int graph_mul(struct graph *graph, int a, int b) {
    if (graph->failed) return 0;
    if (is_number(graph, a) && is_number(graph, b))
        return graph_number(graph, graph->node[a].value * graph->node[b].value);
    if (graph_is_number(graph, a, 0) || graph_is_number(graph, b, 0)) return graph_number(graph, 0);
    real c = 1;
    const int x = graph_take_number(graph, a, &c), y = graph_take_number(graph, b, &c);
    if (graph->failed) return 0;
    const int xy = product(graph, x, y);
    return graph->failed ? 0 : scale(graph, c, xy);
}

/* x / y. Neither has a constant to extract. */
static int quotient(struct graph *graph, int x, int y) {
    if (x == y) return graph_number(graph, 1);
    if (graph_is_number(graph, y, 1)) return x;
    if (is_reciprocal(graph, y)) return product(graph, x, graph->node[y].b);
    const struct graph_half_powers of_x = graph_half_powers(graph, x),
                                   of_y = graph_half_powers(graph, y);
    if (of_x.base == of_y.base) return graph_half_power(graph, of_x.base, of_x.count - of_y.count);
    if (of_y.count % 2 && of_y.count != 1) /* multiply by the inverse instead */
        return product(graph, x, graph_half_power(graph, of_y.base, -of_y.count));
    return graph_intern(graph, GRAPH_DIV, 0, x, y);
}

int graph_div(struct graph *graph, int a, int b) {
    if (graph->failed) return 0;
    if (is_number(graph, a) && is_number(graph, b))
        return graph_number(graph, graph->node[a].value / graph->node[b].value);
    if (graph_is_number(graph, a, 0)) return a;
    real c = 1, d = 1;
    const int x = graph_take_number(graph, a, &c);
    const bool divides_once = is_number(graph, b) && !is_power_of_two(graph->node[b].value);
    const int y =
        divides_once && c == 1 ? b : graph_take_number(graph, b, &d); /* x/3 remains a division */
    if (graph->failed) return 0;
    const int xy = quotient(graph, x, y);
    return graph->failed ? 0 : scale(graph, c / d, xy);
}

/* a to the power n, 2 <= n <= GRAPH_POWER_MAX. */
static int positive_power(struct graph *graph, int a, int n) {
    const struct graph_node node = graph->node[a];
    if (node.op == GRAPH_NUMBER) return graph_number(graph, graph_power_value(node.value, n));
    const struct graph_half_powers of_a = graph_half_powers(graph, a);
    if (of_a.base != a && abs(n * of_a.count) <= 2 * GRAPH_POWER_MAX)
        return graph_half_power(graph, of_a.base, n * of_a.count);
    real c = 1;
    const int x = graph_take_number(graph, a, &c);
    const real power = graph_power_value(c, n);
    if (x == a || !is_modest(power)) return graph_intern(graph, GRAPH_POWER, 0, a, n);
    return graph->failed ? 0 : scale(graph, power, positive_power(graph, x, n));
}

static int general_power(struct graph *graph, int a, int b) {
    int f = 0;
    while (strcmp(graph_functions[f].c_name, "noe_pow") != 0) f++;
    return graph_call(graph, f, a, b);
}

int graph_power(struct graph *graph, int a, int exponent) {
    if (graph->failed) return 0;
    if (exponent == 0) return graph_number(graph, 1);
    if (exponent == 1) return a;
    if (exponent > GRAPH_POWER_MAX || exponent < -GRAPH_POWER_MAX)
        return general_power(graph, a, graph_number(graph, exponent));
    if (exponent < 0)
        return graph_div(graph, graph_number(graph, 1), graph_power(graph, a, -exponent));
    return positive_power(graph, a, exponent);
}

int graph_pow(struct graph *graph, int a, int b) {
    if (graph->failed) return 0;
    const real y = graph->node[b].value, twice = 2 * y;
    const bool has_form = is_number(graph, b) && !is_number(graph, a) &&
                          noe_abs(y) <= GRAPH_POWER_MAX && twice == noe_floor(twice);
    return has_form ? graph_half_power(graph, a, (int)twice) : general_power(graph, a, b);
}

int graph_call(struct graph *graph, int f, int a, int b) {
    if (graph->failed) return 0;
    const struct graph_function *function = &graph_functions[f];
    if (function->arity == 1) b = -1;
    if (is_number(graph, a) && (b < 0 || is_number(graph, b)))
        return graph_number(
            graph, graph_function_value(f, graph->node[a].value, b < 0 ? 0 : graph->node[b].value));
    if (function->associates) return a == b ? a : intern_commutative(graph, GRAPH_CALL, f, a, b);
    return graph_intern(graph, GRAPH_CALL, f, a, b);
}
