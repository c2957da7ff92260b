/* The C text of a stepper for one model and one method. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_STEPPER_H
#define MODEL_STEPPER_H

#include "model/writer.h"
#include "noether.h"

/* Why there can be no stepper for this problem, or NULL. */
const char *stepper_obstacle(const struct noe_problem *problem, const struct noe_model *model);

/* Writes the file: lanes = 0, one run, for noe_problem_specialise; else a batch of so many lanes,
 * which exports batch_code. */
enum noe_status stepper_write(struct writer *out, const struct noe_problem *problem,
                              const struct noe_model *model, int lanes);

#endif
