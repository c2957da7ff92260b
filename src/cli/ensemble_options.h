/* Number of members, seed, threads and lanes, from the file and the options. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENSEMBLE_OPTIONS_H
#define CLI_ENSEMBLE_OPTIONS_H

#include "cli/cli.h"
#include "noether_ensemble.h"

struct cli_ensemble_options {
    struct noe_ensemble_definition stated;
    long members; /* total number */
    unsigned long seed;
    int threads, lanes; /* lanes 0: chosen for the machine */
};

/* Reads the options. `members` is 1 if neither the file nor an option states an ensemble. Returns
 * 0, or the exit status after a message. */
int cli_ensemble_options_read(struct cli_ensemble_options *population, const struct run_setup *plan,
                              const struct cli_settings *settings);
/* True if there is more than the single motion of the file. */
bool cli_ensemble_options_exist(const struct cli_ensemble_options *population);

#endif
