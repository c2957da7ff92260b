/* noether control: optimal control by discrete mechanics (direct transcription). */
/* SPDX-License-Identifier: MIT */
#include "cli/control.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITERATIONS_MAX = 3000, STARTS_MAX = 1000000, STEPS_LEAST = 4 };

static int read_steps(struct control_run *run) {
    const struct cli_settings *settings = run->settings;
    const struct noe_model *model = run->plan.model;
    const long stated = transcription_control_steps(model);
    if (settings->steps) return run_setup_count(&run->plan, "--steps", settings->steps, 1, &run->N);
    if (stated > 0) {
        run->N = stated;
        return 0;
    }
    if (model->run.step > 0) {
        run->N = (long)((run->plan.until - run->plan.from) / model->run.step + (real)0.5);
        if (run->N >= 1) return 0;
    }
    cli_complain("%s: the number of intervals is not stated: add 'steps 50' or use --steps",
                 settings->file);
    return CLI_USAGE;
}

static int read_numbers(struct control_run *run) {
    const struct cli_settings *settings = run->settings;
    const struct run_setup *plan = &run->plan;
    int exit = 0;
    run->starts = run->seed = 1;
    run->processes = sysconf(_SC_NPROCESSORS_ONLN);
    run->tolerance = (real)1e-10;
    if (!exit && settings->starts)
        exit = run_setup_count(plan, "--starts", settings->starts, 1, &run->starts);
    if (!exit && settings->seed)
        exit = run_setup_count(plan, "--seed", settings->seed, 0, &run->seed);
    if (!exit && settings->threads)
        exit = run_setup_count(plan, "--threads", settings->threads, 1, &run->processes);
    if (!exit && settings->refine)
        exit = run_setup_count(plan, "--refine", settings->refine, 0, &run->refine);
    if (!exit && settings->tolerance)
        exit = run_setup_number(plan, "--tolerance", settings->tolerance, &run->tolerance);
    if (!exit && !(run->tolerance > 0)) {
        cli_say("--tolerance must be positive");
        exit = CLI_USAGE;
    }
    if (!exit && run->starts > STARTS_MAX) {
        cli_say("--starts: at most %d", STARTS_MAX);
        exit = CLI_USAGE;
    }
    return exit;
}

static int fail(const struct control_run *run, const struct noe_error *error) {
    if (error->status == NOE_BAD_INPUT || error->status == NOE_NOT_SERVED) {
        cli_complain("%s: %s", run->settings->file, error->text);
        return CLI_USAGE;
    }
    cli_say("%s", error->text);
    return cli_exit_of(error->status);
}

static int open_control(struct control_run *run, struct control *control, long N) {
    const struct noe_model_settings settings = {.interpret = run->settings->interpret,
                                                .interrupt = &cli_interrupted};
    struct noe_error error = {0};
    const enum noe_status status = control_open(control, run->plan.model, run->plan.method,
                                                run->plan.until, N, &settings, &error);
    error.status = status;
    return status == NOE_OK ? 0 : fail(run, &error);
}

static int prepare(struct control_run *run) {
    int exit = run_setup_open(&run->plan, run->settings);
    if (!exit)
        exit = run_setup_refuse_noise(
            &run->plan, run->settings,
            "optimal control is for motions without: leave the statement out");
    if (exit) return exit;
    if (!run->plan.method) {
        cli_complain("%s: no method is stated; add for example 'method midpoint'",
                     run->settings->file);
        return CLI_USAGE;
    }
    exit = run_setup_horizon(&run->plan, run->settings);
    if (!exit) exit = read_steps(run);
    if (!exit) exit = read_numbers(run);
    const struct noe_format *format;
    if (!exit) exit = run_setup_format(run->settings->output, &format);
    if (!exit) exit = open_control(run, &run->control, run->N);
    if (exit) return exit;
    if (control_solution_make(&run->solution, &run->control) == NOE_OK) return 0;
    return cli_no_memory();
}

/* Initial guess on a grid, from the solution on a coarser grid if there is one. */
static void guess_on(const struct control_run *run, long start, struct control *control,
                     const struct control *coarse, const struct control_solution *found,
                     double *x) {
    if (found->x && found->status == NOE_OK)
        control_guess_from(control, coarse, found->x, x);
    else
        control_guess(control, start, (unsigned long)run->seed, x);
}

/* Solves on successively refined grids, each from the solution on the previous one. */
static int refine(struct control_run *run, long start) {
    struct control coarse = {0};
    struct control_solution solution = {0};
    int exit = 0;
    for (long level = run->refine; level > 0 && !exit; level--) {
        const long N = level < 63 ? run->N >> level : 0;
        struct control next = {0};
        struct control_solution found = {0};
        if (N < STEPS_LEAST) continue;
        exit = open_control(run, &next, N);
        if (!exit && control_solution_make(&found, &next) != NOE_OK) exit = CLI_ENVIRONMENT;
        if (!exit) {
            guess_on(run, start, &next, &coarse, &solution, found.x);
            control_solve(&next, (double)run->tolerance, ITERATIONS_MAX, &found, NULL);
        }
        control_solution_clear(&solution);
        control_clear(&coarse);
        coarse = next;
        solution = found;
    }
    if (!exit) guess_on(run, start, &run->control, &coarse, &solution, run->solution.x);
    control_solution_clear(&solution);
    control_clear(&coarse);
    return exit;
}

/* Solves from one start, which is the best of all or the only one. */
static int solve(struct control_run *run, long start) {
    const int exit = refine(run, start);
    if (exit) return exit;
    const enum noe_status status = control_solve(&run->control, (double)run->tolerance,
                                                 ITERATIONS_MAX, &run->solution, &run->error);
    run->error.status = status;
    if (status < 0) return fail(run, &run->error);
    const enum noe_status replayed =
        control_replay(&run->control, run->solution.x, &run->solution.replay_error);
    return replayed == NOE_NO_MEMORY ? cli_no_memory() : 0;
}

int cli_control(const struct cli_settings *settings) {
    struct control_run run = {.settings = settings};
    int exit = prepare(&run);
    long best = 0;
    if (!exit) cli_interrupt_catch();
    if (!exit && run.starts > 1) {
        exit = control_search(&run);
        if (run.nminima) best = run.minimum[0].start;
    }
    if (!exit) exit = solve(&run, best);
    if (!exit && settings->output) exit = control_record(&run);
    if (!exit) {
        if (settings->json)
            exit = control_print_json(&run);
        else if (!settings->quiet)
            control_print_summary(&run);
        if (!exit && run.error.status != NOE_OK) {
            cli_say("%s; the last point is kept, with a violation of %.3g", run.solution.words,
                    run.solution.violation);
            exit = cli_exit_of(run.error.status);
        }
    }
    free(run.outcome);
    free(run.minimum);
    control_solution_clear(&run.solution);
    control_clear(&run.control);
    run_setup_clear(&run.plan);
    return exit;
}
