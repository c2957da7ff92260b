/* noether check: verifies derivatives by finite differences and measures the method's properties on
 * the model. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli/check_circuit.h"
#include "cli/cli.h"
#include "output/json_writer.h"
#include "study/verify/constraint_rank.h"
#include "study/verify/method_report.h"

enum { LABEL = 14 };

struct check {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct noe_problem problem;
    bool has_method; /* method and step size are stated, and `problem` is initialised */
    struct method_report card;
    struct constraint_rank independence;
    struct noe_error error;
};

/* Relative error that finite differences of smooth functions reach with a wide margin. */
static bool agrees(real error) { return error <= (real)1e-6; }

static bool derivatives_agree(const struct method_report *card) {
    const struct derivative_check *found = &card->derivatives;
    return agrees(found->gradient_error) && agrees(found->hessian_error) &&
           agrees(found->constraint_error);
}

static void write_real(struct json *json, const char *key, real x) {
    if (x == x) json_real(json, key, x);
}

/* Redundant constraints by their number in the order of the statements, from 1. */
static void write_constraints(struct json *json, const struct check *check) {
    const struct constraint_rank *found = &check->independence;
    const int count = check->plan.model->nconstraints;
    if (count == 0) return;
    json_real(json, "constraints_at_start", found->residual);
    json_integer(json, "constraints", count);
    if (found->rank < 0) return;
    json_integer(json, "constraint_rank", found->rank);
    json_array(json, "redundant");
    for (int i = 0; i < count; i++)
        if (found->is_redundant[i]) json_integer(json, NULL, i + 1);
    json_end(json);
}

static int print_json(const struct check *check) {
    const struct method_report *card = &check->card;
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_object(&json, "derivatives");
    json_real(&json, "gradient_error", card->derivatives.gradient_error);
    json_real(&json, "hessian_error", card->derivatives.hessian_error);
    json_integer(&json, "coordinates", card->derivatives.coordinates);
    if (check->plan.model->nconstraints > 0)
        json_real(&json, "constraint_error", card->derivatives.constraint_error);
    json_end(&json);
    write_constraints(&json, check);
    circuit_json(check->plan.model->circuit, &json);
    if (check->has_method) {
        write_real(&json, "order", card->order);
        write_real(&json, "symplecticity_defect", card->symplecticity_defect);
        write_real(&json, "reversibility_defect", card->reversibility_defect);
        json_object(&json, "energy");
        write_real(&json, "max_error", card->energy_max_error);
        write_real(&json, "slope", card->energy_slope);
        json_end(&json);
        json_string(&json, "method", check->problem.method->name);
    }
    json_string(&json, "status", cli_status_word(check->error.status));
    json_string(&json, "message", check->error.text);
    json_end(&json);
    return cli_print_json(&json);
}

static void print_derivatives(const struct check *check) {
    const struct derivative_check *found = &check->card.derivatives;
    const bool is_forced = !(check->plan.model->system->traits & NOE_UNFORCED);
    printf("  %-*s %s\n", LABEL, "derivatives",
           derivatives_agree(&check->card) ? "agree with finite differences"
                                           : "DO NOT agree with finite differences");
    printf("  %-*s first derivatives%s %.1e, second derivatives %.1e (largest relative difference "
           "at %d point%s)\n",
           LABEL, "", is_forced ? " (momenta)" : "", (double)found->gradient_error,
           (double)found->hessian_error, check->card.points, check->card.points > 1 ? "s" : "");
    if (found->coordinates < check->plan.model->system->n)
        printf("  %-*s by a sample of %d of %d coordinates\n", LABEL, "", found->coordinates,
               check->plan.model->system->n);
    if (check->plan.model->nconstraints > 0)
        printf("  %-*s derivatives of constraints %.1e\n", LABEL, "",
               (double)found->constraint_error);
}

static void print_constraints(const struct check *check) {
    const struct constraint_rank *found = &check->independence;
    const struct noe_model *model = check->plan.model;
    if (model->nconstraints == 0) return;
    printf("  %-*s %d equation%s, met at the start to %.1e", LABEL, "constraints",
           model->nconstraints, model->nconstraints > 1 ? "s" : "", (double)found->residual);
    if (found->rank >= 0) printf("; rank %d", found->rank);
    putchar('\n');
    for (int i = 0; i < model->nconstraints && found->rank >= 0; i++)
        if (found->is_redundant[i])
            cli_print("  %-*s line %d, '%s'%s depends linearly on those before it\n", LABEL,
                      "redundant", model->constraint[i].line, model->constraint[i].text,
                      model->constraint[i].component ? " (a component)" : "");
}

static void print_order(const struct method_report *card, const struct noe_problem *problem) {
    printf("  %-*s ", LABEL, "order");
    if (problem->system->nnoises) {
        printf("%d is claimed; not measured, because noise paths differ between step sizes\n",
               problem->order);
        return;
    }
    if (card->order != card->order) {
        printf("%d is claimed; errors on this model are not above round-off\n", problem->order);
        return;
    }
    printf("%.3f measured, %d claimed (errors after a time of %.4g%s)\n", (double)card->order,
           problem->order, (double)card->order_span,
           card->order_doubt <= (real)0.2 ? "" : "; not yet asymptotic");
    printf("  %-*s reference: %s\n", LABEL, "", card->order_words);
}

/* Compares a defect that is zero in theory with its round-off. */
static const char *verdict(real defect, real rounding, bool is_claimed) {
    const bool is_seen = defect <= 1000 * rounding;
    if (is_seen) return is_claimed ? "yes, as claimed" : "to round-off, though not claimed";
    return is_claimed ? "NO, though claimed" : "no, and not claimed";
}

/* True if the method claims symplecticity. The variant for constraints claims only the properties
 * it has with all kinds of constraints; with holonomic constraints alone the claim of the method
 * itself holds. */
static bool claims_symplecticity(const struct noe_problem *problem) {
    const struct noe_method_info *row = problem->method;
    if (problem->system->nholonomic) row = noe_method_find(row->name);
    return row->traits & NOE_SYMPLECTIC;
}

static void print_symplecticity(const struct method_report *card,
                                const struct noe_problem *problem) {
    const bool is_claimed = claims_symplecticity(problem);
    const bool is_forced = !(problem->system->traits & NOE_UNFORCED) || problem->system->nnoises;
    printf("  %-*s ", LABEL, "symplectic");
    if (problem->traits & NOE_MULTISTEP) {
        printf("not applicable: %s is a multistep method\n", problem->method->name);
        return;
    }
    if (card->symplecticity_defect != card->symplecticity_defect) {
        puts("not measured (the system is large, or the step has no tangent map)");
        return;
    }
    const bool by_differences = card->symplecticity_by_differences;
    const real rounding = card->symplecticity_rounding;
    printf("%s: |M^T J M - J| = %.1e%s%s, round-off explains about %.0e\n",
           is_forced ? "with forces"
                     : verdict(card->symplecticity_defect,
                               by_differences ? rounding / 100 : rounding, is_claimed),
           (double)card->symplecticity_defect, by_differences ? " by finite differences" : "",
           problem->system->nholonomic ? " on the constraint manifold" : "", (double)rounding);
}

static void print_reversibility(const struct method_report *card,
                                const struct noe_problem *problem) {
    const bool is_claimed = problem->traits & NOE_SYMMETRIC;
    printf("  %-*s ", LABEL, "reversible");
    if (card->reversibility_defect != card->reversibility_defect)
        puts("not measured");
    else
        printf("%s: a step by h, then by -h, returns to within %.1e\n",
               verdict(card->reversibility_defect, card->reversibility_rounding, is_claimed),
               (double)card->reversibility_defect);
}

static void print_energy(const struct method_report *card, const struct noe_problem *problem) {
    const unsigned traits = problem->system->traits;
    printf("  %-*s ", LABEL, "energy");
    if (card->energy_max_error != card->energy_max_error) {
        puts("not measured");
        return;
    }
    printf("largest error %.2e", (double)card->energy_max_error);
    if (card->energy_start != 0)
        printf(" (relative %.1e)", (double)(card->energy_max_error / noe_abs(card->energy_start)));
    printf(" over %ld steps, slope %.1e per unit of time\n", card->energy_steps,
           (double)card->energy_slope);
    if (problem->system->nnoises)
        printf("  %-*s noise changes the energy of this system\n", LABEL, "");
    else if (!(traits & NOE_UNFORCED) || !(traits & NOE_AUTONOMOUS))
        printf("  %-*s forces or explicit time change the energy of this system\n", LABEL, "");
}

static void print_card(const struct check *check) {
    const struct noe_system *system = check->plan.model->system;
    cli_print("%s\n  %-*s %d degree%s of freedom%s%s\n", check->plan.model->title, LABEL, "system",
              system->n, system->n > 1 ? "s" : "",
              system->traits & NOE_SEPARABLE ? ", separable" : "",
              system->traits & NOE_UNFORCED ? "" : ", forced");
    if (system->nnoises)
        printf("  %-*s %d Brownian motion%s, seed %ld\n", LABEL, "noise", system->nnoises,
               system->nnoises > 1 ? "s" : "", check->plan.seed);
    print_derivatives(check);
    print_constraints(check);
    circuit_print(check->plan.model->circuit, LABEL);
    if (!check->has_method) {
        printf("  %-*s not stated with a step size; use --method and --step\n", LABEL, "method");
        return;
    }
    printf("\n  %-*s %s, step %.10g\n", LABEL, "method", check->plan.method,
           (double)check->plan.step);
    print_order(&check->card, &check->problem);
    print_symplecticity(&check->card, &check->problem);
    print_reversibility(&check->card, &check->problem);
    print_energy(&check->card, &check->problem);
}

/* The check fails if derivatives disagree or a step fails. */
static int judge(struct check *check, enum noe_status status) {
    if (status != NOE_OK) {
        check->error.status = status;
        cli_say("%s", check->error.text);
        return cli_exit_of(status);
    }
    if (derivatives_agree(&check->card)) return CLI_DONE;
    check->error.status = NOE_NOT_FINITE;
    snprintf(
        check->error.text, sizeof check->error.text,
        "the derivatives do not agree with finite differences: the Lagrangian or a force is not "
        "smooth, or not finite, at the start or along the motion");
    cli_say("%s", check->error.text);
    return CLI_NUMERICS;
}

static int measure(struct check *check) {
    const struct noe_model *model = check->plan.model;
    const struct convergence_task task = {.system = model->system,
                                          .method = check->plan.method,
                                          .from = check->plan.from,
                                          .until = check->plan.until,
                                          .q = model->q,
                                          .v = model->v};
    const struct noe_problem *problem = check->has_method ? &check->problem : NULL;
    enum noe_status status =
        constraint_rank_find(&check->independence, model, check->plan.from, &check->error);
    if (status == NOE_OK)
        status = method_report_derivatives(&check->card, &task, problem, &check->error);
    if (status == NOE_OK && problem)
        status = method_report_method(&check->card, &task, problem, &check->error);
    if (status == NOE_OK) check->error = (struct noe_error){0};
    return judge(check, status);
}

int cli_check(const struct cli_settings *settings) {
    struct check check = {.settings = settings};
    int exit = run_setup_open(&check.plan, settings);
    const bool is_stated = check.plan.method && check.plan.step == check.plan.step;
    if (!exit && check.plan.until == check.plan.until)
        exit = run_setup_horizon(&check.plan, settings);
    if (!exit && is_stated) {
        exit = run_setup_problem(&check.plan, settings, &check.problem);
        check.has_method = exit == 0;
    }
    if (!exit) {
        exit = measure(&check);
        const int printed = settings->json ? print_json(&check) : 0;
        if (!settings->json) print_card(&check);
        if (printed) exit = printed;
    }
    constraint_rank_clear(&check.independence);
    if (check.has_method) noe_problem_clear(&check.problem);
    run_setup_clear(&check.plan);
    return exit;
}
