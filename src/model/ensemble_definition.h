/* What a model file states of an ensemble: which numbers vary from member to member. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POPULATION_H
#define MODEL_POPULATION_H

#include "base/real.h"

enum population_law { POPULATION_GRID, POPULATION_NORMAL, POPULATION_UNIFORM };

/* One number of a member. */
struct population_number {
    char *name; /* as it was stated: "q", "x[2]'" */
    bool is_parameter, is_velocity;
    int index; /* of the parameter, or of the number of q or of v */
    enum population_law law;
    real a, b;  /* ends of the grid; mean and deviation; ends of the interval */
    long count; /* of a grid */
};

struct population {
    int count;
    struct population_number *number;
    long members; /* 0: not stated */
    unsigned long seed;
    bool has_seed;
};

void population_free(struct population *population);
/* How many points the grid has; -1: more than can be counted. */
long population_grid(const struct population *population);
/* Writes the numbers of a member, in their order. Members go through the grid with the last number
 * fastest, and through it again with other random ones. */
void population_draw(const struct population *population, unsigned long seed, long member,
                     real *value);

#endif
