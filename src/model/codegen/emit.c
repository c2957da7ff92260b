/* Code generation: C source text of a model's functions. Every common subexpression is evaluated
 * once. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/emit.h"

#include <stdlib.h>
#include <string.h>

#include "model/codegen/emit_leaves.h"
#include "model/codegen/emit_power.h"
#include "model/codegen/vectorise/emit_loops.h"
#include "model/codegen/vectorise/program_inverse_roots.h"

enum { STACK_MAX = 8192 }; /* max shared values that loops keep on the stack */

enum { SUM = 1, PRODUCT, SIGN, ATOM };

enum { USES_PARAMETERS = 1, USES_TIME = 2, USES_POINT = 4, USES_VELOCITY = 8, USES_ARRAY = 16 };

/* One past the last step of the part being written. */
static int part_end(const struct emitter *e) { return e->plan.part_list[e->part].end; }

static int parameter_of(const struct emitter *e, int node) {
    return program_parameter(e->program, e->graph, node);
}

static void write_leaf(struct emitter *e, int index) {
    const struct graph_node *node = &e->graph->node[index];
    const int parameter = parameter_of(e, index);
    if (parameter >= 0) {
        writer_print(e->out, "a[%d]", parameter);
        return;
    }
    switch (node->op) {
    case GRAPH_TIME: writer_put(e->out, e->style->time); break;
    case GRAPH_POINT: writer_print(e->out, "q[%d]", node->a); break;
    case GRAPH_VELOCITY: writer_print(e->out, "v[%d]", node->a); break;
    default: writer_number(e->out, node->value, e->style->suffix);
    }
}

/* True if the node is a scalar while `real` is a SIMD vector. */
static bool is_scalar(const struct emitter *e, int index) {
    if (!e->style->broadcast) return false;
    return e->graph->node[index].op == GRAPH_NUMBER ||
           (parameter_of(e, index) >= 0 && strcmp(e->style->parameter, e->style->real) != 0);
}

static bool is_written_in_place(const struct emitter *e, int node) {
    const int step = e->program->place[node];
    return step >= 0 && !e->plan.decision[step].number;
}

static bool has_minus(real x) { return x < 0 || (x == 0 && 1 / x < 0); }

static int binding(const struct emitter *e, int index) {
    const struct graph_node *node = &e->graph->node[index];
    if (node->op == GRAPH_NUMBER) return has_minus(node->value) ? SIGN : ATOM;
    if (!is_written_in_place(e, index)) return ATOM;
    switch (node->op) {
    case GRAPH_ADD:
    case GRAPH_SUB: return SUM;
    case GRAPH_MUL:
    case GRAPH_DIV: return PRODUCT;
    case GRAPH_NEG: return SIGN;
    default: return ATOM;
    }
}

static void write_expression(struct emitter *e, int node);

static void write_operand(struct emitter *e, int node) {
    const int step = e->program->place[node];
    if (step < 0)
        write_leaf(e, node);
    else if (is_written_in_place(e, node))
        write_expression(e, node);
    else if (e->plan.part[step] != e->part)
        writer_print(e->out, "z[%d]", e->plan.decision[step].slot);
    else
        writer_print(e->out, "x%d", e->plan.decision[step].number);
}

static void write_bound(struct emitter *e, int node, bool has_parentheses) {
    if (has_parentheses) writer_put(e->out, "(");
    write_operand(e, node);
    if (has_parentheses) writer_put(e->out, ")");
}

static void write_left(struct emitter *e, int node, int min) {
    write_bound(e, node, binding(e, node) < min);
}

/* Parenthesises a right operand also if it begins with a sign. */
static void write_right(struct emitter *e, int node, int min) {
    const int own = binding(e, node);
    write_bound(e, node, own < min || own == SIGN);
}

void emit_real(struct emitter *e, int node) {
    const bool is_made = is_scalar(e, node);
    if (is_made) writer_print(e->out, "%s(", e->style->broadcast);
    write_operand(e, node);
    if (is_made) writer_put(e->out, ")");
}

/* Writes the left operand of a binary operation. At least one of the two operands must be a `real`,
 * so two scalars are broadcast. */
static void write_first(struct emitter *e, const struct graph_node *node, int min) {
    if (is_scalar(e, node->a) && is_scalar(e, node->b))
        emit_real(e, node->a);
    else
        write_left(e, node->a, min);
}

void emit_function_name(struct emitter *e, int f) {
    if (e->style->function)
        writer_put(e->out, e->style->function(f));
    else
        writer_print(e->out, "%s%s", e->style->function_prefix,
                     graph_functions[f].c_name + strlen("noe_"));
}

static void write_call(struct emitter *e, const struct graph_node *node) {
    emit_function_name(e, node->f);
    writer_put(e->out, "(");
    emit_real(e, node->a);
    if (graph_functions[node->f].arity == 2) {
        writer_put(e->out, ", ");
        emit_real(e, node->b);
    }
    writer_put(e->out, ")");
}

static void write_expression(struct emitter *e, int index) {
    const struct graph_node *node = &e->graph->node[index];
    switch (node->op) {
    case GRAPH_ADD:
    case GRAPH_SUB:
        write_first(e, node, SUM);
        writer_put(e->out, node->op == GRAPH_ADD ? " + " : " - ");
        write_right(e, node->b, PRODUCT);
        break;
    case GRAPH_MUL:
    case GRAPH_DIV:
        write_first(e, node, PRODUCT);
        writer_put(e->out, node->op == GRAPH_MUL ? "*" : "/");
        write_right(e, node->b, SIGN);
        break;
    case GRAPH_NEG:
        writer_put(e->out, "-");
        if (is_scalar(e, node->a))
            emit_real(e, node->a);
        else
            write_right(e, node->a, PRODUCT);
        break;
    case GRAPH_POWER:
        emit_power_name(e->out, e->style, node->b);
        writer_put(e->out, "(");
        emit_real(e, node->a);
        writer_put(e->out, ")");
        break;
    case GRAPH_HALF_POWER:
        writer_print(e->out, "%shalf_power(", e->style->function_prefix);
        emit_real(e, node->a);
        writer_print(e->out, ", %d)", node->b);
        break;
    default: write_call(e, node);
    }
}

/* True if the routine consists of several parts, as functions or as blocks of one function. */
static bool has_caller(const struct emitter *e) {
    return e->plan.nparts > 1 || e->plan.loops.nloops > 0;
}

void emit_target(struct emitter *e, const struct program_output *output) {
    if (e->routine->returns && !has_caller(e))
        writer_put(e->out, "    return ");
    else
        writer_print(e->out, "    %s[%d] = ", e->routine->array[output->array], output->index);
}

/* Writes step `step` and the next one, both divisions or both square roots, as one paired
 * operation. */
static void write_pair(struct emitter *e, int step) {
    const int number = e->nnames + 1;
    const struct graph_node *first = &e->graph->node[e->program->step[step]];
    const struct graph_node *second = &e->graph->node[e->program->step[step + 1]];
    const bool is_quotient = first->op == GRAPH_DIV;
    writer_print(e->out, "    %s x%d, x%d;\n    %s(", e->style->real, number, number + 1,
                 is_quotient ? "two_quotients" : "two_roots");
    for (int k = 0; k < 2; k++) {
        const struct graph_node *node = k == 0 ? first : second;
        write_operand(e, node->a);
        writer_put(e->out, ", ");
        if (!is_quotient) continue;
        write_operand(e, node->b);
        writer_put(e->out, ", ");
    }
    writer_print(e->out, "&x%d, &x%d);\n", number, number + 1);
    e->plan.decision[step].number = number;
    e->plan.decision[step + 1].number = number + 1;
    e->nnames += 2;
}

/* Writes sine and cosine of one argument as one call of sincos. `step` is either of them. */
static void write_sincos(struct emitter *e, int step) {
    const struct graph_node *node = &e->graph->node[e->program->step[step]];
    const bool is_sine = strcmp(graph_functions[node->f].c_name, "noe_sin") == 0;
    const int sine = e->nnames + 1, cosine = e->nnames + 2;
    writer_print(e->out, "    %s x%d, x%d;\n    %ssincos(", e->style->real, sine, cosine,
                 e->style->function_prefix);
    emit_real(e, node->a);
    writer_print(e->out, ", &x%d, &x%d);\n", sine, cosine);
    e->plan.decision[step].number = is_sine ? sine : cosine;
    e->plan.decision[e->plan.partner[step]].number = is_sine ? cosine : sine;
    e->nnames += 2;
}

static void write_step(struct emitter *e, int step) {
    struct emit_decision *decision = &e->plan.decision[step];
    if (!decision->number && decision->output < 0) return;
    if (e->plan.partner[step] >= 0 && decision->number < 0) write_sincos(e, step);
    if (e->plan.starts_pair[step] && step + 1 < part_end(e)) write_pair(e, step);
    if (decision->number < 0) {
        const int number = ++e->nnames;
        writer_print(e->out, "    const %s x%d = ", e->style->real, number);
        write_expression(e, e->program->step[step]);
        writer_put(e->out, ";\n");
        decision->number = number;
    }
    if (decision->slot >= 0)
        writer_print(e->out, "    z[%d] = x%d;\n", decision->slot, decision->number);
    for (int i = decision->output; i >= 0; i = e->plan.next[i]) {
        emit_target(e, &e->program->output[i]);
        if (decision->number)
            writer_print(e->out, "x%d", decision->number);
        else
            write_expression(e, e->program->step[step]);
        writer_put(e->out, ";\n");
    }
}

static unsigned leaf_use(const struct emitter *e, int node) {
    if (parameter_of(e, node) >= 0) return USES_PARAMETERS;
    switch (e->graph->node[node].op) {
    case GRAPH_TIME: return USES_TIME;
    case GRAPH_POINT: return USES_POINT;
    case GRAPH_VELOCITY: return USES_VELOCITY;
    default: return 0;
    }
}

/* Arguments used by the part being written. The first part also writes the outputs that are
 * leaves. */
static unsigned part_uses(const struct emitter *e) {
    const struct program *program = e->program;
    unsigned uses = 0;
    int child[2];
    for (int i = e->plan.part_list[e->part].first; i < part_end(e); i++) {
        const struct graph_node *node = &e->graph->node[program->step[i]];
        for (int k = program_children(node, child) - 1; k >= 0; k--) {
            uses |= leaf_use(e, child[k]);
        }
        for (int k = e->plan.decision[i].output; k >= 0; k = e->plan.next[k]) {
            uses |= USES_ARRAY << program->output[k].array;
        }
    }
    for (int i = 0; e->part == 0 && i < program->noutputs; i++) {
        const struct program_output *output = &program->output[i];
        if (program->place[output->node] >= 0) continue;
        uses |= USES_ARRAY << output->array | leaf_use(e, output->node);
    }
    return uses;
}

/* Writes `name(arguments)`. `is_whole` selects the signature of the routine, not that of a part. */
static void write_head(struct emitter *e, bool is_whole) {
    const struct emit_style *style = e->style;
    const bool returns = e->routine->returns && is_whole;
    writer_put(e->out, "\n");
    if (style->has_comments && is_whole) writer_print(e->out, "/* %s. */\n", e->routine->summary);
    writer_print(e->out, "%s%s %s%s", is_whole ? style->storage : style->part_storage,
                 returns ? style->real : "void", style->prefix, e->routine->name);
    if (!is_whole) writer_print(e->out, "_%d", e->part + 1);
    const bool has_times = strcmp(style->time, "t") != 0;
    writer_print(e->out, "(%s%s%s %st, const %s *q, const %s *v",
                 style->has_system ? "const struct noe_system *s, " : "", has_times ? "const " : "",
                 style->real, has_times ? "*" : "", style->real, style->real);
    for (int i = 0; i < ROUTINE_ARRAYS && e->routine->array[i] && !returns; i++) {
        writer_print(e->out, "%s%s *restrict %s", i == 0 ? ",\n    " : ", ", style->real,
                     e->routine->array[i]);
    }
    if (!is_whole) writer_print(e->out, ", %s *restrict z", style->real);
    writer_put(e->out, ")\n{\n");
}

static void write_prologue(struct emitter *e, unsigned uses) {
    const struct emit_style *style = e->style;
    if (uses & USES_PARAMETERS) {
        writer_print(e->out, "    const %s *const a = %s;\n", style->parameter, style->parameters);
    } else if (style->has_system) {
        writer_put(e->out, "    (void)s;\n");
    }
    if (!(uses & USES_TIME)) writer_put(e->out, "    (void)t;\n");
    if (!(uses & USES_POINT)) writer_put(e->out, "    (void)q;\n");
    if (!(uses & USES_VELOCITY)) writer_put(e->out, "    (void)v;\n");
    for (int i = 0; has_caller(e) && i < ROUTINE_ARRAYS && e->routine->array[i]; i++) {
        if (!(uses & USES_ARRAY << i))
            writer_print(e->out, "    (void)%s;\n", e->routine->array[i]);
    }
    if (has_caller(e) && e->plan.nslots == 0) writer_put(e->out, "    (void)z;\n");
}

static void write_steps(struct emitter *e) {
    e->nnames = 0;
    for (int i = e->plan.part_list[e->part].first; i < part_end(e); i++) write_step(e, i);
}

/* Writes a part as a function. If it is the only part, this function is the routine. */
static enum noe_status write_part(struct emitter *e) {
    write_head(e, !has_caller(e));
    write_prologue(e, part_uses(e));
    const bool has_leaves = e->part == 0 && e->plan.loops.nloops == 0;
    const enum noe_status status = has_leaves ? emit_leaves(e) : NOE_OK;
    write_steps(e);
    writer_put(e->out, "}\n");
    return status;
}

static void call_part(struct emitter *e) {
    writer_print(e->out, "    %s%s_%d(%st, q, v", e->style->prefix, e->routine->name, e->part + 1,
                 e->style->has_system ? "s, " : "");
    for (int i = 0; i < ROUTINE_ARRAYS && e->routine->array[i]; i++) {
        writer_print(e->out, ", %s", e->routine->array[i]);
    }
    writer_put(e->out, ", z);\n");
}

/* Declares the values shared by the parts. A small array goes on the stack. A large one is
 * thread-local. The empty asm statement hides the origin of its address, because compilers would
 * otherwise recompute the thread-local address in every pass of a loop. */
static void write_slots(struct emitter *e) {
    const bool is_large = e->plan.loops.nloops > 0 && e->plan.nslots > STACK_MAX;
    const char *const number = e->style->real;
    writer_print(e->out, is_large ? "    static _Thread_local %s room[%d];\n" : "    %s z[%d];\n",
                 number, e->plan.nslots + 1);
    if (!is_large) return;
    writer_print(e->out, "    %s *place = room;\n", number);
    writer_put(e->out, "    __asm__(\"\" : \"+r\"(place));\n");
    writer_print(e->out, "    %s *restrict const z = place;\n", number);
}

/* Writes the routine that runs the parts in order. */
static enum noe_status write_caller(struct emitter *e) {
    const bool has_loops = e->plan.loops.nloops > 0;
    enum noe_status status = NOE_OK;
    write_head(e, true);
    if (e->routine->returns) {
        writer_print(e->out, "    %s %s[1];\n", e->style->real, e->routine->array[0]);
    }
    write_slots(e);
    if (has_loops) {
        write_prologue(e, ~0U);
        status = emit_leaves(e);
    }
    for (e->part = 0; status == NOE_OK && e->part < e->plan.nparts; e->part++) {
        if (e->plan.part_list[e->part].loop >= 0) {
            status = emit_loops_write(e);
        } else if (e->plan.is_split) {
            call_part(e);
        } else {
            writer_put(e->out, "    {\n");
            write_steps(e);
            writer_put(e->out, "    }\n");
        }
    }
    if (e->routine->returns) writer_print(e->out, "    return %s[0];\n", e->routine->array[0]);
    writer_put(e->out, "}\n");
    return status;
}

static enum noe_status write_routine(struct emitter *e) {
    enum noe_status status = NOE_OK;
    for (e->part = 0; status == NOE_OK && e->part < e->plan.nparts; e->part++) {
        const bool is_function = e->plan.part_list[e->part].loop < 0 && e->plan.is_split;
        if (is_function || !has_caller(e)) status = write_part(e);
    }
    return status == NOE_OK && has_caller(e) ? write_caller(e) : status;
}

static enum noe_status write_program(struct writer *out, const struct emit_style *style,
                                     const struct graph *graph, const struct program *given,
                                     const struct routine *routine) {
    struct program program;
    struct emitter e = {
        .out = out, .style = style, .graph = graph, .program = &program, .routine = routine};
    enum noe_status status =
        program_make(&program, graph, given->noutputs, given->output, given->prepared);
    if (status == NOE_OK) status = emit_plan_make(&e.plan, graph, &program, &style->options);
    if (status == NOE_OK) status = write_routine(&e);
    emit_plan_clear(&e.plan);
    program_clear(&program);
    return out->failed ? NOE_NO_MEMORY : status;
}

enum noe_status emit_program(struct writer *out, const struct emit_style *style,
                             const struct graph *graph, const struct program *given,
                             const struct routine *routine) {
    if (given->noutputs == 0) return NOE_OK;
    if (!style->has_half_powers) return write_program(out, style, graph, given, routine);
    struct program_roots roots;
    enum noe_status status = program_roots_make(&roots, graph, given);
    if (status == NOE_OK) status = write_program(out, style, &roots.graph, &roots.program, routine);
    program_roots_clear(&roots);
    return status;
}

enum noe_status emit_routine(struct writer *out, const struct emit_style *style,
                             const struct system_functions *routines, int routine) {
    return emit_program(out, style, routines->graph, &routines->program[routine],
                        &system_functions_list[routine]);
}
