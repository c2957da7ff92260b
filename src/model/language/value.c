/* Shaped values and the operators on them. */
/* SPDX-License-Identifier: MIT */
#include "model/language/value.h"

#include <stdarg.h>
#include <stdio.h>

bool value_fail(struct value_maker *maker, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(maker->message, sizeof maker->message, format, arguments);
    va_end(arguments);
    return false;
}

bool value_spend(struct value_maker *maker, long amount) {
    maker->work = amount > VALUE_WORK_MAX ? VALUE_WORK_MAX + 1L : maker->work + amount;
    if (maker->work > VALUE_WORK_MAX)
        return value_fail(maker, "the model is too large: more than %d operations to write it out",
                          VALUE_WORK_MAX);
    if (maker->graph->count <= VALUE_NODES_MAX) return true;
    return value_fail(maker, "the model is too large: more than %d different expressions",
                      VALUE_NODES_MAX);
}

struct value value_scalar(int node) {
    return (struct value){.rows = 1, .cols = 1, .scalar = node};
}

struct value value_number(struct value_maker *maker, real number) {
    return value_scalar(graph_number(maker->graph, number));
}

int *value_make(struct value_maker *maker, struct value *value, int rank, int rows, int cols) {
    const size_t count = (size_t)rows * (size_t)cols;
    if (!value_spend(maker, (long)count)) return NULL;
    *value = (struct value){.rank = rank, .rows = rows, .cols = cols};
    if (rank == 0) return &value->scalar;
    int *node = tree_take(maker->pool, count * sizeof *node);
    value->node = node;
    if (!node) maker->graph->failed = true;
    return node;
}

const char *value_shape(const struct value *value, char text[VALUE_SHAPE_MAX]) {
    if (value->rank == 0) return "scalar";
    if (value->rank == 1)
        snprintf(text, VALUE_SHAPE_MAX, "vector of %d", value->rows);
    else if (value->rank == 2)
        snprintf(text, VALUE_SHAPE_MAX, "matrix %dx%d", value->rows, value->cols);
    else
        snprintf(text, VALUE_SHAPE_MAX, "list of %d matrices", value->rows);
    return text;
}

bool value_same_shape(const struct value *a, const struct value *b) {
    return a->rank == b->rank && a->rows == b->rows && a->cols == b->cols;
}

bool value_is_vector(const struct value *value, int rows) {
    return value->rank == 1 && value->rows == rows;
}

bool value_check(struct value_maker *maker, int node, const char *what) {
    const struct graph *graph = maker->graph;
    if (graph->failed || graph->node[node].op != GRAPH_NUMBER) return true;
    if (real_is_finite(graph->node[node].value)) return true;
    return value_fail(maker, "the result of %s is not a finite number", what);
}

static int join_nodes(struct graph *graph, char op, int a, int b) {
    switch (op) {
    case '+': return graph_add(graph, a, b);
    case '-': return graph_sub(graph, a, b);
    case '*': return graph_mul(graph, a, b);
    default: return graph_div(graph, a, b);
    }
}

/* Combines values elementwise. A scalar is broadcast. */
static bool join_entries(struct value_maker *maker, char op, struct value *result,
                         const struct value *a, const struct value *b) {
    const char what[] = {'\'', op, '\'', '\0'};
    const struct value *like = a->rank ? a : b;
    int *node = value_make(maker, result, like->rank, like->rows, like->cols);
    if (!node) return false;
    for (int i = 0; i < value_count(like); i++) {
        const int x = value_at(a, a->rank ? i : 0), y = value_at(b, b->rank ? i : 0);
        node[i] = join_nodes(maker->graph, op, x, y);
        if (!value_check(maker, node[i], what)) return false;
    }
    return true;
}

static bool fail_shapes(struct value_maker *maker, char op, const struct value *a,
                        const struct value *b) {
    char left[VALUE_SHAPE_MAX], right[VALUE_SHAPE_MAX];
    const char *word = op == '+'   ? "plus"
                       : op == '-' ? "minus"
                       : op == '*' ? "times"
                                   : "divided by";
    const char *advice = op == '/' ? "only scalars divide" : "the shapes do not fit";
    if (op == '*' && a->rank == 1 && b->rank == 1)
        advice = a->rows != b->rows ? advice : a->rows == 3 ? "use dot or cross" : "use dot";
    if (op == '*' && a->rank == 1 && b->rank == 2 && b->rows == a->rows)
        advice = "use transpose and put the matrix first";
    return value_fail(maker, "%s %s %s: %s", value_shape(a, left), word, value_shape(b, right),
                      advice);
}

static bool join_sum(struct value_maker *maker, char op, struct value *result,
                     const struct value *a, const struct value *b) {
    if (value_same_shape(a, b)) return join_entries(maker, op, result, a, b);
    if (b->is_empty_sum) {
        *result = *a;
        return true;
    }
    if (!a->is_empty_sum) return fail_shapes(maker, op, a, b);
    if (op == '-') return value_minus(maker, result, b);
    *result = *b;
    return true;
}

int value_sum(struct graph *graph, int count, const int *term, const int *other) {
    if (count == 0) return graph_number(graph, 0);
    if (count == 1) return other ? graph_mul(graph, term[0], other[0]) : term[0];
    const int half = count / 2;
    const int left = value_sum(graph, half, term, other);
    return graph_add(graph, left,
                     value_sum(graph, count - half, term + half, other ? other + half : NULL));
}

static bool join_product(struct value_maker *maker, struct value *result, const struct value *a,
                         const struct value *b) {
    if (a->rank == 0 || b->rank == 0) return join_entries(maker, '*', result, a, b);
    if (a->rank != 2 || b->rank == 3 || a->cols != b->rows) return fail_shapes(maker, '*', a, b);
    if (!value_spend(maker, (long)a->rows * a->cols > VALUE_WORK_MAX / b->cols
                                ? VALUE_WORK_MAX + 1L
                                : (long)a->rows * a->cols * b->cols))
        return false;
    int *node = value_make(maker, result, b->rank, a->rows, b->cols);
    int *column = node ? tree_take(maker->pool, (size_t)b->rows * sizeof *column) : NULL;
    if (!column) {
        if (node) maker->graph->failed = true;
        return false;
    }
    for (int j = 0; j < b->cols; j++) {
        for (int k = 0; k < b->rows; k++) column[k] = b->node[k * b->cols + j];
        for (int i = 0; i < a->rows; i++) {
            node[i * b->cols + j] = value_sum(maker->graph, a->cols, a->node + i * a->cols, column);
            if (!value_check(maker, node[i * b->cols + j], "'*'")) return false;
        }
    }
    return true;
}

bool value_join(struct value_maker *maker, char op, struct value *result, const struct value *a,
                const struct value *b) {
    if (op == '+' || op == '-') return join_sum(maker, op, result, a, b);
    if (op == '*') return join_product(maker, result, a, b);
    if (b->rank != 0) return fail_shapes(maker, op, a, b);
    if (graph_is_number(maker->graph, b->scalar, 0)) return value_fail(maker, "division by zero");
    return join_entries(maker, op, result, a, b);
}

bool value_minus(struct value_maker *maker, struct value *result, const struct value *a) {
    int *node = value_make(maker, result, a->rank, a->rows, a->cols);
    if (!node) return false;
    for (int i = 0; i < value_count(a); i++) node[i] = graph_neg(maker->graph, value_at(a, i));
    return true;
}

bool value_has_part(struct value_maker *maker, int rank, int rows, int index) {
    if (rank == 0) return value_fail(maker, "a scalar has no parts");
    if (index >= 1 && index <= rows) return true;
    return value_fail(maker, "index %d is outside 1..%d", index, rows);
}

bool value_part(struct value_maker *maker, struct value *result, const struct value *a, int index) {
    if (!value_has_part(maker, a->rank, a->rows, index)) return false;
    if (a->rank == 1)
        *result = value_scalar(a->node[index - 1]);
    else
        *result = (struct value){.rank = a->rank - 1,
                                 .rows = a->rank == 3 ? 3 : a->cols,
                                 .cols = a->rank == 3 ? 3 : 1,
                                 .node = a->node + (size_t)(index - 1) * (size_t)a->cols};
    return true;
}

bool value_list(struct value_maker *maker, struct value *result, int count,
                const struct value *part) {
    char first[VALUE_SHAPE_MAX], other[VALUE_SHAPE_MAX];
    const bool has_matrices = part[0].rank == 2 && part[0].rows == 3 && part[0].cols == 3;
    if (part[0].rank > 1 && !has_matrices)
        return value_fail(maker, "a list has scalars, vectors or matrices 3x3, found a %s",
                          value_shape(&part[0], first));
    for (int i = 1; i < count; i++)
        if (!value_same_shape(&part[i], &part[0]))
            return value_fail(maker, "part %d of a list is a %s, but part 1 is a %s", i + 1,
                              value_shape(&part[i], other), value_shape(&part[0], first));
    const int cols = value_count(&part[0]);
    int *node = value_make(maker, result, part[0].rank + 1, count, cols);
    for (int i = 0; node && i < count; i++)
        for (int j = 0; j < cols; j++) node[i * cols + j] = value_at(&part[i], j);
    return node != NULL;
}
