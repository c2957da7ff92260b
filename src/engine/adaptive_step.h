/* Adaptive steps: the step size is an unknown that solves an energy equation. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ADAPTIVE_STEP_H
#define ENGINE_ADAPTIVE_STEP_H

#include "engine/predictor.h"
#include "methods/energy_adaptive/step_size_search.h"

struct adaptive_step {
    struct step_size_search length;
    struct predictor predictor; /* predictor of the step size */
    real *u;                    /* roots of the lanes that have converged */
    real *before, *turn;        /* the root of the previous trial, and du / d log h */
    int nu;
    int iterations; /* Newton iterations of all trials of a step */
};

struct noe_work;

void adaptive_step_layout(struct adaptive_step *adaptive_step, struct arena *arena, int nu);
/* Resets the history. The first step size was h. */
void adaptive_step_forget(struct adaptive_step *adaptive_step, int order, real h);
/* Finds the step size that preserves the discrete energy, and its root, or takes the given step
 * size. */
noe_lane_status adaptive_step_solve(struct noe_work *work);
/* After `update`: computes the discrete energy at the end of the step. */
void adaptive_step_settle(struct noe_work *work);
/* Adds the trials to the statistics of the run. */
void adaptive_step_count(struct noe_work *work);

#endif
