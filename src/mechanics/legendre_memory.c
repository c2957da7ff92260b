/* Memory layout of the inverse Legendre transform. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/legendre.h"

void legendre_layout(struct legendre *l, struct arena *arena, const struct noe_system *system,
                     const struct linear_plan *plan) {
    const size_t n = (size_t)system->n, nz = (size_t)system->nz;
    const size_t m = (size_t)constraint_count(system); /* multipliers that stay zero */
    l->system = system;
    linear_layout(&l->mass, arena, system->n, system->nz, plan);
    l->inverse = arena_reals(arena, n + m);
    l->p = arena_reals(arena, n);
    l->w = arena_reals(arena, n);
    l->d = arena_reals(arena, n + m);
    l->blocks = arena_reals(arena, 4 * nz);
}

enum noe_status legendre_init(struct legendre *l) {
    return linear_init(&l->mass, l->system->row, l->system->col);
}

void legendre_clear(struct legendre *l) { linear_clear(&l->mass); }
