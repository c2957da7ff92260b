/* Batch of runs of one problem: the data of one group of SIMD lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_LANES_BATCH_H
#define ENGINE_LANES_BATCH_H

#include "base/batch_abi.h"
#include "engine/advance.h"

struct runs {
    struct noe_problem problem; /* problem of this group, with its own system */
    struct noe_system system;   /* system with the parameters of the lanes */
    int nparameters;
    real *parameters;
    real energy;
    noe_lane_status outcome; /* status of the last observation */
    struct noe_work *work;
};

/* Freezes the lanes whose step failed. */
static inline void batch_hold_lost(struct noe_work *work, noe_lane_status outcome) {
    const mask is_lost = work->interval.is_active & (outcome != NOE_OK);
    if (mask_any(is_lost)) advance_freeze_lanes(work, outcome, is_lost);
}

#endif
