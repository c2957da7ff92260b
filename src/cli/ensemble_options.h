/* How many members, from which seed, in how many threads and lanes: what the file and the options
 * say. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_POPULATION_H
#define CLI_POPULATION_H

#include "cli/cli.h"
#include "noether_ensemble.h"

struct cli_population {
    struct noe_population stated;
    long members; /* in all */
    unsigned long seed;
    int threads, lanes; /* lanes 0: as many as pay */
};

/* Reads them; `members` is 1 where neither the file nor an option states an ensemble. 0, or the
 * exit status after words. */
int cli_population_read(struct cli_population *population, const struct cli_plan *plan,
                        const struct cli_settings *settings);
/* Is there more than the one motion that the file states? */
bool cli_population_exists(const struct cli_population *population);

#endif
