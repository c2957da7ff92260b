/* The JSON object of a run. */
/* SPDX-License-Identifier: MIT */
#include "cli/run_report.h"
#include "cli/json_code.h"
#include "cli/json_coordinates.h"

#include <stdio.h>
#include <string.h>

#include "engine/problem.h"
#include "methods/method.h"
#include "output/json_writer.h"

static void write_moment(struct json *json, const char *key, const struct noe_model *model,
                         const struct trajectory_moment *moment, bool has_multipliers) {
    json_object(json, key);
    coordinates_write(json, "q", model, false, moment->q);
    coordinates_write(json, "v", model, true, moment->v);
    coordinates_write(json, "p", model, true, moment->p);
    if (has_multipliers) json_vector(json, "multipliers", model->nconstraints, moment->multipliers);
    json_end(json);
}

static void write_value(struct json *json, const char *key, const struct noe_quantity *quantity,
                        const real *values) {
    const real *at = values + quantity->first;
    if (quantity->cols > 1)
        json_matrix(json, key, quantity->rows, quantity->cols, at);
    else if (quantity->rows > 1)
        json_vector(json, key, quantity->rows, at);
    else
        json_real(json, key, *at);
}

static void write_invariants(struct json *json, const struct noe_system *system,
                             const struct trajectory *trajectory) {
    for (int i = 0; i < system->nquantities; i++) {
        const struct noe_quantity *quantity = &system->quantity[i];
        if (quantity->kind != NOE_INVARIANT) continue;
        const size_t count = (size_t)(quantity->rows * quantity->cols);
        json_object(json, quantity->name);
        write_value(json, "start", quantity, trajectory->start.values);
        write_value(json, "final", quantity, trajectory->final.values);
        json_real(json, "max_error",
                  real_norm(count, trajectory->value_max_error + quantity->first));
        json_end(json);
    }
}

static void write_quantities(struct json *json, const struct noe_system *system,
                             const struct trajectory *trajectory) {
    int invariants = 0;
    for (int i = 0; i < system->nquantities; i++)
        if (system->quantity[i].kind == NOE_INVARIANT) invariants++;
    if (invariants) {
        json_object(json, "invariants");
        write_invariants(json, system, trajectory);
        json_end(json);
    }
    if (invariants == system->nquantities) return;
    json_object(json, "observe");
    for (int i = 0; i < system->nquantities; i++)
        if (system->quantity[i].kind == NOE_OBSERVE)
            write_value(json, system->quantity[i].name, &system->quantity[i],
                        trajectory->final.values);
    json_end(json);
}

/* Copies word number `index` of a list separated by spaces. */
static void copy_word(const char *words, int index, size_t size, char *word) {
    while (index-- > 0 && *words) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    snprintf(word, size, "%.*s", (int)strcspn(words, " "), words);
}

/* True if the option has no effect: a retraction on R^n, or an option of constraints without
 * constraints. */
static bool is_moot(const struct noe_problem *problem, const struct noe_option *option) {
    const struct noe_system *system = problem->system;
    const bool of_constraints =
        strcmp(option->name, "redundant") == 0 || strcmp(option->name, "multiplier") == 0;
    if (of_constraints) return system->nholonomic + system->nnonholonomic == 0;
    return !system->factors && strcmp(option->name, "retraction") == 0;
}

static void write_option(struct json *json, const struct noe_option *option, real value) {
    char word[64];
    if (option->kind == NOE_WORD) {
        copy_word(option->words, (int)value, sizeof word, word);
        json_string(json, option->name, word);
    } else if (option->kind == NOE_INTEGER) {
        json_integer(json, option->name, (long long)value);
    } else {
        json_real(json, option->name, value);
    }
}

static void write_method(struct json *json, const struct noe_problem *problem) {
    const struct noe_option *option = problem->method->options;
    bool is_open = false;
    json_string(json, "method", problem->method->name);
    for (int i = 0; option && option[i].name; i++) {
        if (is_moot(problem, &option[i])) continue;
        if (!is_open) json_object(json, "options");
        is_open = true;
        write_option(json, &option[i], problem->option[i]);
    }
    if (is_open) json_end(json);
}

/* Deviations of the discrete energy count the steps that preserve it. */
static void write_drift(struct json *json, const struct trajectory *trajectory,
                        const struct noe_problem *problem) {
    json_object(json, "energy");
    json_real(json, "start", trajectory->start.energy);
    json_real(json, "final", trajectory->final.energy);
    for (int i = 0; monitor_energy_statistics[i].key; i++)
        json_real(json, monitor_energy_statistics[i].key, trajectory->energy_statistic[i]);
    json_end(json);
    if (!problem->internals->scheme->energy_equation || trajectory->steps == 0) return;
    json_object(json, "discrete_energy");
    json_real(json, "start", trajectory->start.discrete_energy);
    json_real(json, "final", trajectory->final.discrete_energy);
    if (!problem->internals->guard.is_relative) {
        json_real(json, "max_error", trajectory->discrete_max_error);
        json_real(json, "mean_error", trajectory->discrete_mean_error);
        if (trajectory->effort.held)
            json_real(json, "fixed_steps_max_error", trajectory->discrete_held_max_error);
    }
    json_integer(json, "fixed_steps", trajectory->effort.held);
    json_end(json);
}

static void write_stop(struct json *json, const struct noe_system *system,
                       const struct trajectory *trajectory) {
    if (trajectory->crossing < 0) return;
    json_object(json, "stopped");
    json_string(json, "by", system->crossing[trajectory->crossing].text);
    json_real(json, "value", trajectory->event_value);
    json_end(json);
}

static void write_constraints(struct json *json, const struct noe_model *model,
                              const struct trajectory *trajectory) {
    const real drift = trajectory->effort.multiplier_drift;
    if (model->nconstraints == 0) return;
    json_object(json, "constraints");
    json_real(json, "position_max", trajectory->position_max);
    json_real(json, "velocity_max", trajectory->velocity_max);
    if (drift != 0) json_real(json, "multiplier_drift", drift);
    json_end(json);
}

static void write_effort(struct json *json, const struct trajectory *trajectory) {
    const struct noe_step_stats *effort = &trajectory->effort;
    if (effort->iterations <= 0 || effort->steps <= 0) return;
    json_object(json, "newton");
    json_real(json, "iterations_mean", (real)effort->iterations / (real)effort->steps);
    json_integer(json, "iterations_max", effort->iterations_max);
    json_real(json, "residual_max", effort->residual_max);
    if (trajectory->condition_max > 0) json_real(json, "condition_max", trajectory->condition_max);
    json_end(json);
}

/* Counts of the whole run, which do not depend on the machine. */
static void write_counts(struct json *json, const struct noe_step_stats *effort) {
    json_object(json, "effort");
    json_integer(json, "evaluations", effort->evaluations);
    json_integer(json, "factorisations", effort->factorisations);
    json_integer(json, "rejected", effort->rejected);
    json_end(json);
}

static void write_reference(struct json *json, const struct reference *reference) {
    if (!reference) return;
    json_object(json, "reference");
    json_string(json, "method", reference->method);
    json_real(json, "agreement", reference->agreement);
    json_real(json, "max_error", reference->error_max);
    json_real(json, "energy_max_error", reference->energy_error_max);
    json_end(json);
}

static void write_course(struct json *json, const struct report *report) {
    const struct trajectory *trajectory = report->trajectory;
    const struct noe_model *model = report->plan->model;
    json_real(json, "time", trajectory->final.t);
    json_object(json, "step");
    json_real(json, "first", trajectory->step_first);
    json_real(json, "last", trajectory->step_last);
    json_real(json, "min", trajectory->step_min);
    json_real(json, "max", trajectory->step_max);
    json_end(json);
    write_moment(json, "start", model, &trajectory->start, false);
    write_moment(json, "final", model, &trajectory->final, model->nconstraints > 0);
    write_drift(json, trajectory, report->problem);
    write_reference(json, report->reference);
    write_quantities(json, model->system, trajectory);
    write_stop(json, model->system, trajectory);
    write_constraints(json, model, trajectory);
    if (model->system->factors) json_real(json, "group_error_max", trajectory->group_error_max);
    write_effort(json, trajectory);
    write_counts(json, &trajectory->effort);
}

static void write_warnings(struct json *json, const struct report *report) {
    const struct noe_model *model = report->plan->model;
    const struct run_warnings *warnings = report->warnings;
    if (model->nnotes + warnings->count == 0) return;
    json_array(json, "warnings");
    for (int i = 0; i < model->nnotes; i++) json_string(json, NULL, model->note[i].text);
    for (int i = 0; i < warnings->count; i++) json_string(json, NULL, warnings->text[i]);
    json_end(json);
}

int report_json(const struct report *report) {
    const struct trajectory *trajectory = report->trajectory;
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "model", report->plan->model->title);
    write_method(&json, report->problem);
    json_string(&json, "kernel", problem_kernel_name(report->problem));
    json_string(&json, "status", cli_status_word(trajectory->error.status));
    json_string(&json, "message", report->message);
    write_warnings(&json, report);
    json_integer(&json, "steps", trajectory->steps);
    if (report->problem->system->nnoises) json_integer(&json, "seed", report->plan->seed);
    if (trajectory->has_started) write_course(&json, report);
    code_write(&json, report->plan->model, report->stepper, report->stepper_reason, NULL);
    json_real(&json, "wall_seconds", (real)trajectory->wall_seconds);
    if (trajectory->step_seconds > 0 && trajectory->steps > 0)
        json_real(&json, "steps_per_second",
                  (real)((double)trajectory->steps / trajectory->step_seconds));
    json_end(&json);
    return cli_print_json(&json);
}
