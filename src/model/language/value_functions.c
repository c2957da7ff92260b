/* Functions of vectors and matrices, one row of a table each. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/language/value.h"

static bool fail_vectors(struct value_maker *maker, const char *name, const struct value *a,
                         const struct value *b) {
    char left[VALUE_SHAPE_MAX], right[VALUE_SHAPE_MAX];
    return value_fail(maker, "%s, found %s and %s", name, value_shape(a, left),
                      value_shape(b, right));
}

static bool fail_shape(struct value_maker *maker, const char *name, const struct value *a) {
    char shape[VALUE_SHAPE_MAX];
    return value_fail(maker, "%s, found %s", name, value_shape(a, shape));
}

static bool apply_dot(struct value_maker *maker, struct value *result, int count,
                      const struct value *a) {
    (void)count;
    if (a[0].rank != 1 || !value_same_shape(&a[0], &a[1]))
        return fail_vectors(maker, "dot needs two vectors of one length", &a[0], &a[1]);
    *result = value_scalar(value_sum(maker->graph, a[0].rows, a[0].node, a[1].node));
    return value_spend(maker, a[0].rows) && value_check(maker, result->scalar, "dot");
}

static bool apply_cross(struct value_maker *maker, struct value *result, int count,
                        const struct value *a) {
    (void)count;
    struct graph *graph = maker->graph;
    if (!value_is_vector(&a[0], 3) || !value_is_vector(&a[1], 3))
        return fail_vectors(maker, "cross needs two vectors of 3", &a[0], &a[1]);
    int *node = value_make(maker, result, 1, 3, 1);
    for (int i = 0; node && i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        node[i] = graph_sub(graph, graph_mul(graph, a[0].node[j], a[1].node[k]),
                            graph_mul(graph, a[0].node[k], a[1].node[j]));
        if (!value_check(maker, node[i], "cross")) return false;
    }
    return node != NULL;
}

static bool apply_norm(struct value_maker *maker, struct value *result, int count,
                       const struct value *a) {
    (void)count;
    if (a->rank != 1) return fail_shape(maker, "norm needs a vector", a);
    const int square = value_sum(maker->graph, a->rows, a->node, a->node);
    *result = value_scalar(graph_call(maker->graph, graph_function_find("sqrt"), square, -1));
    return value_spend(maker, a->rows) && value_check(maker, result->scalar, "norm");
}

static bool apply_transpose(struct value_maker *maker, struct value *result, int count,
                            const struct value *a) {
    (void)count;
    if (a->rank != 2) return fail_shape(maker, "transpose needs a matrix", a);
    int *node = value_make(maker, result, 2, a->cols, a->rows);
    for (int i = 0; node && i < a->rows; i++)
        for (int j = 0; j < a->cols; j++) node[j * a->rows + i] = a->node[i * a->cols + j];
    return node != NULL;
}

static bool apply_trace(struct value_maker *maker, struct value *result, int count,
                        const struct value *a) {
    (void)count;
    if (a->rank != 2 || a->rows != a->cols)
        return fail_shape(maker, "trace needs a square matrix", a);
    int sum = graph_number(maker->graph, 0);
    for (int i = 0; i < a->rows; i++)
        sum = graph_add(maker->graph, sum, a->node[i * (a->cols + 1)]);
    *result = value_scalar(sum);
    return value_check(maker, sum, "trace");
}

enum { DETERMINANT_MAX = 4 };

/* Determinant by Laplace expansion along `row`, of the rows from `row` on and the columns not in
 * the set `taken`. */
static int cofactors(struct graph *graph, const struct value *a, int row, unsigned taken) {
    if (row == a->rows) return graph_number(graph, 1);
    int sum = graph_number(graph, 0);
    bool minus = false;
    for (int j = 0; j < a->cols; j++) {
        if (taken & 1u << j) continue;
        const int entry = a->node[row * a->cols + j];
        const int rest =
            graph_is_number(graph, entry, 0) ? 0 : cofactors(graph, a, row + 1, taken | 1u << j);
        const int term = graph_mul(graph, entry, rest);
        sum = minus ? graph_sub(graph, sum, term) : graph_add(graph, sum, term);
        minus = !minus;
    }
    return sum;
}

static bool apply_det(struct value_maker *maker, struct value *result, int count,
                      const struct value *a) {
    (void)count;
    if (a->rank != 2 || a->rows != a->cols || a->rows > DETERMINANT_MAX)
        return fail_shape(maker, "det needs a square matrix of at most 4 rows", a);
    *result = value_scalar(cofactors(maker->graph, a, 0, 0));
    return value_check(maker, result->scalar, "det");
}

static bool apply_diag(struct value_maker *maker, struct value *result, int count,
                       const struct value *a) {
    const bool from_vector = count == 1 && a->rank == 1;
    for (int i = 0; i < count && !from_vector; i++)
        if (a[i].rank != 0) return fail_shape(maker, "diag needs scalars or one vector", &a[i]);
    const int rows = from_vector ? a->rows : count;
    if ((long)rows * rows > VALUE_WORK_MAX) return value_spend(maker, (long)rows * rows);
    int *node = value_make(maker, result, 2, rows, rows);
    const int zero = graph_number(maker->graph, 0);
    for (int i = 0; node && i < rows * rows; i++) node[i] = zero;
    for (int i = 0; node && i < rows; i++)
        node[i * (rows + 1)] = from_vector ? a->node[i] : a[i].scalar;
    return node != NULL;
}

static bool apply_hat(struct value_maker *maker, struct value *result, int count,
                      const struct value *a) {
    (void)count;
    if (!value_is_vector(a, 3)) return fail_shape(maker, "hat needs a vector of 3", a);
    int *node = value_make(maker, result, 2, 3, 3);
    for (int i = 0; node && i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        node[3 * i + i] = graph_number(maker->graph, 0);
        node[3 * k + j] = a->node[i];
        node[3 * j + k] = graph_neg(maker->graph, a->node[i]);
    }
    return node != NULL;
}

/* A = sin(w)/w, B = (1 - cos(w))/w^2 = (sin(w/2)/(w/2))^2/2, where w^2 = square. Constants near
 * zero use the series, whose next term is below round-off. */
static void rotation_factors(struct graph *graph, int square, int *A, int *B) {
    const int sine = graph_function_find("sin"), root = graph_function_find("sqrt");
    const struct graph_node node = graph->node[square];
    if (node.op == GRAPH_NUMBER && node.value * node.value <= NOE_EPSILON) {
        const real s = node.value; /* s^2 <= eps, so s^4 is negligible */
        *A = graph_number(graph, 1 - s / 6 * (1 - s / 20 * (1 - s / 42)));
        *B = graph_number(graph, (1 - s / 12 * (1 - s / 30 * (1 - s / 56))) / 2);
        return;
    }
    const int w = graph_call(graph, root, square, -1);
    const int half = graph_mul(graph, graph_number(graph, 0.5), w);
    const int ratio = graph_div(graph, graph_call(graph, sine, half, -1), half);
    *A = graph_div(graph, graph_call(graph, sine, w, -1), w);
    *B = graph_mul(graph, graph_number(graph, 0.5), graph_power(graph, ratio, 2));
}

/* Axis of a rotation vector with a single nonzero component, else -1. */
static int single_axis(const struct graph *graph, const struct value *w) {
    int axis = -1, count = 0;
    for (int i = 0; i < 3; i++) {
        if (graph_is_number(graph, w->node[i], 0)) continue;
        axis = i;
        count++;
    }
    return count == 1 ? axis : -1;
}

/* Rotation about a coordinate axis, which is smooth at the angle zero. */
static void rotation_about(struct graph *graph, int axis, int angle, int *node) {
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const int sine = graph_call(graph, graph_function_find("sin"), angle, -1);
    for (int i = 0; i < 9; i++) node[i] = graph_number(graph, i == 4 * axis);
    node[4 * j] = node[4 * k] = graph_call(graph, graph_function_find("cos"), angle, -1);
    node[3 * k + j] = sine;
    node[3 * j + k] = graph_neg(graph, sine);
}

/* Factor of a component that depends on the motion, if the other factors (`rest`) are constants and
 * parameters; -1 if there is none. */
static int varying_factor(struct graph *graph, int component, int *rest) {
    const struct graph_node node = graph->node[component];
    *rest = graph_number(graph, 1);
    if (!graph_depends(graph, component)) return -1;
    if (node.op == GRAPH_NEG) {
        const int factor = varying_factor(graph, node.a, rest);
        *rest = graph_neg(graph, *rest);
        return factor;
    }
    if (node.op != GRAPH_MUL) return component;
    const bool a_is_fixed = !graph_depends(graph, node.a),
               b_is_fixed = !graph_depends(graph, node.b);
    if (!a_is_fixed && !b_is_fixed) return component;
    const int factor = varying_factor(graph, a_is_fixed ? node.b : node.a, rest);
    *rest = graph_mul(graph, *rest, a_is_fixed ? node.a : node.b);
    return factor;
}

/* Writes w as s c with a fixed axis c and returns s, or -1 if this is not possible. */
static int split_axis(struct graph *graph, const struct value *w, int c[3]) {
    int s = -1;
    for (int i = 0; i < 3; i++) {
        c[i] = graph_number(graph, 0);
        if (graph_is_number(graph, w->node[i], 0)) continue;
        const int factor = varying_factor(graph, w->node[i], &c[i]);
        if (factor < 0 || (s >= 0 && factor != s)) return -1;
        s = factor;
    }
    return s;
}

/* Factors A and B for the vector c in place of s c. They are smooth at s = 0. */
static void fixed_axis_factors(struct graph *graph, int s, const int c[3], int *A, int *B) {
    const int square = value_sum(graph, 3, c, c);
    const int length = graph_call(graph, graph_function_find("sqrt"), square, -1);
    const int angle = graph_mul(graph, s, length), half = graph_number(graph, 0.5);
    const int sine = graph_function_find("sin");
    const int chord = graph_call(graph, sine, graph_mul(graph, half, angle), -1);
    *A = graph_div(graph, graph_call(graph, sine, angle, -1), length);
    *B = graph_div(graph, graph_mul(graph, graph_number(graph, 2), graph_power(graph, chord, 2)),
                   square);
}

/* I + A hat(u) + B hat(u)^2, where hat(u)^2 = u u^T - (u.u) I. */
static void rotation_matrix(struct graph *graph, const int u[3], int A, int B, int *node) {
    const int square = value_sum(graph, 3, u, u);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const int turn = graph_mul(graph, A, u[i]);
        const int bent = graph_mul(graph, B, graph_mul(graph, u[j], u[k]));
        const int own = graph_sub(graph, graph_power(graph, u[i], 2), square);
        node[4 * i] = graph_add(graph, graph_number(graph, 1), graph_mul(graph, B, own));
        node[3 * k + j] = graph_add(graph, bent, turn);
        node[3 * j + k] = graph_sub(graph, bent, turn);
    }
}

static bool apply_expm(struct value_maker *maker, struct value *result, int count,
                       const struct value *w) {
    struct graph *graph = maker->graph;
    (void)count;
    if (!value_is_vector(w, 3)) return fail_shape(maker, "expm needs a rotation vector of 3", w);
    int *node = value_make(maker, result, 2, 3, 3);
    const int square = value_sum(graph, 3, w->node, w->node);
    if (!node || graph->failed || !value_check(maker, square, "expm")) return false;
    const int axis = single_axis(graph, w);
    int A, B, c[3];
    const int s = axis >= 0 ? -1 : split_axis(graph, w, c);
    if (axis >= 0) {
        rotation_about(graph, axis, w->node[axis], node);
    } else if (s >= 0) {
        fixed_axis_factors(graph, s, c, &A, &B);
        rotation_matrix(graph, c, A, B, node);
    } else {
        rotation_factors(graph, square, &A, &B);
        rotation_matrix(graph, w->node, A, B, node);
    }
    return true;
}

enum { ARGUMENTS_MAX = 1 << 20 };

const struct value_function value_functions[] = {
    {"dot", 2, 2, apply_dot},
    {"cross", 2, 2, apply_cross},
    {"norm", 1, 1, apply_norm},
    {"transpose", 1, 1, apply_transpose},
    {"trace", 1, 1, apply_trace},
    {"det", 1, 1, apply_det},
    {"diag", 1, ARGUMENTS_MAX, apply_diag},
    {"hat", 1, 1, apply_hat},
    {"expm", 1, 1, apply_expm},
    {NULL, 0, 0, NULL},
};

const struct value_function *value_function_find(const char *name) {
    for (const struct value_function *f = value_functions; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}
