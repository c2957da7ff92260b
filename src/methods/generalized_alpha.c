/* The generalised-alpha method: parameters and sparsity pattern. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "methods/constrained/generalized_alpha_step.h"

enum { RHO, START, RETRACTION };

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    struct alpha *alpha = malloc(sizeof *alpha);
    const scalar rho = problem->option[RHO];
    problem->internals->coefficients = alpha;
    if (!alpha) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    alpha->alpha_m = (2 * rho - 1) / (rho + 1);
    alpha->alpha_f = rho / (rho + 1);
    alpha->gamma = (scalar)0.5 + alpha->alpha_f - alpha->alpha_m;
    alpha->beta = (alpha->gamma + (scalar)0.5) * (alpha->gamma + (scalar)0.5) / 4;
    alpha->is_central = problem->option[START] == 0;
    problem->order = 2;
    problem->internals->nu = problem->system->n + constraint_count(problem->system);
    struct scratch scratch = {0};
    alpha_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

static int sparsity(const struct noe_problem *problem, int *row, int *col) {
    const int n = problem->system->n;
    int count = lie_product_sparsity(problem->internals->lie_product, 0, 0, row, col);
    for (int side = 0; problem->internals->constraint_jacobian && side < 2; side++)
        count += constraint_jacobian_sparsity(
            problem->internals->constraint_jacobian,
            constraint_jacobian_all(problem->internals->constraint_jacobian), side == 0,
            side ? n : 0, side ? 0 : n, row ? row + count : NULL, col ? col + count : NULL);
    return count;
}

static void write_coefficients(FILE *out, const struct noe_problem *problem) {
    const struct alpha *alpha = problem->internals->coefficients;
    fprintf(out, "{%a, %a, %a, %a, %d}", (double)alpha->alpha_m, (double)alpha->alpha_f,
            (double)alpha->beta, (double)alpha->gamma, alpha->is_central);
}

static const struct scheme scheme = {
    .source = "methods/constrained/generalized_alpha_step.c",
    .setup = setup,
    .sparsity = sparsity,
    SCHEME_FUNCTIONS(alpha),
    .coefficients_type = "struct alpha",
    .write_coefficients = write_coefficients,
    .needs_lie_product = true,
};

static const struct noe_option options[] = {
    {"rho", NOE_NUMBER, 0.9, 0, 1, NULL, "damping at infinite frequency: 1 none, 0 all"},
    {"start", NOE_WORD, 0, 0, 0, "central forward", "quotient of differences for the first step"},
    {"retraction", NOE_WORD, 1, 0, 0, NOE_RETRACTIONS, "of steps on rotations and poses"},
    {"redundant", NOE_WORD, 0, 0, 0, "reject least-squares",
     "constraints that follow from others: not served, or with the shortest multipliers"},
    {0},
};

const struct method noe_methods_generalized_alpha[] = {
    {
        .info =
            {
                .name = "generalized-alpha",
                .summary = "generalised-alpha: Newmark's method with damping of high frequencies",
                .reference = "Bruels and Cardona, J. Comput. Nonlinear Dynam. 5 (2010)",
                .order_text = "2",
                .traits = NOE_GROUP | NOE_MULTISTEP | NOE_NEEDS_REGULAR,
                .spaces = NOE_ON_ALL,
                .constraints = "holonomic",
                .options = options,
            },
        .scheme = &scheme,
        /* A differential-algebraic system of index 3: Arnold, Cardona and Bruels, A Lie algebra
         * approach to Lie group time integration of constrained systems, CISM 565 (2016). */
        .constrained = {NOE_GROUP | NOE_NEEDS_REGULAR, &scheme, NULL},
    },
    {.info.name = NULL},
};
