/* Lie-Newmark and Lie-Verlet methods for the Euler-Poincare equations. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/lie_newmark.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    struct newmark *rule = malloc(sizeof *rule);
    if (!rule) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    *rule = *(const struct newmark *)problem->internals->scheme_data;
    problem->internals->coefficients = rule;
    return euler_poincare_setup(problem, rule->is_trapezoidal && rule->end == 0 ? 1 : 2);
}

static void write_coefficients(FILE *out, const struct noe_problem *problem) {
    const struct newmark *rule = problem->internals->coefficients;
    fprintf(out, "{%d, %a, %a}", rule->is_trapezoidal, (double)rule->start, (double)rule->end);
}

#define NEWMARK                                                                                    \
    .setup = setup, .sparsity = euler_poincare_sparsity, .coefficients_type = "struct newmark",    \
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

static const struct newmark midpoint_rule = {0, 0, 1}, trapezoidal_rule = {1, 0.5, 0.5};

/* On rotations tau is the Cayley map of ad*, so that p1 = Ad*_tau p. */
static const struct variant mln_of_rotations = {NOE_GROUP | NOE_SYMMETRIC | NOE_NEEDS_INVARIANT |
                                                    NOE_ENERGY | NOE_MOMENTUM,
                                                &newmark_scheme, &midpoint_rule};

static const struct variant *choose_mln(const struct noe_problem *problem) {
    return problem->system->factors->space->kind.has_adjoint_cay ? &mln_of_rotations : NULL;
}

/* With the velocity at the start, g tau(h v0) has no term with v' and is of first order. */
static const struct variant tln_from_start = {NOE_GROUP | NOE_NEEDS_INVARIANT, &newmark_scheme,
                                              &(const struct newmark){1, 1, 0}};

static const struct variant *choose_tln(const struct noe_problem *problem) {
    return problem->option[0] != 0 ? &tln_from_start : NULL;
}

static const struct noe_option tln_options[] = {
    {"attitude", NOE_WORD, 0, 0, 0, "mean start",
     "moves with the mean velocity, or with that at the start as printed: order 1"},
    {0},
};

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
                .order_text = "2; 1 with attitude = start",
                .traits = structure,
                .spaces = NOE_ON_QUADRATIC,
                .constraints = "",
                .options = tln_options,
            },
        .scheme = &newmark_scheme,
        .data = &trapezoidal_rule,
        .choose = choose_tln,
    },
    {.info.name = NULL},
};
