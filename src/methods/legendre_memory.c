/* The memory of the inverse Legendre transform, and a constant mass matrix factorised. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "methods/legendre.h"

void legendre_plan(struct legendre *l, const struct noe_system *system) {
    l->system = system;
    linear_plan(&l->mass, system->n, system->nz, system->row, system->col);
}

void legendre_layout(struct legendre *l, struct arena *arena) {
    const size_t n = (size_t)l->system->n, nz = (size_t)l->system->nz;
    linear_layout(&l->mass, arena);
    l->inverse = arena_reals(arena, n);
    l->p = arena_reals(arena, n);
    l->w = arena_reals(arena, n);
    l->d = arena_reals(arena, n);
    l->blocks = arena_reals(arena, 4 * nz);
}

/* 1/L_vv into `inverse` if L_vv has no entry off the diagonal. */
static bool invert_diagonal(struct legendre *l) {
    const struct noe_system *s = l->system;
    for (int e = 0; e < s->nz; e++) {
        const int i = s->row ? s->row[e] : e / s->n, j = s->row ? s->col[e] : e % s->n;
        if (i != j && l->blocks[e] != 0) return false;
        if (i == j) l->inverse[i] = 1 / l->blocks[e];
    }
    return true;
}

enum noe_status legendre_init(struct legendre *l, const real *point) {
    const struct noe_system *s = l->system;
    const enum noe_status status = linear_init(&l->mass, s->row, s->col);
    if (status != NOE_OK || !(s->traits & NOE_CONSTANT_MASS)) return status;
    memset(l->inverse, 0, (size_t)s->n * sizeof *l->inverse);
    legendre_evaluate(l, 0, point, l->inverse);
    l->is_diagonal = invert_diagonal(l);
    l->is_singular = l->is_diagonal ? !real_is_finite(real_norm((size_t)s->n, l->inverse))
                                    : !linear_factor(&l->mass, l->blocks);
    return NOE_OK;
}

void legendre_clear(struct legendre *l) { linear_clear(&l->mass); }
