/* Number of members, seed, threads and lanes, from the file and the options. */
/* SPDX-License-Identifier: MIT */
#include "cli/ensemble_options.h"

#include <limits.h>
#include <unistd.h>

static int count_members(struct cli_ensemble_options *population, const struct run_setup *plan,
                         const struct cli_settings *settings) {
    const struct noe_ensemble_definition *stated = &population->stated;
    long each = stated->members ? stated->members : 1;
    if (settings->members) {
        const int exit = run_setup_count(plan, "--members", settings->members, 1, &each);
        if (exit) return exit;
    }
    if (stated->grid < 0 || each > LONG_MAX / stated->grid) {
        cli_say("the grid of 'vary' has too many points");
        return CLI_USAGE;
    }
    population->members = each * stated->grid;
    return 0;
}

static int read_lanes(struct cli_ensemble_options *population, const struct run_setup *plan,
                      const struct cli_settings *settings) {
    long lanes = 0;
    const int exit =
        settings->lanes ? run_setup_count(plan, "--lanes", settings->lanes, 0, &lanes) : 0;
    if (exit) return exit;
    if (lanes != 0 && lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8) {
        cli_say("--lanes: expected 1, 2, 4 or 8, or 0 for as many as pay; found %ld", lanes);
        return CLI_USAGE;
    }
    population->lanes = (int)lanes;
    return 0;
}

int cli_ensemble_options_read(struct cli_ensemble_options *population, const struct run_setup *plan,
                              const struct cli_settings *settings) {
    population->stated = noe_model_ensemble(plan->model);
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    int exit = count_members(population, plan, settings);
    if (!exit && settings->threads)
        exit = run_setup_count(plan, "--threads", settings->threads, 1, &threads);
    if (!exit) exit = read_lanes(population, plan, settings);
    population->seed = (unsigned long)plan->seed;
    population->threads = (int)threads;
    return exit;
}

bool cli_ensemble_options_exist(const struct cli_ensemble_options *population) {
    return population->members > 1 || population->stated.count > 0;
}
