/* Runs of a model by every path: generic steps, a specialised stepper, SIMD lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PATHS_H
#define TESTS_PATHS_H

#include "methods.h"
#include "model_text.h"

struct paths_row {
    const char *text, *method;
    double far; /* max distance of lanes from a scalar run; 0: 2e-13 (measured: 1e-13) */
};

struct paths {
    const struct paths_row *rows;
    int nrows;
    double h;
    /* Start of member `index`; member 0 starts as the model states. */
    void (*begin)(const struct noe_model *model, int index, real *q, real *v);
};

/* Specialised steppers give the bits of the generic steps. */
void paths_check_specialised(const struct paths *paths);
/* Lanes of every width give the same bits. They evaluate the Jacobian in every iteration, so a
 * scalar run agrees to round-off and not in bits. */
void paths_check_lanes(const struct paths *paths);

#endif
