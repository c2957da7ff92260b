/* Reports of an optimal control problem: JSON and summary. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/control.h"
#include "cli/json_coordinates.h"
#include "output/json_writer.h"

enum { MINIMA_SHOWN = 12 };

/* Control of one stage: a number or an array. */
static void write_control(struct json *json, const struct noe_control *control,
                          const double *stage) {
    if (control->rank) json_array(json, NULL);
    for (int i = 0; i < control->rows; i++) json_real(json, NULL, (real)stage[control->first + i]);
    if (control->rank) json_end(json);
}

/* A value for each interval, or an array of the values at its stages. */
static void write_controls(struct json *json, const struct control_run *run) {
    const struct control *control = &run->control;
    const struct noe_transcription *t = control->transcription;
    json_object(json, "u");
    for (int c = 0; c < t->ncontrols; c++) {
        json_array(json, t->control[c].name);
        for (long k = 0; k < control->N; k++) {
            const double *stage = run->solution.x + k * control->stride + (2 + t->s) * t->n;
            if (t->ninputs > 1) json_array(json, NULL);
            for (int j = 0; j < t->ninputs; j++)
                write_control(json, &t->control[c], stage + j * t->m);
            if (t->ninputs > 1) json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

/* Multipliers of each interval, which act at its start. */
static void write_multipliers(struct json *json, const struct control_run *run) {
    const struct control *control = &run->control;
    const struct noe_transcription *t = control->transcription;
    if (t->nmultipliers == 0) return;
    json_array(json, "multipliers");
    for (long k = 0; k < control->N; k++) {
        const double *lambda = run->solution.x + (k + 1) * control->stride - t->nmultipliers;
        json_array(json, NULL);
        for (int i = 0; i < t->nmultipliers; i++) json_real(json, NULL, (real)lambda[i]);
        json_end(json);
    }
    json_end(json);
}

static void write_path(struct json *json, const struct control_run *run) {
    const struct control *control = &run->control;
    const int n = control->transcription->n, np = control->transcription->np;
    const double *x = run->solution.x;
    const size_t nodes = (size_t)control->N + 1;
    real *q = malloc(nodes * (size_t)(np + n) * sizeof *q + sizeof *q), *p = q + nodes * (size_t)np;
    json_array(json, "time");
    for (long k = 0; k <= control->N; k++) json_real(json, NULL, control_time(control, x, k));
    json_end(json);
    if (!q) return;
    for (long k = 0; k <= control->N; k++) {
        control_point(control, x, k, q + k * np);
        for (int i = 0; i < n; i++) p[k * n + i] = (real)control_momentum(control, x, k)[i];
    }
    coordinates_write_series(json, "q", run->plan.model, false, control->N + 1, np, q);
    coordinates_write_series(json, "p", run->plan.model, true, control->N + 1, n, p);
    free(q);
    write_controls(json, run);
    write_multipliers(json, run);
}

static void write_minima(struct json *json, const struct control_run *run) {
    json_array(json, "minima");
    for (int i = 0; i < run->nminima; i++) {
        json_object(json, NULL);
        json_real(json, "cost", (real)run->minimum[i].cost);
        json_integer(json, "hits", run->minimum[i].hits);
        json_end(json);
    }
    if (!run->nminima && run->solution.status == NOE_OK) {
        json_object(json, NULL);
        json_real(json, "cost", (real)run->solution.cost);
        json_integer(json, "hits", 1);
        json_end(json);
    }
    json_end(json);
}

int control_print_json(const struct control_run *run) {
    const struct control_solution *solution = &run->solution;
    struct control_active active[CONTROL_ACTIVE_MAX];
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "model", run->plan.model->title);
    json_string(&json, "status", solution->status == NOE_OK ? "ok" : solution->words);
    json_real(&json, "cost", (real)solution->cost);
    json_real(&json, "kkt_error", (real)solution->kkt_error);
    json_real(&json, "violation", (real)solution->violation);
    json_integer(&json, "iterations", solution->iterations);
    json_integer(&json, "steps", run->control.N);
    write_path(&json, run);
    json_array(&json, "active_bounds");
    const int count = control_list_active(run, active);
    for (int i = 0; i < count; i++) json_string(&json, NULL, active[i].text);
    json_end(&json);
    write_minima(&json, run);
    json_object(&json, "hamiltonian");
    json_real(&json, "first", (real)solution->hamiltonian[0]);
    json_real(&json, "spread", (real)solution->hamiltonian_spread);
    json_end(&json);
    json_object(&json, "replay");
    json_real(&json, "final_error", solution->replay_error);
    json_end(&json);
    json_real(&json, "wall_seconds", (real)solution->seconds);
    json_real(&json, "derivative_seconds", (real)solution->seconds_in_derivatives);
    json_end(&json);
    return cli_print_json(&json);
}

static void print_minima(const struct control_run *run) {
    long failed = 0;
    if (run->starts < 2) return;
    for (long i = 0; i < run->starts; i++) failed += run->outcome[i].status != NOE_OK;
    printf("\n  %ld starts, %ld without a minimum; local minima found\n", run->starts, failed);
    for (int i = 0; i < run->nminima && i < MINIMA_SHOWN; i++)
        printf("    %-20.12g %d time%s\n", run->minimum[i].cost, run->minimum[i].hits,
               run->minimum[i].hits > 1 ? "s" : "");
    if (run->nminima > MINIMA_SHOWN) printf("    and %d more\n", run->nminima - MINIMA_SHOWN);
}

void control_print_summary(const struct control_run *run) {
    const struct control_solution *solution = &run->solution;
    const struct control *control = &run->control;
    struct control_active active[CONTROL_ACTIVE_MAX];
    cli_print("%s\n  %s, %ld intervals of %.6g up to t = %.6g\n\n", run->plan.model->title,
              run->plan.method, control->N, solution->x[control->nx - 1],
              (double)control_time(control, solution->x, control->N));
    printf("  %-20s %s, after %d iterations\n", "result", solution->words, solution->iterations);
    printf("  %-20s %.15g\n", "cost", solution->cost);
    printf("  %-20s %.3g (violation of equations and bounds %.3g)\n", "KKT error",
           solution->kkt_error, solution->violation);
    const int count = control_list_active(run, active);
    for (int i = 0; i < count; i++)
        printf("  %-20s %s\n", i ? "" : "active bounds", active[i].text);
    if (!count) printf("  %-20s none\n", "active bounds");
    printf("  %-20s %.9g, within %.3g\n", "Hamiltonian", solution->hamiltonian[0],
           solution->hamiltonian_spread);
    if (solution->replay_error == solution->replay_error)
        printf("  %-20s the continuous dynamics with these controls end %.3g away\n", "replay",
               (double)solution->replay_error);
    else
        printf("  %-20s the continuous dynamics with these controls could not be integrated\n",
               "replay");
    print_minima(run);
    printf("\n  %-20s %.3g s, of which %.3g s in derivatives; %d unknowns, %d equations\n", "time",
           solution->seconds, solution->seconds_in_derivatives, control->nx, control->ng);
}
