/* What the files of the subcommand control share. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_CONTROL_H
#define CLI_CONTROL_H

#include "cli/cli.h"
#include "study/control/control.h"

/* What one start led to. */
struct control_start {
    long start;
    int status, iterations;
    double cost, kkt_error;
};

/* A local minimum, and how many starts led to it. */
struct control_minimum {
    double cost;
    int hits;
    long start; /* the first that did */
};

struct control_run {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct control control;
    struct control_solution solution;
    long N, starts, seed, processes, refine;
    real tolerance;
    struct control_start *outcome; /* of each start */
    int nminima;
    struct control_minimum *minimum;
    struct noe_error error; /* of the solution */
};

/* Solves from every start, in several processes, and lists the minima that were found. */
int control_search(struct control_run *run);

/* A bound that is active: the multiplier says that moving it would change the cost. */
enum { CONTROL_ACTIVE_MAX = 32, CONTROL_ACTIVE_ROOM = 240 };
struct control_active {
    char text[CONTROL_ACTIVE_ROOM];
};
/* Lists the bounds of controls, coordinates, velocities, paths and the end time that are active, in
 * words, as many as there is room for; returns their number. */
int control_list_active(const struct control_run *run, struct control_active *active);

int control_print_json(const struct control_run *run);
void control_print_summary(const struct control_run *run);
/* Records nodes, controls and costates in the file settings->output. */
int control_record(const struct control_run *run);

#endif
