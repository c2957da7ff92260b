/* How the numbers of a point move with each number of its velocity. */
/* SPDX-License-Identifier: MIT */
#include "model/directions.h"

#include <stdlib.h>

/* Terms of the frames of all factors: as many rates as there will be. */
static int count_rates(const struct source_model *model) {
    int count = 0;
    for (int i = 0; i < model->nfactors; i++) {
        const struct noe_factor *factor = &model->factor[i];
        count += factor->space->frame ? factor->space->nframe : factor->size;
    }
    return count;
}

/* d g[point] = factor g[from] s[tangent]: the terms of one direction of a group. */
static int add_frame(struct graph *graph, const struct noe_space *space, int tangent, int point,
                     struct graph_rate *rate) {
    int count = 0;
    for (int k = 0; k < space->nframe; k++) {
        const struct noe_frame *term = &space->frame[k];
        if (term->tangent != tangent) continue;
        const int from = graph_leaf(graph, GRAPH_POINT, point + term->from);
        const int factor = graph_number(graph, term->factor);
        rate[count++] = (struct graph_rate){point + term->point, graph_mul(graph, factor, from)};
    }
    return count;
}

static void add_factor(struct directions *d, struct graph *graph, const struct noe_factor *factor,
                       int *direction, int *point) {
    const struct noe_space *space = factor->space;
    const int tangents = space->tangent * factor->size, begin = *direction;
    for (int i = 0; i < tangents; i++, ++*direction) {
        const int at = *direction;
        struct graph_rate *rate = d->rate + d->first[at];
        int count = 1;
        if (space->frame)
            count = add_frame(graph, space, i, *point, rate);
        else
            *rate = (struct graph_rate){*point + i, graph_number(graph, 1)};
        d->first[at + 1] = d->first[at] + count;
        d->begin[at] = space->frame ? begin : at;
        d->end[at] = space->frame ? begin + tangents : at + 1;
    }
    *point += space->point * factor->size;
}

bool directions_make(struct directions *d, struct source_model *model) {
    const size_t n = (size_t)model->n + 1, rates = (size_t)count_rates(model) + 1;
    *d = (struct directions){.n = model->n, .np = model->np};
    d->first = calloc(n, sizeof *d->first);
    d->begin = calloc(n, sizeof *d->begin);
    d->end = calloc(n, sizeof *d->end);
    d->rate = calloc(rates, sizeof *d->rate);
    if (!d->first || !d->begin || !d->end || !d->rate) return false;
    int direction = 0, point = 0;
    for (int i = 0; i < model->nfactors; i++)
        add_factor(d, &model->graph, &model->factor[i], &direction, &point);
    return !model->graph.failed;
}

void directions_clear(struct directions *directions) {
    free(directions->first);
    free(directions->begin);
    free(directions->end);
    free(directions->rate);
    *directions = (struct directions){0};
}

int directions_rate(const struct directions *d, struct graph *graph, int root, int i) {
    return graph_rate(graph, root, GRAPH_POINT, d->first[i + 1] - d->first[i],
                      d->rate + d->first[i]);
}

void directions_gradient(const struct directions *d, struct graph *graph, const int *gradient,
                         int *rate) {
    for (int i = 0; i < d->n; i++) {
        rate[i] = graph_number(graph, 0);
        for (int k = d->first[i]; k < d->first[i + 1]; k++) {
            const int share = graph_mul(graph, gradient[d->rate[k].index], d->rate[k].node);
            rate[i] = graph_add(graph, rate[i], share);
        }
    }
}

bool directions_meet(const struct directions *d, int i, const bool *used) {
    for (int k = d->first[i]; k < d->first[i + 1]; k++)
        if (used[d->rate[k].index]) return true;
    return false;
}
