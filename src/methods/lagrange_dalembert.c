/* The discrete Lagrange-d'Alembert principle: sizes and sparsity pattern. */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/lagrange_dalembert.h"

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->order = 2;
    problem->internals->nu = 2 * (problem->system->n + constraint_count(problem->system));
    struct scratch scratch = {0};
    dalembert_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

static int sparsity(const struct noe_problem *problem, int *row, int *col) {
    const struct noe_system *system = problem->system;
    const struct constraint_jacobian *constraint_jacobian = problem->internals->constraint_jacobian;
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

static const struct scheme scheme = {
    .source = "methods/constrained/lagrange_dalembert_step.c",
    .setup = setup,
    .sparsity = sparsity,
    SCHEME_FUNCTIONS(dalembert),
};

const struct method noe_methods_lagrange_dalembert[] = {
    {
        .info =
            {
                .name = "dla",
                .summary =
                    "discrete Lagrange-d'Alembert principle with nonholonomic constraints, which "
                    "hold in the middle of steps",
                .reference =
                    "Cortes and Martinez, Non-holonomic integrators, Nonlinearity 14 (2001)",
                .order_text = "2",
                .traits = NOE_NEEDS_CONSTRAINTS,
                .spaces = NOE_ON_VECTORS,
                .constraints = "nonholonomic",
            },
        .scheme = &scheme,
    },
    {.info.name = NULL},
};
