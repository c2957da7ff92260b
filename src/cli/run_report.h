/* What a run has to tell: the JSON object, and the summary for people. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "cli/cli.h"
#include "study/trajectory.h"

struct report {
    const struct cli_settings *settings;
    const struct run_setup *plan;
    const struct noe_problem *problem;
    const struct trajectory *trajectory;
    const struct reference *reference; /* NULL: none was asked for */
    const char *message;               /* "": all went well */
    const char *stepper, *stepper_reason;
    bool ended_early; /* the step does not divide the horizon: full steps only */
};

/* Prints the JSON object; returns the exit status of the printing. */
int report_json(const struct report *report);
/* Prints the summary. */
void summary_print(const struct report *report);

#endif
