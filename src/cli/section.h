/* What noether section keeps and tells. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_SECTION_H
#define CLI_SECTION_H

#include "cli/cli.h"
#include "cli/compile_choice.h"
#include "cli/ensemble_options.h"
#include "study/section/section.h"

/* The crossings of one section. */
struct section_list {
    int first, width; /* its numbers among all that are recorded */
    long count, kept; /* crossings, and how many of them are kept: the first ones */
    long room;
    real *row; /* of each that is kept: t, `width` numbers, and the member */
};

/* Of many orbits: how many members, and which failed. */
enum { SECTION_FAILED = 1000, SECTION_REASON = 200 };
struct section_orbits {
    long members, nended, nfailed;
    int threads, lanes; /* lanes 0: members go one by one */
    struct section_failure {
        long member, step;
        char reason[SECTION_REASON];
    } * failure; /* the first SECTION_FAILED of them */
};

/* One subcommand. */
struct section_run {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct noe_problem problem;
    struct section_settings course;
    struct section section; /* of many orbits: of all */
    struct section_list *list;
    struct compile_choice stepper;
    struct cli_ensemble_options population;
    struct section_orbits *orbits;   /* NULL: there is one */
    long member;                     /* whose crossing is taken */
    const struct noe_format *format; /* NULL: no file */
    void *file;
    real *row;
    bool has_problem, ended_early;
    char message[512];
};

/* Takes a crossing of the member run->member into the lists and the file. */
enum noe_status section_take(struct section_run *run, const struct section_point *point,
                             struct noe_error *error);
/* Integrates all members; fills run->section and run->orbits. */
void section_orbits_integrate(struct section_run *run);

struct section_report {
    const struct cli_settings *settings;
    const struct run_setup *plan;
    const struct noe_problem *problem;
    const struct section *section;
    const struct section_list *list; /* by crossing of the system; those that end a run are empty */
    const struct section_orbits *orbits; /* NULL: one orbit */
    const char *message;                 /* "": all went well */
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
