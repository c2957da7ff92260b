/* Runs of models with energy-adaptive methods, whose step size is an unknown. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ENERGY_H
#define TESTS_ENERGY_H

#include "engine/advance.h"
#include "methods.h"
#include "noether_model.h"

struct energy_run {
    struct noe_model *model;
    struct run run;
};

/* Interprets the text and starts it. Sets a parameter if `set` is not NULL. */
void energy_open(struct energy_run *e, const char *text, const char *set, const char *method,
                 real h);
/* Takes the steps, or fails the test. */
const struct noe_state *energy_steps(struct energy_run *e, long count);
void energy_close(struct energy_run *e);

#endif
