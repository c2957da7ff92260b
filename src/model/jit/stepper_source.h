/* The C text of a stepper for one model and one method. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_STEPPER_SOURCE_H
#define MODEL_JIT_STEPPER_SOURCE_H

#include "model/codegen/writer.h"
#include "noether.h"

/* Why there can be no stepper for this problem, of one run or of a batch, or NULL. */
const char *stepper_obstacle(const struct noe_problem *problem, const struct noe_model *model,
                             bool is_batch);

/* How a batch steps: `groups` of lanes at once where its method has a kernel for that. */
struct stepper_lanes {
    int width, groups;
    bool plain_sums;
    bool crosses; /* and notes where crossing functions change: exports event_log_code as well */
};

/* Writes the file: without lanes, one run, for noe_problem_specialise; else a batch, which exports
 * batch_code. */
enum noe_status stepper_write(struct writer *out, const struct noe_problem *problem,
                              const struct noe_model *model, const struct stepper_lanes *lanes);

#endif
