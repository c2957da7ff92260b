/* noether ensemble: members of one model, and statistics of the observed quantities. */
/* SPDX-License-Identifier: MIT */
#include "cli/ensemble.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "study/trajectory.h"

static int agree_alone(int exit) { return exit; }

static const struct ensemble_ranks alone = {.rank = 0, .size = 1, .agree = agree_alone};
const struct ensemble_ranks *cli_ranks = &alone;

static int count_steps(struct ensemble_run *run) {
    const struct cli_settings *settings = run->settings;
    bool fits;
    if (settings->steps)
        return run_setup_count(&run->plan, "--steps", settings->steps, 0, &run->how.steps);
    const int exit = run_setup_horizon(&run->plan, settings);
    if (exit) return exit;
    run->how.steps = trajectory_step_count(run->plan.from, run->plan.until, run->plan.step, &fits);
    if (run->how.steps > 0) return 0;
    cli_say("the step %g does not fit into the time from %g to %g", (double)run->plan.step,
            (double)run->plan.from, (double)run->plan.until);
    return CLI_USAGE;
}

static int count_members(struct ensemble_run *run) {
    const int exit = cli_ensemble_options_read(&run->members, &run->plan, run->settings);
    if (exit || cli_ensemble_options_exist(&run->members)) return exit;
    cli_complain("%s: the model states no ensemble; add for example 'random q = normal(0, 1)' and "
                 "'members 1000', or 'vary a = 0 .. 1, 11'",
                 run->settings->file);
    return CLI_USAGE;
}

static void read_numbers(struct ensemble_run *run) {
    run->how.members = run->members.members;
    run->how.seed = run->members.seed;
    run->how.threads = run->members.threads;
    run->how.lanes = run->members.lanes;
}

static long sample_every(const struct ensemble_run *run) {
    const long max = run->settings->samples_most;
    const bool is_stated = run->settings->sample || run->plan.model->run.sample > 0;
    return max && !is_stated ? run->how.steps / max + 1 : run->plan.sample;
}

static int prepare(struct ensemble_run *run) {
    const struct cli_settings *settings = run->settings;
    int exit = run_setup_open(&run->plan, settings);
    if (!exit) exit = run_setup_problem(&run->plan, settings, &run->problem);
    if (exit) return exit;
    run->has_problem = true;
    if (run->problem.traits & NOE_ADAPTIVE) {
        cli_say("%s chooses its own steps: members of an ensemble need a fixed step",
                run->problem.method->name);
        return CLI_USAGE;
    }
    exit = count_members(run);
    if (!exit) exit = count_steps(run);
    if (!exit) read_numbers(run);
    if (!exit) exit = run_setup_format(settings->output, &run->format);
    if (!exit && !ensemble_name_numbers(run)) exit = cli_no_memory();
    run->how.model = run->plan.model;
    run->how.problem = &run->problem;
    run->how.from = run->plan.from;
    run->how.sample = settings->output && !settings->final ? sample_every(run) : 0;
    run->how.first_part = cli_ranks->rank;
    run->how.parts = cli_ranks->size;
    run->how.interrupt = &cli_interrupted;
    return exit;
}

static void show_progress(void *data, long members) {
    progress_update(data, members, (real)members);
}

static int integrate(struct ensemble_run *run) {
    struct progress progress;
    progress_init(&progress, !run->settings->quiet && cli_ranks->rank == 0,
                  run->how.members / cli_ranks->size, 0, (real)run->how.members);
    run->how.progress = show_progress;
    run->how.progress_data = &progress;
    const enum noe_status status = ensemble_run(&run->ensemble, &run->how);
    progress_erase(&progress);
    if (status == NOE_OK) {
        if (cli_ranks->gather) cli_ranks->gather(&run->ensemble, &run->how);
        if (cli_ranks->rank == 0) ensemble_join(&run->ensemble, &run->how);
        return 0;
    }
    cli_say("%s", run->ensemble.error.text);
    return cli_exit_of(status);
}

/* The first process prepares before the others, so that errors are printed once and the model is
 * compiled once. */
static int prepare_in_turn(struct ensemble_run *run) {
    const bool is_first = cli_ranks->rank == 0;
    int exit = cli_ranks->agree(is_first ? prepare(run) : 0);
    if (!exit && !is_first) exit = prepare(run);
    return cli_ranks->agree(exit);
}

static int report(const struct ensemble_run *run) {
    int exit = run->format && !run->streams_ends ? ensemble_record_kept(run) : 0;
    if (!exit && run->settings->json)
        exit = ensemble_print_json(run);
    else if (!exit && !run->settings->quiet)
        ensemble_print_summary(run);
    if (exit || run->ensemble.nfailed < run->how.members) return exit;
    cli_say("all members failed, the first at step %ld: %s", run->ensemble.failure->step,
            run->ensemble.failure->reason);
    return CLI_NUMERICS;
}

int cli_ensemble(const struct cli_settings *settings) {
    struct ensemble_run run = {.settings = settings};
    int exit = prepare_in_turn(&run);
    if (!exit) {
        if (cli_ranks->size == 1) cli_interrupt_catch();
        exit = ensemble_record_begin(&run);
        if (!exit) exit = ensemble_record_end(&run, integrate(&run));
    }
    if (!exit && cli_ranks->rank == 0) exit = report(&run);
    for (char **name = run.name; name && *name; name++) free(*name);
    free(run.name);
    ensemble_clear(&run.ensemble);
    if (run.has_problem) noe_problem_clear(&run.problem);
    run_setup_clear(&run.plan);
    return exit;
}
