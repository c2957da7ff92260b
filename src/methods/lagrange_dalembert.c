/* The discrete Lagrange-d'Alembert principle: sizes and pattern. */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/lagrange_dalembert.h"

#include "methods/method_source.h"

extern const char dla_source_text[]; /* its step path, from the build */

static enum noe_status prepare(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->order = 2;
    problem->nu = 2 * (problem->system->n + constraint_count(problem->system));
    problem->nscratch = dalembert_scratch(problem->system);
    problem->groups = 1;
    return NOE_OK;
}

static int pattern(const struct noe_problem *problem, int *row, int *col) {
    const struct noe_system *system = problem->system;
    const struct constraint_jacobian *constraint_jacobian = problem->constraint_jacobian;
    const int n = system->n, nz = system->nz, nzc = system->nzc;
    const int next = n + constraint_count(system);
    const int blocks[3][2] = {{0, 0}, {next, 0}, {next, next}};
    const int parts[5][2] = {{0, n}, {next, next + n}, {n, 0}, {next + n, 0}, {next + n, next}};
    for (int b = 0; row && b < 3; b++)
        for (int e = 0; e < nz; e++) {
            row[b * nz + e] = blocks[b][0] + (system->row ? system->row[e] : e / n);
            col[b * nz + e] = blocks[b][1] + (system->row ? system->col[e] : e % n);
        }
    for (int b = 0; row && b < 5; b++)
        constraint_jacobian_sparsity(
            constraint_jacobian, constraint_jacobian_all(constraint_jacobian), b < 2, parts[b][0],
            parts[b][1], row + 3 * nz + b * nzc, col + 3 * nz + b * nzc);
    return 3 * nz + 5 * nzc;
}

static char *describe(const struct noe_problem *problem) {
    return method_source_write(
        problem, dla_source_text, "static const int specialised_coefficients;",
        ".initial_guess = dalembert_initial_guess, .residual = dalembert_residual,\n"
        "    .jacobian = dalembert_jacobian, .update = dalembert_update");
}

const struct noe_method noe_methods_lagrange_dalembert[] = {
    {
        .name = "dla",
        .summary = "discrete Lagrange-d'Alembert principle with nonholonomic constraints, which "
                   "hold in the middle of steps",
        .reference = "Cortes and Martinez, Non-holonomic integrators, Nonlinearity 14 (2001)",
        .order_text = "2",
        .traits = NOE_NEEDS_CONSTRAINTS,
        .spaces = NOE_ON_VECTORS,
        .constraints = "nonholonomic",
        .constrained = noe_methods_lagrange_dalembert,
        .setup = prepare,
        .sparsity = pattern,
        .initial_guess = dalembert_initial_guess,
        .residual = dalembert_residual,
        .jacobian = dalembert_jacobian,
        .update = dalembert_update,
        .source = describe,
    },
    {0},
};
