/* What the files of the subcommand ensemble share. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENSEMBLE_H
#define CLI_ENSEMBLE_H

#include "cli/cli.h"
#include "cli/ensemble_options.h"
#include "study/ensemble/ensemble.h"

/* The processes that share an ensemble; one alone in the plain command. */
struct ensemble_ranks {
    int rank, size;
    const char *words; /* which of them write; NULL: one alone */
    /* Each comes here with its exit status; returns the worst. Never NULL. */
    int (*agree)(int exit);
    /* After every process has run its parts: the first one then has all of them. */
    void (*gather)(struct ensemble *ensemble, const struct ensemble_settings *settings);
    const struct noe_parallel_writers *writers; /* to write one file together; NULL: they cannot */
};
extern const struct ensemble_ranks *cli_ranks; /* set before the subcommand runs; never NULL */

struct ensemble_record;

struct ensemble_run {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct noe_problem problem;
    bool has_problem;
    struct cli_ensemble_options members;
    struct ensemble_settings how;
    struct ensemble ensemble;
    char **name;                     /* of the numbers */
    const struct noe_format *format; /* of settings->output, or NULL */
    bool streams_ends;               /* into the file, as they come */
    struct ensemble_record *stream;  /* that file, while it is open */
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
/* Before the run: opens the file settings->output if members' ends can go into it as they come, and
 * decides what is kept in memory. */
int ensemble_record_begin(struct ensemble_run *run);
/* After it: puts that file in place, or leaves nothing of it if the run failed. */
int ensemble_record_end(struct ensemble_run *run, int exit);
/* Records what was kept in the file settings->output: statistics of every sample, or ends. */
int ensemble_record_kept(const struct ensemble_run *run);
/* Names of the numbers; false when memory ran out. */
bool ensemble_name_numbers(struct ensemble_run *run);

#endif
