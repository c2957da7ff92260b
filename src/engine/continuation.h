/* The root of a step, followed from shorter steps. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CONTINUATION_H
#define ENGINE_CONTINUATION_H

#include "base/arena.h"
#include "base/lane_status.h"

struct continuation {
    real *root, *before; /* the last two that were found, */
    real *kept;          /* and the unknowns of other lanes; */
    real *scale;         /* of the unknowns in earlier steps */
    real reached; /* the part of the last step that has a root: 1 if all has, 0 if nobody knows */
};

struct noe_work;

void continuation_layout(struct continuation *follow, struct arena *arena,
                         const struct noe_problem *problem);
/* Is a root of this problem for a shorter step near one for a longer? */
bool continuation_serves(const struct noe_problem *problem);
/* The root in the lanes `where`, as newton_solve leaves it, or NOE_NOT_CONVERGED if it ends on the
 * way. Other lanes keep theirs and their outcome, and so do those with no root to begin with. */
noe_lane_status continuation_solve(struct noe_work *work, noe_lane_status outcome, mask where);

#endif
