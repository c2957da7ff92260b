/* Whether a run gets a stepper compiled for its model and method, and the words for that. */
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

/* Before the first step: decides if the options do. */
void compile_choice_init(struct compile_choice *stepper, const struct cli_settings *settings,
                         const struct noe_model *model, struct noe_problem *problem);
/* During the run, until it is decided: judges by the steps done so far what the rest will take. */
void compile_choice_consider(struct compile_choice *stepper, struct progress *progress, long k);
/* Where stages can be evaluated side by side, the model gets callbacks for that. They decide the
 * last bits, and so do not depend on the length of the run. */
void compile_choice_widen(struct noe_model *model, const struct noe_problem *problem);

/* What happens beside the steps of a run: a bar, and the judgement above. */
struct compile_pace {
    struct progress progress;
    struct compile_choice *stepper;
};
/* Called with it after a step; returns after how many more to call again. */
long compile_choice_keep_pace(void *pace, long k, real t);

#endif
