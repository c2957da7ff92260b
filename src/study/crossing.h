/* Where the crossing functions of a system change their sign along a run. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_CROSSING_H
#define STUDY_CROSSING_H

#include "base/arena.h"
#include "noether.h"

struct crossing {
    const struct noe_system *system;
    bool only_stops;                 /* what sections say does not count */
    struct noe_signs signs;          /* sides, and the functions at the ends of the last step */
    real *low, *high, *here, *other; /* in a search: at points of the last step, */
    real *base;                      /* and where it began */
    struct noe_work *part;           /* where parts of steps are taken */
    bool is_first;                   /* the next step is the first of the run */
    real searched;                   /* up to this part of the last step */
    /* What was found in the last step: which function, or -1; at which part of its length; what it
     * is there, zero to round-off. */
    int found;
    real at, value;
};

void crossing_layout(struct crossing *crossing, struct arena *arena,
                     const struct noe_system *system);
/* Begins at the current state of `work`, whose velocity is v. `part` is another work of the same
 * problem. */
enum noe_status crossing_start(struct crossing *crossing, struct noe_work *part,
                               struct noe_work *work, const real *v, struct noe_error *error);
/* Looks at the end of a step, whose velocity is v, where noe_steps_crossed did not. */
enum noe_status crossing_look(struct crossing *crossing, struct noe_work *work, const real *v,
                              struct noe_error *error);
/* Before the first search in a step whose end was looked at. */
enum noe_status crossing_begin(struct crossing *crossing, struct noe_work *work,
                               struct noe_error *error);
/* The next crossing in the last step of `work`, to round-off. It is found in `part`, which is there
 * afterwards and measured; at the very end of the step `part` is where it was, and `at` is 1. */
enum noe_status crossing_find(struct crossing *crossing, struct noe_work *work,
                              struct noe_error *error);

#endif
