/* Schedules independent divisions and square roots in pairs, so that one SIMD instruction computes
 * both. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/program_pairs.h"

#include <stdlib.h>
#include <string.h>

enum { DIVISION, ROOT, KIND_COUNT };
enum { POSTPONED_MAX = 64 }; /* max postponed steps, because their operands occupy registers */

/* List scheduler: steps are issued in their old order. A step is postponed until its operands have
 * been issued. The first of a pair is postponed until a second one is ready. */
struct scheduler {
    struct program *program;
    const struct graph *graph;
    bool *starts_pair, *is_issued; /* by new and by old index */
    int *old;                      /* old index by new index */
    int count;
    int first[KIND_COUNT]; /* first of an open pair, or -1 */
    int npostponed, postponed[POSTPONED_MAX + 1];
};

/* Returns DIVISION, ROOT or -1. */
static int kind_of(const struct scheduler *d, int step) {
    const struct graph_node *node = &d->graph->node[d->program->step[step]];
    if (node->op == GRAPH_DIV) return DIVISION;
    if (node->op != GRAPH_CALL) return -1;
    return strcmp(graph_functions[node->f].c_name, "noe_sqrt") == 0 ? ROOT : -1;
}

static bool is_ready(const struct scheduler *d, int step) {
    int child[2];
    const int count = program_children(&d->graph->node[d->program->step[step]], child);
    for (int k = 0; k < count; k++) {
        const int place = d->program->place[child[k]];
        if (place >= 0 && !d->is_issued[place]) return false;
    }
    return true;
}

static void issue(struct scheduler *d, int step) {
    d->old[d->count++] = step;
    d->is_issued[step] = true;
}

/* Issues a step that is ready, or keeps it as the first of a pair. */
static void issue_or_hold(struct scheduler *d, int step) {
    const int kind = kind_of(d, step);
    if (kind >= 0 && d->first[kind] < 0) {
        d->first[kind] = step;
        return;
    }
    if (kind >= 0) {
        d->starts_pair[d->count] = true;
        issue(d, d->first[kind]);
        d->first[kind] = -1;
    }
    issue(d, step);
}

/* Issues postponed steps that have become ready, until nothing changes. */
static void issue_postponed(struct scheduler *d) {
    for (int before = -1; before != d->npostponed;) {
        before = d->npostponed;
        d->npostponed = 0;
        for (int i = 0; i < before; i++) {
            if (is_ready(d, d->postponed[i]))
                issue_or_hold(d, d->postponed[i]);
            else
                d->postponed[d->npostponed++] = d->postponed[i];
        }
    }
}

/* Issues the first steps of open pairs without a second. */
static void issue_unpaired(struct scheduler *d) {
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (d->first[kind] >= 0) issue(d, d->first[kind]);
        d->first[kind] = -1;
    }
    issue_postponed(d);
}

static void issue_all(struct scheduler *d) {
    for (int i = 0; i < d->program->nsteps; i++) {
        const int before = d->count;
        if (is_ready(d, i))
            issue_or_hold(d, i);
        else
            d->postponed[d->npostponed++] = i;
        if (d->count > before) issue_postponed(d);
        while (d->npostponed == POSTPONED_MAX) issue_unpaired(d);
    }
    while (d->count < d->program->nsteps) issue_unpaired(d);
}

enum noe_status program_pairs(struct program *program, const struct graph *graph,
                              bool *starts_pair) {
    const size_t count = (size_t)program->nsteps + 1;
    struct scheduler d = {
        .program = program, .graph = graph, .starts_pair = starts_pair, .first = {-1, -1}};
    d.is_issued = calloc(count, sizeof *d.is_issued);
    d.old = malloc(count * sizeof *d.old);
    enum noe_status status = d.is_issued && d.old ? NOE_OK : NOE_NO_MEMORY;
    if (status == NOE_OK) {
        memset(starts_pair, 0, count * sizeof *starts_pair);
        issue_all(&d);
        status = program_reorder(program, d.old);
    }
    free(d.is_issued);
    free(d.old);
    return status;
}
