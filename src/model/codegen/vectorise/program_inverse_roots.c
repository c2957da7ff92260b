/* Strength reduction of inverse square roots: finds them and builds the transformed graph. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/program_inverse_roots.h"

#include <stdlib.h>

#include "model/graph/graph_store.h"

enum { HALVES_MAX = 7 }; /* max -2 times the exponent; higher powers remain a root and a division */

struct maker {
    struct program_roots *roots;
    const struct graph *graph;
    const struct program *given;
    bool *is_rooted; /* by node: an inverse root of it occurs */
    int *copy;       /* by node: index of its copy, or -1 */
};

/* Writes a step as a power of another node, or as a quotient by one. The exponent, in halves, is
 * negative, or 1 for a root. It is 0 if the step has no such form. */
static struct graph_half_powers power_of(const struct maker *m, int node) {
    const struct graph_node *own = &m->graph->node[node];
    struct graph_half_powers form = graph_half_powers(m->graph, node);
    if (own->op == GRAPH_DIV && form.base == node) {
        form = graph_half_powers(m->graph, own->b);
        form.count = -form.count;
    }
    const bool is_known = m->graph->node[form.base].op == GRAPH_NUMBER ||
                          program_parameter(m->given, m->graph, form.base) >= 0;
    const bool is_power = form.base != node && form.count <= 1 && form.count >= -HALVES_MAX;
    return is_power && !is_known ? form : (struct graph_half_powers){node, 0};
}

static void find_rooted(struct maker *m) {
    for (int i = 0; i < m->given->nsteps; i++) {
        const struct graph_half_powers form = power_of(m, m->given->step[i]);
        if (form.count < 0 && form.count % 2) m->is_rooted[form.base] = true;
    }
}

static int copy_leaf(struct maker *m, int node) {
    const struct graph_node *own = &m->graph->node[node];
    const int parameter = program_parameter(m->given, m->graph, node);
    if (parameter >= 0) return graph_leaf(&m->roots->graph, GRAPH_PARAMETER, parameter);
    if (own->op == GRAPH_NUMBER) return graph_number(&m->roots->graph, own->value);
    return graph_leaf(&m->roots->graph, own->op, own->a);
}

/* Copy of a node that precedes the node being copied. */
static int copy_of(struct maker *m, int node) {
    if (m->copy[node] < 0) m->copy[node] = copy_leaf(m, node);
    return m->copy[node];
}

static int copy_step(struct maker *m, int node) {
    struct graph *to = &m->roots->graph;
    const struct graph_node *own = &m->graph->node[node];
    const struct graph_half_powers form = power_of(m, node);
    if (form.count && m->is_rooted[form.base]) {
        const int power = graph_intern(to, GRAPH_HALF_POWER, 0, copy_of(m, form.base), form.count);
        const bool is_whole = graph_half_powers(m->graph, node).base != node;
        return is_whole ? power : graph_intern(to, GRAPH_MUL, 0, copy_of(m, own->a), power);
    }
    int child[2];
    const int count = program_children(own, child);
    const int b = count == 2 ? copy_of(m, own->b) : own->b;
    return graph_intern(to, own->op, own->f, copy_of(m, own->a), b);
}

static enum noe_status copy_all(struct maker *m) {
    const int count = m->given->noutputs;
    struct program_output *output = malloc(((size_t)count + 1) * sizeof *output);
    if (!output) return NOE_NO_MEMORY;
    find_rooted(m);
    for (int i = 0; i < m->graph->count; i++) m->copy[i] = -1;
    for (int i = 0; i < m->given->nsteps; i++)
        m->copy[m->given->step[i]] = copy_step(m, m->given->step[i]);
    for (int i = 0; i < count; i++) {
        output[i] = m->given->output[i];
        output[i].node = copy_of(m, output[i].node);
    }
    enum noe_status status = NOE_NO_MEMORY;
    if (!m->roots->graph.failed)
        status = program_make(&m->roots->program, &m->roots->graph, count, output, NULL);
    free(output);
    return status;
}

enum noe_status program_roots_make(struct program_roots *roots, const struct graph *graph,
                                   const struct program *given) {
    const size_t nodes = (size_t)graph->count + 1;
    struct maker m = {.roots = roots, .graph = graph, .given = given};
    *roots = (struct program_roots){0};
    graph_init(&roots->graph);
    m.is_rooted = calloc(nodes, sizeof *m.is_rooted);
    m.copy = malloc(nodes * sizeof *m.copy);
    const enum noe_status status = m.is_rooted && m.copy ? copy_all(&m) : NOE_NO_MEMORY;
    free(m.is_rooted);
    free(m.copy);
    return status;
}

void program_roots_clear(struct program_roots *roots) {
    graph_clear(&roots->graph);
    program_clear(&roots->program);
}
