/* Summary of a run: motion, conservation, cost. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "cli/run_report.h"
#include "engine/problem.h"
#include "methods/method.h"
#include "model/jit/simd_target.h"
#include "study/trajectory_columns.h"

enum { SHOWN_MAX = 12, LABEL = 20 };

/* A NaN has no sign here. */
static double shown(real x) { return x == x ? (double)x : (double)NAN; }

static void print_row(const char *label, real start, real final) {
    printf("  %-*s %-18.10g %.10g\n", LABEL, label, shown(start), shown(final));
}

/* Prints initial and final configuration and velocity; only the first components of a large
 * system. False if memory ran out. */
static bool print_motion(const struct report *report) {
    const struct trajectory *trajectory = report->trajectory;
    const int n = report->problem->system->n, np = report->problem->np;
    const int shown = np + n <= SHOWN_MAX ? np : SHOWN_MAX / 2;
    int count = 0;
    char **name = columns_create(report->plan->model, report->problem->method, false, &count);
    if (!name) return false;
    printf("\n  %-*s %-18s %s\n", LABEL, "", "start", "final");
    for (int i = 0; i < shown; i++)
        print_row(name[1 + i], trajectory->start.q[i], trajectory->final.q[i]);
    for (int i = 0; i < shown && i < n; i++)
        print_row(name[1 + np + i], trajectory->start.v[i], trajectory->final.v[i]);
    if (shown < np) printf("  ... of %d coordinates; --json or -o gives all\n", np);
    columns_free(name, count);
    return true;
}

static void print_drift(const char *label, real start, real final, real error) {
    printf("  %-*s %-18.10g %-18.10g %.2e", LABEL, label, shown(start), shown(final), shown(error));
    cli_print_relative(start, error);
    putchar('\n');
}

static void print_invariant(const struct noe_quantity *quantity,
                            const struct trajectory *trajectory) {
    const int count = quantity->rows * quantity->cols, first = quantity->first;
    char label[128];
    for (int i = 0; i < count && i < SHOWN_MAX; i++) {
        if (count == 1)
            snprintf(label, sizeof label, "%s", quantity->name);
        else if (quantity->cols == 1)
            snprintf(label, sizeof label, "%s[%d]", quantity->name, i + 1);
        else
            snprintf(label, sizeof label, "%s[%d][%d]", quantity->name, i / quantity->cols + 1,
                     i % quantity->cols + 1);
        print_drift(label, trajectory->start.values[first + i], trajectory->final.values[first + i],
                    trajectory->value_max_error[first + i]);
    }
}

/* Prints the largest magnitude of a quantity that should be zero. */
static void print_largest(const char *label, real largest) {
    printf("  %-*s %-18s %-18s %.2e\n", LABEL, label, "", "", (double)largest);
}

/* The steps of the first size do not preserve the discrete energy. */
static void print_discrete_energy(const struct trajectory *trajectory) {
    const long held = trajectory->effort.held;
    print_drift("discrete energy", trajectory->start.discrete_energy,
                trajectory->final.discrete_energy, trajectory->discrete_max_error);
    if (held == 0) return;
    print_largest("  of first-size steps", trajectory->discrete_held_max_error);
    printf("  %-*s %ld of %ld steps were taken with the first size\n", LABEL, "", held,
           trajectory->steps);
}

static void print_kept(const struct report *report) {
    const struct trajectory *trajectory = report->trajectory;
    const struct noe_system *system = report->problem->system;
    printf("\n  %-*s %-18s %-18s %s\n", LABEL, "", "start", "final", "largest deviation");
    print_drift("energy", trajectory->start.energy, trajectory->final.energy,
                trajectory->energy_max_error);
    if (report->problem->internals->scheme->energy_equation &&
        !report->problem->internals->guard.is_relative && trajectory->steps > 0)
        print_discrete_energy(trajectory);
    for (int i = 0; i < system->nquantities; i++)
        if (system->quantity[i].kind == NOE_INVARIANT)
            print_invariant(&system->quantity[i], trajectory);
    if (system->factors) print_largest("group error", trajectory->group_error_max);
    if (system->nholonomic) print_largest("constraints", trajectory->position_max);
    if (system->nholonomic) print_largest("  of velocities", trajectory->velocity_max);
    if (system->nnonholonomic && !system->nholonomic)
        print_largest("constraints", trajectory->velocity_max);
}

static void print_reference(const struct reference *reference) {
    if (!reference) return;
    printf("\n  %-*s %.2e against %s, accurate to %.0e\n", LABEL, "error of (q, p)",
           (double)reference->error_max, reference->method, (double)reference->agreement);
    printf("  %-*s %.2e\n", LABEL, "of energy", (double)reference->energy_error_max);
}

static void print_multipliers(const struct report *report) {
    const struct noe_model *model = report->plan->model;
    const real *multipliers = report->trajectory->final.multipliers;
    const real drift = report->trajectory->effort.multiplier_drift;
    if (model->nconstraints == 0) return;
    printf("\n  %-*s", LABEL, "multipliers");
    for (int i = 0; i < model->nconstraints && i < SHOWN_MAX; i++)
        printf(" %.10g", (double)multipliers[i]);
    puts(model->nconstraints > SHOWN_MAX ? " ..." : "");
    if (drift > 0)
        printf("  %-*s carried from step to step: differ by at most %.1e from those of the state\n",
               LABEL, "", (double)drift);
}

static void print_observed(const struct report *report) {
    const struct noe_system *system = report->problem->system;
    bool is_first = true;
    for (int i = 0; i < system->nquantities; i++) {
        const struct noe_quantity *quantity = &system->quantity[i];
        if (quantity->kind != NOE_OBSERVE) continue;
        if (is_first) printf("\n  at the end\n");
        is_first = false;
        printf("  %-*s", LABEL, quantity->name);
        const int count = quantity->rows * quantity->cols;
        for (int j = 0; j < count && j < SHOWN_MAX; j++)
            printf(" %.10g", (double)report->trajectory->final.values[quantity->first + j]);
        puts(count > SHOWN_MAX ? " ..." : "");
    }
}

/* Prints the history of the step size of energy-adaptive methods, with an explanation. */
static void print_lengths(const struct report *report) {
    const struct trajectory *trajectory = report->trajectory;
    const struct noe_step_stats *effort = &trajectory->effort;
    const double growth = (double)(trajectory->step_last / trajectory->step_first);
    if (!report->problem->internals->scheme->energy_equation || trajectory->steps == 0) return;
    printf("  %-*s %.6g first, %.6g last, %.3g trial sizes per step", LABEL, "step",
           (double)trajectory->step_first, (double)trajectory->step_last,
           (double)effort->lengths / (double)effort->steps);
    if (effort->held) printf("; %ld steps with the first size", effort->held);
    putchar('\n');
    if (growth > 2 && !(report->problem->system->traits & NOE_UNFORCED) &&
        !report->problem->internals->guard.is_relative)
        printf(
            "  %-*s the step grew by a factor %.3g because forces dissipate energy; try defect = "
            "relative\n",
            LABEL, "", growth);
}

static void print_effort(const struct report *report) {
    const struct trajectory *trajectory = report->trajectory;
    const struct noe_step_stats *effort = &trajectory->effort;
    putchar('\n');
    print_lengths(report);
    if (effort->iterations > 0 && effort->steps == 0)
        printf("  %-*s %ld iterations without a step\n", LABEL, "newton", effort->iterations);
    else if (effort->iterations > 0)
        printf("  %-*s %.3g iterations per step (max %d), residual at most %.1e\n", LABEL, "newton",
               (double)effort->iterations / (double)effort->steps, effort->iterations_max,
               (double)effort->residual_max);
    printf("  %-*s %.3g s", LABEL, "speed", trajectory->wall_seconds);
    if (trajectory->steps > 0 && trajectory->step_seconds > 0)
        printf(", %.3g steps/s", (double)trajectory->steps / trajectory->step_seconds);
    putchar('\n');
}

/* Prints the SIMD lanes of the model's functions, if any, and of this machine. */
static void print_lanes(const struct report *report) {
    char words[128];
    const bool has_functions = report->plan->model->code.has_vectors;
    const bool is_used = has_functions || report->problem->system->force_simd;
    simd_target_describe(sizeof words, words);
    printf("  %-*s %s%s%s\n", LABEL, "lanes", is_used ? "" : "not used; available: ", words,
           has_functions ? ", for vector functions" : "");
}

static void print_details(const struct report *report) {
    static const char *const code[] = {"compiled", "compiled earlier, from the cache",
                                       "interpreted"};
    const struct noe_model *model = report->plan->model;
    const struct noe_step_stats *effort = &report->trajectory->effort;
    const bool is_direct = kernel_is_direct(report->problem);
    printf("  %-*s %s", LABEL, "model", code[model->code.kind]);
    if (model->code.bytes) printf(", %zu bytes of C", model->code.bytes);
    if (model->code.note) cli_print("; %s", model->code.note);
    printf("\n  %-*s %s\n", LABEL, "linear solver", report->trajectory->solver);
    printf("  %-*s %s\n", LABEL, "kernel", problem_kernel_name(report->problem));
    printf("  %-*s %s\n", LABEL, "stepper", report->stepper);
    cli_print("  %-*s %s\n", LABEL, "", report->stepper_reason);
    print_lanes(report);
    printf("  %-*s %ld evaluations, %ld factorisations, %ld rejected steps\n", LABEL, "effort",
           effort->evaluations, effort->factorisations, effort->rejected);
    if (report->trajectory->condition_max > 0)
        printf("  %-*s at most %.3g (matrix of a step)\n", LABEL, "condition",
               (double)report->trajectory->condition_max);
    printf("  %-*s %s, %d unknowns per step%s\n", LABEL, "arithmetic", NOE_REAL_NAME,
           report->problem->internals->nu, is_direct ? ", direct formula" : "");
}

static void print_heading(const struct report *report) {
    const struct trajectory *trajectory = report->trajectory;
    const bool is_adaptive = report->problem->traits & NOE_ADAPTIVE;
    cli_print("%s\n", report->plan->model->title);
    cli_print("  %s, ", report->plan->method);
    if (is_adaptive)
        printf("steps from %.6g to %.6g", (double)trajectory->step_min,
               (double)trajectory->step_max);
    else
        printf("step %.10g", (double)report->problem->h);
    printf(", %ld steps, t = %.10g to %.10g\n", trajectory->steps, (double)trajectory->start.t,
           (double)trajectory->final.t);
    if (trajectory->error.status != NOE_OK)
        printf("  INCOMPLETE (%s)\n", cli_status_word(trajectory->error.status));
    else if (trajectory->crossing >= 0)
        cli_print("  stopped at t = %.10g where %s\n", (double)trajectory->final.t,
                  report->problem->system->crossing[trajectory->crossing].text);
    else if (is_adaptive && report->plan->until < trajectory->final.t && !report->settings->steps)
        printf("  the last step ends beyond %.10g: its size follows from the discrete energy\n",
               (double)report->plan->until);
    else if (report->ended_early && trajectory->steps == 0)
        printf("  the step size exceeds the duration of the run, up to %.10g: no step was taken\n",
               (double)report->plan->until);
    else if (report->ended_early)
        printf("  the step size does not divide the run, up to %.10g: it ended after the last full "
               "step\n",
               (double)report->plan->until);
}

static void print_warnings(const struct run_warnings *warnings) {
    for (int i = 0; i < warnings->count; i++) cli_print("\n  WARNING: %s\n", warnings->text[i]);
}

int summary_print(const struct report *report) {
    const struct trajectory *trajectory = report->trajectory;
    if (!trajectory->has_started) return CLI_DONE;
    print_heading(report);
    print_warnings(report->warnings);
    if (!print_motion(report)) return cli_no_memory();
    print_kept(report);
    print_reference(report->reference);
    print_multipliers(report);
    print_observed(report);
    print_effort(report);
    if (report->settings->verbose) print_details(report);
    if (report->settings->output && trajectory->error.status >= 0)
        cli_print("  %-*s %s, %ld rows\n", LABEL, "wrote", report->settings->output,
                  trajectory->rows);
    return CLI_DONE;
}
