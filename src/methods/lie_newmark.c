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
    if (problem->method->data == &midpoint_rule && problem->system->n == 3)
        problem->method = &mln_of_rotations;
    return reduced_prepare(problem, 2);
}

static char *describe(const struct noe_problem *problem) {
    const bool is_verlet = problem->method->kernel != newmark_kernel;
    const char *drive = problem->method->drive ? ", .drive = newmark_flv_drive" : "";
    char coefficients[80], kernel[80];
    snprintf(coefficients, sizeof coefficients, "static const int specialised_coefficients = %d;",
             *(const int *)problem->coefficients);
    snprintf(kernel, sizeof kernel, ".kernel = newmark_%s%s",
             is_verlet ? problem->method->name : "kernel", drive);
    return describe_method(problem, newmark_source_text, coefficients,
                           problem->use_kernel
                               ? kernel
                               : ".guess = newmark_guess, .residual = newmark_residual,\n"
                                 "    .jacobian = newmark_jacobian, .finish = newmark_finish");
}

#define NEWMARK                                                                                    \
    .reference = "Bou-Rabee, Hamilton-Pontryagin integrators on Lie groups, thesis, Caltech "      \
                 "(2007), 5.3, 6.3",                                                               \
    .order_text = "2", .spaces = "so3 se3 s3", .constraints = "", .prepare = prepare,              \
    .pattern = reduced_pattern, .describe = describe
#define NEWTON                                                                                     \
    .guess = newmark_guess, .residual = newmark_residual, .jacobian = newmark_jacobian,            \
    .finish = newmark_finish, .vary = newmark_vary, .vary_finish = newmark_vary_finish,            \
    .kernel = newmark_kernel

static const unsigned structure = NOE_GROUP | NOE_SYMMETRIC | NOE_NEEDS_INVARIANT;

#define MLN                                                                                        \
    .name = "mln", .summary = "midpoint Lie-Newmark: energy kept, on rotations momentum too",      \
    .data = &midpoint_rule, NEWTON, NEWMARK

/* On rotations tau is the Cayley map of ad*, so that p1 = Ad*_tau p. */
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
        .kernel = newmark_flv,
        .drive = newmark_flv_drive,
        NEWMARK,
    },
    {
        .name = "lv",
        .summary = "Lie-Verlet closed in one step: two linear solves, energy kept",
        .traits = structure | NOE_ENERGY | NOE_EXPLICIT,
        .data = &(const int){0},
        .kernel = newmark_lv,
        .vary_finish = newmark_lv_vary,
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
