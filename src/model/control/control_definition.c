/* Optimal control problem as stated in a model file. */
/* SPDX-License-Identifier: MIT */
#include "model/control/control_definition.h"

#include <stdlib.h>

static int *no_nodes(int count) {
    int *node = malloc(((size_t)count + 1) * sizeof *node);
    for (int i = 0; node && i < count; i++) node[i] = -1;
    return node;
}

bool control_definition_make_targets(struct control_definition *problem, int n, int np) {
    if (problem->q_final) return true;
    const size_t points = (size_t)np + 1, velocities = (size_t)n + 1;
    problem->q_is_final = calloc(points, sizeof(bool));
    problem->v_is_final = calloc(velocities, sizeof(bool));
    problem->q_is_periodic = calloc(points, sizeof(bool));
    problem->v_is_periodic = calloc(velocities, sizeof(bool));
    problem->v_final = calloc(velocities, sizeof(real));
    problem->q_guess = no_nodes(np);
    problem->u_guess = no_nodes(problem->m);
    problem->q_final = calloc(points, sizeof(real));
    return problem->q_is_final && problem->v_is_final && problem->q_is_periodic &&
           problem->v_is_periodic && problem->v_final && problem->q_guess && problem->u_guess &&
           problem->q_final;
}

void control_definition_free(struct control_definition *problem) {
    if (!problem) return;
    for (int i = 0; i < problem->ncontrols; i++) free(problem->control[i].name);
    for (int i = 0; i < problem->nbounds; i++) free(problem->bound[i].text);
    free(problem->control);
    free(problem->min);
    free(problem->max);
    free(problem->bound);
    free(problem->q_is_final);
    free(problem->v_is_final);
    free(problem->q_is_periodic);
    free(problem->v_is_periodic);
    free(problem->q_final);
    free(problem->v_final);
    free(problem->q_guess);
    free(problem->u_guess);
    free(problem);
}
