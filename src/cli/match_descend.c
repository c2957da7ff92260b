/* noether match --method: one descent from one rotation instead of the search. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/match.h"
#include "output/json_writer.h"

enum { ITERATIONS = 100000, POINT = 9, COLUMNS = 3 + POINT };

/* A descent and its trace. */
struct descent_run {
    const struct cli_settings *settings;
    const real *target;
    real R[POINT];
    long count, room; /* number of iterates, and capacity */
    real *trace;      /* the value and the gradient norm at each iterate */
    const struct noe_format *format;
    void *file;
    struct noe_descent_result result;
    struct noe_error error;
};

static enum noe_status visit(void *visitor, const struct noe_iterate *iterate) {
    struct descent_run *run = visitor;
    real row[COLUMNS] = {(real)iterate->k, iterate->value, iterate->gradient_norm};
    if (run->count == run->room) {
        run->room = 2 * run->room + 256;
        real *larger = realloc(run->trace, 2 * (size_t)run->room * sizeof *larger);
        if (!larger) return NOE_NO_MEMORY;
        run->trace = larger;
    }
    run->trace[2 * run->count] = iterate->value;
    run->trace[2 * run->count++ + 1] = iterate->gradient_norm;
    memcpy(row + 3, iterate->q, POINT * sizeof *row);
    return run->file ? run->format->row(run->file, row, &run->error) : NOE_OK;
}

static int open_file(struct descent_run *run) {
    static const char *const column[COLUMNS] = {"iteration", "value",   "gradient_norm", "R[1][1]",
                                                "R[1][2]",   "R[1][3]", "R[2][1]",       "R[2][2]",
                                                "R[2][3]",   "R[3][1]", "R[3][2]",       "R[3][3]"};
    const char *path = run->settings->iterates;
    const int exit = run_setup_format(path, &run->format);
    if (exit || !path) return exit;
    const struct noe_record_header header = {.model_title = "Correlation of two shapes",
                                             .model_text = "",
                                             .method = run->settings->method,
                                             .settings = "",
                                             .ncolumns = COLUMNS,
                                             .column = column};
    struct noe_error error = {0};
    const enum noe_status status = run->format->open(&run->file, path, &header, &error);
    if (status == NOE_OK) return 0;
    run->file = NULL;
    cli_say("%s", error.text);
    return cli_exit_of(status);
}

static int close_file(struct descent_run *run, enum noe_status status) {
    struct noe_error error = {0};
    if (!run->file) return 0;
    if (status < 0) {
        run->format->discard(run->file);
        return 0;
    }
    const char *message = status == NOE_OK ? NULL : run->error.text;
    const enum noe_status closed = run->format->close(run->file, message, &error);
    if (closed != NOE_OK) cli_say("%s", error.text);
    return cli_exit_of(closed);
}

static void write_trace(struct json *json, const char *key, const struct descent_run *run,
                        int which) {
    json_array(json, key);
    for (long k = 0; k < run->count; k++) json_real(json, NULL, run->trace[2 * k + which]);
    json_end(json);
}

static int print_json(const struct descent_run *run) {
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "status", cli_status_word(run->error.status));
    json_string(&json, "message", run->error.status == NOE_OK ? "" : run->error.text);
    json_string(&json, "method", run->settings->method);
    json_matrix(&json, "rotation", 3, 3, run->R);
    json_integer(&json, "iterations", run->result.iterations);
    json_real(&json, "value", run->result.value);
    json_real(&json, "gradient_norm", run->result.gradient_norm);
    json_real(&json, "curvature_max", run->result.curvature);
    if (run->target) json_real(&json, "error_angle", match_angle(run->R, run->target));
    write_trace(&json, "trace", run, 0);
    write_trace(&json, "gradient_trace", run, 1);
    json_end(&json);
    return cli_print_json(&json);
}

static void print_summary(const struct descent_run *run) {
    cli_print("%s\n  %s after %ld iterations\n", run->settings->method,
              run->error.status == NOE_OK ? "at rest" : "not at rest", run->result.iterations);
    for (int i = 0; i < 3; i++)
        printf("  %-20s %19.15f %19.15f %19.15f\n", i ? "" : "rotation", (double)run->R[3 * i],
               (double)run->R[3 * i + 1], (double)run->R[3 * i + 2]);
    printf("  %-20s %.12g\n", "negative correlation", (double)run->result.value);
    printf("  %-20s %.3g\n", "gradient", (double)run->result.gradient_norm);
    if (run->target)
        printf("  %-20s %.3g rad from the rotation of --rotate\n", "error",
               (double)match_angle(run->R, run->target));
}

static int read_numbers(const struct cli_settings *settings, struct noe_descent_settings *descent) {
    char *end;
    descent->method = settings->method;
    descent->tolerance = (real)1e-10;
    descent->iterations = ITERATIONS;
    descent->interrupt = &cli_interrupted;
    if (settings->tolerance) {
        descent->tolerance = real_read(settings->tolerance, &end);
        if (end == settings->tolerance || *end || !(descent->tolerance >= 0)) {
            cli_say("--tolerance: expected a number, found '%s'", settings->tolerance);
            return CLI_USAGE;
        }
    }
    if (settings->steps) {
        descent->iterations = strtol(settings->steps, &end, 10);
        if (end == settings->steps || *end || descent->iterations < 0) {
            cli_say("--steps: expected a whole number, found '%s'", settings->steps);
            return CLI_USAGE;
        }
    }
    return 0;
}

static int follow(struct descent_run *run, const struct noe_objective *objective,
                  struct noe_descent_settings *descent) {
    descent->visit = visit;
    descent->visitor = run;
    cli_interrupt_catch();
    const enum noe_status status =
        noe_minimise(objective, descent, run->R, &run->result, &run->error);
    run->error.status = status;
    int exit = close_file(run, status);
    if (status < 0) return cli_fail("--method", &run->error);
    if (run->settings->json)
        exit = exit ? exit : print_json(run);
    else if (!run->settings->quiet)
        print_summary(run);
    if (status != NOE_OK) cli_say("%s", run->error.text);
    return exit ? exit : cli_exit_of(status);
}

int match_descend(const struct cli_settings *settings, const struct noe_shape *f,
                  const struct noe_shape *g, const real *target) {
    struct descent_run run = {
        .settings = settings, .target = target, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    struct noe_descent_settings descent = {0};
    struct noe_objective *objective = NULL;
    struct noe_error error = {0};
    int exit = settings->from ? match_read_rotation("--from", settings->from, run.R) : 0;
    if (!exit) exit = read_numbers(settings, &descent);
    if (!exit && noe_shape_objective(&objective, f, g, 0, &error) != NOE_OK)
        exit = cli_fail("match", &error);
    if (!exit) exit = open_file(&run);
    if (!exit) exit = follow(&run, objective, &descent);
    noe_objective_free(objective);
    free(run.trace);
    return exit;
}
