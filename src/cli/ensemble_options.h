/* How many members, from which seed, in how many threads and lanes: what the file and the options
 * say. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENSEMBLE_OPTIONS_H
#define CLI_ENSEMBLE_OPTIONS_H

#include "cli/cli.h"
#include "noether_ensemble.h"

struct cli_ensemble_options {
    struct noe_ensemble_definition stated;
    long members; /* in all */
    unsigned long seed;
    int threads, lanes; /* lanes 0: as many as pay */
};

/* Reads them; `members` is 1 where neither the file nor an option states an ensemble. 0, or the
 * exit status after words. */
int cli_ensemble_options_read(struct cli_ensemble_options *population, const struct run_setup *plan,
                              const struct cli_settings *settings);
/* Is there more than the one motion that the file states? */
bool cli_ensemble_options_exist(const struct cli_ensemble_options *population);

#endif
