/* Energy-adaptive variational methods: the step size is an unknown, and the discrete energy of the
 * extended principle is preserved. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/status.h"
#include "methods/energy_adaptive/discrete_energy.h"
#include "methods/hamilton_pontryagin/endpoint.h"
#include "methods/hamilton_pontryagin/midpoint.h"
#include "methods/runge_kutta/prk.h"
#include "spaces/so3_retraction.h"

static void gauss_of(struct tableau *tableau, struct noe_problem *problem, int stages) {
    exact c[TABLEAU_STAGES_MAX];
    tableau_gauss_nodes(stages, c);
    tableau_collocation(tableau, stages, c);
    problem->order = 2 * stages;
}

static void energy_gauss(struct tableau *tableau, struct noe_problem *problem) {
    gauss_of(tableau, problem, (int)problem->option[0]);
}

static void energy_midpoint(struct tableau *tableau, struct noe_problem *problem) {
    gauss_of(tableau, problem, 1);
}

static noe_scalar option_of(const struct noe_problem *problem, const char *name) {
    const struct noe_option *options = problem->method->options;
    int i = 0;
    while (strcmp(options[i].name, name) != 0) i++;
    return problem->option[i];
}

/* Setup of the energy equation, after that of the family. */
static enum noe_status monitor_step(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const unsigned conservative = NOE_AUTONOMOUS | NOE_UNFORCED;
    if ((system->traits & conservative) != conservative && !system->gradient)
        return status_set(error, NOE_NOT_SERVED,
                          "%s needs the gradient (L_q, L_t) of a system with forces or with time",
                          problem->method->name);
    problem->internals->nscratch += energy_scratch(problem);
    problem->internals->guard =
        (struct step_guard){.is_anchored = option_of(problem, "guard") != 0,
                            .is_relative = option_of(problem, "defect") != 0,
                            .threshold = option_of(problem, "threshold"),
                            .cap = option_of(problem, "max_ratio")};
    return NOE_OK;
}

static enum noe_status setup_stages(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = prk_setup(problem, error);
    return status == NOE_OK ? monitor_step(problem, error) : status;
}

static enum noe_status setup_midpoint(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = midpoint_setup(problem, error);
    return status == NOE_OK ? monitor_step(problem, error) : status;
}

/* As in `lgvi`, positions move with the rotation at the start of the step, as published. */
static enum noe_status setup_lgvi(struct noe_problem *problem, struct noe_error *error) {
    problem->retraction = problem->traits & NOE_SYMMETRIC ? SO3_CHORD : SE3_SHIFT;
    const enum noe_status status = endpoint_setup(problem, error);
    return status == NOE_OK ? monitor_step(problem, error) : status;
}

#define LGVI                                                                                       \
    .source = "methods/hamilton_pontryagin/endpoint.c", .setup = setup_lgvi,                       \
    .sparsity = endpoint_sparsity, SCHEME_FUNCTIONS(endpoint),                                     \
    .coefficients_type = "struct endpoint", .write_coefficients = endpoint_write_coefficients,     \
    .tangent = &endpoint_tangent

static const struct scheme stages_scheme = {
    .setup = setup_stages,
    PRK_FUNCTIONS,
    .source = "methods/runge_kutta/prk.c",
    SCHEME_ENERGY(energy_of_stages, "methods/energy_adaptive/discrete_energy.c"),
    .kernels = KERNELS(FAST(energy_vector_kernel)),
};

static const struct scheme stages_on_groups_scheme = {
    .setup = setup_stages,
    PRK_FUNCTIONS,
    .source = "methods/runge_kutta/prk_lie.c",
    SCHEME_ENERGY(energy_of_group_stages, "methods/energy_adaptive/discrete_energy_lie.c"),
};

static const struct scheme energy_midpoint_scheme = {
    .source = "methods/hamilton_pontryagin/midpoint.c",
    .setup = setup_midpoint,
    .sparsity = midpoint_sparsity,
    SCHEME_FUNCTIONS(midpoint),
    .tangent = &midpoint_tangent,
    SCHEME_ENERGY(energy_of_midpoint, "methods/energy_adaptive/discrete_energy_midpoint.c"),
    .kernels = KERNELS(FAST(energy_midpoint_kernel)),
};

static const struct scheme lgvi_scheme = {
    LGVI,
    SCHEME_ENERGY(energy_of_endpoint, "methods/energy_adaptive/discrete_energy_endpoint.c"),
    .kernels = KERNELS(FAST(energy_endpoint_kernel)),
};

static const struct scheme onepass_scheme = {
    LGVI,
    SCHEME_ENERGY(energy_of_endpoint_onepass, "methods/energy_adaptive/discrete_energy_endpoint.c"),
};

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
static const char kane[] = "Kane, Marsden and Ortiz, J. Math. Phys. 40 (1999); Sharma, Patil and "
                           "Woolsey, Int. J. Comput. Methods Eng. Sci. Mech. 19 (2018)";
static const char sharma[] = "Sharma, Structure-preserving numerical methods for engineering "
                             "applications (2020), chapters 5 and 6";

static const struct prk gauss_family = {energy_gauss}, midpoint_family = {energy_midpoint};
static const struct endpoint_family with_poses = {{0.5, 0.5}, 1, false};
static const struct endpoint_family without_poses = {{0.5, 0.5}, 2, false};
static const unsigned lgvi_traits =
    NOE_MOMENTUM | NOE_GROUP | NOE_ENERGY | NOE_ADAPTIVE | NOE_NEEDS_SEPARABLE | NOE_NEEDS_GROUPS;

/* Symmetric in time without poses. */
static const struct variant lgvi_on_rotations = {lgvi_traits | NOE_SYMPLECTIC | NOE_SYMMETRIC,
                                                 &lgvi_scheme, &without_poses};
static const struct variant onepass_on_rotations = {lgvi_traits | NOE_SYMMETRIC, &onepass_scheme,
                                                    &without_poses};

static const struct variant *choose_lgvi(const struct noe_problem *problem) {
    return product_has_positions(problem->system) ? NULL : &lgvi_on_rotations;
}

static const struct variant *choose_onepass(const struct noe_problem *problem) {
    return product_has_positions(problem->system) ? NULL : &onepass_on_rotations;
}

const struct method noe_methods_energy_adaptive[] = {
    {
        .info =
            {
                .name = "energy-gauss",
                .summary = "Gauss method whose step keeps the discrete energy",
                .reference = kane,
                .order_text = "2s",
                .traits = energy_traits | NOE_SYMMETRIC,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = gauss_options,
            },
        .scheme = &stages_scheme,
        .data = &gauss_family,
        .on_groups = {energy_traits, &stages_on_groups_scheme, &gauss_family},
    },
    {
        .info =
            {
                .name = "energy-midpoint",
                .summary = "midpoint rule whose step keeps the discrete energy",
                .reference = kane,
                .order_text = "2",
                .traits = energy_traits | NOE_SYMMETRIC,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = midpoint_options,
            },
        .scheme = &stages_scheme,
        .data = &midpoint_family,
        .on_groups = {energy_traits | NOE_SYMMETRIC, &energy_midpoint_scheme, NULL},
    },
    {
        .info =
            {
                .name = "lgvi-energy",
                .summary = "Lie group variational integrator whose step keeps the discrete energy",
                .reference = sharma,
                .order_text = "2; on poses 1",
                .traits = lgvi_traits | NOE_SYMPLECTIC,
                .spaces = NOE_ON_VECTORS | NOE_ON_CHORD,
                .constraints = "",
                .options = lgvi_options,
            },
        .scheme = &lgvi_scheme,
        .data = &with_poses,
        .choose = choose_lgvi,
    },
    {
        .info =
            {
                .name = "lgvi-energy-onepass",
                .summary =
                    "the same, its step found after the increments: momentum equation violated",
                .reference = sharma,
                .order_text = "2; on poses 1",
                .traits = lgvi_traits,
                .spaces = NOE_ON_VECTORS | NOE_ON_CHORD,
                .constraints = "",
                .options = lgvi_options,
            },
        .scheme = &onepass_scheme,
        .data = &with_poses,
        .choose = choose_onepass,
    },
    {.info.name = NULL},
};
