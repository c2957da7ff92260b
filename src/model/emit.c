/* C text of a model's functions, with every common subexpression once. */
/* SPDX-License-Identifier: MIT */
#include "model/emit.h"
#include "model/emit_power.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDTH_MAX = 70,    /* columns of an expression before a part of it gets a name */
    NAME_WIDTH = 6,    /* columns of a variable or a leaf */
    NUMBER_WIDTH = 10, /* most constants are shorter; long ones are rare */
    PART_STEPS = 300,  /* operations in one C function: compilers are slow on very long ones */
    RUN_MIN = 4        /* equal outputs that become a loop */
};

enum { SUM = 1, PRODUCT, SIGN, ATOM };

enum { USES_PARAMETERS = 1, USES_TIME = 2, USES_POINT = 4, USES_VELOCITY = 8, USES_ARRAY = 16 };

/* What is decided about one step before its text is written. */
struct note {
    int width;  /* columns where it is used */
    int number; /* of its variable; 0: written where it is used; -1: variable without number yet */
    int slot;   /* in the array shared by the parts; -1: used in its own part only */
    int output; /* its first output, or -1; others follow in `next` */
};

struct emitter {
    struct writer *out;
    const struct emit_style *style;
    const struct graph *graph;
    const struct program *program;
    const struct routine *routine;
    struct note *note;
    int *next;
    int nparts, part_steps, nslots, nnames;
    int part; /* the part being written */
};

static int part_of(const struct emitter *e, int step) { return step / e->part_steps; }

/* The step after the last one of the part being written. */
static int part_end(const struct emitter *e) {
    const int end = (e->part + 1) * e->part_steps;
    return end < e->program->nsteps ? end : e->program->nsteps;
}

static int leaf_width(const struct graph_node *node) {
    return node->op == GRAPH_NUMBER ? NUMBER_WIDTH : NAME_WIDTH;
}

static int operand_width(const struct emitter *e, int node) {
    const int step = e->program->place[node];
    if (step < 0) return leaf_width(&e->graph->node[node]);
    return e->note[step].number ? NAME_WIDTH : e->note[step].width;
}

static void give_name(struct emitter *e, int node) { e->note[e->program->place[node]].number = -1; }

static int own_width(const struct graph_node *node) {
    if (node->op == GRAPH_CALL) return (int)strlen(graph_functions[node->f].c_name) + 4;
    return node->op == GRAPH_POWER ? 10 : 5;
}

/* Names operands, the widest first, until the expression fits on a line. */
static void fit_step(struct emitter *e, int step) {
    const struct graph_node *node = &e->graph->node[e->program->step[step]];
    int child[2];
    const int count = program_children(node, child);
    for (;;) {
        const int a = operand_width(e, child[0]), b = count > 1 ? operand_width(e, child[1]) : 0;
        e->note[step].width = own_width(node) + a + b;
        if (e->note[step].width <= WIDTH_MAX || (a <= NUMBER_WIDTH && b <= NUMBER_WIDTH)) return;
        give_name(e, a >= b ? child[0] : child[1]);
    }
}

static void mark_crossings(struct emitter *e, int step) {
    int child[2];
    const int count = program_children(&e->graph->node[e->program->step[step]], child);
    for (int k = 0; k < count; k++) {
        const int from = e->program->place[child[k]];
        if (from < 0 || part_of(e, from) == part_of(e, step)) continue;
        give_name(e, child[k]);
        if (e->note[from].slot < 0) e->note[from].slot = e->nslots++;
    }
}

static void plan(struct emitter *e) {
    const struct program *program = e->program;
    for (int i = 0; i < program->nsteps; i++) {
        e->note[i] =
            (struct note){.number = program->uses[i] > 1 ? -1 : 0, .slot = -1, .output = -1};
    }
    for (int i = program->noutputs - 1; i >= 0; i--) {
        const int step = program->place[program->output[i].node];
        if (step < 0) continue;
        e->next[i] = e->note[step].output;
        e->note[step].output = i;
    }
    for (int i = 0; i < program->nsteps; i++) {
        mark_crossings(e, i);
        fit_step(e, i);
    }
}

static void write_leaf(struct emitter *e, const struct graph_node *node) {
    switch (node->op) {
    case GRAPH_PARAMETER: writer_print(e->out, "a[%d]", node->a); break;
    case GRAPH_TIME: writer_put(e->out, e->style->time); break;
    case GRAPH_POINT: writer_print(e->out, "q[%d]", node->a); break;
    case GRAPH_VELOCITY: writer_print(e->out, "v[%d]", node->a); break;
    default: writer_number(e->out, node->value, e->style->suffix);
    }
}

/* Is the node one number where `real` is several? */
static bool is_single(const struct emitter *e, int index) {
    const enum graph_op op = e->graph->node[index].op;
    if (!e->style->of) return false;
    return op == GRAPH_NUMBER ||
           (op == GRAPH_PARAMETER && strcmp(e->style->parameter, e->style->real) != 0);
}

static bool is_written_in_place(const struct emitter *e, int node) {
    const int step = e->program->place[node];
    return step >= 0 && !e->note[step].number;
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
        write_leaf(e, &e->graph->node[node]);
    else if (is_written_in_place(e, node))
        write_expression(e, node);
    else if (part_of(e, step) != e->part)
        writer_print(e->out, "z[%d]", e->note[step].slot);
    else
        writer_print(e->out, "x%d", e->note[step].number);
}

static void write_bound(struct emitter *e, int node, bool has_parentheses) {
    if (has_parentheses) writer_put(e->out, "(");
    write_operand(e, node);
    if (has_parentheses) writer_put(e->out, ")");
}

static void write_left(struct emitter *e, int node, int least) {
    write_bound(e, node, binding(e, node) < least);
}

/* A right operand with a sign of its own stands in parentheses too. */
static void write_right(struct emitter *e, int node, int least) {
    const int own = binding(e, node);
    write_bound(e, node, own < least || own == SIGN);
}

/* An operand, or anything else that stands alone, as a `real`. */
static void write_real(struct emitter *e, int node) {
    const bool is_made = is_single(e, node);
    if (is_made) writer_print(e->out, "%s(", e->style->of);
    write_operand(e, node);
    if (is_made) writer_put(e->out, ")");
}

/* The first operand of two: one of them at least must be a `real`. */
static void write_first(struct emitter *e, const struct graph_node *node, int least) {
    if (is_single(e, node->a) && is_single(e, node->b))
        write_real(e, node->a);
    else
        write_left(e, node->a, least);
}

static void write_call(struct emitter *e, const struct graph_node *node) {
    if (e->style->function)
        writer_put(e->out, e->style->function(node->f));
    else
        writer_print(e->out, "%s%s", e->style->function_prefix,
                     graph_functions[node->f].c_name + strlen("noe_"));
    writer_put(e->out, "(");
    write_real(e, node->a);
    if (graph_functions[node->f].arity == 2) {
        writer_put(e->out, ", ");
        write_real(e, node->b);
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
        if (is_single(e, node->a))
            write_real(e, node->a);
        else
            write_right(e, node->a, PRODUCT);
        break;
    case GRAPH_POWER:
        emit_power_name(e->out, e->style, node->b);
        writer_put(e->out, "(");
        write_real(e, node->a);
        writer_put(e->out, ")");
        break;
    default: write_call(e, node);
    }
}

static void write_target(struct emitter *e, const struct program_output *output) {
    if (e->routine->returns && e->nparts == 1)
        writer_put(e->out, "    return ");
    else
        writer_print(e->out, "    %s[%d] = ", e->routine->array[output->array], output->index);
}

static void write_step(struct emitter *e, int step) {
    struct note *note = &e->note[step];
    if (!note->number && note->output < 0) return;
    if (note->number) {
        const int number = ++e->nnames;
        writer_print(e->out, "    const %s x%d = ", e->style->real, number);
        write_expression(e, e->program->step[step]);
        writer_put(e->out, ";\n");
        note->number = number;
    }
    if (note->slot >= 0) writer_print(e->out, "    z[%d] = x%d;\n", note->slot, note->number);
    for (int i = note->output; i >= 0; i = e->next[i]) {
        write_target(e, &e->program->output[i]);
        if (note->number)
            writer_print(e->out, "x%d", note->number);
        else
            write_expression(e, e->program->step[step]);
        writer_put(e->out, ";\n");
    }
}

static int compare_outputs(const void *a, const void *b) {
    const struct program_output *x = a, *y = b;
    if (x->array != y->array) return x->array - y->array;
    return x->node != y->node ? x->node - y->node : x->index - y->index;
}

/* The end of the run that starts at `leaf`: one array, one node, and either equal distances or,
 * for zeros, short gaps, which are filled too and overwritten afterwards. */
static int run_length(const struct program_output *leaf, int count, bool is_zero) {
    int length = 1;
    while (length < count) {
        const struct program_output *next = &leaf[length];
        const int distance = next->index - next[-1].index;
        if (next->array != leaf->array || next->node != leaf->node) break;
        if (is_zero ? distance > RUN_MIN : distance != leaf[1].index - leaf->index) break;
        length++;
    }
    return length;
}

static void write_run(struct emitter *e, const struct program_output *leaf, int length,
                      bool is_zero) {
    const int distance = is_zero ? 1 : leaf[1].index - leaf->index;
    writer_print(e->out, "    for (int i = %d; i <= %d; ", leaf->index, leaf[length - 1].index);
    if (distance == 1)
        writer_put(e->out, "i++");
    else
        writer_print(e->out, "i += %d", distance);
    writer_print(e->out, ") %s[i] = ", e->routine->array[leaf->array]);
}

/* Outputs that need no operation: leaves and constants, in loops where they repeat. Zeros come
 * first in every array, because node 0 is the number 0. */
static enum noe_status write_leaf_outputs(struct emitter *e) {
    const struct program *program = e->program;
    struct program_output *leaf = malloc(((size_t)program->noutputs + 1) * sizeof *leaf);
    if (!leaf) return NOE_NO_MEMORY;
    int count = 0;
    for (int i = 0; i < program->noutputs; i++) {
        if (program->place[program->output[i].node] < 0) leaf[count++] = program->output[i];
    }
    qsort(leaf, (size_t)count, sizeof *leaf, compare_outputs);
    for (int i = 0; i < count;) {
        const bool is_zero = leaf[i].node == 0;
        const int length = run_length(&leaf[i], count - i, is_zero);
        if (length >= RUN_MIN)
            write_run(e, &leaf[i], length, is_zero);
        else
            write_target(e, &leaf[i]);
        write_real(e, leaf[i].node);
        writer_put(e->out, ";\n");
        i += length >= RUN_MIN ? length : 1;
    }
    free(leaf);
    return NOE_OK;
}

static unsigned leaf_use(const struct graph_node *node) {
    switch (node->op) {
    case GRAPH_PARAMETER: return USES_PARAMETERS;
    case GRAPH_TIME: return USES_TIME;
    case GRAPH_POINT: return USES_POINT;
    case GRAPH_VELOCITY: return USES_VELOCITY;
    default: return 0;
    }
}

/* Which arguments the part being written uses; the first one writes the leaves too. */
static unsigned part_uses(const struct emitter *e) {
    const struct program *program = e->program;
    unsigned uses = 0;
    int child[2];
    for (int i = e->part * e->part_steps; i < part_end(e); i++) {
        const struct graph_node *node = &e->graph->node[program->step[i]];
        for (int k = program_children(node, child) - 1; k >= 0; k--) {
            uses |= leaf_use(&e->graph->node[child[k]]);
        }
        for (int k = e->note[i].output; k >= 0; k = e->next[k]) {
            uses |= USES_ARRAY << program->output[k].array;
        }
    }
    for (int i = 0; e->part == 0 && i < program->noutputs; i++) {
        const struct program_output *output = &program->output[i];
        if (program->place[output->node] >= 0) continue;
        uses |= USES_ARRAY << output->array | leaf_use(&e->graph->node[output->node]);
    }
    return uses;
}

/* `name(arguments)`; with `is_whole`, as the routine itself. */
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
    for (int i = 0; e->nparts > 1 && i < ROUTINE_ARRAYS && e->routine->array[i]; i++) {
        if (!(uses & USES_ARRAY << i))
            writer_print(e->out, "    (void)%s;\n", e->routine->array[i]);
    }
    if (e->nparts > 1 && e->nslots == 0) writer_put(e->out, "    (void)z;\n");
}

static enum noe_status write_part(struct emitter *e) {
    write_prologue(e, part_uses(e));
    enum noe_status status = e->part == 0 ? write_leaf_outputs(e) : NOE_OK;
    e->nnames = 0;
    for (int i = e->part * e->part_steps; i < part_end(e); i++) write_step(e, i);
    writer_put(e->out, "}\n");
    return status;
}

/* The routine that calls the parts one after the other. */
static void write_caller(struct emitter *e) {
    const struct emit_style *style = e->style;
    write_head(e, true);
    if (e->routine->returns) {
        writer_print(e->out, "    %s %s[1];\n", style->real, e->routine->array[0]);
    }
    writer_print(e->out, "    %s z[%d];\n", style->real, e->nslots + 1);
    for (int part = 0; part < e->nparts; part++) {
        writer_print(e->out, "    %s%s_%d(%st, q, v", style->prefix, e->routine->name, part + 1,
                     style->has_system ? "s, " : "");
        for (int i = 0; i < ROUTINE_ARRAYS && e->routine->array[i]; i++) {
            writer_print(e->out, ", %s", e->routine->array[i]);
        }
        writer_put(e->out, ", z);\n");
    }
    if (e->routine->returns) writer_print(e->out, "    return %s[0];\n", e->routine->array[0]);
    writer_put(e->out, "}\n");
}

static enum noe_status write_routine(struct emitter *e) {
    enum noe_status status = NOE_OK;
    for (e->part = 0; status == NOE_OK && e->part < e->nparts; e->part++) {
        write_head(e, e->nparts == 1);
        status = write_part(e);
    }
    if (status == NOE_OK && e->nparts > 1) write_caller(e);
    return status;
}

enum noe_status emit_routine(struct writer *out, const struct emit_style *style,
                             const struct routines *routines, int routine) {
    const struct program *program = &routines->program[routine];
    if (program->noutputs == 0) return NOE_OK;
    struct emitter e = {.out = out,
                        .style = style,
                        .graph = routines->graph,
                        .program = program,
                        .routine = &routines_list[routine],
                        .nparts = 1,
                        .part_steps = program->nsteps + 1};
    if (program->nsteps > 2 * PART_STEPS) {
        e.part_steps = PART_STEPS;
        e.nparts = (program->nsteps + PART_STEPS - 1) / PART_STEPS;
    }
    e.note = malloc(((size_t)program->nsteps + 1) * sizeof *e.note);
    e.next = malloc(((size_t)program->noutputs + 1) * sizeof *e.next);
    enum noe_status status = NOE_NO_MEMORY;
    if (e.note && e.next) {
        plan(&e);
        status = write_routine(&e);
    }
    free(e.note);
    free(e.next);
    return out->failed ? NOE_NO_MEMORY : status;
}
