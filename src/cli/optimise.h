/* What the files of the subcommand optimise share. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIMISE_H
#define CLI_OPTIMISE_H

#include "cli/cli.h"
#include "noether_optimise.h"

/* One minimisation with what it left behind. */
struct optimise_run {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct noe_objective *objective;
    real *q, tolerance;
    long count, room; /* of iterates */
    real *trace;      /* f at each iterate and, behind it, the norm of the gradient */
    const struct noe_format *format;
    void *file;
    real *row; /* of the file; observed quantities are its last numbers */
    double seconds;
    struct noe_descent_result result;
    struct noe_error error;
};

int optimise_print_json(const struct optimise_run *run);
void optimise_print_summary(const struct optimise_run *run);
/* Opens the file settings->output, one row for every iterate. */
int optimise_open_file(struct optimise_run *run);

#endif
