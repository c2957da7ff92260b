/* The memory of Newton's method. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "engine/newton.h"

/* The pattern of the Jacobian: rows, then columns; free() it. NULL if there is no memory. */
static int *pattern(const struct noe_problem *problem, int *nz) {
    *nz = problem->method->pattern(problem, NULL, NULL);
    int *row = malloc((2 * (size_t)*nz + 1) * sizeof *row);
    if (row) problem->method->pattern(problem, row, row + *nz);
    return row;
}

enum noe_status newton_plan(struct newton *newton, const struct noe_problem *problem) {
    int nz, *row = pattern(problem, &nz);
    if (!row) return NOE_NO_MEMORY;
    linear_plan(&newton->linear, problem->nu, nz, row, row + nz);
    free(row);
    return NOE_OK;
}

void newton_layout(struct newton *newton, struct arena *arena, const struct noe_problem *problem) {
    const size_t n = (size_t)problem->nu;
    linear_layout(&newton->linear, arena);
    newton->u = arena_reals(arena, n);
    newton->d = arena_reals(arena, n);
    newton->weight = arena_reals(arena, n);
    newton->values = arena_reals(arena, (size_t)newton->linear.nz);
}

enum noe_status newton_init(struct newton *newton, const struct noe_problem *problem) {
    int nz, *row = pattern(problem, &nz);
    if (!row) return NOE_NO_MEMORY;
    newton->curvature = HUGE_VAL; /* unknown */
    const enum noe_status status = linear_init(&newton->linear, row, row + nz);
    free(row);
    return status;
}

void newton_clear(struct newton *newton) { linear_clear(&newton->linear); }
