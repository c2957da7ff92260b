/* What a model file states of an optimal control problem. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_HORIZON_H
#define MODEL_HORIZON_H

#include "model/graph/graph.h"

/* A declared control: numbers that stand among the parameters. */
struct horizon_control {
    char *name;
    int rank, rows;
    int first, number; /* its first among the controls' numbers, and among the parameters' */
    int line, column;
};

/* An expression that is to stay between two numbers. */
struct horizon_bound {
    char *text;
    int node;
    real least, most;
};

struct horizon {
    int ncontrols, m; /* controls, and their numbers */
    struct horizon_control *control;
    real *least, *most; /* of each number */

    int cost, terminal; /* nodes, or -1 */
    int line, column;   /* where what is to be minimal is stated */
    int nbounds;
    struct horizon_bound *bound;
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
bool horizon_make_targets(struct horizon *horizon, int n, int np);
void horizon_free(struct horizon *horizon);

#endif
