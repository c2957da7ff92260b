/* The first guess of the unknowns: extrapolation of their values in earlier steps. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PREDICTOR_H
#define ENGINE_PREDICTOR_H

#include <stdbool.h>

#include "base/arena.h"

enum { PREDICTOR_DEPTH = 5 };

/* Backward differences of the unknowns, those of one unknown side by side. */
struct predictor {
    int n, known, degree; /* unknowns, differences known, differences used */
    real *difference;
};

void predictor_layout(struct predictor *predictor, struct arena *arena, int n);
/* Forgets everything. */
void predictor_reset(struct predictor *predictor);
/* Writes the guess into u; false if there is no past to extrapolate. */
bool predictor_guess(const struct predictor *predictor, real *u);
/* Learns the root u of the step. */
void predictor_learn(struct predictor *predictor, const real *u);

#endif
