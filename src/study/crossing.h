/* Where the crossing functions of a system change their sign along a run. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_CROSSING_H
#define STUDY_CROSSING_H

#include "base/arena.h"
#include "noether.h"

struct crossing {
    const struct noe_system *system;
    int *side;               /* sign of each function; 0: it has not left zero yet */
    real *start, *end;       /* their values at the ends of the last step */
    real *low, *high, *here; /* in a search: at the ends of the bracket, at the current state */
    bool is_first;           /* the next step is the first of the run */
    int found;               /* the function that was found to cross in the last step, or -1 */
    real value;              /* what it is there: zero to round-off */
};

void crossing_layout(struct crossing *crossing, struct arena *arena,
                     const struct noe_system *system);
/* Begins at the current state of `work`, whose velocity is v. */
enum noe_status crossing_start(struct crossing *crossing, struct noe_work *work, const real *v,
                               struct noe_error *error);
/* After a step, whose end was measured in `moment`: if functions crossed zero in it, the step is
 * taken again up to the first crossing, to round-off, measured there, and `found` says which. */
enum noe_status crossing_find(struct crossing *crossing, struct noe_work *work,
                              struct noe_moment *moment, struct noe_error *error);

#endif
