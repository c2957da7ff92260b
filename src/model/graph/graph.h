/* Hash-consed expression graph: scalar expressions as one array of nodes. Equal nodes are shared
 * (common subexpressions), and operands precede their users. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_GRAPH_GRAPH_H
#define MODEL_GRAPH_GRAPH_H

#include <stdbool.h>

#include "base/real.h"

enum graph_op {
    GRAPH_NUMBER,    /* value */
    GRAPH_PARAMETER, /* a: index into the parameters */
    GRAPH_TIME,
    GRAPH_POINT,      /* a: component of the point */
    GRAPH_VELOCITY,   /* a: component of the velocity */
    GRAPH_ADD,        /* a + b */
    GRAPH_SUB,        /* a - b */
    GRAPH_MUL,        /* a b */
    GRAPH_DIV,        /* a / b */
    GRAPH_NEG,        /* -a */
    GRAPH_POWER,      /* a to the integer b, 2 <= b <= GRAPH_POWER_MAX */
    GRAPH_HALF_POWER, /* a to the power b/2; made only by program_inverse_roots.c */
    GRAPH_CALL        /* function number f of a (and b, or -1) */
};

#define GRAPH_POWER_MAX 64

struct graph_node {
    enum graph_op op;
    int f, a, b;
    real value;
};

struct graph_sweep;
struct graph_rules;

/* Node 0 is the constant 0. Functions that only read a graph use its scratch memory, so a graph
 * must not be shared by threads. */
struct graph {
    int count, room;
    struct graph_node *node;
    unsigned char *depends; /* graph_depends of each node */
    int *table, table_room; /* hash table of node indices */
    bool failed;            /* memory ran out, and every later node is node 0 */
    struct graph_sweep *sweep;
    struct graph_rules *rules; /* derivatives of functions, parsed at first use */
};

/* An elementary function, one row of a table. `derivative` holds the partial derivatives as text in
 * x (and y), which the parser of the model language parses. */
struct graph_function {
    const char *name;   /* in models; NULL: used by derivatives only */
    const char *c_name; /* in C, e.g. "noe_sin" */
    int arity;          /* 1 or 2 */
    bool associates;    /* associative and commutative, so models may give it more arguments */
    const char *derivative[2];
    real (*unary)(real); /* its value; NULL if the arity is 2 */
    real (*binary)(real, real);
};
extern const struct graph_function graph_functions[];
extern const int graph_function_count;
/* Index of the function called `name`, or -1. */
int graph_function_find(const char *name);
/* Value of function f; y is ignored if the arity is 1. The bits are those of compiled code. */
real graph_function_value(int f, real x, real y);

/* x to the integer n >= 0 by binary exponentiation, in the order of multiplications of POWER. */
static inline real graph_power_value(real x, int n) {
    real power = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) power *= x;
    return power;
}

void graph_init(struct graph *graph);
void graph_clear(struct graph *graph);

/* Builders. They share equal nodes, fold constants and simplify (x+0, x*1, x*0, x-x, --x, ...), but
 * never change a finite result by more than round-off. Returned node indices stay valid. */
int graph_number(struct graph *graph, real value);
int graph_leaf(struct graph *graph, enum graph_op op, int index);
int graph_add(struct graph *graph, int a, int b);
int graph_sub(struct graph *graph, int a, int b);
int graph_mul(struct graph *graph, int a, int b);
int graph_div(struct graph *graph, int a, int b);
int graph_neg(struct graph *graph, int a);
int graph_power(struct graph *graph, int a, int exponent);
/* a to the power b. Integers and half-integers get their own forms. */
int graph_pow(struct graph *graph, int a, int b);
int graph_call(struct graph *graph, int f, int a, int b);

/* Extracts the constant, or at least the sign, from a factor: multiplies c by it and returns the
 * remaining factor, which has no minus sign. */
int graph_take_number(struct graph *graph, int a, real *c);

bool graph_is_number(const struct graph *graph, int a, real value);
enum { GRAPH_ON_TIME = 1, GRAPH_ON_POINT = 2, GRAPH_ON_VELOCITY = 4 };
/* Dependence of the node: a sum of the flags above; 0 if it depends on constants and parameters
 * only. */
unsigned graph_depends(const struct graph *graph, int a);

/* Evaluates one node. `values` is scratch for graph->count values. */
real graph_value(const struct graph *graph, int a, const real *parameters, real t, const real *q,
                 const real *v, real *values);

/* gradient[i] = d root / d leaf i by reverse-mode differentiation. Leaves are POINT or VELOCITY
 * 0..n-1. */
void graph_gradient(struct graph *graph, int root, enum graph_op leaf, int n, int *gradient);
/* As graph_gradient, but writes only the entries of leaves on which root depends. */
void graph_partials(struct graph *graph, int root, enum graph_op leaf, int n, int *partial);
/* Reverse-mode differentiation that stops at nodes affine in the leaves. The derivative of root
 * along any line is the sum of their adjoints times their derivatives. Calls `found` with each of
 * them. */
void graph_adjoints(struct graph *graph, int root, enum graph_op leaf,
                    void (*found)(void *data, int node, int adjoint), void *data);
/* Writes the distinct indices of the leaves of kind `leaf` on which root depends, ascending.
 * Returns their number. */
int graph_leaves(const struct graph *graph, int root, enum graph_op leaf, int *index);
/* d root / d (leaf, index) by forward-mode differentiation. */
int graph_derivative(struct graph *graph, int root, enum graph_op leaf, int index);
/* Rate of a leaf along a line, as a node. */
struct graph_rate {
    int index, node;
};
/* Directional derivative of root along the line on which `count` leaves move, by forward-mode
 * differentiation. */
int graph_rate(struct graph *graph, int root, enum graph_op leaf, int count,
               const struct graph_rate *rate);
/* Replacement of a leaf: a node of the graph to which it is copied. */
typedef int graph_replacement(void *data, enum graph_op leaf, int index);
/* Copies `root` to another graph. copy[node] holds the copy of each node of `from`, or -1 if it has
 * none yet. */
int graph_copy(struct graph *to, const struct graph *from, int root, int *copy,
               graph_replacement *leaf, void *data);

#endif
