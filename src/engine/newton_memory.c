/* Memory layout of the Newton iteration. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "engine/newton.h"
#include "methods/method.h"

void newton_layout(struct newton *newton, struct arena *arena, const struct noe_problem *problem) {
    const size_t n = (size_t)problem->internals->nu;
    const int nz = problem->internals->scheme->sparsity(problem, NULL, NULL);
    linear_layout(&newton->linear, arena, problem->internals->nu, nz,
                  &problem->internals->plan->step);
    newton->u = arena_reals(arena, n);
    newton->d = arena_reals(arena, n);
    newton->weight = arena_reals(arena, n);
    newton->scale = arena_reals(arena, n);
    newton->values = newton->linear.a;
    if (!newton->linear.is_in_place) newton->values = arena_reals(arena, (size_t)nz);
}

enum noe_status newton_init(struct newton *newton, const struct noe_problem *problem) {
    const size_t nz = (size_t)newton->linear.nz;
    int *row = malloc((2 * nz + 1) * sizeof *row);
    if (!row) return NOE_NO_MEMORY;
    problem->internals->scheme->sparsity(problem, row, row + nz);
    const enum noe_status status = linear_init(&newton->linear, row, row + nz);
    free(row);
    return status;
}

void newton_clear(struct newton *newton) { linear_clear(&newton->linear); }
