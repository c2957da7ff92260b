/* Ensemble as stated in a model file: the quantities that vary between members and their
 * distributions. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ENSEMBLE_DEFINITION_H
#define MODEL_ENSEMBLE_DEFINITION_H

#include "base/real.h"

enum ensemble_definition_law {
    ENSEMBLE_DEFINITION_GRID,
    ENSEMBLE_DEFINITION_NORMAL,
    ENSEMBLE_DEFINITION_UNIFORM
};

/* A quantity that varies. */
struct ensemble_definition_number {
    char *name; /* as stated: "q", "x[2]'" */
    bool is_parameter, is_velocity;
    int index; /* index of the parameter, or of the component of q or v */
    enum ensemble_definition_law law;
    real a, b;  /* ends of the grid; mean and standard deviation; ends of the interval */
    long count; /* number of grid points */
};

struct ensemble_definition {
    int count;
    struct ensemble_definition_number *number;
    long members; /* 0: not stated */
    unsigned long seed;
    bool has_seed;
};

void ensemble_definition_free(struct ensemble_definition *ensemble);
/* Number of points of the grid, or -1 on overflow. */
long ensemble_definition_grid(const struct ensemble_definition *ensemble);
/* Writes the values of one member in the order of the statements. Members traverse the grid with
 * the last quantity fastest, and traverse it again with new random values. */
void ensemble_definition_draw(const struct ensemble_definition *ensemble, unsigned long seed,
                              long member, real *value);

#endif
