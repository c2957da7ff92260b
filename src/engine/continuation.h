/* Numerical continuation of the root of a step from smaller step sizes. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CONTINUATION_H
#define ENGINE_CONTINUATION_H

#include "base/arena.h"
#include "base/lane_status.h"

struct continuation {
    real *root, *before; /* the last two roots */
    real *kept;          /* unknowns of other lanes */
    real *scale;         /* scale of the unknowns in earlier steps */
    real reached; /* fraction of the last step up to which the root exists; 1 for the whole step, 0
                     if unknown */
};

struct noe_work;

void continuation_layout(struct continuation *follow, struct arena *arena,
                         const struct noe_problem *problem);
/* True if continuation in the step size applies to this problem. */
bool continuation_serves(const struct noe_problem *problem);
/* Finds the root in the lanes `where`, in the form of newton_solve. Returns NOE_NOT_CONVERGED if
 * the root ends before the whole step. Other lanes, and lanes without a first root, keep their
 * unknowns and their status. */
noe_lane_status continuation_solve(struct noe_work *work, noe_lane_status outcome, mask where);

#endif
