/* What the files of the subcommand ensemble share. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENSEMBLE_H
#define CLI_ENSEMBLE_H

#include "cli/cli.h"
#include "cli/population.h"
#include "study/ensemble.h"

/* The processes that share an ensemble; one alone in the plain command. */
struct ensemble_ranks {
    int rank, size;
    /* The others wait here until the first has prepared its run; returns its exit status. */
    int (*wait)(int exit);
    /* After every process has run its parts: the first one then has all of them. */
    void (*gather)(struct ensemble *ensemble, const struct ensemble_settings *settings);
};
extern const struct ensemble_ranks *cli_ranks; /* set before the subcommand runs; never NULL */

struct ensemble_run {
    const struct cli_settings *settings;
    struct cli_plan plan;
    struct noe_problem problem;
    bool has_problem;
    struct cli_population members;
    struct ensemble_settings how;
    struct ensemble ensemble;
    char **name; /* of the numbers */
};

/* The shares of the members whose quantiles are told, in JSON and in columns. */
enum { ENSEMBLE_SHARES = 5, ENSEMBLE_NAME = 200 };
struct ensemble_share {
    const char *name, *column;
    double share;
};
extern const struct ensemble_share ensemble_shares[ENSEMBLE_SHARES];

int ensemble_print_json(const struct ensemble_run *run);
void ensemble_print_summary(const struct ensemble_run *run);
/* Records the statistics of every sample in the file settings->output, or where members ended. */
int ensemble_record(const struct ensemble_run *run);
/* Names of the numbers; false when memory ran out. */
bool ensemble_name_numbers(struct ensemble_run *run);

#endif
