/* A run of a model stated in text, for tests that compare numbers. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LOADED_H
#define TESTS_LOADED_H

#include "methods.h"
#include "noether_model.h"

struct loaded {
    struct noe_model *model;
    struct run run;
};

/* Loads a model and starts it with the method and step it states; fails the test if it cannot. */
void loaded_open(struct loaded *loaded, const char *text);
/* Takes a number of steps; the state is valid until the next call. */
const struct noe_state *loaded_steps(struct loaded *loaded, long count);
void loaded_close(struct loaded *loaded);

/* Fails unless `seen` is within the tolerance of `expected`. */
void assert_near(const char *what, double seen, double expected, double tolerance);

#endif
