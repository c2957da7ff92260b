/* noether ensemble: many members of one model, and the statistics of what is observed. */
/* SPDX-License-Identifier: MIT */
#include "cli/ensemble.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "study/trajectory.h"

static const struct ensemble_ranks alone = {.rank = 0, .size = 1};
const struct ensemble_ranks *cli_ranks = &alone;

static int count_steps(struct ensemble_run *run) {
    const struct cli_settings *settings = run->settings;
    bool fits;
    if (settings->steps)
        return cli_plan_count(&run->plan, "--steps", settings->steps, 0, &run->how.steps);
    const int exit = cli_plan_horizon(&run->plan, settings);
    if (exit) return exit;
    run->how.steps = trajectory_step_count(run->plan.from, run->plan.until, run->plan.step, &fits);
    if (run->how.steps > 0) return 0;
    cli_say("the step %g does not fit into the time from %g to %g", (double)run->plan.step,
            (double)run->plan.from, (double)run->plan.until);
    return CLI_USAGE;
}

static int count_members(struct ensemble_run *run) {
    const int exit = cli_population_read(&run->members, &run->plan, run->settings);
    if (exit || cli_population_exists(&run->members)) return exit;
    fprintf(stderr,
            "%s: the model states no ensemble; add for example 'random q = normal(0, 1)' and "
            "'members 1000', or 'vary a = 0 .. 1, 11'\n",
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
    const long most = run->settings->samples_most;
    const bool is_stated = run->settings->sample || run->plan.model->sample > 0;
    return most && !is_stated ? run->how.steps / most + 1 : run->plan.sample;
}

static int prepare(struct ensemble_run *run) {
    const struct cli_settings *settings = run->settings;
    int exit = cli_plan_open(&run->plan, settings);
    if (!exit) exit = cli_plan_problem(&run->plan, settings, &run->problem);
    if (exit) return exit;
    run->has_problem = true;
    if (run->problem.method->traits & NOE_ADAPTIVE) {
        cli_say("%s chooses its own steps: members of an ensemble need a fixed step",
                run->problem.method->name);
        return CLI_USAGE;
    }
    exit = count_members(run);
    if (!exit) exit = count_steps(run);
    if (!exit) read_numbers(run);
    if (!exit && settings->output && !noe_format_find(settings->output)) {
        cli_say("--output: the extension of '%s' is none of .h5, .csv", settings->output);
        exit = CLI_USAGE;
    }
    run->how.model = run->plan.model;
    run->how.problem = &run->problem;
    run->how.from = run->plan.from;
    run->how.keeps_final = settings->final;
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
    if (cli_ranks->size == 1) cli_interrupt_catch();
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

/* The first process prepares alone, so that what is wrong is said once and what is compiled is
 * compiled once. */
static int prepare_in_turn(struct ensemble_run *run) {
    if (!cli_ranks->wait) return prepare(run);
    if (cli_ranks->rank == 0) return cli_ranks->wait(prepare(run));
    const int exit = cli_ranks->wait(0);
    return exit ? exit : prepare(run);
}

int cli_ensemble(const struct cli_settings *settings) {
    struct ensemble_run run = {.settings = settings};
    int exit = prepare_in_turn(&run);
    if (!exit) exit = integrate(&run);
    if (!exit && !ensemble_name_numbers(&run)) exit = cli_no_memory();
    if (!exit && cli_ranks->rank == 0) {
        if (settings->output) exit = ensemble_record(&run);
        if (!exit && settings->json)
            exit = ensemble_print_json(&run);
        else if (!exit && !settings->quiet)
            ensemble_print_summary(&run);
        if (!exit && run.ensemble.nfailed == run.how.members) {
            cli_say("all members failed, the first at step %ld: %s", run.ensemble.failure->step,
                    run.ensemble.failure->reason);
            exit = CLI_NUMERICS;
        }
    }
    for (int i = 0; run.name && i < run.ensemble.nnumbers; i++) free(run.name[i]);
    free(run.name);
    ensemble_clear(&run.ensemble);
    if (run.has_problem) noe_problem_clear(&run.problem);
    cli_plan_clear(&run.plan);
    return exit;
}
