/* Predictor: initial guess of the unknowns by extrapolation of their values in earlier steps. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PREDICTOR_H
#define ENGINE_PREDICTOR_H

#include <stdbool.h>

#include "base/arena.h"

enum { PREDICTOR_DEPTH = 7 };

/* Backward differences of the unknowns, those of one degree in consecutive memory. */
struct predictor {
    int age;                  /* roots recorded since the last choice of the degree */
    lane_index known, degree; /* number of valid differences, and of those in use */
    real *difference;         /* invalid ones are never read */
};

/* Measures or carves the memory for n unknowns. */
void predictor_layout(struct predictor *predictor, struct arena *arena, int n);
/* Resets it for the first step of a run. */
void predictor_start(struct predictor *predictor);
/* Discards the history in the lanes `where`. */
void predictor_reset(struct predictor *predictor, mask where);
/* Writes the guess into u. False in lanes without history. */
mask predictor_guess(const struct predictor *predictor, int n, real *u);
/* Records the root u of the step. */
void predictor_learn(struct predictor *predictor, int n, const real *u);

#endif
