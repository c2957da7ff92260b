/* Direct transcription: one step of a method as expressions in the variables of an optimal control
 * problem. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CONTROL_TRANSCRIBE_H
#define MODEL_CONTROL_TRANSCRIBE_H

#include "model/control/transcription.h"
#include "model/model.h"

/* Parameters of the expressions behind the model's own: the index of the interval, and the points
 * that are the origins of its local coordinates. */
enum { TRANSCRIBE_NUMBER, TRANSCRIBE_POINTS };

/* Constraint values as nodes, followed by the cost. Variables are POINT leaves in the order stated
 * in struct noe_transcription. */
struct transcribe_values {
    int nz, nc;
    int *node; /* nc + 1 nodes */
};

struct transcribe_problem {
    const struct model *model;
    const struct noe_stages *stages;
    struct graph *graph;
    int npaths;
    const int *path; /* nodes of the model's graph */
};

enum noe_status transcribe_interval(const struct transcribe_problem *problem,
                                    struct transcribe_values *values);
enum noe_status transcribe_end(const struct transcribe_problem *problem,
                               struct transcribe_values *values);

#endif
