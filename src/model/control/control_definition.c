/* Optimal control problem as stated in a model file. */
/* SPDX-License-Identifier: MIT */
#include "model/control/control_definition.h"

#include <stdlib.h>

static int *no_nodes(int count) {
    int *node = malloc(((size_t)count + 1) * sizeof *node);
    for (int i = 0; node && i < count; i++) node[i] = -1;
    return node;
}

bool control_definition_make_targets(struct control_definition *horizon, int n, int np) {
    if (horizon->q_final) return true;
    const size_t points = (size_t)np + 1, velocities = (size_t)n + 1;
    horizon->q_is_final = calloc(points, sizeof(bool));
    horizon->v_is_final = calloc(velocities, sizeof(bool));
    horizon->q_is_periodic = calloc(points, sizeof(bool));
    horizon->v_is_periodic = calloc(velocities, sizeof(bool));
    horizon->v_final = calloc(velocities, sizeof(real));
    horizon->q_guess = no_nodes(np);
    horizon->u_guess = no_nodes(horizon->m);
    horizon->q_final = calloc(points, sizeof(real));
    return horizon->q_is_final && horizon->v_is_final && horizon->q_is_periodic &&
           horizon->v_is_periodic && horizon->v_final && horizon->q_guess && horizon->u_guess &&
           horizon->q_final;
}

void control_definition_free(struct control_definition *horizon) {
    if (!horizon) return;
    for (int i = 0; i < horizon->ncontrols; i++) free(horizon->control[i].name);
    for (int i = 0; i < horizon->nbounds; i++) free(horizon->bound[i].text);
    free(horizon->control);
    free(horizon->min);
    free(horizon->max);
    free(horizon->bound);
    free(horizon->q_is_final);
    free(horizon->v_is_final);
    free(horizon->q_is_periodic);
    free(horizon->v_is_periodic);
    free(horizon->q_final);
    free(horizon->v_final);
    free(horizon->q_guess);
    free(horizon->u_guess);
    free(horizon);
}
