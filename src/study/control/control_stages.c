/* Stages of a method in the form that an optimal control problem needs. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "methods/method.h"
#include "methods/runge_kutta/prk.h"
#include "study/control/control_block.h"

static bool is_middle_rule(const struct noe_problem *problem) {
    return problem->lie_product && strcmp(problem->method->name, "midpoint") == 0;
}

static bool serves(const struct noe_problem *problem) {
    const bool has_stages =
        problem->scheme->residual == prk_residual && (problem->traits & NOE_SYMPLECTIC);
    return (is_middle_rule(problem) || has_stages) && problem->retraction == 0;
}

/* The first space that is neither R^n nor one of rotations or poses, or NULL. */
static const struct noe_space *unserved_space(const struct noe_system *system) {
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_space *space = system->factors[i].space;
        if (space->retractions && space->algebra == NOE_ALGEBRA_OTHER) return space;
    }
    return NULL;
}

static enum noe_status check_method(const struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const struct noe_space *unserved = unserved_space(system);
    if (unserved)
        return status_set(error, NOE_NOT_SERVED,
                          "optimal control does not serve %s: it serves coordinates, rotations and "
                          "poses",
                          unserved->plural);
    if (system->nnonholonomic)
        return status_set(error, NOE_NOT_SERVED,
                          "optimal control does not serve nonholonomic constraints: bound what is "
                          "to vanish instead, with a control as its reaction");
    if (system->nholonomic && strcmp(problem->method->name, "midpoint") != 0)
        return status_set(error, NOE_NOT_SERVED,
                          "%s does not serve optimal control with constraints; methods that serve "
                          "it: midpoint",
                          problem->method->name);
    if (serves(problem)) return NOE_OK;
    return status_set(error, NOE_NOT_SERVED,
                      "%s does not serve optimal control: it needs a variational method of "
                      "stages, on groups with retraction = cay; methods that serve it: "
                      "midpoint, gauss, lobatto, verlet, euler-a, euler-b",
                      problem->method->name);
}

static void copy_tableau(struct control *control, const struct tableau *tableau, bool is_middle) {
    const int s = tableau->s;
    real *a = control->coefficients, *b = a + s * s, *c = b + s;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) a[i * s + j] = tableau->a[i][j].value;
        b[i] = tableau->b[i].value;
        c[i] = tableau->c[i];
    }
    control->stages = (struct noe_stages){s, a, b, c, is_middle};
}

enum noe_status control_read_stages(struct control *control, const char *method,
                                    struct noe_error *error) {
    struct noe_problem problem;
    enum noe_status status = noe_problem_init(&problem, control->model->system, method, 1, error);
    if (status != NOE_OK) return status;
    struct tableau *middle = malloc(sizeof *middle);
    control->coefficients = calloc(TABLEAU_STAGES_MAX * (TABLEAU_STAGES_MAX + 2), sizeof(real));
    if (!middle || !control->coefficients)
        status = status_set(error, NOE_NO_MEMORY, "out of memory for the control problem");
    else
        status = check_method(&problem, error);
    if (status == NOE_OK) {
        const exact half = 0.5Q;
        tableau_collocation(middle, 1, &half);
        copy_tableau(control, is_middle_rule(&problem) ? middle : prk_tableau(&problem),
                     is_middle_rule(&problem));
    }
    free(middle);
    noe_problem_clear(&problem);
    return status;
}
