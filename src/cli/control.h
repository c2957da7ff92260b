/* Shared by the files of the subcommand control. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_CONTROL_H
#define CLI_CONTROL_H

#include "cli/cli.h"
#include "study/control/control.h"

/* Result of one start. */
struct control_start {
    long start;
    int status, iterations;
    double cost, kkt_error;
};

/* A local minimum, and the number of starts that led to it. */
struct control_minimum {
    double cost;
    int hits;
    long start; /* the first such start */
};

struct control_run {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct control control;
    struct control_solution solution;
    long N, starts, seed, processes, refine;
    real tolerance;
    struct control_start *outcome; /* result of each start */
    int nminima;
    struct control_minimum *minimum;
    struct noe_error error; /* failure of the solution */
};

/* Solves from every start, in several processes, and lists the local minima. */
int control_search(struct control_run *run);

/* An active bound: its multiplier shows that relaxing it would change the cost. */
enum { CONTROL_ACTIVE_MAX = 32, CONTROL_ACTIVE_ROOM = 240 };
struct control_active {
    char text[CONTROL_ACTIVE_ROOM];
};
/* Lists the active bounds of controls, coordinates, velocities, path constraints and the end time
 * as text. Returns their number. */
int control_list_active(const struct control_run *run, struct control_active *active);

int control_print_json(const struct control_run *run);
void control_print_summary(const struct control_run *run);
/* Writes nodes, controls and costates to the file settings->output. */
int control_record(const struct control_run *run);

#endif
