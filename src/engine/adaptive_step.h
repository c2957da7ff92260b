/* Steps whose length is an unknown, where the method has an equation for it. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_DURATION_H
#define ENGINE_DURATION_H

#include "engine/predictor.h"
#include "methods/energy_adaptive/step_size_search.h"

struct duration {
    struct length length;
    struct predictor predictor; /* of h over the steps */
    real *u;                    /* the root of each lane, while others go on */
    real *before, *turn;        /* the root for another length, and du / d log h */
    int nu;
    int iterations; /* of all lengths of a step */
};

struct noe_work;

void duration_layout(struct duration *duration, struct arena *arena, int nu);
/* Forgets earlier steps, all but that the first had the length h. */
void duration_forget(struct duration *duration, int order, real h);
/* A length that keeps the discrete energy, and the root for it; or the given length. */
noe_outcome duration_solve(struct noe_work *work);
/* After `finish`: the discrete energy of the end. */
void duration_settle(struct noe_work *work);
/* Adds the lengths that were tried to the effort. */
void duration_count(struct noe_work *work);

#endif
