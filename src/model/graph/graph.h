/* Scalar expressions as one array of nodes; equal nodes are shared, children precede parents. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_GRAPH_GRAPH_H
#define MODEL_GRAPH_GRAPH_H

#include <stdbool.h>

#include "base/real.h"

enum graph_op {
    GRAPH_NUMBER,    /* value */
    GRAPH_PARAMETER, /* a: index into the parameters' numbers */
    GRAPH_TIME,
    GRAPH_POINT,      /* a: index into the point's numbers */
    GRAPH_VELOCITY,   /* a: index into the velocity */
    GRAPH_ADD,        /* a + b */
    GRAPH_SUB,        /* a - b */
    GRAPH_MUL,        /* a b */
    GRAPH_DIV,        /* a / b */
    GRAPH_NEG,        /* -a */
    GRAPH_POWER,      /* a to the integer b, 2 <= b <= GRAPH_POWER_MAX */
    GRAPH_HALF_POWER, /* a to the exponent b/2; no builder makes it: see program_roots.h */
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

/* Node 0 is the number 0. Functions that only read a graph still share its scratch: a graph belongs
 * to one thread at a time. */
struct graph {
    int count, room;
    struct graph_node *node;
    unsigned char *depends; /* graph_depends of each node */
    int *table, table_room; /* hash table of node numbers */
    bool failed;            /* memory ran out: every later node is node 0 */
    struct graph_sweep *sweep;
    struct graph_rules *rules; /* derivatives of functions, parsed at first use */
};

/* An elementary function: one row of a table. `derivative` holds, as text in x (and y), the
 * partial derivatives; they are parsed by the parser of models. */
struct graph_function {
    const char *name;   /* in models; NULL for those only derivatives use */
    const char *c_name; /* in C, e.g. "noe_sin" */
    int arity;          /* 1 or 2 */
    bool associates;    /* and commutes: models may give it more arguments */
    const char *derivative[2];
    real (*unary)(real); /* its value; NULL where the arity is 2 */
    real (*binary)(real, real);
};
extern const struct graph_function graph_functions[];
extern const int graph_function_count;
/* Index of the function called `name`, or -1. */
int graph_function_find(const char *name);
/* Value of function f; y is ignored where the arity is 1. The same bits as compiled code. */
real graph_function_value(int f, real x, real y);

/* x to the integer n >= 0 by squaring from the low bit: the order of multiplications of POWER. */
static inline real graph_power_value(real x, int n) {
    real power = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) power *= x;
    return power;
}

void graph_init(struct graph *graph);
void graph_clear(struct graph *graph);

/* Builders: they share, fold numbers and simplify (x+0, x*1, x*0, x-x, --x, ...), never anything
 * that changes a finite result by more than round-off. Node numbers returned are valid for good. */
int graph_number(struct graph *graph, real value);
int graph_leaf(struct graph *graph, enum graph_op op, int index);
int graph_add(struct graph *graph, int a, int b);
int graph_sub(struct graph *graph, int a, int b);
int graph_mul(struct graph *graph, int a, int b);
int graph_div(struct graph *graph, int a, int b);
int graph_neg(struct graph *graph, int a);
int graph_power(struct graph *graph, int a, int exponent);
/* a to the power b in general: integers, 0.5 and -0.5 get their own forms. */
int graph_pow(struct graph *graph, int a, int b);
int graph_call(struct graph *graph, int f, int a, int b);

/* Takes the number, or at least its sign, out of a factor: c <- c times it; returns the rest, which
 * is not negative. */
int graph_take_number(struct graph *graph, int a, real *c);

bool graph_is_number(const struct graph *graph, int a, real value);
enum { GRAPH_ON_TIME = 1, GRAPH_ON_POINT = 2, GRAPH_ON_VELOCITY = 4 };
/* What the node depends on: a sum of the above, 0 if on numbers and parameters only. */
unsigned graph_depends(const struct graph *graph, int a);

/* Evaluates one node; `values` must have room for graph->count numbers and is scratch. */
real graph_value(const struct graph *graph, int a, const real *parameters, real t, const real *q,
                 const real *v, real *values);

/* gradient[i] = d root / d leaf i, by one reverse sweep; leaves are POINT or VELOCITY 0..n-1. */
void graph_gradient(struct graph *graph, int root, enum graph_op leaf, int n, int *gradient);
/* The same for the leaves on which root depends; the others' numbers stay as they are. */
void graph_partials(struct graph *graph, int root, enum graph_op leaf, int n, int *partial);
/* The same sweep, ended at nodes that are affine in the leaves: the rate of root along any line is
 * the sum of their adjoints times their rates. Calls `found` with each of them. */
void graph_adjoints(struct graph *graph, int root, enum graph_op leaf,
                    void (*found)(void *data, int node, int adjoint), void *data);
/* Writes the indices of the leaves of kind `leaf` that root depends on, ascending and each once;
 * returns their number. */
int graph_leaves(const struct graph *graph, int root, enum graph_op leaf, int *index);
/* d root / d (leaf, index) by a forward sweep over what root depends on. */
int graph_derivative(struct graph *graph, int root, enum graph_op leaf, int index);
/* How a leaf moves along a line: its rate is a node. */
struct graph_rate {
    int index, node;
};
/* The rate of root along the line on which `count` leaves move, by a forward sweep. */
int graph_rate(struct graph *graph, int root, enum graph_op leaf, int count,
               const struct graph_rate *rate);
/* What takes the place of a leaf: a node of the graph that it is copied to. */
typedef int graph_replacement(void *data, enum graph_op leaf, int index);
/* The copy of `root` in another graph. copy[node] holds the copies made so far of the nodes of
 * `from`, or -1. */
int graph_copy(struct graph *to, const struct graph *from, int root, int *copy,
               graph_replacement *leaf, void *data);

#endif
