/* Lie-Newmark and Lie-Verlet methods for Euler and Poincare's equations. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/lie_newmark.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "methods/method_source.h"

extern const char newmark_source_text[]; /* this family's step path, from the build */

static const struct noe_method mln_of_rotations;
static const int midpoint_rule = 0;

static enum noe_status prepare(struct noe_problem *problem, struct noe_error *error) {
    int *is_trapezoidal = malloc(sizeof *is_trapezoidal);
    if (!is_trapezoidal) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    *is_trapezoidal = *(const int *)problem->method->data;
    problem->coefficients = is_trapezoidal;
    if (problem->method->data == &midpoint_rule && problem->system->factors->space->has_adjoint_cay)
        problem->method = &mln_of_rotations;
    return euler_poincare_setup(problem, 2);
}

static char *describe(const struct noe_problem *problem) {
    const bool is_flv = problem->method->kernel == lie_verlet_flv;
    const bool is_lv = problem->method->kernel == newmark_lv;
    const char *kernel = is_flv  ? ".kernel = lie_verlet_flv, .drive = lie_verlet_drive"
                         : is_lv ? ".kernel = newmark_lv"
                                 : ".kernel = newmark_steps";
    char coefficients[80];
    snprintf(coefficients, sizeof coefficients, "static const int specialised_coefficients = %d;",
             *(const int *)problem->coefficients);
    return method_source_write(
        problem, newmark_source_text, coefficients,
        problem->use_kernel
            ? kernel
            : ".initial_guess = newmark_initial_guess, .residual = newmark_residual,\n"
              "    .jacobian = newmark_jacobian, .update = newmark_update");
}

#define NEWMARK                                                                                    \
    .reference = "Bou-Rabee, Hamilton-Pontryagin integrators on Lie groups, thesis, Caltech "      \
                 "(2007), 5.3, 6.3",                                                               \
    .order_text = "2", .spaces = NOE_ON_QUADRATIC, .constraints = "", .setup = prepare,            \
    .sparsity = euler_poincare_sparsity, .source = describe
#define NEWTON                                                                                     \
    .initial_guess = newmark_initial_guess, .residual = newmark_residual,                          \
    .jacobian = newmark_jacobian, .update = newmark_update,                                        \
    .residual_tangent = newmark_residual_tangent, .update_tangent = newmark_update_tangent,        \
    .kernel = newmark_steps

static const unsigned structure = NOE_GROUP | NOE_SYMMETRIC | NOE_NEEDS_INVARIANT;

#define MLN                                                                                        \
    .name = "mln", .summary = "midpoint Lie-Newmark: energy kept, on rotations momentum too",      \
    .data = &midpoint_rule, NEWTON, NEWMARK

/* Where Ad of the Cayley map is the Cayley map of ad, p1 = Ad*_tau p: on rotations and planar
 * poses. */
static const struct noe_method mln_of_rotations = {
    MLN,
    .traits = NOE_GROUP | NOE_SYMMETRIC | NOE_NEEDS_INVARIANT | NOE_ENERGY | NOE_MOMENTUM,
};

const struct noe_method noe_methods_lie_newmark[] = {
    {
        .name = "flv",
        .summary = "fast Lie-Verlet: two steps, one linear solve, begun by the midpoint rule",
        .traits = structure | NOE_EXPLICIT | NOE_MULTISTEP,
        .data = &(const int){0},
        .kernel = lie_verlet_flv,
        .drive = lie_verlet_drive,
        NEWMARK,
    },
    {
        .name = "lv",
        .summary = "Lie-Verlet closed in one step: two linear solves, energy kept",
        .traits = structure | NOE_ENERGY | NOE_EXPLICIT,
        .data = &(const int){0},
        .kernel = newmark_lv,
        .update_tangent = newmark_lv_residual_tangent,
        NEWMARK,
    },
    {MLN, .traits = structure | NOE_ENERGY},
    {
        .name = "tln",
        .summary = "trapezoidal Lie-Newmark",
        .traits = structure,
        .data = &(const int){1},
        NEWTON,
        NEWMARK,
    },
    {0},
};
