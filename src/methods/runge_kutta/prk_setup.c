/* Partitioned Runge-Kutta methods: coefficients and sparsity pattern. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/status.h"
#include "mechanics/interval.h"
#include "methods/runge_kutta/prk.h"

enum noe_status prk_setup(struct noe_problem *problem, struct noe_error *error) {
    const struct prk *family = problem->internals->scheme_data;
    struct tableau *t = aligned_alloc(_Alignof(struct tableau), sizeof *t);
    if (!t) return status_set(error, NOE_NO_MEMORY, "out of memory for a tableau");
    problem->internals->coefficients = t;
    family->make(t, problem);
    problem->internals->nu = t->s * problem->system->n;
    struct scratch scratch = {0};
    prk_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

int prk_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const struct tableau *t = prk_tableau(problem);
    const struct noe_system *system = problem->system;
    const int n = system->n;
    int count = 0;
    for (int i = 0; problem->internals->lie_product && i < t->s * t->s; i++)
        count += lie_product_sparsity(problem->internals->lie_product, i / t->s * n, i % t->s * n,
                                      row ? row + count : NULL, col ? col + count : NULL);
    if (problem->internals->lie_product) return count;
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

const struct scheme prk_scheme = {
    .source = "methods/runge_kutta/prk.c",
    .rule = SCHEME_STAGES,
    .setup = prk_setup,
    PRK_FUNCTIONS,
    .supports_continuation = true,
#ifdef PACK_AVAILABLE
    .kernels = KERNELS(&prk_explicit_kernel, &prk_splitting_kernel, FAST(prk_fixed_point_kernel),
                       FAST(prk_newton_kernel)),
#else
    .kernels = KERNELS(&prk_explicit_kernel, &prk_splitting_kernel, FAST(prk_newton_kernel)),
#endif
};

const struct scheme prk_lie_scheme = {
    .source = "methods/runge_kutta/prk_lie.c",
    .rule = SCHEME_STAGES,
    .setup = prk_setup,
    PRK_FUNCTIONS,
    .supports_continuation = true,
    .kernels = KERNELS(&prk_lie_kernel),
};
