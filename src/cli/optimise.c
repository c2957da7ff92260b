/* noether optimise: the configuration that minimises an objective. */
/* SPDX-License-Identifier: MIT */
#include "cli/optimise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/registry.h"
#include "model/control/transcription.h"
#include "study/optimise/optimise.h"

enum { ITERATIONS = 100000 };

static int read_numbers(const struct optimise_run *run, struct noe_descent_settings *descent) {
    const struct cli_settings *settings = run->settings;
    const long stated = transcription_control_steps(run->plan.model);
    int exit = 0;
    descent->iterations = stated > 0 ? stated : ITERATIONS;
    descent->tolerance = (real)1e-10;
    if (settings->steps)
        exit = run_setup_count(&run->plan, "--steps", settings->steps, 0, &descent->iterations);
    if (!exit && settings->tolerance)
        exit =
            run_setup_number(&run->plan, "--tolerance", settings->tolerance, &descent->tolerance);
    if (!exit && !(descent->tolerance >= 0)) {
        cli_say("--tolerance must not be negative");
        exit = CLI_USAGE;
    }
    return exit;
}

/* Reports an error of the method, at its position in the file or for the option. */
static int fail_method(const struct optimise_run *run, struct noe_error *error) {
    if (run->plan.method_origin) return cli_fail(run->plan.method_origin, error);
    error->line = run->plan.model->run.method_line;
    error->column = run->plan.model->run.method_column;
    return cli_fail_file(run->settings->file, error);
}

static int prepare(struct optimise_run *run, struct noe_descent_settings *descent) {
    int exit = run_setup_read(&run->plan, run->settings);
    if (exit) return exit;
    const struct noe_model *model = run->plan.model;
    const struct noe_model_settings settings = {.interpret = run->settings->interpret,
                                                .interrupt = &cli_interrupted};
    struct noe_error error = {0};
    const enum noe_status status = noe_objective_create(&run->objective, model, &settings, &error);
    if (status == NOE_BAD_INPUT) {
        cli_complain("%s: %s", run->settings->file, error.text);
        return CLI_USAGE;
    }
    if (status != NOE_OK) return cli_fail("optimise", &error);
    if (run->objective->note && !run->settings->interpret && !run->settings->quiet)
        cli_say("the model is interpreted, not compiled: %s", run->objective->note);
    if (!run->plan.method) {
        cli_complain(
            "%s: no method is stated; add for example 'method gradient-descent step = 0.01' to "
            "the file or use --method",
            run->settings->file);
        return CLI_USAGE;
    }
    const size_t np = (size_t)run->objective->np;
    run->q = malloc((np + 1) * sizeof *run->q);
    if (!run->q) return cli_no_memory();
    memcpy(run->q, model->q, np * sizeof *run->q);
    exit = read_numbers(run, descent);
    run->tolerance = descent->tolerance;
    return exit ? exit : optimise_open_file(run);
}

/* Records the iterate in the trace and in the file. */
static enum noe_status visit(void *visitor, const struct noe_iterate *iterate) {
    struct optimise_run *run = visitor;
    if (run->count == run->room) {
        run->room = 2 * run->room + 1024;
        real *larger = realloc(run->trace, 2 * (size_t)run->room * sizeof *larger);
        if (!larger) {
            snprintf(run->error.text, sizeof run->error.text, "out of memory");
            return NOE_NO_MEMORY;
        }
        run->trace = larger;
    }
    run->trace[2 * run->count] = iterate->value;
    run->trace[2 * run->count++ + 1] = iterate->gradient_norm;
    if (!run->file) return NOE_OK;
    const struct noe_objective *objective = run->objective;
    run->row[0] = iterate->k;
    run->row[1] = iterate->value;
    run->row[2] = iterate->gradient_norm;
    memcpy(run->row + 3, iterate->q, (size_t)objective->np * sizeof *run->row);
    if (objective->observe) objective->observe(objective, iterate->q, run->row + 3 + objective->np);
    return run->format->row(run->file, run->row, &run->error);
}

/* Commits the file, marked as incomplete if no minimum was found. */
static int close_file(struct optimise_run *run, enum noe_status status) {
    if (!run->file) return 0;
    struct noe_error error = {0};
    if (status < 0) {
        run->format->discard(run->file);
        return 0;
    }
    const char *message = status == NOE_OK ? NULL : run->error.text;
    const enum noe_status closed = run->format->close(run->file, message, &error);
    if (closed == NOE_OK) return 0;
    cli_say("%s", error.text);
    return cli_exit_of(closed);
}

static int minimise(struct optimise_run *run, struct noe_descent_settings *descent) {
    struct timespec from, to;
    descent->method = run->plan.method;
    descent->interrupt = &cli_interrupted;
    descent->visit = visit;
    descent->visitor = run;
    cli_interrupt_catch();
    clock_gettime(CLOCK_MONOTONIC, &from);
    const enum noe_status status =
        noe_minimise(run->objective, descent, run->q, &run->result, &run->error);
    clock_gettime(CLOCK_MONOTONIC, &to);
    run->seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    run->error.status = status;
    const int closed = close_file(run, status);
    if (status == NOE_BAD_INPUT || status == NOE_NOT_SERVED) return fail_method(run, &run->error);
    if (status < 0) return cli_fail("optimise", &run->error);
    return closed;
}

void cli_optimise_methods(void) {
    puts("\nmethods");
    for (int i = 0; i < optimise_method_count(); i++) {
        const struct optimise_method *method = optimise_method_at(i);
        char options[100] = "", spaces[256];
        for (const struct noe_option *option = method->options; option->name; option++)
            snprintf(options + strlen(options), sizeof options - strlen(options), "%s ",
                     option->name);
        registry_space_names(method->spaces, sizeof spaces, spaces);
        printf("%-17s %-17s %s (%s)\n", method->name, options, method->summary, spaces);
    }
}

int cli_optimise(const struct cli_settings *settings) {
    struct optimise_run run = {.settings = settings};
    struct noe_descent_settings descent = {0};
    int exit = prepare(&run, &descent);
    if (!exit) exit = minimise(&run, &descent);
    if (!exit) {
        if (settings->json)
            exit = optimise_print_json(&run);
        else if (!settings->quiet && run.count)
            optimise_print_summary(&run);
        if (run.error.status != NOE_OK) cli_say("%s", run.error.text);
        if (!exit) exit = cli_exit_of(run.error.status);
    }
    free(run.trace);
    free(run.row);
    free(run.q);
    noe_objective_free(run.objective);
    run_setup_clear(&run.plan);
    return exit;
}
