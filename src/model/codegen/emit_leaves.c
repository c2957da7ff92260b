/* C text of outputs that are leaves of the graph (constants, components of q and v, parameters).
 * Repetitions become loops. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/emit_leaves.h"

#include <stdlib.h>

#include "model/codegen/vectorise/emit_loops.h"

enum { RUN_MIN = 4 }; /* min equal outputs that become a loop */

static int compare_outputs(const void *a, const void *b) {
    const struct program_output *x = a, *y = b;
    if (x->array != y->array) return x->array - y->array;
    return x->node != y->node ? x->node - y->node : x->index - y->index;
}

/* Length of the run of outputs that starts at `leaf`: one array, one node and a constant stride.
 * Runs of zeros may have short gaps, because the gaps are overwritten afterwards. */
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
    const char *array = e->routine->array[leaf->array];
    const int distance = is_zero ? 1 : leaf[1].index - leaf->index, last = leaf[length - 1].index;
    if (is_zero && e->style->fill) {
        writer_print(e->out, "    %s(%s + %d, 0, %d*sizeof *%s);\n", e->style->fill, array,
                     leaf->index, last - leaf->index + 1, array);
        return;
    }
    writer_print(e->out, "    for (int i = %d; i <= %d; i += %d) %s[i] = ", leaf->index, last,
                 distance, array);
    emit_real(e, leaf->node);
    writer_put(e->out, ";\n");
}

/* Number of leaves that fit into one loop: outputs in one array that are all components of q, all
 * components of v, or one and the same leaf. */
static int loop_length(const struct emitter *e, const struct program_output *leaf, int count) {
    const struct program_where first = emit_plan_where(&e->plan, leaf->node);
    const bool is_list = first.place == AT_POINT || first.place == AT_VELOCITY;
    int length = 1;
    for (; length < count && leaf[length].array == leaf->array; length++) {
        const struct program_where next = emit_plan_where(&e->plan, leaf[length].node);
        if (next.place != first.place || (!is_list && next.index != first.index)) break;
    }
    return length;
}

static bool is_zero_at_first(const struct emitter *e, int array) {
    const bool is_second = e->routine == &system_functions_list[SECOND] && array == 2;
    const bool is_of_constraints =
        e->routine == &system_functions_list[CONSTRAINTS_SECOND] && array == 1;
    return e->style->skips_zeros && (is_second || is_of_constraints);
}

/* Zeros come first in every array, because node 0 is the constant 0. */
enum noe_status emit_leaves(struct emitter *e) {
    const struct program *program = e->program;
    struct program_output *leaf = malloc(((size_t)program->noutputs + 1) * sizeof *leaf);
    if (!leaf) return NOE_NO_MEMORY;
    int count = 0;
    for (int i = 0; i < program->noutputs; i++) {
        if (program->place[program->output[i].node] < 0) leaf[count++] = program->output[i];
    }
    qsort(leaf, (size_t)count, sizeof *leaf, compare_outputs);
    enum noe_status status = NOE_OK;
    for (int i = 0; status == NOE_OK && i < count;) {
        const bool is_zero = leaf[i].node == 0;
        const int length = run_length(&leaf[i], count - i, is_zero);
        const int looped = e->plan.has_leaf_loops ? loop_length(e, &leaf[i], count - i) : 0;
        if (is_zero && is_zero_at_first(e, leaf[i].array)) {
            i += length;
        } else if (!is_zero && looped >= PROGRAM_ISOMORPHIC_MIN) {
            status = emit_loops_leaves(e, looped, &leaf[i]);
            i += looped;
        } else if (length >= RUN_MIN) {
            write_run(e, &leaf[i], length, is_zero);
            i += length;
        } else {
            emit_target(e, &leaf[i]);
            emit_real(e, leaf[i].node);
            writer_put(e->out, ";\n");
            i++;
        }
    }
    free(leaf);
    return status;
}
