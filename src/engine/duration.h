/* The length of a step as an unknown, where the method has an equation for it. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_DURATION_H
#define ENGINE_DURATION_H

#include "base/outcome.h"
#include "engine/predictor.h"

/* Why there is no step. */
enum duration_reason {
    DURATION_NONE,
    DURATION_STILL,
    DURATION_SIGN,
    DURATION_FLAT,
    DURATION_CAP,
    DURATION_SHRUNK
};

struct duration {
    struct predictor predictor; /* of log h over the steps */
    real *u;                    /* the root of each lane, while others go on */
    real *before, *turn;        /* the root for another length, and du / d log h */
    int nu;
    real first;              /* gap / h^order of the first step: the scale of the curvature */
    real part;               /* of the energy, that the first gap was */
    real slope, slope_error; /* d log gap / d log h at the last root, and how far off it may be */
    real gap;                /* at the start of the interval, for its length */
    real curvature;          /* of the last step, over the first */
    truth is_held;           /* the length of the last step was given */
    enum duration_reason reason;
    long tries;
    int iterations; /* of all lengths of a step */
};

struct noe_work;

void duration_layout(struct duration *duration, struct arena *arena, int nu);
/* Forgets earlier steps. */
void duration_forget(struct duration *duration, int order);
/* A length that keeps the discrete energy, and the root for it; or the given length. */
noe_outcome duration_solve(struct noe_work *work);
/* After `finish`: the discrete energy of the end. */
void duration_settle(struct noe_work *work);

#endif
