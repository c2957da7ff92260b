/* Stages of a method in the form that an optimal control problem needs. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "methods/hamilton_pontryagin/endpoint.h"
#include "methods/method.h"
#include "methods/runge_kutta/prk.h"
#include "study/control/control_block.h"

/* --- The methods that serve a system. */

/* True if the transcription knows the retraction: cay, exp, chord, skew. */
static bool has_known_retraction(const struct noe_problem *problem) {
    return problem->retraction <= SO3_SKEW;
}

/* True if no weight vanishes. The equations of stages divide by the weights. */
static bool has_weights(const struct tableau *tableau) {
    for (int i = 0; i < tableau->s; i++)
        if (tableau->b[i].value == 0) return false;
    return true;
}

/* Finds the equations of the method's intervals. False if a transcription has none for it: its
 * steps have no known equations, or a size of their own. */
static bool find_rule(const struct noe_problem *problem, enum noe_stage_rule *rule) {
    const bool is_variational = problem->traits & NOE_SYMPLECTIC;
    const bool has_groups = product_has_groups(problem->system);
    if ((problem->traits & NOE_ADAPTIVE) || !has_known_retraction(problem)) return false;
    switch (problem->internals->scheme->rule) {
    case SCHEME_OTHER: return false;
    case SCHEME_STAGES:
        *rule = is_variational ? NOE_STAGES_VARIATIONAL : NOE_STAGES_HAMILTONIAN;
        return is_variational ? has_weights(prk_tableau(problem)) : !has_groups;
    case SCHEME_ENDPOINT: *rule = NOE_STAGES_ENDPOINT; return true;
    case SCHEME_MIDPOINT: *rule = NOE_STAGES_MIDPOINT; return true;
    }
    return false;
}

/* True if `method` with its usual options serves an optimal control problem of the system. */
static bool serves(const struct noe_system *system, const char *method) {
    struct noe_problem problem;
    enum noe_stage_rule rule;
    if (noe_problem_init(&problem, system, method, 1, NULL) != NOE_OK) return false;
    const bool is_served = find_rule(&problem, &rule);
    noe_problem_clear(&problem);
    return is_served;
}

/* Refuses a method for a stated reason, with the methods that serve the system. */
static enum noe_status not_served(const struct noe_system *system, const char *reason,
                                  struct noe_error *error) {
    char list[260] = "";
    size_t used = 0;
    for (int i = 0; i < noe_method_count(); i++) {
        const char *other = noe_method_at(i)->name;
        if (used + strlen(other) + sizeof ", " > sizeof list || !serves(system, other)) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", other);
    }
    return status_set(error, NOE_NOT_SERVED, "%s; %s%s", reason,
                      used ? "methods that serve optimal control of this model: "
                           : "no method serves optimal control of this model",
                      list);
}

/* Words behind "does not serve optimal control" for a method that serves runs of the system. */
static const char *circumstance(const struct noe_problem *problem) {
    if (serves(problem->system, problem->method->name)) return " with these options";
    if (problem->system->nholonomic) return " with constraints";
    return has_known_retraction(problem) ? "" : " with its retraction";
}

static enum noe_status refuse(const struct noe_problem *problem, struct noe_error *error) {
    const char *name = problem->method->name;
    char reason[160];
    if (problem->traits & NOE_ADAPTIVE)
        snprintf(
            reason, sizeof reason,
            "%s chooses the sizes of its steps, and the intervals of optimal control are equal",
            name);
    else
        snprintf(reason, sizeof reason, "%s does not serve optimal control%s", name,
                 circumstance(problem));
    return not_served(problem->system, reason, error);
}

/* --- The systems that are served. */

/* The first space that is neither R^n nor one of rotations or poses, or NULL. */
static const struct noe_space *unserved_space(const struct noe_system *system) {
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_space *space = system->factors[i].space;
        if (space->retractions && space->kind.algebra == NOE_ALGEBRA_OTHER) return space;
    }
    return NULL;
}

static enum noe_status check_system(const struct noe_system *system, struct noe_error *error) {
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
    return NOE_OK;
}

/* --- Coefficients. */

static void set_stages(struct control *control, int s, enum noe_stage_rule rule, int retraction) {
    real *a = control->coefficients, *b = a + s * s, *c = b + s;
    control->stages = (struct noe_stages){s, a, b, c, rule, retraction};
}

static void copy_tableau(struct control *control, const struct tableau *tableau) {
    const int s = tableau->s;
    real *a = control->coefficients, *b = a + s * s, *c = b + s;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) a[i * s + j] = tableau->a[i][j].value;
        b[i] = tableau->b[i].value;
        c[i] = tableau->c[i];
    }
}

/* Nodes c with weights b and the increments X_i = h c_i V: a_ij = c_i b_j, because all stages have
 * the velocity V. Returns the number of nodes. */
static int copy_nodes(struct control *control, int count, const scalar *node,
                      const scalar *weight) {
    int s = 0;
    for (int i = 0; i < count; i++) s += weight[i] != 0;
    real *a = control->coefficients, *b = a + s * s, *c = b + s;
    for (int i = 0, k = 0; i < count; i++) {
        if (weight[i] == 0) continue;
        b[k] = weight[i];
        c[k++] = node[i];
    }
    for (int i = 0; i < s * s; i++) a[i] = c[i / s] * b[i % s];
    return s;
}

static enum noe_status read_coefficients(struct control *control, const struct noe_problem *problem,
                                         struct noe_error *error) {
    const scalar middle = (scalar)0.5, whole = 1, ends[] = {0, 1};
    enum noe_stage_rule rule;
    if (!find_rule(problem, &rule)) return refuse(problem, error);
    control->coefficients = calloc(TABLEAU_STAGES_MAX * (TABLEAU_STAGES_MAX + 2), sizeof(real));
    if (!control->coefficients)
        return status_set(error, NOE_NO_MEMORY, "out of memory for the control problem");
    int s;
    if (rule == NOE_STAGES_MIDPOINT) {
        s = copy_nodes(control, 1, &middle, &whole);
    } else if (rule == NOE_STAGES_ENDPOINT) {
        const struct endpoint *endpoint = endpoint_of(problem);
        s = copy_nodes(control, 2, ends, (const scalar[]){endpoint->b0, endpoint->b1});
    } else {
        s = prk_tableau(problem)->s;
        copy_tableau(control, prk_tableau(problem));
    }
    set_stages(control, s, rule, problem->retraction);
    return NOE_OK;
}

enum noe_status control_read_stages(struct control *control, const char *method,
                                    struct noe_error *error) {
    const struct noe_system *system = control->model->system;
    struct noe_problem problem;
    struct noe_error own = {0};
    enum noe_status status = check_system(system, error);
    if (status != NOE_OK) return status;
    status = noe_problem_init(&problem, system, method, 1, &own);
    if (status == NOE_NOT_SERVED) { /* the methods behind the reason serve runs */
        own.text[strcspn(own.text, ";")] = 0;
        return not_served(system, own.text, error);
    }
    if (status != NOE_OK) {
        if (error) *error = own;
        return status;
    }
    status = read_coefficients(control, &problem, error);
    noe_problem_clear(&problem);
    return status;
}
