/* One step of a method as expressions in all that an optimal control problem leaves open. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CONTROL_TRANSCRIBE_H
#define MODEL_CONTROL_TRANSCRIBE_H

#include "model/model.h"
#include "noether_control.h"

/* What the expressions read as parameters, behind the model's own numbers: the interval's number,
 * and the points about which its ends are taken. */
enum { TRANSCRIBE_NUMBER, TRANSCRIBE_POINTS };

/* Values as nodes; the cost is the last. Variables are POINT leaves in the order that struct
 * noe_transcription states. */
struct transcribe_values {
    int nz, nc;
    int *node; /* nc + 1 */
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
