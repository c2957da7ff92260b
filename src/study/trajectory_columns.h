/* The names of the columns of a recorded trajectory. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_TRAJECTORY_COLUMNS_H
#define STUDY_TRAJECTORY_COLUMNS_H

#include "noether_control.h"

/* The names of the columns of a row, in order: t, configuration, velocity, momentum, energy,
 * invariants, observed quantities; step and discrete energy where the method finds the step;
 * with a reference the distance from it and its energy. NULL: out of memory. Free with
 * columns_free. */
char **columns_create(const struct noe_model *model, const struct noe_method_info *method,
                      bool has_reference, int *count);
/* Those of the path of an optimal control problem: t, configuration, velocity, momentum, controls,
 * costates of configuration and momentum. */
char **columns_create_control(const struct noe_model *model,
                              const struct noe_transcription *transcription, int *count);
void columns_free(char **names, int count);

#endif
