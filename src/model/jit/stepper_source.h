/* C source text of a specialised stepper for one model and one method. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_STEPPER_SOURCE_H
#define MODEL_JIT_STEPPER_SOURCE_H

#include "model/codegen/writer.h"
#include "noether_model.h"

/* Reason why there is no stepper for this problem, as a single run or a batch; NULL if there is
 * one. */
const char *stepper_obstacle(const struct noe_problem *problem, const struct noe_model *model,
                             bool is_batch);

/* Configuration of a batch. A kernel may advance several `groups` of lanes at once. */
struct stepper_lanes {
    int width, groups;
    bool plain_sums;
    bool crosses; /* log sign changes of event functions, and export event_log_code */
};

/* Writes the file: a single run for noe_problem_specialise if `lanes` is NULL, otherwise a batch,
 * which exports batch_code. */
enum noe_status stepper_write(struct writer *out, const struct noe_problem *problem,
                              const struct noe_model *model, const struct stepper_lanes *lanes);

#endif
