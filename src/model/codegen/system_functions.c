/* Functions of a system (force, momentum, derivatives, ...) as programs over the model's graph. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/system_functions.h"

#include <stdlib.h>

const struct routine system_functions_list[ROUTINE_COUNT] = {
    [LAGRANGIAN] = {"lagrangian", {"l"}, true, "L"},
    [FORCE] = {"force", {"w"}, false, "w = L_q + force"},
    [FIRST] = {"first", {"p", "w"}, false, "p = L_v and w"},
    [MOMENTUM] = {"momentum", {"p", "pv"}, false, "p and pv = p_v on the pattern"},
    [SECOND] = {"second", {"p", "w", "d"}, false, "p, w and d = p_v, p_q, w_v, w_q on the pattern"},
    [GRADIENT] = {"gradient", {"gradient"}, false, "L_q and L_t"},
    [QUANTITIES] = {"quantities", {"values"}, false, "observed quantities"},
    [EVENTS] = {"events",
                {"values"},
                false,
                "event functions, which change sign at the end of the run or at a section"},
    [EVENT_RATES] = {"event_rates",
                     {"rates"},
                     false,
                     "time derivatives of the event functions; 0 if unknown"},
    [RECORDS] = {"records", {"values"}, false, "quantities recorded at sections"},
    [CONSTRAINTS] = {"constraints", {"c"}, false, "g and psi"},
    [CONSTRAINTS_SECOND] = {"constraints_second",
                            {"c", "d"},
                            false,
                            "g, psi, psi_t and d = psi_v, psi_q on the constraints' pattern"},
    [NOISE] = {"noise",
               {"b"},
               false,
               "noise coefficients of p, one column for each noise, in row-major order"},
    [PREPARE] = {"prepare", {"prepared"}, false, "values that depend on parameters alone"},
    [STAGE] = {"stage", {"p", "w", "d"}, false, "p, w and d = p_v, p_q, w_v on the pattern"},
};

static int add(struct program_output *output, int count, int array, int size, const int *node) {
    for (int i = 0; i < size; i++) output[count + i] = (struct program_output){node[i], array, i};
    return count + size;
}

/* Row by row, so that subexpressions shared by p, w and their derivatives in one row are used close
 * together. */
static int add_second(struct program_output *output, const struct equations *b) {
    int count = 0, row = -1;
    for (int k = 0; k < 4 * b->nz; k++) {
        const int index = b->order[k], place = index % b->nz;
        const int next = b->row ? b->row[place] : place / b->n;
        if (next != row) {
            row = next;
            output[count++] = (struct program_output){b->p[row], 0, row};
            output[count++] = (struct program_output){b->w[row], 1, row};
        }
        output[count++] = (struct program_output){b->d[index], 2, index};
    }
    return count;
}

static int add_quantities(struct program_output *output, int count, int nquantities,
                          const struct definition_quantity *quantity) {
    for (int i = 0; i < nquantities; i++)
        for (int k = 0; k < quantity[i].rows * quantity[i].cols; k++, count++)
            output[count] = (struct program_output){quantity[i].node[k], 0, count};
    return count;
}

static int add_events(struct program_output *output, const struct definition *model) {
    for (int i = 0; i < model->nevents; i++)
        output[i] = (struct program_output){model->event[i].node, 0, i};
    return model->nevents;
}

static int add_event_rates(struct program_output *output, const struct definition *model) {
    bool is_known = false;
    for (int i = 0; i < model->nevents; i++) {
        output[i] = (struct program_output){model->event[i].rate, 0, i};
        is_known |= !graph_is_number(&model->graph, model->event[i].rate, 0);
    }
    return is_known ? model->nevents : 0;
}

static int add_records(struct program_output *output, const struct definition *model) {
    int count = 0;
    for (int i = 0; i < model->nevents; i++)
        count = add_quantities(output, count, model->event[i].nrecords, model->event[i].record);
    return count;
}

static int add_stage(struct program_output *output, const struct equations *b) {
    const int first = add(output, add(output, 0, 0, b->n, b->p), 1, b->n, b->w);
    return add(output, first, 2, 3 * b->nz, b->d);
}

/* Row by row, as in add_second. */
static int add_constraints_second(struct program_output *output, const struct constraints *c) {
    int count = 0, k = 0;
    for (int row = 0; row < c->count; row++) {
        const int psi = c->nholonomic + row, psi_t = psi + c->count;
        if (row < c->nholonomic) output[count++] = (struct program_output){c->c[row], 0, row};
        output[count++] = (struct program_output){c->c[psi], 0, psi};
        output[count++] = (struct program_output){c->c[psi_t], 0, psi_t};
        for (; k < c->nz && (c->row ? c->row[k] : k / c->n) == row; k++) {
            output[count++] = (struct program_output){c->d[k], 1, k};
            output[count++] = (struct program_output){c->d[c->nz + k], 1, c->nz + k};
        }
    }
    return count;
}

static int add_noise(struct program_output *output, const struct definition *model) {
    int count = 0;
    for (int i = 0; i < model->n; i++)
        for (int j = 0; j < model->nnoises; j++, count++)
            output[count] = (struct program_output){model->noise[j].node[i], 0, count};
    return count;
}

/* Writes the outputs of one routine; returns their number. */
static int list_outputs(int routine, struct program_output *output, const struct definition *model,
                        const struct equations *b) {
    switch (routine) {
    case LAGRANGIAN: return add(output, 0, 0, 1, &model->lagrangian);
    case FORCE: return add(output, 0, 0, b->n, b->w);
    case FIRST: return add(output, add(output, 0, 0, b->n, b->p), 1, b->n, b->w);
    case MOMENTUM: return add(output, add(output, 0, 0, b->n, b->p), 1, b->nz, b->d);
    case SECOND: return add_second(output, b);
    case GRADIENT: return b->gradient ? add(output, 0, 0, b->n + 1, b->gradient) : 0;
    case QUANTITIES: return add_quantities(output, 0, model->nquantities, model->quantity);
    case EVENTS: return add_events(output, model);
    case EVENT_RATES: return add_event_rates(output, model);
    case RECORDS: return add_records(output, model);
    case CONSTRAINTS:
        return add(output, 0, 0, b->constraints.nholonomic + b->constraints.count,
                   b->constraints.c);
    case CONSTRAINTS_SECOND: return add_constraints_second(output, &b->constraints);
    case NOISE: return add_noise(output, model);
    case PREPARE: return 0;
    default: return add_stage(output, b);
    }
}

/* --- Hoisting of subexpressions that depend on parameters alone. */

/* Gives the node an index behind the parameters if it is a subexpression of parameters alone. */
static void prepare(struct system_functions *routines, int node) {
    int child[2];
    const bool is_leaf = program_children(&routines->graph->node[node], child) == 0;
    if (is_leaf || graph_depends(routines->graph, node) || routines->prepared[node] >= 0) return;
    routines->prepared[node] = routines->nparameters + routines->nprepared++;
}

/* Prepares only the maximal subexpressions: those that other operations read, and results. */
static void prepare_for(struct system_functions *routines, const struct program *program) {
    int child[2];
    for (int i = 0; i < program->noutputs; i++) prepare(routines, program->output[i].node);
    for (int i = 0; i < program->nsteps; i++) {
        const int node = program->step[i];
        if (!graph_depends(routines->graph, node)) continue;
        const int count = program_children(&routines->graph->node[node], child);
        for (int k = 0; k < count; k++) prepare(routines, child[k]);
    }
}

/* Makes the routine PREPARE. */
static enum noe_status make_prepare(struct system_functions *routines) {
    const struct graph *graph = routines->graph;
    struct program_output *output = malloc(((size_t)routines->nprepared + 1) * sizeof *output);
    if (!output) return NOE_NO_MEMORY;
    for (int node = 0; node < graph->count; node++) {
        if (routines->prepared[node] < 0) continue;
        const int index = routines->prepared[node] - routines->nparameters;
        output[index] = (struct program_output){node, 0, index};
    }
    program_clear(&routines->program[PREPARE]);
    const enum noe_status status =
        program_make(&routines->program[PREPARE], graph, routines->nprepared, output, NULL);
    free(output);
    return status;
}

/* Makes every program again, without the prepared subexpressions. */
static enum noe_status prepare_all(struct system_functions *routines) {
    const struct graph *graph = routines->graph;
    routines->prepared = malloc(((size_t)graph->count + 1) * sizeof(int));
    if (!routines->prepared) return NOE_NO_MEMORY;
    for (int node = 0; node < graph->count; node++) routines->prepared[node] = -1;
    for (int i = 0; i < ROUTINE_COUNT; i++) prepare_for(routines, &routines->program[i]);
    enum noe_status status = make_prepare(routines);
    for (int i = 0; status == NOE_OK && i < ROUTINE_COUNT; i++) {
        struct program *program = &routines->program[i], before = *program;
        if (i == PREPARE) continue;
        status = program_make(program, graph, before.noutputs, before.output, routines->prepared);
        program_clear(&before);
    }
    return status;
}

enum noe_status system_functions_make(struct system_functions *routines,
                                      const struct definition *model,
                                      const struct equations *equations, bool prepares) {
    *routines = (struct system_functions){.graph = &model->graph,
                                          .n = equations->n,
                                          .nz = equations->nz,
                                          .nparameters = model->nnumbers,
                                          .nholonomic = model->nholonomic,
                                          .nnonholonomic = model->nnonholonomic,
                                          .nzc = equations->constraints.nz,
                                          .nnoises = model->nnoises,
                                          .nevents = model->nevents,
                                          .nrecorded = model->nrecorded};
    for (int i = 0; i < model->nquantities; i++) {
        routines->nvalues += model->quantity[i].rows * model->quantity[i].cols;
    }
    const size_t max = 2 * (size_t)equations->n + 1 + 4 * (size_t)equations->nz +
                       (size_t)routines->nvalues + (size_t)routines->nevents +
                       (size_t)routines->nrecorded + 3 * (size_t)equations->constraints.count +
                       2 * (size_t)equations->constraints.nz +
                       (size_t)model->nnoises * (size_t)equations->n;
    struct program_output *output = malloc((max + 1) * sizeof *output);
    enum noe_status status = output ? NOE_OK : NOE_NO_MEMORY;
    for (int i = 0; status == NOE_OK && i < ROUTINE_COUNT; i++) {
        const int count = list_outputs(i, output, model, equations);
        status = program_make(&routines->program[i], &model->graph, count, output, NULL);
    }
    free(output);
    if (status == NOE_OK && prepares) status = prepare_all(routines);
    if (status != NOE_OK) system_functions_clear(routines);
    return status;
}

void system_functions_clear(struct system_functions *routines) {
    for (int i = 0; i < ROUTINE_COUNT; i++) program_clear(&routines->program[i]);
    free(routines->prepared);
    *routines = (struct system_functions){0};
}
