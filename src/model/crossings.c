/* The rates of the functions that a run crosses. */
/* SPDX-License-Identifier: MIT */
#include "model/crossings.h"

#include <stdlib.h>

bool crossings_make_rates(struct source_model *model, const struct directions *directions) {
    struct graph *graph = &model->graph;
    int *gradient = malloc(((size_t)directions->n + 1) * sizeof *gradient);
    bool is_made = gradient != NULL;
    for (int i = 0; i < model->ncrossings && is_made; i++) {
        struct source_crossing *crossing = &model->crossing[i];
        crossing->rate = graph_number(graph, 0);
        if (graph_depends(graph, crossing->node) & GRAPH_ON_VELOCITY) continue;
        is_made = directions_gradient(directions, graph, crossing->node, gradient);
        if (is_made)
            crossing->rate = directions_rate_in_time(directions, graph, crossing->node, gradient);
    }
    free(gradient);
    return is_made;
}
