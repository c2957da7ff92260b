/* What noether section keeps and tells. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_SECTION_H
#define CLI_SECTION_H

#include "cli/cli.h"
#include "study/section.h"

/* The crossings of one section. */
struct section_list {
    int first, width; /* its numbers among all that are recorded */
    long count, kept; /* crossings, and how many of them are kept: the first ones */
    long room;
    real *row; /* of each that is kept: t and `width` numbers */
};

struct section_report {
    const struct cli_settings *settings;
    const struct cli_plan *plan;
    const struct noe_problem *problem;
    const struct section *section;
    const struct section_list *list; /* by crossing of the system; those that end a run are empty */
    const char *message;             /* "": all went well */
    const char *stepper, *stepper_reason;
    bool ended_early;
};

/* How many crossings of each section the table shows. */
enum { SECTION_SHOWN = 6 };

/* Prints the JSON object; returns the exit status of the printing. */
int section_report_json(const struct section_report *report);
/* Prints the tables. */
void section_report_print(const struct section_report *report);
/* The name of number i of a recorded expression: "q", "x[2]", "(R*x)[2]". */
void section_report_name(const struct noe_quantity *record, int i, size_t size, char *name);

#endif
