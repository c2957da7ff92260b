/* Tangent space of the constraint manifold at a state with holonomic constraints.
 *
 * With psi = g_q v + g_t the variations (dq, dv) satisfy g_q dq = 0 and psi_q dq + g_q dv = 0, and
 * dp = p_q dq + p_v dv. */
/* SPDX-License-Identifier: MIT */
#include "study/verify/constraint_tangent_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/real.h"
#include "linalg/row_rank.h"

/* Relative remainder below which a direction counts as linearly dependent. */
static const double direction_least = 1e-6;

struct manifold {
    const struct noe_system *system;
    real *v, *p, *w, *d, *c, *dc;
    real *rows; /* 2m equations, then the unit vectors */
    bool *is_redundant;
};

static void layout(struct arena *arena, struct manifold *at) {
    const size_t n = (size_t)at->system->n, m = (size_t)at->system->nholonomic;
    at->v = arena_reals(arena, n + m);
    at->p = arena_reals(arena, n);
    at->w = arena_reals(arena, n);
    at->d = arena_reals(arena, 4 * (size_t)at->system->nz);
    at->c = arena_reals(arena, 3 * m);
    at->dc = arena_reals(arena, 2 * (size_t)at->system->nzc);
    at->rows = arena_reals(arena, (2 * m + 2 * n) * 2 * n);
    at->is_redundant = arena_take(arena, (2 * m + 2 * n) * sizeof(bool));
}

/* The equations, and the unit vectors of (dq, dv). */
static void state_equations(const struct manifold *at) {
    const struct noe_system *system = at->system;
    const int n = system->n, m = system->nholonomic;
    for (int e = 0; e < system->nzc; e++) {
        const int row = system->crow ? system->crow[e] : e / n;
        const int col = system->crow ? system->ccol[e] : e % n;
        real *position = at->rows + (ptrdiff_t)row * 2 * n, *velocity = position + 2 * n * m;
        position[col] = velocity[n + col] = at->dc[e];
        velocity[col] = at->dc[system->nzc + e];
    }
    for (int j = 0; j < 2 * n; j++) at->rows[(ptrdiff_t)(2 * m + j) * 2 * n + j] = 1;
}

/* Converts (dq, dv) to (dq, dp) of length one. */
static void take_momentum(const struct manifold *at, const real *from, real *to) {
    const struct noe_system *system = at->system;
    const int n = system->n;
    real sum = 0;
    for (int k = 0; k < n; k++) to[k] = from[k], to[n + k] = 0;
    for (int e = 0; e < system->nz; e++) {
        const int row = system->row ? system->row[e] : e / n;
        const int col = system->row ? system->col[e] : e % n;
        to[n + row] += at->d[e] * from[n + col] + at->d[system->nz + e] * from[col];
    }
    for (int k = 0; k < 2 * n; k++) sum += to[k] * to[k];
    for (int k = 0; k < 2 * n; k++) to[k] /= noe_sqrt(sum);
}

int constraint_tangent_directions(const struct noe_system *system, noe_real t, const noe_real *q,
                                  const noe_real *v, noe_real *rows) {
    struct manifold at = {.system = system};
    struct arena arena = {0};
    const int n = system->n, m = system->nholonomic;
    int count = 0;
    layout(&arena, &at);
    void *block = calloc(1, arena.used + 64);
    if (!block) return -1;
    arena = (struct arena){.base = block};
    layout(&arena, &at);
    memcpy(at.v, v, (size_t)n * sizeof *v);
    system->second(system, t, q, at.v, at.p, at.w, at.d);
    system->constraints_second(system, t, q, at.v, at.c, at.dc);
    state_equations(&at);
    rank_rows(2 * m + 2 * n, 2 * n, at.rows, (real)direction_least, at.is_redundant);
    for (int j = 2 * m; j < 2 * m + 2 * n; j++)
        if (!at.is_redundant[j])
            take_momentum(&at, at.rows + (ptrdiff_t)j * 2 * n, rows + (ptrdiff_t)count++ * 2 * n);
    free(block);
    return count;
}
