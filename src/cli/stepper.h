/* Whether a run gets a stepper compiled for its model and method, and the words for that. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_STEPPER_H
#define CLI_STEPPER_H

#include "cli/cli.h"
#include "cli/progress.h"

struct stepper {
    const struct noe_model *model;
    struct noe_problem *problem;
    bool is_decided;
    char what[400], why[512]; /* for --verbose */
};

/* Before the first step: decides if the options do. */
void stepper_init(struct stepper *stepper, const struct cli_settings *settings,
                  const struct noe_model *model, struct noe_problem *problem);
/* During the run, until it is decided: judges by the steps done so far what the rest will take. */
void stepper_consider(struct stepper *stepper, struct progress *progress, long k);

#endif
