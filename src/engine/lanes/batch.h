/* Runs of one problem side by side: what one group of lanes has. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_LANES_BATCH_H
#define ENGINE_LANES_BATCH_H

#include "base/batch_abi.h"
#include "engine/advance.h"

struct runs {
    struct noe_problem problem; /* with a system of its own: */
    struct noe_system system;   /* its parameters are those of the lanes */
    int nparameters;
    real *parameters;
    real energy;
    noe_lane_status outcome; /* the last measurement's */
    struct noe_work *work;
};

/* Lanes whose step failed stay where they were. */
static inline void batch_hold_lost(struct noe_work *work, noe_lane_status outcome) {
    const mask is_lost = work->interval.is_active & (outcome != NOE_OK);
    if (mask_any(is_lost)) advance_freeze_lanes(work, outcome, is_lost);
}

#endif
