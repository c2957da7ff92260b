/* Partitioned Runge-Kutta methods: coefficients, pattern, and the derivative of a step. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/status.h"
#include "mechanics/interval.h"
#include "methods/runge_kutta/prk.h"

/* As many as keep their numbers in registers. */
static int groups_of(int n) { return n <= 1 ? 4 : n == 2 ? 3 : n <= 4 ? 2 : 1; }

enum noe_status prk_setup(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const struct prk *family = problem->method->data;
    struct tableau *t = aligned_alloc(_Alignof(struct tableau), sizeof *t);
    if (!t) return status_set(error, NOE_NO_MEMORY, "out of memory for a tableau");
    problem->coefficients = t;
    family->make(t, problem);
    problem->nu = t->s * system->n;
    const bool kicks = t->nkicks && (system->traits & NOE_SEPARABLE) && !system->factors;
    problem->use_kernel = kicks || t->is_explicit;
    problem->use_fixed_point = prk_fixed_point_serves(problem);
    problem->kernel_is_implicit = !problem->use_kernel && !problem->use_fixed_point &&
                                  problem->nu <= PRK_NEWTON_MAX && !system->factors &&
                                  !problem->method->energy_equation;
    problem->use_kernel |= problem->kernel_is_implicit;
    problem->nscratch =
        problem->use_fixed_point ? prk_fixed_point_scratch(problem) : prk_scratch(problem);
    if (problem->kernel_is_implicit) problem->nscratch += prk_newton_scratch(problem);
    problem->groups = kicks ? groups_of(system->n) : 1;
    return NOE_OK;
}

int prk_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const struct tableau *t = prk_tableau(problem);
    const struct noe_system *system = problem->system;
    const int n = system->n;
    int count = 0;
    for (int i = 0; problem->lie_product && i < t->s * t->s; i++)
        count += lie_product_sparsity(problem->lie_product, i / t->s * n, i % t->s * n,
                                      row ? row + count : NULL, col ? col + count : NULL);
    if (problem->lie_product) return count;
    for (int i = 0; i < t->s; i++)
        for (int j = 0; j < t->s; j++) {
            if (!t->couples[i][j]) continue;
            for (int e = 0; row && e < system->nz; e++) {
                row[count + e] = i * n + (system->row ? system->row[e] : e / n);
                col[count + e] = j * n + (system->row ? system->col[e] : e % n);
            }
            count += system->nz;
        }
    return count;
}
