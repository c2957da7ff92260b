/* Optimal control problem as stated in a model file. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CONTROL_CONTROL_DEFINITION_H
#define MODEL_CONTROL_CONTROL_DEFINITION_H

#include "model/graph/graph.h"

/* A declared control. Its components are stored among the parameters. */
struct control_definition_control {
    char *name;
    int rank, rows;
    int first, number; /* first index among the controls' components and among the parameters */
    int line, column;
};

/* A path constraint: an expression with lower and upper bound. */
struct control_definition_bound {
    char *text;
    int node;
    real min, max;
};

struct control_definition {
    int ncontrols, m; /* number of controls, and of their components */
    struct control_definition_control *control;
    real *min, *max; /* bounds of each component */

    int cost, terminal; /* nodes, or -1 */
    int line, column;   /* position of the objective's statement */
    int nbounds;
    struct control_definition_bound *bound;
    long steps; /* number of intervals; 0: not stated */
    bool has_free_end;
    real end_min, end_max; /* bounds of a free end time */

    /* By component of the point, of the velocity and of the controls. */
    bool *q_is_final, *v_is_final, *q_is_periodic, *v_is_periodic;
    real *q_final, *v_final;
    int final_line, final_column; /* position of the last of these statements */
    int *q_guess, *u_guess;       /* initial guess: nodes in time alone, or -1 */
};

/* Allocates the arrays for a point of np and a velocity of n components. False if memory ran
 * out. */
bool control_definition_make_targets(struct control_definition *problem, int n, int np);
void control_definition_free(struct control_definition *problem);

#endif
