/* What a model file states of an ensemble: which numbers vary from member to member. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ENSEMBLE_DEFINITION_H
#define MODEL_ENSEMBLE_DEFINITION_H

#include "base/real.h"

enum ensemble_definition_law {
    ENSEMBLE_DEFINITION_GRID,
    ENSEMBLE_DEFINITION_NORMAL,
    ENSEMBLE_DEFINITION_UNIFORM
};

/* One number of a member. */
struct ensemble_definition_number {
    char *name; /* as it was stated: "q", "x[2]'" */
    bool is_parameter, is_velocity;
    int index; /* of the parameter, or of the number of q or of v */
    enum ensemble_definition_law law;
    real a, b;  /* ends of the grid; mean and deviation; ends of the interval */
    long count; /* of a grid */
};

struct ensemble_definition {
    int count;
    struct ensemble_definition_number *number;
    long members; /* 0: not stated */
    unsigned long seed;
    bool has_seed;
};

void ensemble_definition_free(struct ensemble_definition *population);
/* How many points the grid has; -1: more than can be counted. */
long ensemble_definition_grid(const struct ensemble_definition *population);
/* Writes the numbers of a member, in their order. Members go through the grid with the last number
 * fastest, and through it again with other random ones. */
void ensemble_definition_draw(const struct ensemble_definition *population, unsigned long seed,
                              long member, real *value);

#endif
