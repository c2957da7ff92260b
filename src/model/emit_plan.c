/* What is decided about a routine before its text is written. */
/* SPDX-License-Identifier: MIT */
#include "model/emit_plan.h"

#include <stdlib.h>
#include <string.h>

#include "model/program_pairs.h"

enum {
    WIDTH_MAX = 70,    /* columns of an expression before a part of it gets a name */
    NAME_WIDTH = 6,    /* columns of a variable or a leaf */
    NUMBER_WIDTH = 10, /* most constants are shorter; long ones are rare */
    PART_STEPS = 300   /* operations in one C function: compilers are slow on very long ones */
};

int emit_plan_part(const struct emit_plan *plan, int step) { return step / plan->part_steps; }

int emit_plan_part_end(const struct emit_plan *plan, int part) {
    const int end = (part + 1) * plan->part_steps;
    return end < plan->program->nsteps ? end : plan->program->nsteps;
}

static int leaf_width(const struct graph_node *node) {
    return node->op == GRAPH_NUMBER ? NUMBER_WIDTH : NAME_WIDTH;
}

static int operand_width(const struct emit_plan *plan, int node) {
    const int step = plan->program->place[node];
    if (step < 0) return leaf_width(&plan->graph->node[node]);
    return plan->note[step].number ? NAME_WIDTH : plan->note[step].width;
}

static void give_name(struct emit_plan *plan, int node) {
    plan->note[plan->program->place[node]].number = -1;
}

static int own_width(const struct graph_node *node) {
    if (node->op == GRAPH_CALL) return (int)strlen(graph_functions[node->f].c_name) + 4;
    return node->op == GRAPH_POWER ? 10 : 5;
}

/* Names operands, the widest first, until the expression fits on a line. */
static void fit_step(struct emit_plan *plan, int step) {
    const struct graph_node *node = &plan->graph->node[plan->program->step[step]];
    int child[2];
    const int count = program_children(node, child);
    for (;;) {
        const int a = operand_width(plan, child[0]),
                  b = count > 1 ? operand_width(plan, child[1]) : 0;
        plan->note[step].width = own_width(node) + a + b;
        if (plan->note[step].width <= WIDTH_MAX || (a <= NUMBER_WIDTH && b <= NUMBER_WIDTH)) return;
        give_name(plan, a >= b ? child[0] : child[1]);
    }
}

static void mark_crossings(struct emit_plan *plan, int step) {
    int child[2];
    const int count = program_children(&plan->graph->node[plan->program->step[step]], child);
    for (int k = 0; k < count; k++) {
        const int from = plan->program->place[child[k]];
        if (from < 0 || emit_plan_part(plan, from) == emit_plan_part(plan, step)) continue;
        give_name(plan, child[k]);
        if (plan->note[from].slot < 0) plan->note[from].slot = plan->nslots++;
    }
}

static void decide(struct emit_plan *plan) {
    const struct program *program = plan->program;
    for (int i = 0; i < program->nsteps; i++) {
        const bool is_paired = plan->leads[i] || (i > 0 && plan->leads[i - 1]);
        const bool is_named = program->uses[i] > 1 || is_paired || plan->twin[i] >= 0;
        plan->note[i] = (struct emit_note){.number = is_named ? -1 : 0, .slot = -1, .output = -1};
    }
    for (int i = program->noutputs - 1; i >= 0; i--) {
        const int step = program->place[program->output[i].node];
        if (step < 0) continue;
        plan->next[i] = plan->note[step].output;
        plan->note[step].output = i;
    }
    for (int i = 0; i < program->nsteps; i++) {
        mark_crossings(plan, i);
        fit_step(plan, i);
    }
}

static bool is_call(const struct emit_plan *plan, int step, const char *c_name) {
    const struct graph_node *node = &plan->graph->node[plan->program->step[step]];
    return node->op == GRAPH_CALL && strcmp(graph_functions[node->f].c_name, c_name) == 0;
}

/* Finds the sines and cosines of one argument in one part. */
static enum noe_status find_twins(struct emit_plan *plan) {
    const struct program *program = plan->program;
    int *sine_of = malloc(((size_t)plan->graph->count + 1) * sizeof(int)); /* by argument */
    if (!sine_of) return NOE_NO_MEMORY;
    for (int i = 0; i < plan->graph->count; i++) sine_of[i] = -1;
    for (int i = 0; i < program->nsteps; i++)
        if (is_call(plan, i, "noe_sin")) sine_of[plan->graph->node[program->step[i]].a] = i;
    for (int i = 0; i < program->nsteps; i++) {
        if (!is_call(plan, i, "noe_cos")) continue;
        const int sine = sine_of[plan->graph->node[program->step[i]].a];
        if (sine < 0 || emit_plan_part(plan, sine) != emit_plan_part(plan, i)) continue;
        plan->twin[sine] = i;
        plan->twin[i] = sine;
    }
    free(sine_of);
    return NOE_OK;
}

enum noe_status emit_plan_make(struct emit_plan *plan, const struct graph *graph,
                               struct program *program, enum emit_together together) {
    const size_t steps = (size_t)program->nsteps + 1, outputs = (size_t)program->noutputs + 1;
    *plan = (struct emit_plan){
        .graph = graph, .program = program, .nparts = 1, .part_steps = program->nsteps + 1};
    if (program->nsteps > 2 * PART_STEPS) {
        plan->part_steps = PART_STEPS;
        plan->nparts = (program->nsteps + PART_STEPS - 1) / PART_STEPS;
    }
    plan->note = malloc(steps * sizeof *plan->note);
    plan->next = malloc(outputs * sizeof *plan->next);
    plan->leads = calloc(steps, sizeof *plan->leads);
    plan->twin = malloc(steps * sizeof *plan->twin);
    if (!plan->note || !plan->next || !plan->leads || !plan->twin) return NOE_NO_MEMORY;
    for (size_t i = 0; i < steps; i++) plan->twin[i] = -1;
    enum noe_status status = NOE_OK;
    if (together == EMIT_PAIRS) status = program_pairs(program, graph, plan->leads);
    if (together == EMIT_SINE_WITH_COSINE) status = find_twins(plan);
    if (status == NOE_OK) decide(plan);
    return status;
}

void emit_plan_clear(struct emit_plan *plan) {
    free(plan->note);
    free(plan->next);
    free(plan->leads);
    free(plan->twin);
    *plan = (struct emit_plan){0};
}
