/* Storage of the expression graph: hash consing, dependence flags, traversal and evaluation. */
/* SPDX-License-Identifier: MIT */
#include "model/graph/graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/graph/graph_store.h"

enum { ROOM_FIRST = 256, ROOM_MAX = 1 << 28 };

/* Hash step. Small integers as floating-point numbers differ in high bits only, so the high bits
 * are folded into the low ones. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word ^ (word >> 32)) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

static uint64_t node_hash(const struct graph_node *node) {
    uint64_t words[sizeof(real) / 8];
    memcpy(words, &node->value, sizeof words);
    uint64_t hash = mix((uint64_t)node->op, (uint64_t)(uint32_t)node->f);
    hash = mix(hash, (uint64_t)(uint32_t)node->a << 32 | (uint32_t)node->b);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) hash = mix(hash, words[i]);
    return hash;
}

static bool node_equal(const struct graph_node *x, const struct graph_node *y) {
    return x->op == y->op && x->f == y->f && x->a == y->a && x->b == y->b &&
           memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

/* Slot of a node in the hash table: its own, or the free slot where it belongs. */
static int *find_place(const struct graph *graph, const struct graph_node *node) {
    const unsigned last = (unsigned)graph->table_room - 1;
    unsigned at = (unsigned)node_hash(node) & last;
    while (graph->table[at] >= 0 && !node_equal(&graph->node[graph->table[at]], node))
        at = (at + 1) & last;
    return &graph->table[at];
}

/* Reallocates the array `old`. If memory ran out it returns `old` and sets *done to false. */
static void *resized(void *old, size_t count, size_t size, bool *done) {
    void *larger = realloc(old, count * size);
    if (!larger) *done = false;
    return larger ? larger : old;
}

static bool grow(struct graph *graph) {
    struct graph_sweep *sweep = graph->sweep;
    const int room = graph->room ? 2 * graph->room : ROOM_FIRST;
    if (!sweep || room > ROOM_MAX) return false;
    const size_t count = (size_t)room;
    bool done = true;
    graph->node = resized(graph->node, count, sizeof *graph->node, &done);
    graph->depends = resized(graph->depends, count, sizeof *graph->depends, &done);
    sweep->mark = resized(sweep->mark, count, sizeof *sweep->mark, &done);
    sweep->slot = resized(sweep->slot, count, sizeof *sweep->slot, &done);
    sweep->order = resized(sweep->order, count, sizeof *sweep->order, &done);
    graph->table = resized(graph->table, 2 * count, sizeof *graph->table, &done);
    if (!done) return false;
    memset(sweep->mark + graph->room, 0, (count - (size_t)graph->room) * sizeof *sweep->mark);
    graph->room = room;
    graph->table_room = 2 * room;
    memset(graph->table, 0xff, 2 * count * sizeof *graph->table);
    for (int i = 0; i < graph->count; i++) *find_place(graph, &graph->node[i]) = i;
    return true;
}

unsigned graph_leaf_mask(enum graph_op leaf) {
    return leaf == GRAPH_TIME       ? GRAPH_ON_TIME
           : leaf == GRAPH_POINT    ? GRAPH_ON_POINT
           : leaf == GRAPH_VELOCITY ? GRAPH_ON_VELOCITY
                                    : 0;
}

static int children(const struct graph_node *node, int child[2]) {
    if (node->op < GRAPH_ADD) return 0;
    child[0] = node->a;
    if (node->op == GRAPH_NEG || node->op == GRAPH_POWER || node->op == GRAPH_HALF_POWER ||
        node->b < 0)
        return 1;
    child[1] = node->b;
    return 2;
}

static int store(struct graph *graph, const struct graph_node *node) {
    if (graph->failed) return 0;
    int *place = graph->room ? find_place(graph, node) : NULL;
    if (place && *place >= 0) return *place;
    if (graph->count == graph->room) {
        if (!grow(graph)) {
            graph->failed = true;
            return 0;
        }
        place = find_place(graph, node);
    }
    int child[2];
    unsigned depends = graph_leaf_mask(node->op);
    for (int i = children(node, child) - 1; i >= 0; i--) depends |= graph->depends[child[i]];
    graph->node[graph->count] = *node;
    graph->depends[graph->count] = (unsigned char)depends;
    return *place = graph->count++;
}

void graph_init(struct graph *graph) {
    memset(graph, 0, sizeof *graph);
    graph->sweep = calloc(1, sizeof *graph->sweep);
    graph_number(graph, 0);
}

void graph_clear(struct graph *graph) {
    free(graph->node);
    free(graph->depends);
    free(graph->table);
    if (graph->sweep) {
        free(graph->sweep->mark);
        free(graph->sweep->slot);
        free(graph->sweep->order);
        free(graph->sweep);
    }
    graph_rules_free(graph->rules);
    memset(graph, 0, sizeof *graph);
}

int graph_intern(struct graph *graph, enum graph_op op, int f, int a, int b) {
    struct graph_node node;
    memset(&node, 0, sizeof node);
    node.op = op;
    node.f = f;
    node.a = a;
    node.b = b;
    return store(graph, &node);
}

int graph_number(struct graph *graph, real value) {
    struct graph_node node;
    memset(&node, 0, sizeof node);
    node.op = GRAPH_NUMBER;
    node.value = value;
    return store(graph, &node);
}

int graph_leaf(struct graph *graph, enum graph_op op, int index) {
    return graph_intern(graph, op, 0, index, 0);
}

bool graph_is_number(const struct graph *graph, int a, real value) {
    return a < graph->count && graph->node[a].op == GRAPH_NUMBER && graph->node[a].value == value;
}

unsigned graph_depends(const struct graph *graph, int a) {
    return a < graph->count ? graph->depends[a] : 0;
}

void graph_reach(const struct graph *graph, int root, unsigned bits) {
    struct graph_sweep *sweep = graph->sweep;
    if (!sweep) return;
    sweep->length = 0;
    if (root >= graph->count || (bits && !(graph->depends[root] & bits))) return;
    if (++sweep->stamp == INT32_MAX) {
        memset(sweep->mark, 0, (size_t)graph->count * sizeof *sweep->mark);
        sweep->stamp = 1;
    }
    /* The stack of nodes with unlisted operands grows down from the end of `order`. A node is in
     * one of the two lists only, so they cannot overlap. */
    int top = graph->count;
    sweep->order[--top] = root;
    sweep->mark[root] = sweep->stamp;
    while (top < graph->count) {
        const int at = sweep->order[top];
        int child[2], next = -1;
        for (int i = children(&graph->node[at], child) - 1; i >= 0; i--)
            if (sweep->mark[child[i]] != sweep->stamp && (!bits || graph->depends[child[i]] & bits))
                next = child[i];
        if (next >= 0) {
            sweep->mark[next] = sweep->stamp;
            sweep->order[--top] = next;
        } else {
            top++;
            sweep->order[sweep->length++] = at;
        }
    }
}

static int compare_indices(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int graph_leaves(const struct graph *graph, int root, enum graph_op leaf, int *index) {
    int count = 0;
    graph_reach(graph, root, graph_leaf_mask(leaf));
    for (int i = 0; graph->sweep && i < graph->sweep->length; i++) {
        const struct graph_node *node = &graph->node[graph->sweep->order[i]];
        if (node->op == leaf) index[count++] = node->a;
    }
    qsort(index, (size_t)count, sizeof *index, compare_indices);
    return count;
}

static real node_value(const struct graph_node *node, const real *values) {
    const real a = values[node->a];
    switch (node->op) {
    case GRAPH_ADD: return a + values[node->b];
    case GRAPH_SUB: return a - values[node->b];
    case GRAPH_MUL: return a * values[node->b];
    case GRAPH_DIV: return a / values[node->b];
    case GRAPH_NEG: return -a;
    case GRAPH_POWER: return graph_power_value(a, node->b);
    default: return graph_function_value(node->f, a, node->b >= 0 ? values[node->b] : 0);
    }
}

real graph_value(const struct graph *graph, int a, const real *parameters, real t, const real *q,
                 const real *v, real *values) {
    graph_reach(graph, a, 0);
    if (a >= graph->count) return 0;
    for (int i = 0; i < graph->sweep->length; i++) {
        const int at = graph->sweep->order[i];
        const struct graph_node *node = &graph->node[at];
        switch (node->op) {
        case GRAPH_NUMBER: values[at] = node->value; break;
        case GRAPH_PARAMETER: values[at] = parameters[node->a]; break;
        case GRAPH_TIME: values[at] = t; break;
        case GRAPH_POINT: values[at] = q[node->a]; break;
        case GRAPH_VELOCITY: values[at] = v[node->a]; break;
        default: values[at] = node_value(node, values);
        }
    }
    return values[a];
}
