/* Code generation plan of a routine: named variables, shared slots, parts, loops and tiles. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/emit_plan.h"

#include <stdlib.h>
#include <string.h>

#include "model/codegen/vectorise/emit_tiles.h"
#include "model/codegen/vectorise/index_pattern.h"
#include "model/codegen/vectorise/program_pairs.h"

enum {
    WIDTH_MAX = 70,    /* max columns of an expression before a subexpression becomes a variable */
    NAME_WIDTH = 6,    /* columns of a variable or a leaf */
    NUMBER_WIDTH = 10, /* typical; longer constants are rare */
    PART_STEPS = 300   /* max operations in one C function, for the sake of compile time */
};

struct program_where emit_plan_where(const struct emit_plan *plan, int node) {
    struct program_where where = program_isomorphic_where(plan->program, plan->graph, node);
    if (where.place == AT_STEP) where.index = plan->decision[where.index].slot;
    return where;
}

enum program_place emit_plan_operands(const struct emit_plan *plan, int loop, int k, int *index) {
    const struct program_loop *list = &plan->loops.loop[loop];
    enum program_place place = AT_NOTHING;
    for (int i = 0; i < list->count; i++) {
        const struct graph_node *node = &plan->graph->node[plan->program->step[list->first + i]];
        const struct program_where where = emit_plan_where(plan, k == 0 ? node->a : node->b);
        place = where.place;
        index[i] = where.index;
    }
    return place;
}

static int leaf_width(const struct graph_node *node) {
    return node->op == GRAPH_NUMBER ? NUMBER_WIDTH : NAME_WIDTH;
}

static int operand_width(const struct emit_plan *plan, int node) {
    const int step = plan->program->place[node];
    if (step < 0) return leaf_width(&plan->graph->node[node]);
    return plan->decision[step].number ? NAME_WIDTH : plan->decision[step].width;
}

static void make_variable(struct emit_plan *plan, int node) {
    plan->decision[plan->program->place[node]].number = -1;
}

static int own_width(const struct graph_node *node) {
    if (node->op == GRAPH_CALL) return (int)strlen(graph_functions[node->f].c_name) + 4;
    if (node->op == GRAPH_HALF_POWER) return 20;
    return node->op == GRAPH_POWER ? 10 : 5;
}

/* Turns operands into variables, the widest first, until the expression fits on a line. */
static void fit_step(struct emit_plan *plan, int step) {
    const struct graph_node *node = &plan->graph->node[plan->program->step[step]];
    int child[2];
    const int count = program_children(node, child);
    for (;;) {
        const int a = operand_width(plan, child[0]),
                  b = count > 1 ? operand_width(plan, child[1]) : 0;
        plan->decision[step].width = own_width(node) + a + b;
        if (plan->decision[step].width <= WIDTH_MAX || (a <= NUMBER_WIDTH && b <= NUMBER_WIDTH))
            return;
        make_variable(plan, a >= b ? child[0] : child[1]);
    }
}

static bool is_in_loop(const struct emit_plan *plan, int step) {
    return plan->loops.nloops > 0 && plan->loops.loop_of[step] >= 0;
}

static void share_operands(struct emit_plan *plan, int step) {
    int child[2];
    const int count = program_children(&plan->graph->node[plan->program->step[step]], child);
    for (int k = 0; k < count; k++) {
        const int from = plan->program->place[child[k]];
        if (from < 0 || plan->part[from] == plan->part[step] || is_in_loop(plan, from)) continue;
        make_variable(plan, child[k]);
        if (plan->decision[from].slot < 0) plan->decision[from].slot = plan->nslots++;
    }
}

/* True if a step reads a member of the loop that is not inlined. */
static bool is_read(const struct emit_plan *plan, const struct program_loop *loop) {
    if (loop->into >= 0) return false;
    for (int i = loop->first; i < loop->first + loop->count; i++) {
        int uses = plan->program->uses[i];
        for (int k = plan->decision[i].output; k >= 0; k = plan->next[k]) uses--;
        if (uses > 0) return true;
    }
    return loop->is_call;
}

static void assign_slots(struct emit_plan *plan) {
    for (int i = 0; i < plan->loops.nloops; i++) {
        const struct program_loop *loop = &plan->loops.loop[i];
        if (!is_read(plan, loop)) continue;
        for (int k = 0; k < loop->count; k++) plan->decision[loop->first + k].slot = plan->nslots++;
    }
}

/* Reserves slots for operands of vector calls that are not contiguous and must be gathered. */
static enum noe_status assign_gathers(struct emit_plan *plan) {
    int *index = malloc(((size_t)plan->program->nsteps + 1) * sizeof *index);
    plan->gather = malloc(((size_t)plan->loops.nloops + 1) * sizeof *plan->gather);
    for (int i = 0; index && plan->gather && i < plan->loops.nloops; i++) {
        const struct program_loop *loop = &plan->loops.loop[i];
        const struct graph_node *node = &plan->graph->node[plan->program->step[loop->first]];
        for (int k = 0; k < 2; k++) {
            plan->gather[i][k] = -1;
            if (!loop->is_call || k >= graph_functions[node->f].arity) continue;
            const enum program_place place = emit_plan_operands(plan, i, k, index);
            const struct index_pattern pattern = index_pattern_of(loop->count, index);
            if (place != AT_NUMBER && place != AT_TIME && !pattern.is_table && pattern.stride == 1)
                continue;
            plan->gather[i][k] = plan->nslots;
            plan->nslots += loop->count;
        }
    }
    const bool is_done = index && plan->gather;
    free(index);
    return is_done ? NOE_OK : NOE_NO_MEMORY;
}

static void decide(struct emit_plan *plan) {
    const struct program *program = plan->program;
    for (int i = 0; i < program->nsteps; i++) {
        const bool is_paired = plan->starts_pair[i] || (i > 0 && plan->starts_pair[i - 1]);
        const bool is_named = program->uses[i] > 1 || is_paired || plan->partner[i] >= 0;
        plan->decision[i] =
            (struct emit_decision){.number = is_named ? -1 : 0, .slot = -1, .output = -1};
        if (is_in_loop(plan, i)) plan->decision[i].number = 1; /* never inlined elsewhere */
    }
    for (int i = program->noutputs - 1; i >= 0; i--) {
        const int step = program->place[program->output[i].node];
        if (step < 0) continue;
        plan->next[i] = plan->decision[step].output;
        plan->decision[step].output = i;
    }
    assign_slots(plan);
    for (int i = 0; i < program->nsteps; i++) {
        share_operands(plan, i);
        if (!is_in_loop(plan, i)) fit_step(plan, i);
    }
}

static bool is_call(const struct emit_plan *plan, int step, const char *c_name) {
    const struct graph_node *node = &plan->graph->node[plan->program->step[step]];
    return node->op == GRAPH_CALL && strcmp(graph_functions[node->f].c_name, c_name) == 0;
}

/* Finds sine and cosine of the same argument in the same part. */
static enum noe_status find_sincos(struct emit_plan *plan) {
    const struct program *program = plan->program;
    int *sine_of = malloc(((size_t)plan->graph->count + 1) * sizeof(int)); /* by argument */
    if (!sine_of) return NOE_NO_MEMORY;
    for (int i = 0; i < plan->graph->count; i++) sine_of[i] = -1;
    for (int i = 0; i < program->nsteps; i++)
        if (is_call(plan, i, "noe_sin")) sine_of[plan->graph->node[program->step[i]].a] = i;
    for (int i = 0; i < program->nsteps; i++) {
        if (!is_call(plan, i, "noe_cos")) continue;
        const int sine = sine_of[plan->graph->node[program->step[i]].a];
        if (sine < 0 || plan->part[sine] != plan->part[i]) continue;
        plan->partner[sine] = i;
        plan->partner[i] = sine;
    }
    free(sine_of);
    return NOE_OK;
}

static void add_part(struct emit_plan *plan, int first, int end, int loop) {
    for (int i = first; i < end; i++) plan->part[i] = plan->nparts;
    plan->part_list[plan->nparts++] = (struct emit_part){first, end, loop};
}

/* Splits consecutive steps into parts of a size that compilers handle quickly. */
static void add_parts(struct emit_plan *plan, int first, int end) {
    for (int next; first < end; first = next) {
        next = plan->is_split && end - first > PART_STEPS ? first + PART_STEPS : end;
        add_part(plan, first, next, -1);
    }
}

static void find_parts(struct emit_plan *plan) {
    const int nsteps = plan->program->nsteps;
    int nsingle = nsteps;
    for (int i = 0; i < plan->loops.nloops; i++) nsingle -= plan->loops.loop[i].count;
    plan->is_split = nsingle > 2 * PART_STEPS;
    if (plan->loops.nloops == 0) {
        add_parts(plan, 0, nsteps);
        if (nsteps == 0) add_part(plan, 0, 0, -1);
        return;
    }
    for (int i = 0, end; i < nsteps; i = end) {
        const int loop = plan->loops.loop_of[i];
        for (end = i + 1; end < nsteps && plan->loops.loop_of[end] == loop;) end++;
        if (loop >= 0)
            add_part(plan, i, end, loop);
        else
            add_parts(plan, i, end);
    }
}

enum noe_status emit_plan_make(struct emit_plan *plan, const struct graph *graph,
                               struct program *program, const struct emit_options *options) {
    const size_t steps = (size_t)program->nsteps + 1, outputs = (size_t)program->noutputs + 1;
    *plan = (struct emit_plan){.graph = graph, .program = program};
    plan->decision = malloc(steps * sizeof *plan->decision);
    plan->next = malloc(outputs * sizeof *plan->next);
    plan->starts_pair = calloc(steps, sizeof *plan->starts_pair);
    plan->partner = malloc(steps * sizeof *plan->partner);
    plan->part = malloc(steps * sizeof *plan->part);
    plan->part_list = malloc(steps * sizeof *plan->part_list);
    if (!plan->decision || !plan->next || !plan->starts_pair || !plan->partner || !plan->part ||
        !plan->part_list)
        return NOE_NO_MEMORY;
    for (size_t i = 0; i < steps; i++) plan->partner[i] = -1;
    enum noe_status status = NOE_OK;
    if (options->has_loops)
        status =
            program_loops_make(&plan->loops, program, graph, options->is_vector, 2 * PART_STEPS);
    if (status == NOE_OK && options->together == EMIT_PAIRS && plan->loops.nloops == 0)
        status = program_pairs(program, graph, plan->starts_pair);
    plan->has_leaf_loops =
        options->has_loops && (plan->loops.nloops > 0 || program->noutputs > 2 * PART_STEPS);
    find_parts(plan);
    if (status == NOE_OK && options->together == EMIT_SINE_WITH_COSINE) status = find_sincos(plan);
    if (status == NOE_OK) decide(plan);
    if (status == NOE_OK) status = assign_gathers(plan);
    if (status == NOE_OK) status = emit_tiles_make(plan);
    return status;
}

void emit_plan_clear(struct emit_plan *plan) {
    free(plan->decision);
    free(plan->next);
    free(plan->starts_pair);
    free(plan->partner);
    free(plan->part);
    free(plan->part_list);
    free(plan->gather);
    emit_tiles_clear(&plan->tiles);
    program_loops_clear(&plan->loops);
    *plan = (struct emit_plan){0};
}
