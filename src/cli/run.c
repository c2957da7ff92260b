/* noether run: one integration, its rows in a file, its summary on standard output. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cli/checkpoint.h"
#include "cli/cli.h"
#include "cli/compile_choice.h"
#include "cli/progress.h"
#include "cli/run_report.h"
#include "study/trajectory.h"
#include "study/trajectory_columns.h"

struct run {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct noe_problem problem;
    struct trajectory_settings course;
    struct trajectory trajectory;
    struct compile_choice stepper;
    struct checkpoint checkpoint;
    struct reference reference;
    struct run_warnings warnings;
    bool has_problem, ended_early;
    char message[512];
};

/* Sends rows to the journal of a checkpoint as well. */
static int keep_rows(struct run *run, int ncolumns) {
    struct checkpoint *checkpoint = &run->checkpoint;
    if (!run->settings->checkpoint && !run->settings->resume) return 0;
    const int exit =
        checkpoint_rows(checkpoint, run->settings, run->course.format, run->course.file, ncolumns);
    if (exit) run->course.format->discard(run->course.file);
    run->course.format = exit ? NULL : &checkpoint_format;
    run->course.file = checkpoint;
    return exit;
}

/* Prepares checkpoints for --checkpoint and --resume. */
static int plan_checkpoint(struct run *run) {
    const struct cli_settings *settings = run->settings;
    struct trajectory_settings *course = &run->course;
    int exit = checkpoint_open(&run->checkpoint, settings, &run->plan);
    if (!exit && settings->checkpoint_every)
        exit = run_setup_count(&run->plan, "--checkpoint-every", settings->checkpoint_every, 1,
                               &course->keep_every);
    course->keep = settings->checkpoint ? checkpoint_keep : NULL;
    course->keep_data = &run->checkpoint;
    course->resume = run->checkpoint.image;
    course->resume_bytes = run->checkpoint.image_bytes;
    return exit;
}

/* Prepares the reference solution for --reference. */
static int plan_reference(struct run *run) {
    const struct cli_settings *settings = run->settings;
    struct noe_error error = {0};
    if (!settings->reference) return 0;
    if (settings->checkpoint || settings->resume) {
        cli_say("--reference cannot be resumed: it excludes --checkpoint and --resume");
        return CLI_USAGE;
    }
    run->course.reference = &run->reference;
    if (reference_init(&run->reference, run->problem.system, run->problem.h, &error) == NOE_OK)
        return 0;
    return cli_fail("--reference", &error);
}

static int open_output(struct run *run) {
    if (!run->course.format) return 0;
    const struct run_setup *plan = &run->plan;
    char settings[320];
    run_setup_words(plan, run->settings->steps ? run->course.steps : -1, sizeof settings, settings);
    int count = 0;
    char **columns =
        columns_create(plan->model, run->problem.method, run->course.reference, &count);
    if (!columns) return cli_no_memory();
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
    if (status != NOE_OK) {
        run->course.format = NULL;
        cli_say("%s", error.text);
        return cli_exit_of(status);
    }
    return keep_rows(run, count);
}

static void compose_message(struct run *run) {
    const struct trajectory *trajectory = &run->trajectory;
    if (trajectory->error.status == NOE_INTERRUPTED)
        snprintf(run->message, sizeof run->message, "interrupted after step %ld at t = %.9g",
                 trajectory->steps, (double)trajectory->final.t);
    else if (trajectory->error.status != NOE_OK)
        snprintf(run->message, sizeof run->message, "%s", trajectory->error.text);
}

/* Commits the file, marked as incomplete if the run is. If writing failed, the file is discarded
 * and the run counts as failed. */
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
    int exit = run_setup_open(&run->plan, settings);
    if (exit) return exit;
    exit = run_setup_problem(&run->plan, settings, &run->problem);
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
    exit =
        run_setup_steps(&run->plan, settings, &run->problem, &run->course.steps, &run->ended_early);
    run->course.until = run->plan.until;
    if (!exit) exit = run_setup_format(settings->output, &run->course.format);
    if (!exit) exit = plan_checkpoint(run);
    if (!exit) exit = plan_reference(run);
    return exit ? exit : open_output(run);
}

/* In contracting motion, a multiplier that is carried from step to step is unstable. */
static void warn_of_drift(const struct run *run) {
    const real drift = run->trajectory.effort.multiplier_drift;
    if (!(drift > (real)0.1) || run->settings->quiet) return;
    cli_say("warning: the multipliers carried from step to step were off by %.1e of what the state "
            "demands; where they grow the motion is lost: try multiplier = recompute",
            (double)drift);
}

static int integrate(struct run *run) {
    struct compile_pace pace = {.stepper = &run->stepper};
    cli_interrupt_catch();
    compile_choice_widen(run->plan.model, &run->problem);
    compile_choice_init(&run->stepper, run->settings, run->plan.model, &run->problem);
    progress_init(&pace.progress, !run->settings->quiet, run->course.steps, run->plan.from,
                  run->plan.until);
    run->course.progress = compile_choice_keep_pace;
    run->course.progress_data = &pace;
    trajectory_run(&run->trajectory, &run->course);
    progress_erase(&pace.progress);
    compose_message(run);
    close_output(run);
    const enum noe_status status = run->trajectory.error.status;
    if (status != NOE_OK) cli_say("%s", run->message);
    warn_of_drift(run);
    run_warnings_find(&run->warnings, run->plan.model, &run->problem, &run->trajectory);
    for (int i = 0; i < run->warnings.count && !run->settings->quiet; i++)
        cli_say("warning: %s", run->warnings.text[i]);
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
                                      .reference = run.course.reference,
                                      .message = run.message,
                                      .warnings = &run.warnings,
                                      .stepper = run.stepper.what,
                                      .stepper_reason = run.stepper.why,
                                      .ended_early = run.ended_early};
        int written = CLI_DONE;
        if (settings->json)
            written = report_json(&report);
        else if (!settings->quiet)
            written = summary_print(&report);
        if (!exit) exit = written;
    }
    trajectory_clear(&run.trajectory);
    checkpoint_clear(&run.checkpoint);
    reference_clear(&run.reference);
    if (run.has_problem) noe_problem_clear(&run.problem);
    run_setup_clear(&run.plan);
    return exit;
}
