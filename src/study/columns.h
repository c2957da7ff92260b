/* The names of the columns of a recorded trajectory. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_COLUMNS_H
#define STUDY_COLUMNS_H

#include "noether.h"

/* The names of the columns of a row, in order: t, configuration, velocity, momentum, energy,
 * invariants, observed quantities; step and discrete energy where the method finds the step. NULL:
 * out of memory. Free with columns_free. */
char **columns_create(const struct noe_model *model, const struct noe_method *method, int *count);
void columns_free(char **names, int count);

#endif
