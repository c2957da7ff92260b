/* A system's derivatives held against differences of what they are derivatives of. */
/* SPDX-License-Identifier: MIT */
#include "study/differences.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/status.h"
#include "spaces/product.h"

enum { LEVELS = 10, SHRINKS = 12 };
#define RATIO ((real)1.6) /* of one width to the next */

/* The point of comparison and the line through it along which differences are taken. */
struct probe {
    const struct noe_system *system;
    real t;
    const real *q, *v;
    bool along_velocity, of_lagrangian;
    int index, m;                      /* direction; number of outputs */
    real *x, *q1, *v1, *below, *above; /* scratch */
    real *table[2];                    /* two rows of Neville's table, LEVELS x m */
    real *best, *spread;               /* the result and its uncertainty, m each */
    bool *is_settled;                  /* finer widths only bring noise */
    real *p, *w, *d, *column;          /* what the system states */
};

static void layout(struct arena *arena, struct probe *probe) {
    const size_t n = (size_t)probe->system->n;
    const size_t np = (size_t)product_point_size(probe->system), m = 2 * n;
    probe->x = arena_reals(arena, n);
    probe->q1 = arena_reals(arena, np);
    probe->v1 = arena_reals(arena, n);
    probe->below = arena_reals(arena, m);
    probe->above = arena_reals(arena, m);
    probe->table[0] = arena_reals(arena, LEVELS * m);
    probe->table[1] = arena_reals(arena, LEVELS * m);
    probe->best = arena_reals(arena, m);
    probe->spread = arena_reals(arena, m);
    probe->is_settled = arena_take(arena, m * sizeof(bool));
    probe->p = arena_reals(arena, n);
    probe->w = arena_reals(arena, n);
    probe->d = arena_reals(arena, 4 * (size_t)probe->system->nz);
    probe->column = arena_reals(arena, m);
}

/* out = L or (p, w) at the point moved by `shift` along the line. */
static void evaluate(struct probe *probe, real shift, real *out) {
    const struct noe_system *system = probe->system;
    const int n = system->n;
    const real *q = probe->q, *v = probe->v;
    if (probe->along_velocity) {
        memcpy(probe->v1, v, (size_t)n * sizeof *v);
        probe->v1[probe->index] += shift;
        v = probe->v1;
    } else {
        probe->x[probe->index] = shift;
        product_retract(system, 0, probe->q1, q, probe->x);
        probe->x[probe->index] = 0;
        q = probe->q1;
    }
    if (probe->of_lagrangian)
        *out = system->lagrangian(system, probe->t, q, v);
    else
        system->first(system, probe->t, q, v, out, out + n);
}

/* out = central difference of width h; returns the largest magnitude met. */
static real central(struct probe *probe, real h, real *out) {
    evaluate(probe, h, probe->above);
    evaluate(probe, -h, probe->below);
    const size_t m = (size_t)probe->m;
    for (size_t i = 0; i < m; i++) out[i] = (probe->above[i] - probe->below[i]) / (2 * h);
    return noe_max(real_norm(m, probe->above), real_norm(m, probe->below));
}

/* A natural width for direction i: the number itself, or its neighbours where it is small. */
static real natural_scale(const struct probe *probe) {
    const int n = probe->system->n;
    const real *x = probe->along_velocity ? probe->v : probe->q;
    const int count = probe->along_velocity ? n : product_point_size(probe->system);
    const real norm = real_norm((size_t)count, x);
    const real own = probe->index < count ? noe_abs(x[probe->index]) : 0;
    const real scale = noe_max(own, norm / 8);
    return scale > 0 ? scale : 1;
}

/* One number of a row of Neville's extrapolation to width zero. */
static void extrapolate_one(struct probe *probe, int i, int level, const real *before, real *now) {
    const int m = probe->m;
    real factor = RATIO * RATIO;
    for (int j = 1; j <= level; j++, factor *= RATIO * RATIO) {
        const real coarse = before[(j - 1) * m + i], fine = now[(j - 1) * m + i];
        const real value = fine + (fine - coarse) / (factor - 1);
        const real spread = noe_max(noe_abs(value - fine), noe_abs(value - coarse));
        now[j * m + i] = value;
        if (spread <= probe->spread[i] && !probe->is_settled[i]) {
            probe->spread[i] = spread;
            probe->best[i] = value;
        }
    }
}

/* A row of the table. A number settles when the diagonal moves away from its best estimate. */
static void extrapolate(struct probe *probe, int level, const real *before, real *now, real noise) {
    const int m = probe->m;
    for (int i = 0; i < m; i++) {
        extrapolate_one(probe, i, level, before, now);
        const real moved = noe_abs(now[level * m + i] - before[(level - 1) * m + i]);
        const real tight = noe_max(noe_abs(probe->best[i]) / 100000, 1000 * noise);
        if (moved >= 2 * probe->spread[i] && probe->spread[i] <= tight) probe->is_settled[i] = true;
    }
}

/* The derivative along the line by Ridders' method, into `best`; returns the noise that rounding
 * of the function leaves in such a difference, or NaN where the function is not finite. */
static real differentiate(struct probe *probe) {
    real width = natural_scale(probe) / 16;
    real size = central(probe, width, probe->table[0]);
    for (int i = 0; i < SHRINKS && !real_is_finite(size); i++) /* near the edge of the domain */
        size = central(probe, width /= 8, probe->table[0]);
    const real noise = NOE_EPSILON * size / width;
    for (int i = 0; i < probe->m; i++) {
        probe->best[i] = probe->table[0][i];
        probe->spread[i] = noe_abs(probe->best[i]) + size / width;
        probe->is_settled[i] = false;
    }
    for (int level = 1; level < LEVELS; level++) {
        width /= RATIO;
        real *now = probe->table[level % 2];
        central(probe, width, now);
        extrapolate(probe, level, probe->table[(level + 1) % 2], now, noise);
    }
    return noise;
}

/* |stated - found| relative to the larger one; a number so small that differences cannot resolve
 * it counts relative to what they can resolve. */
static real relative_error(real stated, real found, real noise) {
    const real floor = noise / noe_pow(NOE_EPSILON, (real)0.6);
    const real larger = noe_max(noe_max(noe_abs(stated), noe_abs(found)), floor);
    const real error = noe_abs(stated - found);
    return error == 0 ? 0 : error / larger;
}

static void check_gradient(struct differences *differences, struct probe *probe) {
    const struct noe_system *system = probe->system;
    const bool has_forces = !(system->traits & NOE_UNFORCED);
    probe->of_lagrangian = true;
    probe->m = 1;
    for (int side = 0; side < (has_forces ? 1 : 2); side++)
        for (int i = 0; i < system->n; i++) {
            probe->along_velocity = side == 0;
            probe->index = i;
            const real noise = differentiate(probe);
            const real stated = side == 0 ? probe->p[i] : probe->w[i];
            differences->gradient_error =
                noe_max(differences->gradient_error, relative_error(stated, *probe->best, noise));
        }
}

/* The column (p_x, w_x) that the system states for direction `index`; zero off the pattern. */
static void take_column(struct probe *probe) {
    const struct noe_system *system = probe->system;
    const int n = system->n, nz = system->nz;
    const real *p_x = probe->d + (probe->along_velocity ? 0 : nz);
    const real *w_x = probe->d + (probe->along_velocity ? 2 : 3) * (size_t)nz;
    memset(probe->column, 0, 2 * (size_t)n * sizeof(real));
    for (int i = 0; i < nz; i++) {
        const int row = system->row ? system->row[i] : i / n;
        const int col = system->row ? system->col[i] : i % n;
        if (col != probe->index) continue;
        probe->column[row] = p_x[i];
        probe->column[n + row] = w_x[i];
    }
}

static void check_hessian(struct differences *differences, struct probe *probe) {
    const int n = probe->system->n;
    probe->of_lagrangian = false;
    probe->m = 2 * n;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < n; i++) {
            probe->along_velocity = side == 0;
            probe->index = i;
            const real noise = differentiate(probe);
            take_column(probe);
            for (int j = 0; j < 2 * n; j++)
                differences->hessian_error =
                    noe_max(differences->hessian_error,
                            relative_error(probe->column[j], probe->best[j], noise));
        }
}

enum noe_status differences_check(struct differences *differences, const struct noe_system *system,
                                  real t, const real *q, const real *v, struct noe_error *error) {
    struct probe probe = {.system = system, .t = t, .q = q, .v = v};
    struct arena arena = {0};
    layout(&arena, &probe);
    void *block = aligned_alloc(64, arena.used + 64);
    if (!block) return status_set(error, NOE_NO_MEMORY, "out of memory");
    memset(block, 0, arena.used);
    arena = (struct arena){.base = block};
    layout(&arena, &probe);
    system->second(system, t, q, v, probe.p, probe.w, probe.d);
    check_gradient(differences, &probe);
    check_hessian(differences, &probe);
    free(block);
    return NOE_OK;
}
