/* Shared by the files of the subcommand ensemble. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENSEMBLE_H
#define CLI_ENSEMBLE_H

#include "cli/cli.h"
#include "cli/ensemble_options.h"
#include "study/ensemble/ensemble.h"

/* MPI processes that share an ensemble; a single one in the plain command. */
struct ensemble_ranks {
    int rank, size;
    const char *words; /* which processes write files; NULL: a single process */
    /* Collective: takes the exit status of each process and returns the worst. Never NULL. */
    int (*agree)(int exit);
    /* Collective, after every process has run its parts: the first process receives all of them. */
    void (*gather)(struct ensemble *ensemble, const struct ensemble_settings *settings);
    const struct noe_parallel_writers *writers; /* writers of one file; NULL: not supported */
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
    char **name;                     /* names of the quantities */
    const struct noe_format *format; /* format of settings->output, or NULL */
    bool streams_ends;               /* final states are written to the file as they arrive */
    struct ensemble_record *stream;  /* that file, while it is open */
};

/* Quantiles in JSON and in columns. */
enum { ENSEMBLE_SHARES = 5, ENSEMBLE_NAME = 200 };
struct ensemble_share {
    const char *name, *column;
    double share;
};
extern const struct ensemble_share ensemble_shares[ENSEMBLE_SHARES];

int ensemble_print_json(const struct ensemble_run *run);
void ensemble_print_summary(const struct ensemble_run *run);
/* Before the run: opens the file settings->output if final states can be written as they arrive,
 * and decides which results are kept in memory. */
int ensemble_record_begin(struct ensemble_run *run);
/* After the run: commits that file, or discards it if the run failed. */
int ensemble_record_end(struct ensemble_run *run, int exit);
/* Writes the results in memory to the file settings->output: statistics of every sample, or final
 * states. */
int ensemble_record_kept(const struct ensemble_run *run);
/* Names the quantities. False if memory ran out. */
bool ensemble_name_numbers(struct ensemble_run *run);

#endif
