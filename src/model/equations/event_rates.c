/* Time derivatives of the event functions of a model. */
/* SPDX-License-Identifier: MIT */
#include "model/equations/event_rates.h"

#include <stdlib.h>

bool event_rates_make(struct definition *model, const struct frame_derivative *frame) {
    struct graph *graph = &model->graph;
    int *gradient = malloc(((size_t)frame->n + 1) * sizeof *gradient);
    int *along = malloc(((size_t)frame->n + 1) * sizeof *along);
    bool is_made = gradient && along;
    for (int i = 0; i < model->nevents && is_made; i++) {
        struct definition_event *event = &model->event[i];
        event->rate = graph_number(graph, 0);
        if (graph_depends(graph, event->node) & GRAPH_ON_VELOCITY) continue;
        is_made = frame_gradient(frame, graph, event->node, gradient);
        if (!is_made) break;
        const int count = frame_of(frame, graph, event->node, along);
        event->rate = frame_rate_in_time(graph, event->node, count, along, gradient);
    }
    free(along);
    free(gradient);
    return is_made;
}
