/* All that changes in a run, in one block of memory. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include "base/arena.h"
#include "engine/contraction.h"
#include "engine/newton.h"
#include "engine/predictor.h"
#include "methods/interval.h"
#include "methods/legendre.h"

struct noe_work {
    const struct noe_problem *problem;
    size_t bytes;
    struct noe_state state[2], *now, *next; /* `now` changes only when a step succeeds */
    real t0;                                /* time of step 0 */
    real t0_before;                         /* the same before the last step of a given length */
    real h_next;                            /* step to try next, where the method adapts it */
    struct noe_interval interval;
    struct legendre legendre;
    struct newton newton;
    struct predictor predictor;
    struct contraction contraction;
    real *velocity, *values; /* what noe_measure hands out */
    real *variation;         /* 4n numbers: a variation before and after a step */
    struct noe_effort effort;
    bool has_start;
};

/* The problem of a run; a constant in a specialised stepper, as in interval_problem. */
static inline const struct noe_problem *work_problem(const struct noe_work *work) {
    return interval_problem(&work->interval);
}

#endif
