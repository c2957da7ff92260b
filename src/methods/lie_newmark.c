/* Lie-Newmark and Lie-Verlet methods for the Euler-Poincare equations. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/lie_newmark.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    int *is_trapezoidal = malloc(sizeof *is_trapezoidal);
    if (!is_trapezoidal) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    *is_trapezoidal = *(const int *)problem->internals->scheme_data;
    problem->internals->coefficients = is_trapezoidal;
    return euler_poincare_setup(problem, 2);
}

static void write_coefficients(FILE *out, const struct noe_problem *problem) {
    fprintf(out, "%d", *(const int *)problem->internals->coefficients);
}

#define NEWMARK                                                                                    \
    .setup = setup, .sparsity = euler_poincare_sparsity, .coefficients_type = "int",               \
    .write_coefficients = write_coefficients,                                                      \
    .source = "methods/euler_poincare/lie_newmark_step.c"

static const struct scheme newmark_scheme = {
    NEWMARK,
    SCHEME_FUNCTIONS(newmark),
    .tangent = &newmark_tangent,
    .kernels = KERNELS(&newmark_kernel),
};
static const struct scheme lv_scheme = {NEWMARK, .tangent = &newmark_lv_tangent,
                                        .kernels = KERNELS(&newmark_lv_kernel)};
static const struct scheme flv_scheme = {NEWMARK, .kernels = KERNELS(&lie_verlet_kernel)};

static const char bou_rabee[] =
    "Bou-Rabee, Hamilton-Pontryagin integrators on Lie groups, thesis, Caltech (2007), 5.3, 6.3";
static const unsigned structure = NOE_GROUP | NOE_SYMMETRIC | NOE_NEEDS_INVARIANT;

static const int midpoint_rule = 0, trapezoidal_rule = 1;

/* On rotations tau is the Cayley map of ad*, so that p1 = Ad*_tau p. */
static const struct variant mln_of_rotations = {NOE_GROUP | NOE_SYMMETRIC | NOE_NEEDS_INVARIANT |
                                                    NOE_ENERGY | NOE_MOMENTUM,
                                                &newmark_scheme, &midpoint_rule};

static const struct variant *choose_mln(const struct noe_problem *problem) {
    return problem->system->factors->space->kind.has_adjoint_cay ? &mln_of_rotations : NULL;
}

const struct method noe_methods_lie_newmark[] = {
    {
        .info =
            {
                .name = "flv",
                .summary =
                    "fast Lie-Verlet: two steps, one linear solve, begun by the midpoint rule",
                .reference = bou_rabee,
                .order_text = "2",
                .traits = structure | NOE_EXPLICIT | NOE_MULTISTEP,
                .spaces = NOE_ON_QUADRATIC,
                .constraints = "",
            },
        .scheme = &flv_scheme,
        .data = &midpoint_rule,
    },
    {
        .info =
            {
                .name = "lv",
                .summary = "Lie-Verlet closed in one step: two linear solves, energy kept",
                .reference = bou_rabee,
                .order_text = "2",
                .traits = structure | NOE_ENERGY | NOE_EXPLICIT,
                .spaces = NOE_ON_QUADRATIC,
                .constraints = "",
            },
        .scheme = &lv_scheme,
        .data = &midpoint_rule,
    },
    {
        .info =
            {
                .name = "mln",
                .summary = "midpoint Lie-Newmark: energy kept, on rotations momentum too",
                .reference = bou_rabee,
                .order_text = "2",
                .traits = structure | NOE_ENERGY,
                .spaces = NOE_ON_QUADRATIC,
                .constraints = "",
            },
        .scheme = &newmark_scheme,
        .data = &midpoint_rule,
        .choose = choose_mln,
    },
    {
        .info =
            {
                .name = "tln",
                .summary = "trapezoidal Lie-Newmark",
                .reference = bou_rabee,
                .order_text = "2",
                .traits = structure,
                .spaces = NOE_ON_QUADRATIC,
                .constraints = "",
            },
        .scheme = &newmark_scheme,
        .data = &trapezoidal_rule,
    },
    {.info.name = NULL},
};
