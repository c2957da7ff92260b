/* The functions of a system as programs over the model's graph. */
/* SPDX-License-Identifier: MIT */
#include "model/routines.h"

#include <stdlib.h>

const struct routine routines_list[ROUTINE_COUNT] = {
    [LAGRANGIAN] = {"lagrangian", {"l"}, true, "L"},
    [FORCE] = {"force", {"w"}, false, "w = L_q + force"},
    [FIRST] = {"first", {"p", "w"}, false, "p = L_v and w"},
    [MOMENTUM] = {"momentum", {"p", "pv"}, false, "p and pv = p_v on the pattern"},
    [SECOND] = {"second", {"p", "w", "d"}, false, "p, w and d = p_v, p_q, w_v, w_q on the pattern"},
    [QUANTITIES] = {"quantities", {"values"}, false, "what is observed"},
    [CROSSINGS] = {"crossings", {"values"}, false, "what changes its sign where the run is to end"},
    [STAGE] = {"stage", {"p", "w", "pv"}, false, "p, w and pv = p_v on the pattern"},
};

static int add(struct program_output *output, int count, int array, int size, const int *node) {
    for (int i = 0; i < size; i++) output[count + i] = (struct program_output){node[i], array, i};
    return count + size;
}

/* Row by row: what p, w and their derivatives share in a row is then used close by. */
static int add_second(struct program_output *output, const struct blocks *b) {
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

static int add_quantities(struct program_output *output, const struct source_model *model) {
    int count = 0;
    for (int i = 0; i < model->nquantities; i++) {
        const struct source_quantity *quantity = &model->quantity[i];
        for (int k = 0; k < quantity->rows * quantity->cols; k++, count++) {
            output[count] = (struct program_output){quantity->node[k], 0, count};
        }
    }
    return count;
}

static int add_crossings(struct program_output *output, const struct source_model *model) {
    for (int i = 0; i < model->ncrossings; i++)
        output[i] = (struct program_output){model->crossing[i].node, 0, i};
    return model->ncrossings;
}

static int add_stage(struct program_output *output, const struct blocks *b) {
    const int first = add(output, add(output, 0, 0, b->n, b->p), 1, b->n, b->w);
    return add(output, first, 2, b->nz, b->d);
}

/* Writes the outputs of one routine; returns their number. */
static int list_outputs(int routine, struct program_output *output,
                        const struct source_model *model, const struct blocks *b) {
    switch (routine) {
    case LAGRANGIAN: return add(output, 0, 0, 1, &model->lagrangian);
    case FORCE: return add(output, 0, 0, b->n, b->w);
    case FIRST: return add(output, add(output, 0, 0, b->n, b->p), 1, b->n, b->w);
    case MOMENTUM: return add(output, add(output, 0, 0, b->n, b->p), 1, b->nz, b->d);
    case SECOND: return add_second(output, b);
    case QUANTITIES: return add_quantities(output, model);
    case CROSSINGS: return add_crossings(output, model);
    default: return add_stage(output, b);
    }
}

enum noe_status routines_make(struct routines *routines, const struct source_model *model,
                              const struct blocks *blocks) {
    *routines = (struct routines){.graph = &model->graph,
                                  .n = blocks->n,
                                  .nz = blocks->nz,
                                  .nparameters = model->nnumbers,
                                  .ncrossings = model->ncrossings};
    for (int i = 0; i < model->nquantities; i++) {
        routines->nvalues += model->quantity[i].rows * model->quantity[i].cols;
    }
    const size_t most = 2 * (size_t)blocks->n + 4 * (size_t)blocks->nz + (size_t)routines->nvalues +
                        (size_t)routines->ncrossings;
    struct program_output *output = malloc((most + 1) * sizeof *output);
    enum noe_status status = output ? NOE_OK : NOE_NO_MEMORY;
    for (int i = 0; status == NOE_OK && i < ROUTINE_COUNT; i++) {
        const int count = list_outputs(i, output, model, blocks);
        status = program_make(&routines->program[i], &model->graph, count, output);
    }
    free(output);
    if (status != NOE_OK) routines_clear(routines);
    return status;
}

void routines_clear(struct routines *routines) {
    for (int i = 0; i < ROUTINE_COUNT; i++) program_clear(&routines->program[i]);
    *routines = (struct routines){0};
}
