/* Shared by the files of the subcommand section. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_SECTION_H
#define CLI_SECTION_H

#include "cli/cli.h"
#include "cli/compile_choice.h"
#include "cli/ensemble_options.h"
#include "study/section/section.h"

/* Points of one section. */
struct section_list {
    int first, width; /* range of its values among all recorded quantities */
    long count, kept; /* number of points, and of those stored, which are the first ones */
    long room;
    real *row; /* for each stored point: t, `width` values, and the member */
};

/* Several orbits: number of members, and failures. */
enum { SECTION_FAILED = 1000, SECTION_REASON = 200 };
struct section_orbits {
    long members, nended, nfailed;
    int threads, lanes; /* lanes 0: one member at a time */
    struct section_failure {
        long member, step;
        char reason[SECTION_REASON];
    } * failure; /* the first SECTION_FAILED failures */
};

/* State of the subcommand. */
struct section_run {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct noe_problem problem;
    struct section_settings course;
    struct section section; /* for several orbits: combined */
    struct section_list *list;
    struct compile_choice stepper;
    struct cli_ensemble_options population;
    struct section_orbits *orbits;   /* NULL: a single orbit */
    long member;                     /* member of the current point */
    const struct noe_format *format; /* NULL: no file */
    void *file;
    real *row;
    bool has_problem, ended_early;
    char message[512];
};

/* Adds a point of the member run->member to the lists and the file. */
enum noe_status section_take(struct section_run *run, const struct section_point *point,
                             struct noe_error *error);
/* Integrates all members. Fills run->section and run->orbits. */
void section_orbits_integrate(struct section_run *run);

struct section_report {
    const struct cli_settings *settings;
    const struct run_setup *plan;
    const struct noe_problem *problem;
    const struct section *section;
    const struct section_list *list; /* by event of the system; empty for events that stop a run */
    const struct section_orbits *orbits; /* NULL: a single orbit */
    const char *message;                 /* "": success */
    const char *stepper, *stepper_reason;
    bool ended_early;
};

/* Number of points of each section in the table. */
enum { SECTION_SHOWN = 6 };

/* Prints the JSON object. Returns the exit status of the output. */
int section_report_json(const struct section_report *report);
/* Prints the tables. */
void section_report_print(const struct section_report *report);
/* Name of component i of a recorded expression: "q", "x[2]", "(R*x)[2]". */
void section_report_name(const struct noe_quantity *record, int i, size_t size, char *name);

#endif
