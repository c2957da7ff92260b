/* Steps whose length is an unknown, where the method has an equation for it. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ADAPTIVE_STEP_H
#define ENGINE_ADAPTIVE_STEP_H

#include "engine/predictor.h"
#include "methods/energy_adaptive/step_size_search.h"

struct adaptive_step {
    struct step_size_search length;
    struct predictor predictor; /* of h over the steps */
    real *u;                    /* the root of each lane, while others go on */
    real *before, *turn;        /* the root for another length, and du / d log h */
    int nu;
    int iterations; /* of all lengths of a step */
};

struct noe_work;

void adaptive_step_layout(struct adaptive_step *adaptive_step, struct arena *arena, int nu);
/* Forgets earlier steps, all but that the first had the length h. */
void adaptive_step_forget(struct adaptive_step *adaptive_step, int order, real h);
/* A length that keeps the discrete energy, and the root for it; or the given length. */
noe_lane_status adaptive_step_solve(struct noe_work *work);
/* After `finish`: the discrete energy of the end. */
void adaptive_step_settle(struct noe_work *work);
/* Adds the lengths that were tried to the effort. */
void adaptive_step_count(struct noe_work *work);

#endif
