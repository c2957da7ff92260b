/* Shared by the files of the subcommand optimise. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIMISE_H
#define CLI_OPTIMISE_H

#include "cli/cli.h"
#include "noether_optimise.h"

/* A minimisation and its trace. */
struct optimise_run {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct noe_objective *objective;
    real *q, tolerance;
    long count, room; /* number of iterates, and capacity */
    real *trace;      /* the value and the gradient norm at each iterate */
    const struct noe_format *format;
    void *file;
    real *row; /* row of the file, with the observed quantities last */
    double seconds;
    struct noe_descent_result result;
    struct noe_error error;
};

int optimise_print_json(const struct optimise_run *run);
void optimise_print_summary(const struct optimise_run *run);
/* Opens the file settings->output, with one row per iterate. */
int optimise_open_file(struct optimise_run *run);

#endif
