/* Reports of a run: JSON object and summary. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "cli/cli.h"
#include "cli/run_warnings.h"
#include "study/trajectory.h"

struct report {
    const struct cli_settings *settings;
    const struct run_setup *plan;
    const struct noe_problem *problem;
    const struct trajectory *trajectory;
    const struct reference *reference; /* NULL: not requested */
    const char *message;               /* "": success */
    const struct run_warnings *warnings;
    const char *stepper, *stepper_reason;
    bool ended_early; /* the step size does not divide the horizon: full steps only */
};

/* Prints the JSON object. Returns the exit status of the output. */
int report_json(const struct report *report);
/* Prints the summary. Returns 0, or the exit status if memory ran out. */
int summary_print(const struct report *report);

#endif
