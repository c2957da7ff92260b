/* Runs of a model by every path: by the library's own steps, by a stepper compiled for it, and in
 * lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PATHS_H
#define TESTS_PATHS_H

#include "methods.h"
#include "model_text.h"

struct paths_row {
    const char *text, *method;
    double far; /* lanes are nearer than this to a run alone; 0: 2e-13 (measured: 1e-13) */
};

struct paths {
    const struct paths_row *rows;
    int nrows;
    double h;
    /* Where member `index` begins; the first of them as the model says. */
    void (*begin)(const struct noe_model *model, int index, real *q, real *v);
};

/* Compiled steppers have the bits of the library's own. */
void paths_check_specialised(const struct paths *paths);
/* Lanes of every width have the same bits. They take a new Jacobian in every iteration: a run alone
 * agrees to round-off, not in bits. */
void paths_check_lanes(const struct paths *paths);

#endif
