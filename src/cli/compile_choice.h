/* Decision whether to compile a specialised stepper for a run, and its report. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMPILE_CHOICE_H
#define CLI_COMPILE_CHOICE_H

#include "cli/cli.h"
#include "cli/progress.h"

struct compile_choice {
    const struct noe_model *model;
    struct noe_problem *problem;
    bool is_decided;
    char what[400], why[512]; /* for --verbose */
};

/* Before the first step: decides if an option requests or forbids it. */
void compile_choice_init(struct compile_choice *stepper, const struct cli_settings *settings,
                         const struct noe_model *model, struct noe_problem *problem);
/* During the run, until decided: estimates the remaining time from the steps so far. */
void compile_choice_consider(struct compile_choice *stepper, struct progress *progress, long k);
/* Gives the model callbacks that evaluate stages in SIMD lanes, if the method can use them. They
 * affect the last bits, so they do not depend on the length of the run. */
void compile_choice_widen(struct noe_model *model, const struct noe_problem *problem);

/* Data of the progress callback: the progress bar and the decision above. */
struct compile_pace {
    struct progress progress;
    struct compile_choice *stepper;
};
/* Progress callback. Returns the number of steps until the next call. */
long compile_choice_keep_pace(void *pace, long k, real t);

#endif
