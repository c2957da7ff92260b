/* Shaped values: scalars, vectors and matrices of graph nodes, and their algebra. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_VALUE_H
#define MODEL_LANGUAGE_VALUE_H

#include "model/graph/graph.h"
#include "model/language/tree.h"

/* A scalar has rank 0. A vector of length m has rows m, cols 1 and rank 1. A matrix has rank 2 and
 * is stored in row-major order. A list of m 3x3 matrices has rows m, cols 9 and rank 3. Values are
 * immutable, so they may share their nodes. */
struct value {
    int rank, rows, cols;
    int scalar;        /* the node of a scalar */
    const int *node;   /* the nodes of the others */
    bool is_empty_sum; /* an empty sum: zero of any shape */
};

/* Context in which values are made. A function that fails writes the reason to `message`. */
struct value_maker {
    struct graph *graph;
    struct tree_pool *pool;
    long work; /* operations so far */
    char message[320];
};

enum { VALUE_NODES_MAX = 20000000, VALUE_WORK_MAX = 50000000, VALUE_SHAPE_MAX = 40 };

static inline int value_count(const struct value *value) { return value->rows * value->cols; }
static inline int value_at(const struct value *value, int i) {
    return value->rank ? value->node[i] : value->scalar;
}

struct value value_scalar(int node);
struct value value_number(struct value_maker *maker, real number);
/* Makes a value of the given shape and returns its nodes, to be filled in. NULL on failure. */
int *value_make(struct value_maker *maker, struct value *value, int rank, int rows, int cols);
/* Counts `amount` operations. False if the model has become too large. */
bool value_spend(struct value_maker *maker, long amount);
/* Writes a message. Always returns false. */
bool value_fail(struct value_maker *maker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "scalar", "vector of 3", "matrix 2x3", "list of 2 matrices". */
const char *value_shape(const struct value *value, char text[VALUE_SHAPE_MAX]);
bool value_same_shape(const struct value *a, const struct value *b);
bool value_is_vector(const struct value *value, int rows);

/* a (op) b, for the operators + - * and /. */
bool value_join(struct value_maker *maker, char op, struct value *result, const struct value *a,
                const struct value *b);
bool value_minus(struct value_maker *maker, struct value *result, const struct value *a);
/* False, with a message, if a value of this rank and number of rows has no part `index`. */
bool value_has_part(struct value_maker *maker, int rank, int rows, int index);
/* Part number `index` (1-based): an entry of a vector, a row of a matrix, a matrix of a list. */
bool value_part(struct value_maker *maker, struct value *result, const struct value *a, int index);
/* Makes a vector of scalars, a matrix of vectors of one length, or a list of 3x3 matrices. */
bool value_list(struct value_maker *maker, struct value *result, int count,
                const struct value *part);
/* Sum of the nodes term[i]*other[i], or of term[i] if `other` is NULL, as a balanced tree. */
int value_sum(struct graph *graph, int count, const int *term, const int *other);
/* False, with a message, if the node is a constant that is not finite. */
bool value_check(struct value_maker *maker, int node, const char *what);

/* A function of shaped values, one row of a table. */
struct value_function {
    const char *name;
    int min, max; /* number of arguments */
    bool (*apply)(struct value_maker *, struct value *result, int count, const struct value *);
};
extern const struct value_function value_functions[]; /* ends with a row without a name */
const struct value_function *value_function_find(const char *name);

#endif
