/* Choice of the elementary function calls of a model that are evaluated by SIMD vector
 * functions. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/vector_functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/codegen/vectorise/program_isomorphic.h"

/* True for functions that processors do not have as instructions. */
static bool takes_long(const struct graph_node *node) {
    static const char *const quick[] = {"noe_sqrt", "noe_abs",  "noe_min",
                                        "noe_max",  "noe_sign", "noe_step_at"};
    if (node->op != GRAPH_CALL) return false;
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        if (strcmp(graph_functions[node->f].c_name, quick[i]) == 0) return false;
    return true;
}

/* Program with the outputs of all functions of the model except PREPARE, whose results the others
 * read. */
static enum noe_status join(struct program *joined, const struct system_functions *routines) {
    int count = 0;
    for (int i = 0; i < PREPARE; i++) count += routines->program[i].noutputs;
    struct program_output *output = malloc(((size_t)count + 1) * sizeof *output);
    if (!output) return NOE_NO_MEMORY;
    count = 0;
    for (int i = 0; i < PREPARE; i++)
        for (int k = 0; k < routines->program[i].noutputs; k++)
            output[count++] = routines->program[i].output[k];
    const enum noe_status status =
        program_make(joined, routines->graph, count, output, routines->prepared);
    free(output);
    return status;
}

/* Marks the members of large classes and returns their number. */
static int mark(const struct program_isomorphic *isomorphic, const struct program *program,
                const struct graph *graph, bool *is_vector) {
    int count = 0;
    for (int i = 0; i < isomorphic->nclasses; i++) {
        const struct program_class *class = &isomorphic->class[i];
        const int *step = isomorphic->step + class->first;
        if (class->count < PROGRAM_ISOMORPHIC_MIN ||
            !takes_long(&graph->node[program->step[step[0]]]))
            continue;
        for (int k = 0; k < class->count; k++) is_vector[program->step[step[k]]] = true;
        count += class->count;
    }
    return count;
}

enum noe_status vector_functions_find(const struct system_functions *routines,
                                      const struct simd_target *lanes, bool **is_vector) {
    struct program joined;
    struct program_isomorphic isomorphic;
    *is_vector = NULL;
    if (sizeof(real) != sizeof(double) || !lanes->library) return NOE_OK;
    if (join(&joined, routines) != NOE_OK) return NOE_NO_MEMORY;
    enum noe_status status = program_isomorphic_make(&isomorphic, &joined, routines->graph, NULL);
    if (status == NOE_OK) {
        *is_vector = calloc((size_t)routines->graph->count + 1, sizeof **is_vector);
        if (!*is_vector) status = NOE_NO_MEMORY;
    }
    if (status == NOE_OK && mark(&isomorphic, &joined, routines->graph, *is_vector) == 0) {
        free(*is_vector);
        *is_vector = NULL;
    }
    program_isomorphic_clear(&isomorphic);
    program_clear(&joined);
    return status;
}

union vector_functions_single vector_functions_single(const struct simd_target *lanes, int f) {
    char symbol[80];
    union vector_functions_single made;
    snprintf(symbol, sizeof symbol, lanes->single, graph_functions[f].c_name + strlen("noe_"));
    *(void **)&made = dlsym(lanes->library, symbol);
    return made;
}
