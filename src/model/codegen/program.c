/* Programs: depth-first scheduling of the nodes that a list of outputs needs. A node is computed
 * once, so every common subexpression is shared. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/program.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_SEEN = -1, OPEN = -2 };

int program_children(const struct graph_node *node, int child[2]) {
    switch (node->op) {
    case GRAPH_ADD:
    case GRAPH_SUB:
    case GRAPH_MUL:
    case GRAPH_DIV:
        child[0] = node->a;
        child[1] = node->b;
        return 2;
    case GRAPH_NEG:
    case GRAPH_POWER:
    case GRAPH_HALF_POWER: child[0] = node->a; return 1;
    case GRAPH_CALL:
        child[0] = node->a;
        child[1] = node->b;
        return graph_functions[node->f].arity;
    default: return 0;
    }
}

int program_parameter(const struct program *program, const struct graph *graph, int node) {
    if (graph->node[node].op == GRAPH_PARAMETER) return graph->node[node].a;
    return program->prepared ? program->prepared[node] : -1;
}

/* Appends the missing steps that `root` needs, in post-order. The stack is explicit because a sum
 * of a million terms is a million nodes deep. */
static void visit(struct program *program, const struct graph *graph, int root, int *stack) {
    int depth = 0, child[2];
    stack[depth++] = root;
    while (depth > 0) {
        const int node = stack[depth - 1];
        const bool is_read = program_parameter(program, graph, node) >= 0;
        const int count = is_read ? 0 : program_children(&graph->node[node], child);
        if (count == 0 || program->place[node] >= 0) {
            depth--;
        } else if (program->place[node] == OPEN) {
            program->place[node] = program->nsteps;
            program->step[program->nsteps++] = node;
            depth--;
        } else {
            program->place[node] = OPEN;
            for (int k = count - 1; k >= 0; k--) {
                if (program->place[child[k]] == NOT_SEEN) stack[depth++] = child[k];
            }
        }
    }
}

static void count_uses(struct program *program, const struct graph *graph) {
    int child[2];
    for (int i = 0; i < program->nsteps; i++) {
        const int count = program_children(&graph->node[program->step[i]], child);
        for (int k = 0; k < count; k++) {
            if (program->place[child[k]] >= 0) program->uses[program->place[child[k]]]++;
        }
    }
    for (int i = 0; i < program->noutputs; i++) {
        const int place = program->place[program->output[i].node];
        if (place >= 0) program->uses[place]++;
    }
}

enum noe_status program_make(struct program *program, const struct graph *graph, int count,
                             const struct program_output *output, const int *prepared) {
    const size_t nodes = (size_t)graph->count + 1;
    *program = (struct program){.noutputs = count, .prepared = prepared};
    program->output = malloc(((size_t)count + 1) * sizeof *program->output);
    program->step = malloc(nodes * sizeof(int));
    program->place = malloc(nodes * sizeof(int));
    int *stack = malloc(2 * nodes * sizeof(int));
    if (program->output && program->step && program->place && stack) {
        if (count > 0) memcpy(program->output, output, (size_t)count * sizeof *output);
        for (int i = 0; i < graph->count; i++) program->place[i] = NOT_SEEN;
        for (int i = 0; i < count; i++) visit(program, graph, output[i].node, stack);
        program->uses = calloc((size_t)program->nsteps + 1, sizeof(int));
    }
    free(stack);
    if (!program->uses) {
        program_clear(program);
        return NOE_NO_MEMORY;
    }
    count_uses(program, graph);
    return NOE_OK;
}

enum noe_status program_reorder(struct program *program, const int *old) {
    const size_t count = (size_t)program->nsteps + 1;
    int *step = malloc(count * sizeof *step), *uses = malloc(count * sizeof *uses);
    const bool is_done = step && uses;
    for (int i = 0; is_done && i < program->nsteps; i++) {
        step[i] = program->step[old[i]];
        uses[i] = program->uses[old[i]];
    }
    for (int i = 0; is_done && i < program->nsteps; i++) {
        program->step[i] = step[i];
        program->uses[i] = uses[i];
        program->place[step[i]] = i;
    }
    free(step);
    free(uses);
    return is_done ? NOE_OK : NOE_NO_MEMORY;
}

void program_clear(struct program *program) {
    free(program->output);
    free(program->step);
    free(program->uses);
    free(program->place);
    *program = (struct program){0};
}
