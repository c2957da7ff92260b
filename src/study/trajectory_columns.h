/* Names of the columns of a recorded trajectory. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_TRAJECTORY_COLUMNS_H
#define STUDY_TRAJECTORY_COLUMNS_H

#include "model/control/transcription.h"

/* Names of the columns of a row in order: t, configuration, velocity, momentum, energy, invariants,
 * observed quantities. Energy-adaptive methods add step size and discrete energy. A reference
 * solution adds the distance from it and its energy. NULL if memory runs out. Free with
 * columns_free. */
char **columns_create(const struct noe_model *model, const struct noe_method_info *method,
                      bool has_reference, int *count);
/* Names of the columns of an optimal control solution: t, configuration, velocity, momentum,
 * controls, costates of configuration and momentum. */
char **columns_create_control(const struct noe_model *model,
                              const struct noe_transcription *transcription, int *count);
void columns_free(char **names, int count);

#endif
