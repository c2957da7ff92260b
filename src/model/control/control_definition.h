/* What a model file states of an optimal control problem. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CONTROL_CONTROL_DEFINITION_H
#define MODEL_CONTROL_CONTROL_DEFINITION_H

#include "model/graph/graph.h"

/* A declared control: numbers that stand among the parameters. */
struct control_definition_control {
    char *name;
    int rank, rows;
    int first, number; /* its first among the controls' numbers, and among the parameters' */
    int line, column;
};

/* An expression that is to stay between two numbers. */
struct control_definition_bound {
    char *text;
    int node;
    real min, max;
};

struct control_definition {
    int ncontrols, m; /* controls, and their numbers */
    struct control_definition_control *control;
    real *min, *max; /* of each number */

    int cost, terminal; /* nodes, or -1 */
    int line, column;   /* where what is to be minimal is stated */
    int nbounds;
    struct control_definition_bound *bound;
    long steps; /* 0: not stated */
    bool has_free_end;
    real end_least, end_most; /* of the end time, where it is free */

    /* By number of the point, of the velocity, of the controls. */
    bool *q_is_final, *v_is_final, *q_is_periodic, *v_is_periodic;
    real *q_final, *v_final;
    int final_line, final_column; /* where the last of them is stated */
    int *q_guess, *u_guess;       /* nodes in time alone, or -1 */
};

/* Room for what is said of a point of np numbers and a velocity of n; false: out of memory. */
bool control_definition_make_targets(struct control_definition *horizon, int n, int np);
void control_definition_free(struct control_definition *horizon);

#endif
