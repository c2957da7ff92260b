/* Lobatto IIIA-IIIB methods with constraints: sizes and sparsity pattern. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "methods/constrained/lobatto_constrained.h"

enum { STAGES, RETRACTION, MULTIPLIER };

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    const struct prk *family = problem->internals->scheme_data;
    struct constrained *c = aligned_alloc(_Alignof(struct constrained), sizeof *c);
    if (!c) return status_set(error, NOE_NO_MEMORY, "out of memory for a tableau");
    problem->internals->coefficients = c;
    family->make(&c->tableau, problem);
    c->recomputes = problem->option[MULTIPLIER] == 1;
    /* Both stages are nodes, and one constraint cannot fix the velocities of both. */
    if (c->tableau.s == 2) problem->traits |= NOE_NEEDS_REGULAR;
    problem->internals->has_no_derivative =
        problem->system->nnonholonomic || problem->internals->is_least_squares;
    problem->internals->nu = constrained_plan(problem).nu;
    struct scratch scratch = {0};
    const struct prk_view prk = prk_layout(&scratch, problem);
    constrained_layout(&scratch, problem, prk);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

/* Output position of the next entries. It only counts if the arrays are NULL. */
struct places {
    int count, *row, *col;
};

static int *at_row(const struct places *to) { return to->row ? to->row + to->count : NULL; }
static int *at_col(const struct places *to) { return to->col ? to->col + to->count : NULL; }

/* Adds a derivative block of the system. */
static void add_block(const struct noe_problem *problem, struct places *to, int row0, int col0) {
    const struct noe_system *system = problem->system;
    const int n = system->n;
    if (problem->internals->lie_product) {
        to->count += lie_product_sparsity(problem->internals->lie_product, row0, col0, at_row(to),
                                          at_col(to));
        return;
    }
    for (int e = 0; to->row && e < system->nz; e++) {
        at_row(to)[e] = row0 + (system->row ? system->row[e] : e / n);
        at_col(to)[e] = col0 + (system->row ? system->col[e] : e % n);
    }
    to->count += system->nz;
}

static void add_reaction(const struct noe_problem *problem, struct places *to,
                         struct constraint_jacobian_range range, bool is_transposed, int row0,
                         int col0) {
    to->count += constraint_jacobian_sparsity(problem->internals->constraint_jacobian, range,
                                              is_transposed, row0, col0, at_row(to), at_col(to));
}

static void add_stage_rows(const struct noe_problem *problem, struct places *to, int i) {
    const struct constrained_plan plan = constrained_plan(problem);
    const struct tableau *t = prk_tableau(problem);
    for (int j = 0; j < plan.s; j++)
        if (t->couples[i][j] || problem->internals->lie_product)
            add_block(problem, to, i * plan.n, j * plan.n);
    for (int j = 0; j + 1 < plan.s; j++)
        add_reaction(problem, to, constrained_range(problem->internals->constraint_jacobian, j),
                     true, i * plan.n, constrained_lambda(&plan, j));
}

static void add_node_rows(const struct noe_problem *problem, struct places *to, int i) {
    const struct constrained_plan plan = constrained_plan(problem);
    const int node = plan.nodes + (i - plan.first) * plan.n;
    for (int j = 0; j < plan.s; j++) add_block(problem, to, node, j * plan.n);
    add_block(problem, to, node, node);
    for (int j = 0; j < plan.s; j++)
        add_reaction(problem, to, constrained_range(problem->internals->constraint_jacobian, j),
                     true, node, constrained_lambda(&plan, j));
}

static void add_velocity_rows(const struct noe_problem *problem, struct places *to, int i,
                              struct constraint_jacobian_range range, int row0) {
    const struct constrained_plan plan = constrained_plan(problem);
    for (int j = 0; j < plan.s; j++) add_reaction(problem, to, range, false, row0, j * plan.n);
    add_reaction(problem, to, range, false, row0, plan.nodes + (i - plan.first) * plan.n);
}

static int sparsity(const struct noe_problem *problem, int *row, int *col) {
    const struct constrained_plan plan = constrained_plan(problem);
    const struct constraint_jacobian *constraint_jacobian = problem->internals->constraint_jacobian;
    struct places to = {0, row, col};
    for (int i = 0; i < plan.s; i++) add_stage_rows(problem, &to, i);
    for (int i = plan.first; i < plan.s; i++) add_node_rows(problem, &to, i);
    for (int i = 1; i < plan.s; i++)
        for (int j = 0; j < plan.s; j++)
            add_reaction(problem, &to, constraint_jacobian_holonomic(constraint_jacobian), false,
                         constrained_equation(&plan, i), j * plan.n);
    for (int i = plan.first; i < plan.s; i++)
        add_velocity_rows(problem, &to, i, constraint_jacobian_nonholonomic(constraint_jacobian),
                          constrained_equation(&plan, i) + plan.nholonomic);
    add_velocity_rows(problem, &to, plan.s - 1, constraint_jacobian_holonomic(constraint_jacobian),
                      constrained_equation(&plan, plan.s));
    return to.count;
}

static void write_coefficients(FILE *out, const struct noe_problem *problem) {
    const struct constrained *c = problem->internals->coefficients;
    fputs("{.tableau = ", out);
    prk_write_tableau(out, &c->tableau, false);
    fprintf(out, ",\n    .recomputes = %d}", c->recomputes);
}

const struct scheme constrained_scheme = {
    .source = "methods/constrained/lobatto_constrained.c methods/runge_kutta/prk_lie.c",
    .setup = setup,
    .sparsity = sparsity,
    SCHEME_FUNCTIONS(constrained),
    .coefficients_type = "struct constrained",
    .write_coefficients = write_coefficients,
    .tangent = &constrained_tangent,
    .checks_orientation = true,
    .kernels = KERNELS(FAST(rattle_kernel)),
};
