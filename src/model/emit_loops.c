/* C text of loops over steps that are alike. */
/* SPDX-License-Identifier: MIT */
#include "model/emit_loops.h"

#include <stdlib.h>
#include <string.h>

#include "model/emit_pattern.h"
#include "model/emit_pieces.h"
#include "model/emit_power.h"

/* Tables come before the loop, in the order in which its text reads them: the same text is gone
 * through twice. */
struct loop_writer {
    struct emitter *e;
    bool has_tables; /* is it tables that are being written? */
    int ntables;
    int *index; /* room for one operand */
};

static const char *const array_names[] = {
    [AT_PARAMETER] = "a", [AT_POINT] = "q", [AT_VELOCITY] = "v", [AT_STEP] = "z"};

static const struct program_loop *loop_at(const struct loop_writer *w, int loop) {
    return &w->e->plan.loops.loop[loop];
}

static const struct graph_node *first_node(const struct loop_writer *w, int loop) {
    return &w->e->graph->node[w->e->program->step[loop_at(w, loop)->first]];
}

/* `array[index of pass i]`, or its table. */
static void write_element(struct loop_writer *w, const char *array, int count) {
    const struct emit_pattern pattern = emit_pattern_of(count, w->index);
    w->ntables += pattern.is_table;
    if (w->has_tables) {
        emit_pattern_table(w->e->out, &pattern, w->ntables, count, w->index);
        return;
    }
    writer_print(w->e->out, "%s[", array);
    emit_pattern_write(w->e->out, &pattern, w->ntables);
    writer_put(w->e->out, "]");
}

/* A number, or a table of them; `index` holds nodes. */
static void write_numbers(struct loop_writer *w, int count) {
    struct emitter *e = w->e;
    bool is_one = true;
    for (int i = 1; i < count; i++) is_one = is_one && w->index[i] == w->index[0];
    w->ntables += !is_one;
    if (is_one && !w->has_tables) {
        writer_put(e->out, "(");
        writer_number(e->out, e->graph->node[w->index[0]].value, e->style->suffix);
        writer_put(e->out, ")");
    } else if (!w->has_tables) {
        writer_print(e->out, "t%d[i]", w->ntables);
    } else if (!is_one) {
        writer_print(e->out, "    static const %s t%d[] = {", e->style->real, w->ntables);
        for (int i = 0; i < count; i++) {
            writer_put(e->out, i % 4 ? " " : "\n        ");
            writer_number(e->out, e->graph->node[w->index[i]].value, e->style->suffix);
            writer_put(e->out, ",");
        }
        writer_put(e->out, "};\n");
    }
}

static void write_place(struct loop_writer *w, enum program_place place, int count) {
    switch (place) {
    case AT_NUMBER: write_numbers(w, count); break;
    case AT_PARAMETER: write_element(w, "a", count); break;
    case AT_POINT: write_element(w, "q", count); break;
    case AT_VELOCITY: write_element(w, "v", count); break;
    case AT_STEP: write_element(w, "z", count); break;
    default:
        if (!w->has_tables) writer_put(w->e->out, w->e->style->time);
    }
}

static void put(struct loop_writer *w, const char *text) {
    if (!w->has_tables) writer_put(w->e->out, text);
}

static bool is_in_group(const struct loop_writer *w, int loop) {
    return emit_pieces_group(&w->e->plan, loop) >= 0;
}

/* Is loop `from`, or -1, in the same group? */
static bool is_beside(const struct loop_writer *w, int loop, int from) {
    return is_in_group(w, from) &&
           emit_pieces_group(&w->e->plan, from) == emit_pieces_group(&w->e->plan, loop);
}

static void write_loop_expression(struct loop_writer *w, int loop);

static void write_loop_operand(struct loop_writer *w, int loop, int k) {
    const struct emit_plan *plan = &w->e->plan;
    const struct graph_node *node = first_node(w, loop);
    const int step = w->e->program->place[k == 0 ? node->a : node->b];
    const int from = step >= 0 ? plan->loops.loop_of[step] : -1;
    if (from >= 0 && loop_at(w, from)->into == loop) {
        put(w, "(");
        write_loop_expression(w, from);
        put(w, ")");
        return;
    }
    if (is_beside(w, loop, from)) {
        if (!w->has_tables)
            writer_print(w->e->out, "y%d[i + %d - f%d]", from, step - loop_at(w, from)->first,
                         from);
        return;
    }
    const enum program_place place = emit_plan_operands(plan, loop, k, w->index);
    write_place(w, place, loop_at(w, loop)->count);
}

/* The operation, with every operand that is not a name in parentheses. */
static void write_loop_expression(struct loop_writer *w, int loop) {
    static const char *const sign[] = {
        [GRAPH_ADD] = " + ", [GRAPH_SUB] = " - ", [GRAPH_MUL] = "*", [GRAPH_DIV] = "/"};
    const struct graph_node *node = first_node(w, loop);
    const bool is_call = node->op == GRAPH_CALL || node->op == GRAPH_POWER;
    if (node->op == GRAPH_NEG) put(w, "-");
    if (node->op == GRAPH_POWER && !w->has_tables) emit_power_name(w->e->out, w->e->style, node->b);
    if (node->op == GRAPH_CALL && !w->has_tables) emit_function_name(w->e, node->f);
    if (is_call) put(w, "(");
    write_loop_operand(w, loop, 0);
    if (!is_call && node->op != GRAPH_NEG) put(w, sign[node->op]);
    if (node->op == GRAPH_CALL && graph_functions[node->f].arity == 2) put(w, ", ");
    int child[2];
    if (program_children(node, child) == 2) write_loop_operand(w, loop, 1);
    if (is_call) put(w, ")");
}

/* --- Outputs. */

/* Number `ordinal` of the outputs in `array` of a step, or -1. */
static int find_output(const struct emitter *e, int step, int array, int ordinal) {
    for (int k = e->plan.note[step].output; k >= 0; k = e->plan.next[k]) {
        const struct program_output *output = &e->program->output[k];
        if (output->array == array && ordinal-- == 0) return output->index;
    }
    return -1;
}

/* Members of a loop have the same numbers of outputs. */
static void write_outputs(struct loop_writer *w, int loop) {
    const struct program_loop *list = loop_at(w, loop);
    for (int array = 0; array < ROUTINE_ARRAYS && w->e->routine->array[array]; array++) {
        for (int k = 0; find_output(w->e, list->first, array, k) >= 0; k++) {
            for (int i = 0; i < list->count; i++)
                w->index[i] = find_output(w->e, list->first + i, array, k);
            put(w, "        ");
            write_element(w, w->e->routine->array[array], list->count);
            put(w, " = x;\n");
        }
    }
}

/* What calls leave in slots is an output here and there. */
static void copy_outputs(struct loop_writer *w, int loop) {
    struct emitter *e = w->e;
    const struct program_loop *list = loop_at(w, loop);
    for (int i = list->first; i < list->first + list->count; i++)
        for (int k = e->plan.note[i].output; k >= 0; k = e->plan.next[k])
            writer_print(e->out, "    %s[%d] = z[%d];\n",
                         e->routine->array[e->program->output[k].array],
                         e->program->output[k].index, e->plan.note[i].slot);
}

/* --- Loops. */

/* All passes, or those of a piece. */
static void write_range(struct loop_writer *w, int loop) {
    if (w->has_tables) return;
    if (is_in_group(w, loop))
        writer_print(w->e->out, "    for (int i = f%d; i < n%d; i++) ", loop, loop);
    else
        writer_print(w->e->out, "    for (int i = 0; i < %d; i++) ", loop_at(w, loop)->count);
}

static void write_passes(struct loop_writer *w, int loop) {
    const int slot = w->e->plan.note[loop_at(w, loop)->first].slot;
    write_range(w, loop);
    if (!w->has_tables) writer_print(w->e->out, "{\n        const %s x = ", w->e->style->real);
    write_loop_expression(w, loop);
    put(w, ";\n");
    if (slot >= 0 && !w->has_tables && is_in_group(w, loop))
        writer_print(w->e->out, "        y%d[i - f%d] = x;\n", loop, loop);
    else if (slot >= 0 && !w->has_tables)
        writer_print(w->e->out, "        z[i + %d] = x;\n", slot);
    write_outputs(w, loop);
    put(w, "    }\n");
}

/* Collects operand k of a call. */
static void write_gather(struct loop_writer *w, int loop, int k) {
    const int to = w->e->plan.gather[loop][k];
    if (to < 0) return;
    write_range(w, loop);
    if (!w->has_tables && is_in_group(w, loop))
        writer_print(w->e->out, "x%d_%d[i - f%d] = ", loop, k, loop);
    else if (!w->has_tables)
        writer_print(w->e->out, "z[i + %d] = ", to);
    write_loop_operand(w, loop, k);
    put(w, ";\n");
}

/* Of a piece. */
static void write_piece_argument(struct loop_writer *w, int loop, int k) {
    const struct emitter *e = w->e;
    const struct graph_node *node = first_node(w, loop);
    const int step = e->program->place[k == 0 ? node->a : node->b];
    const int from = step >= 0 ? e->plan.loops.loop_of[step] : -1;
    const enum program_place place = emit_plan_operands(&e->plan, loop, k, w->index);
    if (e->plan.gather[loop][k] >= 0)
        writer_print(e->out, "x%d_%d, ", loop, k);
    else if (is_beside(w, loop, from))
        writer_print(e->out, "y%d + f%d - f%d + %d, ", from, loop, from,
                     step - loop_at(w, from)->first);
    else
        writer_print(e->out, "%s + f%d + %d, ", array_names[place], loop, w->index[0]);
}

static void write_argument(struct loop_writer *w, int loop, int k) {
    const int gathered = w->e->plan.gather[loop][k];
    if (is_in_group(w, loop)) {
        write_piece_argument(w, loop, k);
        return;
    }
    const enum program_place place = emit_plan_operands(&w->e->plan, loop, k, w->index);
    writer_print(w->e->out, "%s + %d, ", gathered < 0 ? array_names[place] : "z",
                 gathered < 0 ? w->index[0] : gathered);
}

/* A call for all members. */
static void write_many(struct loop_writer *w, int loop) {
    const struct graph_node *node = first_node(w, loop);
    const struct graph_function *function = &graph_functions[node->f];
    writer_put(w->e->out, "    {\n");
    for (int pass = 0; pass < 2; pass++) {
        w->has_tables = pass == 0;
        w->ntables = 0;
        for (int k = 0; k < function->arity; k++) write_gather(w, loop, k);
    }
    writer_print(w->e->out, "    many_%s(", function->c_name + strlen("noe_"));
    if (is_in_group(w, loop))
        writer_print(w->e->out, "n%d - f%d, ", loop, loop);
    else
        writer_print(w->e->out, "%d, ", loop_at(w, loop)->count);
    for (int k = 0; k < function->arity; k++) write_argument(w, loop, k);
    if (is_in_group(w, loop))
        writer_print(w->e->out, "y%d);\n    }\n", loop);
    else
        writer_print(w->e->out, "z + %d);\n    }\n", w->e->plan.note[loop_at(w, loop)->first].slot);
    copy_outputs(w, loop);
}

static void write_loop(struct loop_writer *w, int loop) {
    if (loop_at(w, loop)->into >= 0) return;
    if (loop_at(w, loop)->is_call) {
        write_many(w, loop);
        return;
    }
    writer_put(w->e->out, "    {\n");
    for (int pass = 0; pass < 2; pass++) {
        w->has_tables = pass == 0;
        w->ntables = 0;
        write_passes(w, loop);
    }
    writer_put(w->e->out, "    }\n");
}

/* --- Groups: pieces of all their loops in turn. */

/* What a piece of a loop leaves to others. */
static void write_piece_room(struct loop_writer *w, int loop) {
    const struct emitter *e = w->e;
    const char *number = e->style->real;
    if (loop_at(w, loop)->into >= 0) return;
    if (e->plan.note[loop_at(w, loop)->first].slot >= 0)
        writer_print(e->out, "    %s y%d[%d];\n", number, loop, EMIT_PIECE_ROOM);
    for (int k = 0; k < 2; k++)
        if (e->plan.gather[loop][k] >= 0)
            writer_print(e->out, "    %s x%d_%d[%d];\n", number, loop, k, EMIT_PIECE_ROOM);
}

/* From which member to which a piece of a loop goes. */
static void write_piece_range(struct loop_writer *w, int loop, int count) {
    const struct emitter *e = w->e;
    const struct emit_piece *piece = &e->plan.pieces.piece[loop];
    const int own = loop_at(w, loop)->count;
    if (loop_at(w, loop)->into >= 0) return;
    writer_print(e->out, "    const int f%d = b ? b + %d : 0;\n", loop, piece->least);
    writer_print(e->out, "    const int n%d = e < %d && e + %d < %d ? e + %d : %d;\n", loop, count,
                 piece->most, own, piece->most, own);
}

static void write_kept(struct loop_writer *w, const struct emit_group *group) {
    const struct emitter *e = w->e;
    for (int k = group->kept; k < group->kept + group->nkept; k++) {
        const int step = e->plan.pieces.kept[k], loop = e->plan.loops.loop_of[step];
        const int member = step - loop_at(w, loop)->first;
        writer_print(e->out, "    if (f%d <= %d && %d < n%d) z[%d] = y%d[%d - f%d];\n", loop,
                     member, member, loop, e->plan.note[step].slot, loop, member, loop);
    }
}

static void write_group(struct loop_writer *w, const struct emit_group *group) {
    const struct emitter *e = w->e;
    const struct emit_part *part = e->plan.part_list;
    writer_put(e->out, "    {\n");
    for (int i = group->part; i < group->end; i++) write_piece_room(w, part[i].loop);
    writer_print(e->out, "    for (int b = 0; b < %d; b += %d) {\n", group->count, EMIT_PIECE);
    writer_print(e->out, "    const int e = b + %d < %d ? b + %d : %d;\n", EMIT_PIECE, group->count,
                 EMIT_PIECE, group->count);
    for (int i = group->part; i < group->end; i++) write_piece_range(w, part[i].loop, group->count);
    for (int i = group->part; i < group->end; i++) write_loop(w, part[i].loop);
    write_kept(w, group);
    writer_put(e->out, "    }\n    }\n");
}

enum noe_status emit_loops_write(struct emitter *e) {
    const struct emit_plan *plan = &e->plan;
    const int loop = plan->part_list[e->part].loop, number = emit_pieces_group(plan, loop);
    const struct emit_group *group = number < 0 ? NULL : &plan->pieces.group[number];
    const int count = group ? group->count : plan->loops.loop[loop].count;
    struct loop_writer w = {.e = e, .index = malloc((size_t)count * sizeof *w.index)};
    if (!w.index) return NOE_NO_MEMORY;
    if (!group)
        write_loop(&w, loop);
    else if (group->part == e->part)
        write_group(&w, group);
    free(w.index);
    return NOE_OK;
}

/* Every `every`-th of the leaves from the first on. */
static void write_leaves(struct loop_writer *w, int count, const struct program_output *leaf,
                         int every) {
    struct emitter *e = w->e;
    const enum program_place place = emit_plan_where(&e->plan, leaf->node).place;
    const int passes = (count + every - 1) / every;
    for (int pass = 0; pass < 2; pass++) {
        w->has_tables = pass == 0;
        w->ntables = 0;
        if (pass == 1) writer_print(e->out, "    for (int i = 0; i < %d; i++) ", passes);
        for (int i = 0; i < passes; i++) w->index[i] = leaf[i * every].index;
        write_element(w, e->routine->array[leaf->array], passes);
        put(w, " = ");
        for (int i = 0; i < passes; i++)
            w->index[i] = emit_plan_where(&e->plan, leaf[i * every].node).index;
        write_place(w, place, passes);
        put(w, ";\n");
    }
}

/* The least number of loops in which the outputs' indices have equal distances, as those beside the
 * diagonal of a matrix have in two; 1 if there is no such small number. */
static int count_interleaved(int count, const struct program_output *leaf) {
    enum { MOST = 4 };
    for (int n = 1; n <= MOST && n * PROGRAM_ALIKE_MIN <= count; n++) {
        int i = 2 * n;
        while (i < count &&
               leaf[i].index - leaf[i - n].index == leaf[i - n].index - leaf[i - 2 * n].index)
            i++;
        if (i == count) return n;
    }
    return 1;
}

enum noe_status emit_loops_leaves(struct emitter *e, int count, const struct program_output *leaf) {
    struct loop_writer w = {.e = e, .index = malloc((size_t)count * sizeof(int))};
    if (!w.index) return NOE_NO_MEMORY;
    const int n = count_interleaved(count, leaf);
    for (int k = 0; k < n; k++) {
        writer_put(e->out, "    {\n");
        write_leaves(&w, count - k, leaf + k, n);
        writer_put(e->out, "    }\n");
    }
    free(w.index);
    return NOE_OK;
}

/* The last eight may begin among those before: a number's function does not depend on the others.
 * Fewer than eight stand before copies of the first. */
const char emit_loops_functions[] =
    "\nstatic inline noe_wide many_take(int n, const double *x)\n"
    "{\n"
    "    noe_wide r;\n"
    "    double few[8];\n"
    "    for (int k = 0; n < 8 && k < 8; k++) few[k] = x[k < n ? k : 0];\n"
    "    __builtin_memcpy(&r, n < 8 ? few : x, sizeof r);\n"
    "    return r;\n"
    "}\n"
    "static inline void many_put(int n, noe_wide r, double *y)\n"
    "{\n"
    "    if (n >= 8) __builtin_memcpy(y, &r, sizeof r);\n"
    "    for (int k = 0; n < 8 && k < n; k++) y[k] = r[k];\n"
    "}\n"
    "#define MANY(name, parameters, ...) \\\n"
    "    static __attribute__((noinline)) void many_##name(int n, parameters double *to) \\\n"
    "    { \\\n"
    "        for (int k = 0; k < n; k += 8) { \\\n"
    "            const int i = k + 8 <= n || n < 8 ? k : n - 8; \\\n"
    "            many_put(n, wide_##name(__VA_ARGS__), to + i); \\\n"
    "        } \\\n"
    "    }\n"
    "#define MANY_PARAMETER(x) const double *x,\n"
    "#define MANY_UNARY(name) MANY(name, MANY_PARAMETER(x), many_take(n, x + i))\n"
    "#define MANY_BINARY(name) MANY(name, MANY_PARAMETER(x) MANY_PARAMETER(y), \\\n"
    "    many_take(n, x + i), many_take(n, y + i))\n"
    "MANY_UNARY(acos) MANY_UNARY(asin) MANY_UNARY(atan) MANY_UNARY(cos) MANY_UNARY(cosh)\n"
    "MANY_UNARY(exp) MANY_UNARY(log) MANY_UNARY(sin) MANY_UNARY(sinh) MANY_UNARY(tan)\n"
    "MANY_UNARY(tanh) MANY_BINARY(atan2) MANY_BINARY(pow)\n";
