/* C text of loops over isomorphic steps. Indices that are not linear in the loop variable come from
 * tables. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/emit_loops.h"

#include <stdlib.h>
#include <string.h>

#include "model/codegen/emit_power.h"
#include "model/codegen/vectorise/emit_tiles.h"
#include "model/codegen/vectorise/index_pattern.h"

/* Stages of writing a loop. The tables stand before the loop, in the order of their use, so the
 * text is traversed twice. A long loop is traversed once before, to split it into segments that
 * need no tables. */
enum loop_stage { SEGMENTS, TABLES, TEXT };
enum { LONG = 256, INTERLEAVED_MAX = 4 };

struct loop_writer {
    struct emitter *e;
    enum loop_stage stage;
    int ntables;
    int *index;                     /* memory for the indices of one operand */
    int every, rest;                /* the loop variable i stands for pass every*i + rest */
    int begin, end;                 /* range of the loop variable */
    struct index_segments segments; /* segments of the whole range */
};

static bool is_text(const struct loop_writer *w) { return w->stage == TEXT; }

static const char *const array_names[] = {
    [AT_PARAMETER] = "a", [AT_POINT] = "q", [AT_VELOCITY] = "v", [AT_STEP] = "z"};

static const struct program_loop *loop_at(const struct loop_writer *w, int loop) {
    return &w->e->plan.loops.loop[loop];
}

static const struct graph_node *first_node(const struct loop_writer *w, int loop) {
    return &w->e->graph->node[w->e->program->step[loop_at(w, loop)->first]];
}

static int count_passes(const struct loop_writer *w, int all) {
    return (all - w->rest + w->every - 1) / w->every;
}

/* Selects the indices of the passes being written. */
static const int *select_passes(struct loop_writer *w) {
    const int last = w->stage == SEGMENTS ? w->segments.begin[w->segments.count] : w->end;
    for (int i = 0; w->every > 1 && i < last; i++) w->index[i] = w->index[w->every * i + w->rest];
    return w->index + w->begin;
}

/* Writes `array[index in pass i]`, or the table of the indices. */
static void write_element(struct loop_writer *w, const char *array) {
    const int count = w->end - w->begin, *index = select_passes(w);
    if (w->stage == SEGMENTS) {
        index_segments_divide(&w->segments, w->index, false);
        return;
    }
    struct index_pattern pattern = index_pattern_of(count, index);
    pattern.first -= w->begin * pattern.stride;
    w->ntables += pattern.is_table;
    if (w->stage == TABLES) {
        index_pattern_table(w->e->out, &pattern, w->ntables, count, index);
        return;
    }
    writer_print(w->e->out, "%s[", array);
    index_pattern_write(w->e->out, &pattern, w->ntables);
    writer_put(w->e->out, "]");
}

/* Writes a constant, or a table of constants. `index` holds their nodes. */
static void write_numbers(struct loop_writer *w) {
    struct emitter *e = w->e;
    const int count = w->end - w->begin, *index = select_passes(w);
    bool is_one = true;
    if (w->stage == SEGMENTS) {
        index_segments_divide(&w->segments, w->index, true);
        return;
    }
    for (int i = 1; i < count; i++) is_one = is_one && index[i] == index[0];
    w->ntables += !is_one;
    if (is_one && is_text(w)) {
        writer_put(e->out, "(");
        writer_number(e->out, e->graph->node[index[0]].value, e->style->suffix);
        writer_put(e->out, ")");
    } else if (is_text(w)) {
        writer_print(e->out, "t%d[i]", w->ntables);
    } else if (!is_one) {
        writer_print(e->out, "    static const %s t%d[] = {", e->style->real, w->ntables);
        for (int i = 0; i < count; i++) {
            writer_put(e->out, i % 4 ? " " : "\n        ");
            writer_number(e->out, e->graph->node[index[i]].value, e->style->suffix);
            writer_put(e->out, ",");
        }
        writer_put(e->out, "};\n");
    }
}

static void write_place(struct loop_writer *w, enum program_place place) {
    switch (place) {
    case AT_NUMBER: write_numbers(w); break;
    case AT_PARAMETER:
    case AT_POINT:
    case AT_VELOCITY:
    case AT_STEP: write_element(w, array_names[place]); break;
    default:
        if (is_text(w)) writer_put(w->e->out, w->e->style->time);
    }
}

static void put(struct loop_writer *w, const char *text) {
    if (is_text(w)) writer_put(w->e->out, text);
}

static bool is_in_group(const struct loop_writer *w, int loop) {
    return emit_tiles_group(&w->e->plan, loop) >= 0;
}

/* True if loop `from` (or -1) is in the same group. */
static bool is_in_same_group(const struct loop_writer *w, int loop, int from) {
    return is_in_group(w, from) &&
           emit_tiles_group(&w->e->plan, from) == emit_tiles_group(&w->e->plan, loop);
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
    if (is_in_same_group(w, loop, from)) {
        if (is_text(w))
            writer_print(w->e->out, "y%d[i + %d - f%d]", from, step - loop_at(w, from)->first,
                         from);
        return;
    }
    const enum program_place place = emit_plan_operands(plan, loop, k, w->index);
    write_place(w, place);
}

/* Writes the operation with parentheses around every operand that is not a name. */
static void write_loop_expression(struct loop_writer *w, int loop) {
    static const char *const sign[] = {
        [GRAPH_ADD] = " + ", [GRAPH_SUB] = " - ", [GRAPH_MUL] = "*", [GRAPH_DIV] = "/"};
    const struct graph_node *node = first_node(w, loop);
    const bool is_call = node->op == GRAPH_CALL || node->op == GRAPH_POWER;
    if (node->op == GRAPH_NEG) put(w, "-");
    if (node->op == GRAPH_POWER && is_text(w)) emit_power_name(w->e->out, w->e->style, node->b);
    if (node->op == GRAPH_CALL && is_text(w)) emit_function_name(w->e, node->f);
    if (is_call) put(w, "(");
    write_loop_operand(w, loop, 0);
    if (!is_call && node->op != GRAPH_NEG) put(w, sign[node->op]);
    if (node->op == GRAPH_CALL && graph_functions[node->f].arity == 2) put(w, ", ");
    int child[2];
    if (program_children(node, child) == 2) write_loop_operand(w, loop, 1);
    if (is_call) put(w, ")");
}

/* --- Outputs. */

/* Index of output number `ordinal` of a step in `array`, or -1. */
static int find_output(const struct emitter *e, int step, int array, int ordinal) {
    for (int k = e->plan.decision[step].output; k >= 0; k = e->plan.next[k]) {
        const struct program_output *output = &e->program->output[k];
        if (output->array == array && ordinal-- == 0) return output->index;
    }
    return -1;
}

/* Requires that all members of the loop have the same number of outputs in each array. */
static void write_outputs(struct loop_writer *w, int loop) {
    const struct program_loop *list = loop_at(w, loop);
    for (int array = 0; array < ROUTINE_ARRAYS && w->e->routine->array[array]; array++) {
        for (int k = 0; find_output(w->e, list->first, array, k) >= 0; k++) {
            for (int i = 0; i < list->count; i++)
                w->index[i] = find_output(w->e, list->first + i, array, k);
            put(w, "        ");
            write_element(w, w->e->routine->array[array]);
            put(w, " = x;\n");
        }
    }
}

/* Copies outputs of vector calls from their slots, one statement each. */
static void copy_some_outputs(struct loop_writer *w, int loop) {
    struct emitter *e = w->e;
    const struct program_loop *list = loop_at(w, loop);
    for (int i = list->first; i < list->first + list->count; i++)
        for (int k = e->plan.decision[i].output; k >= 0; k = e->plan.next[k])
            writer_print(e->out, "    %s[%d] = z[%d];\n",
                         e->routine->array[e->program->output[k].array],
                         e->program->output[k].index, e->plan.decision[i].slot);
}

/* --- Loops. */

/* Writes the element of the slots from `first` on that belongs to the current pass. */
static void write_slot(struct loop_writer *w, const char *before, int first, const char *after) {
    const struct index_pattern pattern = {.first = first + w->rest, .stride = w->every};
    writer_print(w->e->out, "%sz[", before);
    index_pattern_write(w->e->out, &pattern, 0);
    writer_print(w->e->out, "]%s", after);
}

/* Writes the head of the loop over a segment, clipped to the current tile. */
static void write_range(struct loop_writer *w, int loop) {
    struct writer *out = w->e->out;
    if (!is_text(w)) return;
    if (!is_in_group(w, loop)) {
        writer_print(out, "    for (int i = %d; i < %d; i++) ", w->begin, w->end);
    } else if (w->segments.count == 1) {
        writer_print(out, "    for (int i = f%d; i < n%d; i++) ", loop, loop);
    } else {
        writer_print(out, "    for (int i = f%d > %d ? f%d : %d; ", loop, w->begin, loop, w->begin);
        writer_print(out, "i < (n%d < %d ? n%d : %d); i++) ", loop, w->end, loop, w->end);
    }
}

static void write_passes(struct loop_writer *w, int loop, int k) {
    (void)k;
    const int slot = w->e->plan.decision[loop_at(w, loop)->first].slot;
    write_range(w, loop);
    if (is_text(w)) writer_print(w->e->out, "{\n        const %s x = ", w->e->style->real);
    write_loop_expression(w, loop);
    put(w, ";\n");
    if (slot >= 0 && is_text(w) && is_in_group(w, loop))
        writer_print(w->e->out, "        y%d[i - f%d] = x;\n", loop, loop);
    else if (slot >= 0 && is_text(w))
        write_slot(w, "        ", slot, " = x;\n");
    write_outputs(w, loop);
    put(w, "    }\n");
}

/* Gathers operand k of a vector call. */
static void write_gather(struct loop_writer *w, int loop, int k) {
    const int to = w->e->plan.gather[loop][k];
    write_range(w, loop);
    if (is_text(w) && is_in_group(w, loop))
        writer_print(w->e->out, "x%d_%d[i - f%d] = ", loop, k, loop);
    else if (is_text(w))
        write_slot(w, "", to, " = ");
    write_loop_operand(w, loop, k);
    put(w, ";\n");
}

/* Writes operand k of a vector call within a tile. */
static void write_tile_argument(struct loop_writer *w, int loop, int k) {
    const struct emitter *e = w->e;
    const struct graph_node *node = first_node(w, loop);
    const int step = e->program->place[k == 0 ? node->a : node->b];
    const int from = step >= 0 ? e->plan.loops.loop_of[step] : -1;
    const enum program_place place = emit_plan_operands(&e->plan, loop, k, w->index);
    if (e->plan.gather[loop][k] >= 0)
        writer_print(e->out, "x%d_%d, ", loop, k);
    else if (is_in_same_group(w, loop, from))
        writer_print(e->out, "y%d + f%d - f%d + %d, ", from, loop, from,
                     step - loop_at(w, from)->first);
    else
        writer_print(e->out, "%s + f%d + %d, ", array_names[place], loop, w->index[0]);
}

static void write_argument(struct loop_writer *w, int loop, int k) {
    const int gathered = w->e->plan.gather[loop][k];
    if (is_in_group(w, loop)) {
        write_tile_argument(w, loop, k);
        return;
    }
    const enum program_place place = emit_plan_operands(&w->e->plan, loop, k, w->index);
    writer_print(w->e->out, "%s + %d, ", gathered < 0 ? array_names[place] : "z",
                 gathered < 0 ? w->index[0] : gathered);
}

typedef void write_function(struct loop_writer *w, int loop, int k);

/* Splits the passes into segments. False if there would be too many. */
static bool divide(struct loop_writer *w, int loop, int k, write_function *write) {
    const int passes = count_passes(w, loop_at(w, loop)->count);
    w->segments = index_segments_whole(passes);
    w->stage = SEGMENTS;
    w->begin = 0;
    w->end = passes;
    if (loop_at(w, loop)->count > LONG) write(w, loop, k);
    const bool is_divided = !w->segments.is_scattered;
    if (!is_divided) w->segments = index_segments_whole(passes);
    return is_divided;
}

/* Min number of interleaved loops, up to INTERLEAVED_MAX, in which a long loop needs no tables; 1
 * if there is none. A tiled loop is never interleaved. */
static int count_loops(struct loop_writer *w, int loop, int k, write_function *write) {
    const int max = is_in_group(w, loop) ? 1 : INTERLEAVED_MAX;
    for (w->every = 1; w->every <= max; w->every++) {
        bool is_divided = true;
        for (w->rest = 0; w->rest < w->every && is_divided; w->rest++)
            is_divided = divide(w, loop, k, write);
        if (is_divided) return w->every;
    }
    return 1;
}

static void write_segments(struct loop_writer *w, int loop, int k, write_function *write) {
    w->every = count_loops(w, loop, k, write);
    for (w->rest = 0; w->rest < w->every; w->rest++) {
        divide(w, loop, k, write);
        for (int i = 0; i < w->segments.count; i++) {
            w->begin = w->segments.begin[i];
            w->end = w->segments.begin[i + 1];
            writer_put(w->e->out, "    {\n");
            for (w->stage = TABLES; w->stage <= TEXT; w->stage++) {
                w->ntables = 0;
                write(w, loop, k);
            }
            writer_put(w->e->out, "    }\n");
        }
    }
    w->every = 1;
    w->rest = 0;
}

static int count_outputs(const struct emitter *e, int step, int array) {
    int count = 0;
    while (find_output(e, step, array, count) >= 0) count++;
    return count;
}

/* True if all members of a loop have the same number of outputs in each array. */
static bool has_equal_outputs(const struct emitter *e, const struct program_loop *list) {
    for (int array = 0; array < ROUTINE_ARRAYS && e->routine->array[array]; array++) {
        const int count = count_outputs(e, list->first, array);
        for (int i = list->first + 1; i < list->first + list->count; i++)
            if (count_outputs(e, i, array) != count) return false;
    }
    return true;
}

static void write_copies(struct loop_writer *w, int loop, int k) {
    (void)k;
    write_range(w, loop);
    if (is_text(w)) {
        writer_print(w->e->out, "{\n        const %s x = ", w->e->style->real);
        write_slot(w, "", w->e->plan.decision[loop_at(w, loop)->first].slot, ";\n");
    }
    write_outputs(w, loop);
    put(w, "    }\n");
}

static void copy_outputs(struct loop_writer *w, int loop) {
    const struct program_loop *list = loop_at(w, loop);
    if (list->count <= LONG || !has_equal_outputs(w->e, list))
        copy_some_outputs(w, loop);
    else if (w->e->plan.decision[list->first].output >= 0)
        write_segments(w, loop, 0, write_copies);
}

/* Writes one vector call for all members. */
static void write_vector_call(struct loop_writer *w, int loop) {
    const struct graph_node *node = first_node(w, loop);
    const struct graph_function *function = &graph_functions[node->f];
    for (int k = 0; k < function->arity; k++)
        if (w->e->plan.gather[loop][k] >= 0) write_segments(w, loop, k, write_gather);
    writer_print(w->e->out, "    vector_%s(", function->c_name + strlen("noe_"));
    if (is_in_group(w, loop))
        writer_print(w->e->out, "n%d - f%d, ", loop, loop);
    else
        writer_print(w->e->out, "%d, ", loop_at(w, loop)->count);
    for (int k = 0; k < function->arity; k++) write_argument(w, loop, k);
    if (is_in_group(w, loop))
        writer_print(w->e->out, "y%d);\n", loop);
    else
        writer_print(w->e->out, "z + %d);\n", w->e->plan.decision[loop_at(w, loop)->first].slot);
    copy_outputs(w, loop);
}

static void write_loop(struct loop_writer *w, int loop) {
    if (loop_at(w, loop)->into >= 0) return;
    if (loop_at(w, loop)->is_call)
        write_vector_call(w, loop);
    else
        write_segments(w, loop, 0, write_passes);
}

/* --- Groups of tiled loops. */

/* Declares the arrays in which a tile of one loop leaves its values for the others. */
static void write_tile_arrays(struct loop_writer *w, int loop) {
    const struct emitter *e = w->e;
    const char *number = e->style->real;
    if (loop_at(w, loop)->into >= 0) return;
    if (e->plan.decision[loop_at(w, loop)->first].slot >= 0)
        writer_print(e->out, "    %s y%d[%d];\n", number, loop, EMIT_TILE_ROOM);
    for (int k = 0; k < 2; k++)
        if (e->plan.gather[loop][k] >= 0)
            writer_print(e->out, "    %s x%d_%d[%d];\n", number, loop, k, EMIT_TILE_ROOM);
}

/* Declares the range of members of a loop in the current tile. */
static void write_tile_range(struct loop_writer *w, int loop, int count) {
    const struct emitter *e = w->e;
    const struct emit_tile *tile = &e->plan.tiles.tile[loop];
    const int own = loop_at(w, loop)->count;
    if (loop_at(w, loop)->into >= 0) return;
    writer_print(e->out, "    const int f%d = b ? b + %d : 0;\n", loop, tile->min);
    writer_print(e->out, "    const int n%d = e < %d && e + %d < %d ? e + %d : %d;\n", loop, count,
                 tile->max, own, tile->max, own);
}

static void write_kept(struct loop_writer *w, const struct emit_group *group) {
    const struct emitter *e = w->e;
    for (int k = group->kept; k < group->kept + group->nkept; k++) {
        const int step = e->plan.tiles.kept[k], loop = e->plan.loops.loop_of[step];
        const int member = step - loop_at(w, loop)->first;
        writer_print(e->out, "    if (f%d <= %d && %d < n%d) z[%d] = y%d[%d - f%d];\n", loop,
                     member, member, loop, e->plan.decision[step].slot, loop, member, loop);
    }
}

static void write_group(struct loop_writer *w, const struct emit_group *group) {
    const struct emitter *e = w->e;
    const struct emit_part *part = e->plan.part_list;
    writer_put(e->out, "    {\n");
    for (int i = group->part; i < group->end; i++) write_tile_arrays(w, part[i].loop);
    writer_print(e->out, "    for (int b = 0; b < %d; b += %d) {\n", group->count, EMIT_TILE);
    writer_print(e->out, "    const int e = b + %d < %d ? b + %d : %d;\n", EMIT_TILE, group->count,
                 EMIT_TILE, group->count);
    for (int i = group->part; i < group->end; i++) write_tile_range(w, part[i].loop, group->count);
    for (int i = group->part; i < group->end; i++) write_loop(w, part[i].loop);
    write_kept(w, group);
    writer_put(e->out, "    }\n    }\n");
}

enum noe_status emit_loops_write(struct emitter *e) {
    const struct emit_plan *plan = &e->plan;
    const int loop = plan->part_list[e->part].loop, number = emit_tiles_group(plan, loop);
    const struct emit_group *group = number < 0 ? NULL : &plan->tiles.group[number];
    const int count = group ? group->count : plan->loops.loop[loop].count;
    struct loop_writer w = {.e = e, .every = 1, .index = malloc((size_t)count * sizeof *w.index)};
    if (!w.index) return NOE_NO_MEMORY;
    if (!group)
        write_loop(&w, loop);
    else if (group->part == e->part)
        write_group(&w, group);
    free(w.index);
    return NOE_OK;
}

/* Writes every `every`-th leaf, beginning with the first. */
static void write_leaves(struct loop_writer *w, int count, const struct program_output *leaf,
                         int every) {
    struct emitter *e = w->e;
    const enum program_place place = emit_plan_where(&e->plan, leaf->node).place;
    const int passes = (count + every - 1) / every;
    w->begin = 0;
    w->end = passes;
    for (w->stage = TABLES; w->stage <= TEXT; w->stage++) {
        w->ntables = 0;
        if (is_text(w)) writer_print(e->out, "    for (int i = 0; i < %d; i++) ", passes);
        for (int i = 0; i < passes; i++) w->index[i] = leaf[i * every].index;
        write_element(w, e->routine->array[leaf->array]);
        put(w, " = ");
        for (int i = 0; i < passes; i++)
            w->index[i] = emit_plan_where(&e->plan, leaf[i * every].node).index;
        write_place(w, place);
        put(w, ";\n");
    }
}

/* Min number of interleaved loops in which the indices of the outputs have a constant stride; 1 if
 * there is none. The entries beside the diagonal of a matrix need two. */
static int count_interleaved(int count, const struct program_output *leaf) {
    enum { MOST = 4 };
    for (int n = 1; n <= MOST && n * PROGRAM_ISOMORPHIC_MIN <= count; n++) {
        int i = 2 * n;
        while (i < count &&
               leaf[i].index - leaf[i - n].index == leaf[i - n].index - leaf[i - 2 * n].index)
            i++;
        if (i == count) return n;
    }
    return 1;
}

enum noe_status emit_loops_leaves(struct emitter *e, int count, const struct program_output *leaf) {
    struct loop_writer w = {.e = e, .every = 1, .index = malloc((size_t)count * sizeof(int))};
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
