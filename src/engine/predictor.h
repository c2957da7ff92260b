/* The first guess of the unknowns: extrapolation of their values in earlier steps. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PREDICTOR_H
#define ENGINE_PREDICTOR_H

#include <stdbool.h>

#include "base/arena.h"

enum { PREDICTOR_DEPTH = 5 };

/* Backward differences of the unknowns, those of one unknown side by side. */
struct predictor {
    int n;                  /* unknowns */
    lane_int known, degree; /* differences known, differences used */
    real *difference;       /* those not known hold what is no use */
};

void predictor_layout(struct predictor *predictor, struct arena *arena, int n);
/* Forgets everything. */
void predictor_reset(struct predictor *predictor, truth where);
/* Writes the guess into u; false where there is no past to extrapolate. */
truth predictor_guess(const struct predictor *predictor, real *u);
/* Learns the root u of the step. */
void predictor_learn(struct predictor *predictor, const real *u);

#endif
