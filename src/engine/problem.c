/* A problem: system, method and settings, checked once. */
/* SPDX-License-Identifier: MIT */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "base/random_stream.h"
#include "base/real.h"
#include "base/status.h"
#include "engine/problem.h"
#include "linalg/linear_system.h"
#include "mechanics/constraint_jacobian.h"
#include "mechanics/multipliers.h"
#include "methods/method.h"
#include "spaces/product.h"
#include "spaces/space_set.h"

/* Names of the literature for methods that have another name here. */
static const char *const synonyms[][2] = {
    {"symplectic-euler", "'euler-a' or 'euler-b'"},
    {"semi-implicit-euler", "'euler-a' or 'euler-b'"},
    {"leapfrog", "'verlet'"},
    {"stormer-verlet", "'verlet'"},
    {"velocity-verlet", "'verlet'"},
    {"rattle", "'lobatto stages = 2' with constraints"},
    {"shake", "'lobatto stages = 2' with constraints"},
    {"implicit-midpoint", "'midpoint'"},
    {"gauss-legendre", "'gauss'"},
    {"yoshida", "'splitting order = 4'"},
};

static enum noe_status unknown_method(const char *name, struct noe_error *error) {
    const char *names[256];
    int count = 0;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(name, synonyms[i][0]) == 0)
            return status_set(error, NOE_BAD_INPUT, "unknown method '%s': it is %s here", name,
                              synonyms[i][1]);
    for (; count < noe_method_count() && count < 256; count++)
        names[count] = noe_method_at(count)->name;
    const char *near = status_nearest(name, count, names);
    if (near)
        return status_set(error, NOE_BAD_INPUT, "unknown method '%s' (did you mean '%s'?)", name,
                          near);
    return status_set(error, NOE_BAD_INPUT, "unknown method '%s'; 'noether methods' lists them",
                      name);
}

/* Reads "name key=value ..." into the problem's method and options. */
static enum noe_status read_method(struct noe_problem *problem, const char *text,
                                   struct noe_error *error) {
    char name[OPTION_WORD];
    text = option_word(text, name);
    problem->method = noe_method_find(name);
    if (!problem->method) return unknown_method(name, error);
    return option_read(name, problem->method->options, text, problem->option, error);
}

/* The reason why the system is not v.Mv/2 on one group, or NULL. */
static const char *not_invariant(const struct noe_system *system) {
    if (!(system->traits & NOE_LEFT_INVARIANT))
        return "needs an Euler-Poincaré system (L depends on the configuration)";
    if (!(system->traits & NOE_UNFORCED)) return "needs a system without forces";
    if (!(system->traits & NOE_SEPARABLE)) return "needs L = v.Mv/2 with M constant";
    return system->nfactors > 1 ? "needs a single rotation, pose or other group" : NULL;
}

/* The reason why the method does not support the system's constraints, or NULL. */
static const char *constraint_obstacle(const struct noe_method_info *method,
                                       const struct noe_system *system) {
    if (system->nholonomic && option_index(method->constraints, "holonomic") < 0)
        return "does not serve constraints";
    if (system->nnonholonomic && option_index(method->constraints, "nonholonomic") < 0)
        return "does not serve nonholonomic constraints";
    return NULL;
}

static const char serves_not[] = "does not serve";

/* The first space of a factor that the method does not support, or NULL. */
static const struct noe_space *unserved_space(const struct noe_method_info *method,
                                              const struct noe_system *system) {
    for (int i = 0; i < system->nfactors && system->factors; i++)
        if (!space_set_has(method->spaces, system->factors[i].space))
            return system->factors[i].space;
    return NULL;
}

/* The reason why the method does not support the system's factors, or NULL. */
static const char *space_obstacle(const struct noe_method_info *method,
                                  const struct noe_system *system) {
    const unsigned needs_group = NOE_NEEDS_GROUPS | NOE_NEEDS_INVARIANT;
    if ((method->traits & needs_group) && !product_has_groups(system))
        return "needs a rotation or a pose, or another Lie group";
    return unserved_space(method, system) ? serves_not : NULL;
}

/* The reason why the method does not support the system's noise, or lacks noise that it needs, or
 * NULL. */
static const char *noise_obstacle(const struct noe_method_info *method,
                                  const struct noe_system *system) {
    if (!(method->traits & NOE_STOCHASTIC))
        return system->nnoises ? "knows no noise, and this system has some" : NULL;
    if (!(method->traits & NOE_NEEDS_BATH)) return NULL;
    if (!(system->traits & (NOE_SEPARABLE | NOE_DAMPED)))
        return "needs L = v.Mv/2 - U(t,q) with M constant";
    if (product_has_groups(system) && !(system->traits & NOE_BLOCK_MASS))
        return "needs a mass matrix that does not couple rotations or poses with anything else";
    const bool is_linear = system->traits & (NOE_SEPARABLE | NOE_LINEAR_FRICTION);
    return is_linear ? NULL : "needs friction that is linear in the velocities";
}

/* The reason why the method does not support the system, or NULL. */
static const char *obstacle(const struct noe_method_info *method, const struct noe_system *system) {
    const char *why = space_obstacle(method, system);
    if (why) return why;
    if ((method->traits & NOE_NEEDS_SEPARABLE) && !(system->traits & NOE_SEPARABLE))
        return "needs a separable system (L = v.Mv/2 - U(t,q) with M constant, no force that "
               "depends on v)";
    if ((method->traits & NOE_NEEDS_UNFORCED) && !(system->traits & NOE_UNFORCED))
        return "keeps the energy of a system without forces, and this one has forces";
    if ((method->traits & NOE_NEEDS_LINEAR) && !(system->traits & NOE_LINEAR))
        return "needs a Lagrangian that is linear in the velocities";
    if ((method->traits & NOE_NEEDS_CONSTRAINTS) && !constraint_count(system))
        return "is for systems with constraints";
    why = constraint_obstacle(method, system);
    if (why) return why;
    why = noise_obstacle(method, system);
    if (why) return why;
    return method->traits & NOE_NEEDS_INVARIANT ? not_invariant(system) : NULL;
}

static enum noe_status not_served(const struct noe_problem *problem, const char *why,
                                  struct noe_error *error) {
    char list[260] = "";
    size_t used = 0;
    for (int i = 0; i < noe_method_count(); i++) {
        const struct noe_method_info *other = noe_method_at(i);
        if (obstacle(other, problem->system)) continue;
        const bool fits = used + strlen(other->name) + sizeof ", , ..." <= sizeof list;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                 fits ? other->name : "...");
        if (!fits) break;
    }
    const struct noe_space *space =
        why == serves_not ? unserved_space(problem->method, problem->system) : NULL;
    const bool is_beside = space && !space->retractions;
    return status_set(error, NOE_NOT_SERVED, "%s %s%s%s%s; %s%s", problem->method->name, why,
                      space ? " " : "", space ? space->plural : "",
                      is_beside ? " beside a group" : "",
                      used ? "methods that serve it: " : "no method serves it", list);
}

/* Copies the word with the given index among words separated by spaces. */
static void copy_word(const char *words, int index, char word[OPTION_WORD]) {
    for (; index > 0; index--) words += strcspn(words, " ") + 1;
    snprintf(word, OPTION_WORD, "%.*s", (int)strcspn(words, " "), words);
}

/* The value of an option whose values are words; 0 if the method does not have the option. */
static int word_option(const struct noe_problem *problem, const char *name) {
    const struct noe_method_info *method = problem->method;
    for (int i = 0; i < option_count(method->options); i++)
        if (strcmp(method->options[i].name, name) == 0) return (int)problem->option[i];
    return 0;
}

/* The names of a space's retractions. */
static void list_retractions(const struct noe_space *space, size_t size, char *list) {
    size_t used = 0;
    for (int tau = 0; space->retractions >> tau && used < size; tau++) {
        char word[OPTION_WORD];
        if (!(space->retractions >> tau & 1)) continue;
        copy_word(NOE_RETRACTIONS, tau, word);
        used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
    }
}

/* Takes the retraction from the method's options, if every factor has it. */
static enum noe_status set_retraction(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_method_info *method = problem->method;
    const struct noe_system *system = problem->system;
    problem->retraction = word_option(problem, "retraction");
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_space *space = system->factors[i].space;
        if (!space->retractions || (space->retractions >> problem->retraction & 1)) continue;
        char wanted[OPTION_WORD], known[OPTION_WORD] = "";
        copy_word(NOE_RETRACTIONS, problem->retraction, wanted);
        list_retractions(space, sizeof known, known);
        return status_set(error, NOE_NOT_SERVED, "%s: %s has no retraction '%s'; it has %s",
                          method->name, space->name, wanted, known);
    }
    return NOE_OK;
}

/* The matrix that gives accelerations and multipliers. */
static bool plan_constrained(struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const int nz = multipliers_pattern(system, NULL, NULL);
    int *row = malloc(2 * (size_t)nz * sizeof *row);
    if (!row) return false;
    multipliers_pattern(system, row, row + nz);
    problem->internals->plan->constrained =
        linear_plan(system->n + constraint_count(system), nz, row, row + nz);
    free(row);
    return true;
}

/* The matrix of multipliers alone. */
static bool plan_schur(struct noe_problem *problem) {
    const struct constraint_schur *schur = &problem->internals->constraint_jacobian->velocity;
    int *row = malloc((2 * (size_t)schur->nz + 1) * sizeof *row);
    if (!row) return false;
    schur_sparsity(problem->system, schur, row, row + schur->nz);
    problem->internals->plan->schur = linear_plan(schur->size, schur->nz, row, row + schur->nz);
    free(row);
    return true;
}

/* False if there is no memory. */
static bool plan_linear_systems(struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const int nz = problem->internals->scheme->sparsity(problem, NULL, NULL);
    int *row = malloc((2 * (size_t)nz + 1) * sizeof *row);
    problem->internals->plan = calloc(1, sizeof *problem->internals->plan);
    if (row && problem->internals->plan) {
        problem->internals->scheme->sparsity(problem, row, row + nz);
        problem->internals->plan->step = linear_plan(problem->internals->nu, nz, row, row + nz);
        problem->internals->plan->mass =
            linear_plan(system->n, system->nz, system->row, system->col);
    }
    free(row);
    if (!row || !problem->internals->plan) return false;
    if (constraint_count(system) && !plan_constrained(problem)) return false;
    if (multipliers_use_schur(problem) && !plan_schur(problem)) return false;
    if (problem->internals->is_least_squares) {
        linear_plan_least(&problem->internals->plan->step);
        linear_plan_least(&problem->internals->plan->constrained);
        problem->internals->restarts_every_step = true;
    }
    return true;
}

static enum noe_status check_system(const struct noe_system *system, struct noe_error *error) {
    if (system->n < 1)
        return status_set(error, NOE_BAD_INPUT, "a system needs a degree of freedom");
    if (!system->first)
        return status_set(error, NOE_BAD_INPUT,
                          "the system has no Lagrangian: nothing moves, it can only be minimised");
    for (int i = 0; i < system->nfactors && system->factors; i++) {
        const struct noe_space *space = system->factors[i].space;
        if (!space->retractions) continue;
        if (space->tangent > NOE_TANGENT_MAX || space->point > NOE_POINT_MAX)
            return status_set(error, NOE_BAD_INPUT,
                              "%s: a group has at most %d directions and points of %d numbers",
                              space->name, NOE_TANGENT_MAX, NOE_POINT_MAX);
    }
    return NOE_OK;
}

/* The variant of the method for this kind of system and these options: the only place where it is
 * decided which scheme runs. */
static void choose_variant(struct noe_problem *problem) {
    const struct method *method = (const struct method *)problem->method;
    const struct variant usual = {method->info.traits, method->scheme, method->data};
    const struct variant *variant = &usual;
    if (constraint_count(problem->system) && method->constrained.scheme)
        variant = &method->constrained;
    else if (product_has_groups(problem->system) && method->on_groups.scheme)
        variant = &method->on_groups;
    const struct variant *chosen = method->choose ? method->choose(problem) : NULL;
    if (chosen) variant = chosen;
    problem->traits = variant->traits;
    problem->internals->scheme = variant->scheme;
    problem->internals->scheme_data = variant->data;
}

static bool serves(const struct kernel *kernel, const struct noe_problem *problem) {
    return !kernel->serves || kernel->serves(problem);
}

/* The first kernel that serves the problem, or NULL. */
static const struct kernel *first_kernel(const struct noe_problem *problem) {
    const struct kernel *const *kernel = problem->internals->scheme->kernels;
    while (kernel && *kernel && !serves(*kernel, problem)) kernel++;
    return kernel ? *kernel : NULL;
}

static void use_kernel(struct noe_problem *problem, const struct kernel *kernel) {
    problem->internals->kernel = kernel;
    if (!kernel || !kernel->scratch) return;
    const size_t needed = kernel->scratch(problem);
    if (needed > problem->internals->nscratch) problem->internals->nscratch = needed;
}

/* True if Newton's method can take the steps. */
static bool has_plain_path(const struct noe_problem *problem) {
    const bool adapts_in_kernel =
        (problem->traits & NOE_ADAPTIVE) && !problem->internals->scheme->energy_equation;
    return problem->internals->scheme->residual && !adapts_in_kernel;
}

static enum noe_status no_kernel(const struct noe_problem *problem, const char *name,
                                 struct noe_error *error) {
    char list[200] = "";
    size_t used = 0;
    if (has_plain_path(problem)) used = (size_t)snprintf(list, sizeof list, "none");
    for (const struct kernel *const *k = problem->internals->scheme->kernels; k && *k; k++)
        if (serves(*k, problem) && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     (*k)->name);
    return status_set(error, NOE_BAD_INPUT, "%s has no kernel '%s' for this system; it has: %s",
                      problem->method->name, name, list);
}

enum noe_status problem_set_kernel(struct noe_problem *problem, const char *name,
                                   struct noe_error *error) {
    if (strcmp(name, "none") == 0 && has_plain_path(problem)) {
        problem->internals->kernel = NULL;
        return NOE_OK;
    }
    for (const struct kernel *const *k = problem->internals->scheme->kernels; k && *k; k++) {
        if (strcmp((*k)->name, name) != 0 || !serves(*k, problem)) continue;
        use_kernel(problem, *k);
        return NOE_OK;
    }
    return no_kernel(problem, name, error);
}

const char *problem_kernel_name(const struct noe_problem *problem) {
    return problem->internals->kernel ? problem->internals->kernel->name : "none";
}

/* Patterns of groups and constraints. */
static enum noe_status make_patterns(struct noe_problem *problem, struct noe_error *error) {
    struct problem_internals *internals = problem->internals;
    const struct noe_system *system = problem->system;
    if (product_has_groups(system) || internals->scheme->needs_lie_product) {
        internals->lie_product = lie_product_make(system);
        if (!internals->lie_product)
            return status_set(error, NOE_NO_MEMORY, "out of memory for the pattern of groups");
    }
    if (!constraint_count(system)) return NOE_OK;
    internals->constraint_jacobian = constraint_jacobian_make(system, internals->lie_product);
    if (internals->constraint_jacobian) return NOE_OK;
    return status_set(error, NOE_NO_MEMORY, "out of memory for the pattern of constraints");
}

/* Chooses scheme and kernel and makes their data; system and method fit. */
static enum noe_status make_internals(struct noe_problem *problem, struct noe_error *error) {
    struct problem_internals *internals = problem->internals;
    const struct noe_system *system = problem->system;
    choose_variant(problem);
    enum noe_status status = set_retraction(problem, error);
    if (status != NOE_OK) return status;
    internals->normals = stream_step;
    internals->is_least_squares = constraint_count(system) && word_option(problem, "redundant");
    problem->np = product_point_size(system);
    status = make_patterns(problem, error);
    if (status == NOE_OK) status = internals->scheme->setup(problem, error);
    if (status != NOE_OK) return status;
    use_kernel(problem, first_kernel(problem));
    if (plan_linear_systems(problem)) return NOE_OK;
    return status_set(error, NOE_NO_MEMORY, "out of memory for a pattern");
}

enum noe_status noe_problem_init(struct noe_problem *problem, const struct noe_system *system,
                                 const char *method, noe_real h, struct noe_error *error) {
    *problem = (struct noe_problem){.system = system, .h = h, .seed = 1};
    if (!(h > 0) || !real_is_finite(h)) {
        char number[64];
        real_print(number, sizeof number, h);
        return status_set(error, NOE_BAD_INPUT, "step must be positive and finite, found %s",
                          number);
    }
    enum noe_status status = check_system(system, error);
    if (status == NOE_OK) status = read_method(problem, method, error);
    if (status != NOE_OK) return status;
    const char *why = obstacle(problem->method, system);
    if (why) return not_served(problem, why, error);
    problem->internals = calloc(1, sizeof *problem->internals);
    if (!problem->internals) return status_set(error, NOE_NO_MEMORY, "out of memory for a problem");
    status = make_internals(problem, error);
    if (status != NOE_OK) noe_problem_clear(problem);
    return status;
}

/* A kernel does not evaluate rates of event functions, so it cannot detect events by them. */
bool problem_has_kernel_events(const struct noe_problem *problem) {
    const unsigned wanted = NOE_REDUCED_SECTIONS | NOE_LEFT_INVARIANT;
    const struct noe_system *system = problem->system;
    return problem->internals->kernel && problem->internals->kernel->drive &&
           !system->event_rates && system->nevents && (system->traits & wanted) == wanted;
}

static void free_plan(struct noe_plan *plan) {
    if (!plan) return;
    linear_plan_clear(&plan->step);
    linear_plan_clear(&plan->mass);
    linear_plan_clear(&plan->constrained);
    linear_plan_clear(&plan->schur);
    free(plan);
}

void noe_problem_clear(struct noe_problem *problem) {
    struct problem_internals *internals = problem->internals;
    problem->internals = NULL;
    if (!internals) return;
    if (internals->stepper.object) dlclose(internals->stepper.object);
    free(internals->coefficients);
    free(internals->lie_product);
    free(internals->constraint_jacobian);
    free_plan(internals->plan);
    free(internals);
}
