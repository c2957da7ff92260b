/* Methods whose step is an unknown: the discrete energy of the extended principle is kept. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "methods/energy_adaptive/discrete_energy.h"
#include "methods/fast/rigid_body.h"
#include "methods/hamilton_pontryagin/endpoint.h"
#include "methods/hamilton_pontryagin/midpoint.h"
#include "methods/runge_kutta/prk.h"
#include "spaces/so3_retraction.h"

static void energy_gauss(struct tableau *tableau, struct noe_problem *problem) {
    const bool has_stages = strcmp(problem->method->options[0].name, "stages") == 0;
    const int stages = has_stages ? (int)problem->option[0] : 1;
    exact c[TABLEAU_STAGES_MAX];
    tableau_gauss_nodes(stages, c);
    tableau_collocation(tableau, stages, c);
    problem->order = 2 * stages;
}

static noe_scalar option_of(const struct noe_problem *problem, const char *name) {
    const struct noe_option *options = problem->method->options;
    int i = 0;
    while (strcmp(options[i].name, name) != 0) i++;
    return problem->option[i];
}

/* What the balance needs besides the family's own. */
static enum noe_status monitor_step(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const unsigned conservative = NOE_AUTONOMOUS | NOE_UNFORCED;
    if ((system->traits & conservative) != conservative && !system->gradient)
        return status_set(error, NOE_NOT_SERVED,
                          "%s needs the gradient (L_q, L_t) of a system with forces or with time",
                          problem->method->name);
    problem->nscratch += energy_scratch(problem);
    problem->use_fixed_point = false;
    problem->guard = (struct noe_step_guard){.is_anchored = option_of(problem, "guard") != 0,
                                             .is_relative = option_of(problem, "defect") != 0,
                                             .threshold = option_of(problem, "threshold"),
                                             .cap = option_of(problem, "max_ratio")};
    return NOE_OK;
}

/* Is nothing in the way of the kernels of energy.h? */
static bool is_conservative(const struct noe_system *system) {
    const unsigned needed = NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED;
    return (system->traits & needed) == needed;
}

static enum noe_status prepare_stages(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = prk_setup(problem, error);
    const int n = problem->system->n;
    problem->nscratch = prk_scratch(problem) + SMALL_NEWTON_DEPTH * (size_t)n;
    problem->use_kernel = problem->method->kernel && problem->nu == n && n <= SMALL_MAX &&
                          is_conservative(problem->system);
    return status == NOE_OK ? monitor_step(problem, error) : status;
}

static bool is_conservative_body(const struct noe_system *system) {
    return rigid_body_is_rotation(system) && is_conservative(system);
}

static enum noe_status prepare_middle(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = midpoint_setup(problem, error);
    problem->use_kernel = problem->use_kernel && is_conservative_body(problem->system);
    return status == NOE_OK ? monitor_step(problem, error) : status;
}

static enum noe_status prepare_lgvi(struct noe_problem *problem, struct noe_error *error);

#define ENERGY_OPTIONS                                                                             \
    {"guard",                                                                                      \
     NOE_WORD,                                                                                     \
     0,                                                                                            \
     0,                                                                                            \
     0,                                                                                            \
     "stop hold",                                                                                  \
     "if no step size preserves the energy: stop, or hold the first step size"},                   \
        {"threshold",                                                                              \
         NOE_NUMBER,                                                                               \
         0.3,                                                                                      \
         0,                                                                                        \
         1,                                                                                        \
         NULL,                                                                                     \
         "hold: relative curvature of the energy defect below which the step size is held"},       \
        {"max_ratio",                                                                              \
         NOE_NUMBER,                                                                               \
         100,                                                                                      \
         1,                                                                                        \
         1e9,                                                                                      \
         NULL,                                                                                     \
         "largest ratio of a step size to the first one, and of the first to a step size"},        \
    {                                                                                              \
        "defect", NOE_WORD, 0, 0, 0, "absolute relative",                                          \
            "energy minus discrete energy is constant: absolutely, or relative to the energy"      \
    }
#define ENERGY_RETRACTION                                                                          \
    { "retraction", NOE_WORD, 0, 0, 0, NOE_RETRACTIONS, "of steps on rotations and poses" }

static const struct noe_option midpoint_options[] = {ENERGY_OPTIONS, ENERGY_RETRACTION, {0}};
static const struct noe_option gauss_options[] = {
    {"stages", NOE_INTEGER, 2, 1, 12, NULL, "number of stages s; the order is 2s"},
    ENERGY_OPTIONS,
    ENERGY_RETRACTION,
    {0},
};
static const struct noe_option lgvi_options[] = {ENERGY_OPTIONS, {0}};

static const unsigned energy_traits =
    NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_GROUP | NOE_ENERGY | NOE_ADAPTIVE;
static const char all_spaces[] = "vector so3 se3 s3";
static const char kane[] = "Kane, Marsden and Ortiz, J. Math. Phys. 40 (1999); Sharma, Patil and "
                           "Woolsey, Int. J. Comput. Methods Eng. Sci. Mech. 19 (2018)";
static const char sharma[] = "Sharma, Structure-preserving numerical methods for engineering "
                             "applications (2020), chapters 5 and 6";

static const struct noe_method midpoint_on_groups = {
    .name = "energy-midpoint",
    .summary = "midpoint rule whose step keeps the discrete energy",
    .reference = kane,
    .order_text = "2",
    .traits = energy_traits | NOE_SYMMETRIC,
    .spaces = all_spaces,
    .constraints = "",
    .options = midpoint_options,
    .setup = prepare_middle,
    .sparsity = midpoint_sparsity,
    .initial_guess = midpoint_initial_guess,
    .residual = midpoint_residual,
    .jacobian = midpoint_jacobian,
    .update = midpoint_update,
    .residual_tangent = midpoint_residual_tangent,
    .update_tangent = midpoint_update_tangent,
    .source = midpoint_source,
    .kernel = energy_midpoint_steps,
    .energy_equation = &energy_of_midpoint,
};

static const struct noe_method gauss_on_groups = {
    .name = "energy-gauss",
    .summary = "Gauss method whose step keeps the discrete energy",
    .reference = kane,
    .order_text = "2s",
    .traits = energy_traits,
    .spaces = all_spaces,
    .constraints = "",
    .options = gauss_options,
    .data = &(const struct prk){energy_gauss},
    PRK_HOOKS(prepare_stages, NULL),
    .source = prk_source,
    .energy_equation = &energy_of_group_stages,
};

#define LGVI_SHARED                                                                                \
    .reference = sharma, .order_text = "2; on poses 1", .spaces = "vector so3 se3",                \
    .constraints = "", .options = lgvi_options,                                                    \
    .data = &(const struct endpoint_family){{0.5, 0.5}, 2, NULL}, .setup = prepare_lgvi,           \
    .sparsity = endpoint_sparsity, .initial_guess = endpoint_initial_guess,                        \
    .residual = endpoint_residual, .jacobian = endpoint_jacobian, .update = endpoint_update,       \
    .residual_tangent = endpoint_residual_tangent, .update_tangent = endpoint_update_tangent,      \
    .source = endpoint_source
#define LGVI_ENERGY                                                                                \
    .name = "lgvi-energy", LGVI_SHARED, .energy_equation = &energy_of_endpoint,                    \
    .kernel = energy_endpoint_steps,                                                               \
    .summary = "Lie group variational integrator whose step keeps the discrete energy"
#define LGVI_ONEPASS                                                                               \
    .name = "lgvi-energy-onepass", LGVI_SHARED, .energy_equation = &energy_of_endpoint_onepass,    \
    .summary = "the same, its step found after the increments: momentum equation violated"
#define LGVI_TRAITS                                                                                \
    (NOE_MOMENTUM | NOE_GROUP | NOE_ENERGY | NOE_ADAPTIVE | NOE_NEEDS_SEPARABLE | NOE_NEEDS_GROUPS)

/* Without poses they are symmetric in time. */
static const struct noe_method lgvi_on_rotations[] = {
    {LGVI_ENERGY, .traits = LGVI_TRAITS | NOE_SYMPLECTIC | NOE_SYMMETRIC},
    {LGVI_ONEPASS, .traits = LGVI_TRAITS | NOE_SYMMETRIC},
};

/* As `lgvi`: poses move as published, with the rotation at the start. */
static enum noe_status prepare_lgvi(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    bool has_poses = false;
    for (int i = 0; i < system->nfactors; i++)
        has_poses = has_poses || system->factors[i].space->tangent == 6;
    problem->retraction = has_poses ? SE3_SHIFT : SO3_CHORD;
    const enum noe_status status = endpoint_setup(problem, error);
    if (status != NOE_OK) return status;
    problem->order = has_poses ? 1 : 2;
    problem->use_kernel = problem->use_kernel && is_conservative_body(problem->system);
    if (!has_poses)
        problem->method = &lgvi_on_rotations[problem->method->energy_equation->rescale != NULL];
    return monitor_step(problem, error);
}

const struct noe_method noe_methods_energy_adaptive[] = {
    {
        .name = "energy-gauss",
        .summary = "Gauss method whose step keeps the discrete energy",
        .reference = kane,
        .order_text = "2s",
        .traits = energy_traits | NOE_SYMMETRIC,
        .spaces = all_spaces,
        .constraints = "",
        .options = gauss_options,
        .data = &(const struct prk){energy_gauss},
        PRK_HOOKS(prepare_stages, energy_vector_steps),
        .source = prk_source,
        .energy_equation = &energy_of_stages,
        .on_groups = &gauss_on_groups,
    },
    {
        .name = "energy-midpoint",
        .summary = "midpoint rule whose step keeps the discrete energy",
        .reference = kane,
        .order_text = "2",
        .traits = energy_traits | NOE_SYMMETRIC,
        .spaces = all_spaces,
        .constraints = "",
        .options = midpoint_options,
        .data = &(const struct prk){energy_gauss},
        PRK_HOOKS(prepare_stages, energy_vector_steps),
        .source = prk_source,
        .energy_equation = &energy_of_stages,
        .on_groups = &midpoint_on_groups,
    },
    {LGVI_ENERGY, .traits = LGVI_TRAITS | NOE_SYMPLECTIC},
    {LGVI_ONEPASS, .traits = LGVI_TRAITS},
    {0},
};
