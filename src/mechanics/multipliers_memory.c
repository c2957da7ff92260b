/* Memory layout of the Lagrange multipliers of a state. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "mechanics/constraint_jacobian.h"
#include "mechanics/multipliers.h"

int multipliers_pattern(const struct noe_system *system, int *row, int *col) {
    const int n = system->n, nz = system->nz, nzc = system->nzc;
    for (int e = 0; row && e < nz; e++) {
        row[e] = system->row ? system->row[e] : e / n;
        col[e] = system->row ? system->col[e] : e % n;
    }
    for (int e = 0; row && e < nzc; e++) {
        row[nz + e] = col[nz + nzc + e] = n + constraint_row(system, e);
        col[nz + e] = row[nz + nzc + e] = constraint_col(system, e);
    }
    return nz + 2 * nzc;
}

bool multipliers_use_schur(const struct noe_problem *problem) {
    return problem->internals->constraint_jacobian && problem->internals->kernel &&
           problem->system->n > SCHUR_FULL_UP_TO;
}

void multipliers_layout(struct multipliers *multipliers, struct arena *arena,
                        const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const int m = constraint_count(system), size = system->n + m;
    const int nz = multipliers_pattern(system, NULL, NULL);
    linear_layout(&multipliers->linear, arena, size, nz, &problem->internals->plan->constrained);
    if (multipliers_use_schur(problem))
        linear_layout(
            &multipliers->schur, arena, problem->internals->constraint_jacobian->velocity.size,
            problem->internals->constraint_jacobian->velocity.nz, &problem->internals->plan->schur);
    multipliers->values = arena_reals(arena, (size_t)nz);
    multipliers->v = arena_reals(arena, (size_t)size);
    multipliers->P = arena_reals(arena, (size_t)system->n);
    multipliers->W = arena_reals(arena, (size_t)system->n);
    multipliers->D = arena_reals(arena, 4 * (size_t)system->nz);
    multipliers->c = arena_reals(arena, (size_t)(system->nholonomic + 2 * m));
    multipliers->d = arena_reals(arena, 2 * (size_t)system->nzc);
    multipliers->x = arena_reals(arena, (size_t)size);
    multipliers->before = arena_reals(arena, (size_t)system->nzc);
}

/* Initialises the Schur complement psi M^-1 psi^T. */
static enum noe_status init_schur(struct multipliers *multipliers,
                                  const struct noe_problem *problem) {
    const int nz = multipliers->schur.nz;
    int *row = malloc(2 * (size_t)nz * sizeof *row);
    if (!row) return NOE_NO_MEMORY;
    schur_sparsity(problem->system, &problem->internals->constraint_jacobian->velocity, row,
                   row + nz);
    const enum noe_status status = linear_init(&multipliers->schur, row, row + nz);
    free(row);
    return status;
}

enum noe_status multipliers_init(struct multipliers *multipliers,
                                 const struct noe_problem *problem) {
    const int nz = multipliers->linear.nz;
    int *row = malloc(2 * (size_t)nz * sizeof *row);
    if (!row) return NOE_NO_MEMORY;
    multipliers_pattern(problem->system, row, row + nz);
    enum noe_status status = linear_init(&multipliers->linear, row, row + nz);
    free(row);
    if (status == NOE_OK && multipliers_use_schur(problem))
        status = init_schur(multipliers, problem);
    return status;
}

void multipliers_clear(struct multipliers *multipliers) {
    linear_clear(&multipliers->linear);
    linear_clear(&multipliers->schur);
}
