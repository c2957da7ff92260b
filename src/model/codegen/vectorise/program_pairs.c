/* Schedules independent divisions and square roots in pairs, so that one SIMD instruction computes
 * both. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/program_pairs.h"

#include <stdlib.h>
#include <string.h>

enum { DIVISION, ROOT, KIND_COUNT };
enum { WAITING_MAX = 64 }; /* max postponed steps, because their operands occupy registers */

/* List scheduler: steps are issued in their old order. A step is postponed until its operands have
 * been issued. The first of a pair is postponed until a second one is ready. */
struct dealer {
    struct program *program;
    const struct graph *graph;
    bool *leads, *is_dealt; /* by new and by old index */
    int *old;               /* old index by new index */
    int count;
    int first[KIND_COUNT]; /* first of an open pair, or -1 */
    int nwaiting, waiting[WAITING_MAX + 1];
};

/* Returns DIVISION, ROOT or -1. */
static int kind_of(const struct dealer *d, int step) {
    const struct graph_node *node = &d->graph->node[d->program->step[step]];
    if (node->op == GRAPH_DIV) return DIVISION;
    if (node->op != GRAPH_CALL) return -1;
    return strcmp(graph_functions[node->f].c_name, "noe_sqrt") == 0 ? ROOT : -1;
}

static bool is_ready(const struct dealer *d, int step) {
    int child[2];
    const int count = program_children(&d->graph->node[d->program->step[step]], child);
    for (int k = 0; k < count; k++) {
        const int place = d->program->place[child[k]];
        if (place >= 0 && !d->is_dealt[place]) return false;
    }
    return true;
}

static void deal(struct dealer *d, int step) {
    d->old[d->count++] = step;
    d->is_dealt[step] = true;
}

/* Issues a step that is ready, or keeps it as the first of a pair. */
static void take(struct dealer *d, int step) {
    const int kind = kind_of(d, step);
    if (kind >= 0 && d->first[kind] < 0) {
        d->first[kind] = step;
        return;
    }
    if (kind >= 0) {
        d->leads[d->count] = true;
        deal(d, d->first[kind]);
        d->first[kind] = -1;
    }
    deal(d, step);
}

/* Issues postponed steps that have become ready, until nothing changes. */
static void take_waiting(struct dealer *d) {
    for (int before = -1; before != d->nwaiting;) {
        before = d->nwaiting;
        d->nwaiting = 0;
        for (int i = 0; i < before; i++) {
            if (is_ready(d, d->waiting[i]))
                take(d, d->waiting[i]);
            else
                d->waiting[d->nwaiting++] = d->waiting[i];
        }
    }
}

/* Issues the first steps of open pairs without a second. */
static void give_up(struct dealer *d) {
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (d->first[kind] >= 0) deal(d, d->first[kind]);
        d->first[kind] = -1;
    }
    take_waiting(d);
}

static void deal_all(struct dealer *d) {
    for (int i = 0; i < d->program->nsteps; i++) {
        const int before = d->count;
        if (is_ready(d, i))
            take(d, i);
        else
            d->waiting[d->nwaiting++] = i;
        if (d->count > before) take_waiting(d);
        while (d->nwaiting == WAITING_MAX) give_up(d);
    }
    while (d->count < d->program->nsteps) give_up(d);
}

enum noe_status program_pairs(struct program *program, const struct graph *graph, bool *leads) {
    const size_t count = (size_t)program->nsteps + 1;
    struct dealer d = {.program = program, .graph = graph, .leads = leads, .first = {-1, -1}};
    d.is_dealt = calloc(count, sizeof *d.is_dealt);
    d.old = malloc(count * sizeof *d.old);
    enum noe_status status = d.is_dealt && d.old ? NOE_OK : NOE_NO_MEMORY;
    if (status == NOE_OK) {
        memset(leads, 0, count * sizeof *leads);
        deal_all(&d);
        status = program_reorder(program, d.old);
    }
    free(d.is_dealt);
    free(d.old);
    return status;
}
