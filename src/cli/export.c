/* noether export: the model as C source that depends on libm only. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "cli/cli.h"
#include "methods/hamilton_pontryagin/endpoint.h"
#include "methods/method.h"
#include "methods/runge_kutta/prk.h"
#include "model/export/export.h"

/* Rounded coefficients of a method, in the layout of export_method. */
struct coefficients {
    real a[TABLEAU_STAGES_MAX * TABLEAU_STAGES_MAX], ahat[TABLEAU_STAGES_MAX * TABLEAU_STAGES_MAX];
    real b[TABLEAU_STAGES_MAX], bhat[TABLEAU_STAGES_MAX];
};

static void take_coefficients(struct coefficients *to, const struct tableau *tableau) {
    const int s = tableau->s;
    for (int i = 0; i < s; i++) {
        to->b[i] = tableau->b[i].value;
        to->bhat[i] = tableau->bhat[i].value;
        for (int j = 0; j < s; j++) {
            to->a[i * s + j] = tableau->a[i][j].value;
            to->ahat[i * s + j] = tableau->ahat[i][j].value;
        }
    }
}

/* Stepper on rotations and poses, for methods with one velocity per step. */
static enum noe_status make_stepper_on_groups(const struct run_setup *plan,
                                              const struct noe_problem *problem, char **text,
                                              struct noe_error *error) {
    static const char *const retractions[] = {"cay", "exp", "new", "skew", NULL, "shift"};
    const enum scheme_rule rule = problem->internals->scheme->rule;
    const bool at_ends = rule == SCHEME_ENDPOINT;
    const bool in_middle = rule == SCHEME_MIDPOINT && !constraint_count(problem->system);
    struct export_groups groups = {.retraction = retractions[problem->retraction],
                                   .in_middle = in_middle};
    if (at_ends) {
        groups.b0 = endpoint_of(problem)->b0;
        groups.b1 = endpoint_of(problem)->b1;
    }
    const struct export_method method = {.words = plan->method,
                                         .groups = at_ends || in_middle ? &groups : NULL};
    return export_with_stepper(plan->model, &method, text, error);
}

/* The model with a step function: kicks and drifts if the method and the mass matrix allow it, else
 * the equations of the method with a Newton iteration. */
static enum noe_status make_stepper(const struct run_setup *plan, const struct noe_problem *problem,
                                    char **text, struct noe_error *error) {
    if (problem->internals->lie_product && product_has_groups(problem->system))
        return make_stepper_on_groups(plan, problem, text, error);
    if (problem->internals->scheme->rule != SCHEME_STAGES)
        return status_set(error, NOE_NOT_SERVED, "no step function of %s can be exported",
                          problem->method->name);
    const struct tableau *tableau = prk_tableau(problem);
    struct export_method method = {.words = plan->method,
                                   .nsubsteps = tableau->nkicks,
                                   .kick = tableau->kick,
                                   .drift = tableau->drift};
    if (tableau->nkicks && kernel_is_direct(problem)) {
        const enum noe_status status = export_with_stepper(plan->model, &method, text, error);
        if (status != NOE_NOT_SERVED) return status;
    }
    struct coefficients *coefficients = malloc(sizeof *coefficients);
    if (!coefficients) return status_set(error, NOE_NO_MEMORY, "out of memory");
    take_coefficients(coefficients, tableau);
    method = (struct export_method){.words = plan->method,
                                    .stages = tableau->s,
                                    .a = coefficients->a,
                                    .ahat = coefficients->ahat,
                                    .b = coefficients->b,
                                    .bhat = coefficients->bhat,
                                    .c = tableau->c};
    const enum noe_status status = export_with_stepper(plan->model, &method, text, error);
    free(coefficients);
    return status;
}

static int make_text(struct run_setup *plan, const struct cli_settings *settings, char **text) {
    struct noe_error error = {0};
    if (!settings->stepper)
        return noe_model_export(plan->model, text, &error) == NOE_OK
                   ? CLI_DONE
                   : cli_fail_file(settings->file, &error);
    struct noe_problem problem;
    plan->step = 1; /* the exported function takes any step size */
    const int exit = run_setup_problem(plan, settings, &problem);
    if (exit) return exit;
    const enum noe_status status = make_stepper(plan, &problem, text, &error);
    noe_problem_clear(&problem);
    return status == NOE_OK ? CLI_DONE : cli_fail_file(settings->file, &error);
}

int cli_export(const struct cli_settings *settings) {
    struct run_setup plan;
    char *text = NULL;
    int exit = run_setup_open(&plan, settings);
    if (!exit) exit = make_text(&plan, settings, &text);
    if (!exit && settings->output) exit = cli_write_file(settings->output, text);
    if (!exit && !settings->output) fputs(text, stdout);
    free(text);
    run_setup_clear(&plan);
    return exit;
}
