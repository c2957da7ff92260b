/* The first guess of the unknowns: extrapolation of their values in earlier steps. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PREDICTOR_H
#define ENGINE_PREDICTOR_H

#include <stdbool.h>

#include "base/arena.h"

enum { PREDICTOR_DEPTH = 7 };

/* Backward differences of the unknowns, those of one degree side by side. */
struct predictor {
    int age;                  /* roots learnt, counted up to the next choice of a degree */
    lane_index known, degree; /* differences known and used */
    real *difference;         /* those not known hold what is no use */
};

/* For n unknowns, as all that follows. */
void predictor_layout(struct predictor *predictor, struct arena *arena, int n);
/* As it is before the first step of a run. */
void predictor_start(struct predictor *predictor);
/* Forgets the roots. */
void predictor_reset(struct predictor *predictor, mask where);
/* Writes the guess into u; false where there is no past to extrapolate. */
mask predictor_guess(const struct predictor *predictor, int n, real *u);
/* Learns the root u of the step. */
void predictor_learn(struct predictor *predictor, int n, const real *u);

#endif
