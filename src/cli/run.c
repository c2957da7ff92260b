/* noether run: one integration, its rows in a file, its summary on standard output. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/stepper.h"
#include "study/columns.h"
#include "study/trajectory.h"

struct run {
    const struct cli_settings *settings;
    struct cli_plan plan;
    struct noe_problem problem;
    struct trajectory_settings course;
    struct trajectory trajectory;
    struct stepper stepper;
    bool has_problem, ended_early;
    char message[512];
};

/* How many steps: --steps, or what fits between the start time and the end time. */
static int count_steps(struct run *run) {
    const struct cli_settings *settings = run->settings;
    struct trajectory_settings *course = &run->course;
    if (settings->steps)
        return cli_plan_count(&run->plan, "--steps", settings->steps, 0, &course->steps);
    const int exit = cli_plan_horizon(&run->plan, settings);
    if (exit) return exit;
    course->until = run->plan.until;
    course->steps = -1;
    if (run->problem.method->traits & NOE_ADAPTIVE) return 0;
    bool fits;
    course->steps = trajectory_step_count(run->plan.from, run->plan.until, run->plan.step, &fits);
    run->ended_early = !fits;
    if (course->steps >= 0) return 0;
    cli_say("from %g to %g there are too many steps of %g to count", (double)run->plan.from,
            (double)run->plan.until, (double)run->plan.step);
    return CLI_USAGE;
}

static int find_format(struct run *run) {
    if (!run->settings->output) return 0;
    run->course.format = noe_format_find(run->settings->output);
    if (run->course.format) return 0;
    const char *dot = strrchr(run->settings->output, '.');
    if (dot && strcmp(dot, ".h5") == 0) {
        cli_say("this build cannot write %s: the HDF5 library was missing; use a name in .csv",
                run->settings->output);
        return CLI_ENVIRONMENT;
    }
    char names[256] = "";
    for (int i = 0; i < noe_format_count(); i++) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s.%s", i ? ", " : "",
                 noe_format_at(i)->name);
    }
    cli_say("--output: the extension of '%s' is none of %s", run->settings->output, names);
    return CLI_USAGE;
}

static int open_output(struct run *run) {
    if (!run->course.format) return 0;
    const struct cli_plan *plan = &run->plan;
    char numbers[4][48], settings[320];
    const real number[3] = {plan->step, plan->from, plan->until};
    for (int i = 0; i < 3; i++) real_print_shortest(numbers[i], sizeof numbers[i], number[i]);
    const int length =
        snprintf(settings, sizeof settings, "step=%s from=%s sample=%ld precision=%s", numbers[0],
                 numbers[1], plan->sample, NOE_REAL_NAME);
    if (run->settings->steps)
        snprintf(settings + length, sizeof settings - (size_t)length, " steps=%ld",
                 run->course.steps);
    else
        snprintf(settings + length, sizeof settings - (size_t)length, " until=%s", numbers[2]);
    int count = 0;
    char **columns = columns_create(plan->model, run->problem.method, &count);
    if (!columns) {
        cli_say("out of memory");
        return CLI_ENVIRONMENT;
    }
    const struct noe_record_header header = {.model_title = plan->model->title,
                                             .model_text = plan->model->text,
                                             .method = plan->method,
                                             .settings = settings,
                                             .ncolumns = count,
                                             .column = (const char *const *)columns};
    struct noe_error error = {0};
    const enum noe_status status =
        run->course.format->open(&run->course.file, run->settings->output, &header, &error);
    columns_free(columns, count);
    if (status == NOE_OK) return 0;
    run->course.format = NULL;
    cli_say("%s", error.text);
    return cli_exit_of(status);
}

static void compose_message(struct run *run) {
    const struct trajectory *trajectory = &run->trajectory;
    if (trajectory->error.status == NOE_INTERRUPTED)
        snprintf(run->message, sizeof run->message, "interrupted after step %ld at t = %.9g",
                 trajectory->steps, (double)trajectory->final.t);
    else if (trajectory->error.status != NOE_OK)
        snprintf(run->message, sizeof run->message, "%s", trajectory->error.text);
}

/* Puts the file in place, marked if the run is not complete; nothing stays if writing failed, and
 * the run then counts as failed. */
static void close_output(struct run *run) {
    const struct trajectory_settings *course = &run->course;
    struct trajectory *trajectory = &run->trajectory;
    if (!course->format) return;
    if (trajectory->error.status < 0 || !trajectory->has_started) {
        course->format->discard(course->file);
        return;
    }
    struct noe_error error = {0};
    const char *message = trajectory->error.status == NOE_OK ? NULL : run->message;
    const enum noe_status status = course->format->close(course->file, message, &error);
    if (status == NOE_OK) return;
    trajectory->error = error;
    trajectory->error.status = status;
    compose_message(run);
}

static int prepare(struct run *run) {
    const struct cli_settings *settings = run->settings;
    if (settings->generic && settings->specialised) {
        cli_say("--generic and --specialised exclude one another");
        return CLI_USAGE;
    }
    int exit = cli_plan_open(&run->plan, settings);
    if (exit) return exit;
    exit = cli_plan_problem(&run->plan, settings, &run->problem);
    if (exit) return exit;
    run->has_problem = true;
    run->course.problem = &run->problem;
    run->course.from = run->plan.from;
    run->course.q = run->plan.model->q;
    run->course.v = run->plan.model->v;
    run->course.constraint = run->plan.model->constraint;
    run->course.sample = run->plan.sample;
    run->course.looks_at_condition = settings->json || settings->verbose;
    run->course.interrupt = &cli_interrupted;
    exit = count_steps(run);
    if (!exit) exit = find_format(run);
    return exit ? exit : open_output(run);
}

/* What happens beside the steps. */
struct pace {
    struct progress progress;
    struct stepper *stepper;
};

static long keep_pace(void *data, long k, real t) {
    struct pace *pace = data;
    const long next = progress_update(&pace->progress, k, t);
    stepper_consider(pace->stepper, &pace->progress, k);
    return next;
}

/* Where stages can be evaluated side by side, the model gets callbacks for that. They decide the
 * last bits, and so do not depend on the length of the run. */
static void widen(struct run *run) {
    const struct noe_model_settings settings = {.interrupt = &cli_interrupted};
    struct noe_error error;
    if (!run->problem.use_contraction) return;
    const enum noe_status status = noe_model_widen(run->plan.model, &settings, &error);
    if (status != NOE_OK && status != NOE_NOT_SERVED && !cli_interrupted)
        cli_say("warning: %s; stages are evaluated one by one", error.text);
}

/* Where the motion contracts, a multiplier that is carried from step to step grows away. */
static void warn_of_drift(const struct run *run) {
    const real drift = run->trajectory.effort.multiplier_drift;
    if (!(drift > (real)0.1) || run->settings->quiet) return;
    cli_say("warning: the multipliers carried from step to step were off by %.1e of what the state "
            "demands; where they grow the motion is lost: try multiplier = recompute",
            (double)drift);
}

static int integrate(struct run *run) {
    struct pace pace = {.stepper = &run->stepper};
    cli_interrupt_catch();
    widen(run);
    stepper_init(&run->stepper, run->settings, run->plan.model, &run->problem);
    progress_init(&pace.progress, !run->settings->quiet, run->course.steps, run->plan.from,
                  run->plan.until);
    run->course.progress = keep_pace;
    run->course.progress_data = &pace;
    trajectory_run(&run->trajectory, &run->course);
    progress_erase(&pace.progress);
    compose_message(run);
    close_output(run);
    const enum noe_status status = run->trajectory.error.status;
    if (status != NOE_OK) cli_say("%s", run->message);
    warn_of_drift(run);
    return cli_exit_of(status);
}

int cli_run(const struct cli_settings *settings) {
    struct run run = {.settings = settings};
    int exit = prepare(&run);
    if (!exit) {
        exit = integrate(&run);
        const struct report report = {.settings = settings,
                                      .plan = &run.plan,
                                      .problem = &run.problem,
                                      .trajectory = &run.trajectory,
                                      .message = run.message,
                                      .stepper = run.stepper.what,
                                      .stepper_reason = run.stepper.why,
                                      .ended_early = run.ended_early};
        if (settings->json)
            report_json(&report);
        else if (!settings->quiet)
            summary_print(&report);
    }
    trajectory_clear(&run.trajectory);
    if (run.has_problem) noe_problem_clear(&run.problem);
    cli_plan_clear(&run.plan);
    return exit;
}
