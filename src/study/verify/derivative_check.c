/* Verification of a system's derivatives by finite differences. */
/* SPDX-License-Identifier: MIT */
#include "study/verify/derivative_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/status.h"
#include "spaces/product.h"

enum { LEVELS = 10, SHRINKS = 12 };
#define RATIO ((real)1.6) /* ratio of successive step widths */

/* The variable of differentiation, and the differentiated functions: L, (p, w), (g, psi). */
enum line { ALONG_VELOCITY, ALONG_POINT, ALONG_TIME };
enum what { OF_LAGRANGIAN, OF_EQUATIONS, OF_CONSTRAINTS };

/* A point, and the line through it along which finite differences are taken. */
struct probe {
    const struct noe_system *system;
    real t;
    const real *q, *v; /* v is followed by the multipliers */
    enum line line;
    enum what what;
    int index, m;                      /* direction; number of function values */
    real *x, *q1, *v1, *below, *above; /* scratch */
    real *table[2];                    /* two rows of Neville's table, LEVELS x m */
    real *best, *spread;               /* extrapolated value and its uncertainty, m each */
    bool *is_settled;                  /* smaller widths only add noise */
    real *p, *w, *d, *column;          /* values and derivatives of the system */
    real *gradient, *c, *dc;           /* L_q, constraints and their derivatives from the system */
    real *with_multipliers;
    real terms; /* magnitude of the terms that cancel in the stated column */
};

static int count_constraints(const struct noe_system *system) {
    return system->nholonomic + system->nnonholonomic;
}

static void layout(struct arena *arena, struct probe *probe) {
    const size_t n = (size_t)probe->system->n;
    const size_t np = (size_t)product_point_size(probe->system);
    const size_t nc = (size_t)count_constraints(probe->system), m = 2 * (n > nc ? n : nc);
    probe->x = arena_reals(arena, n);
    probe->q1 = arena_reals(arena, np);
    probe->v1 = arena_reals(arena, n + nc);
    probe->with_multipliers = arena_reals(arena, n + nc);
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
    probe->gradient = arena_reals(arena, n + 1);
    probe->c = arena_reals(arena, 3 * nc);
    probe->dc = arena_reals(arena, 2 * (size_t)probe->system->nzc);
}

/* out = L, (p, w) or (g, psi) at the point displaced by `shift` along the line. */
static void evaluate(struct probe *probe, real shift, real *out) {
    const struct noe_system *system = probe->system;
    const size_t count = (size_t)(system->n + count_constraints(system));
    const real *q = probe->q, *v = probe->v;
    real t = probe->t;
    if (probe->line == ALONG_VELOCITY) {
        memcpy(probe->v1, v, count * sizeof *v);
        probe->v1[probe->index] += shift;
        v = probe->v1;
    } else if (probe->line == ALONG_POINT) {
        probe->x[probe->index] = shift;
        product_retract(system, 0, probe->q1, q, probe->x);
        probe->x[probe->index] = 0;
        q = probe->q1;
    } else {
        t += shift;
    }
    if (probe->what == OF_LAGRANGIAN)
        *out = system->lagrangian(system, t, q, v);
    else if (probe->what == OF_EQUATIONS)
        system->first(system, t, q, v, out, out + system->n);
    else
        system->constraints(system, t, q, v, out);
}

/* out = central difference of width h. Returns the largest magnitude of the function values. */
static real central(struct probe *probe, real h, real *out) {
    evaluate(probe, h, probe->above);
    evaluate(probe, -h, probe->below);
    const size_t m = (size_t)probe->m;
    for (size_t i = 0; i < m; i++) out[i] = (probe->above[i] - probe->below[i]) / (2 * h);
    return noe_max(real_norm(m, probe->above), real_norm(m, probe->below));
}

/* Initial width for direction i: the magnitude of the component, or of its neighbours if it is
 * small. */
static real natural_width(const struct probe *probe) {
    const struct noe_system *system = probe->system;
    const bool by_velocity = probe->line == ALONG_VELOCITY;
    const bool by_multiplier = by_velocity && probe->index >= system->n;
    const real *x = by_velocity ? probe->v : probe->q;
    const int count = by_velocity ? system->n : product_point_size(system);
    if (probe->line == ALONG_TIME || by_multiplier) return (real)1 / 16;
    const real norm = real_norm((size_t)count, x);
    const real own = probe->index < count ? noe_abs(x[probe->index]) : 0;
    const real scale = noe_max(own, norm / 8);
    return (scale > 0 ? scale : 1) / 16;
}

/* One component of a row of Neville's extrapolation to width zero. */
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

/* One row of the table. A component is settled when the diagonal moves away from its best
 * estimate. */
static void extrapolate(struct probe *probe, int level, const real *before, real *now, real noise) {
    const int m = probe->m;
    for (int i = 0; i < m; i++) {
        extrapolate_one(probe, i, level, before, now);
        const real moved = noe_abs(now[level * m + i] - before[(level - 1) * m + i]);
        const real tight = noe_max(noe_abs(probe->best[i]) / 100000, 1000 * noise);
        if (moved >= 2 * probe->spread[i] && probe->spread[i] <= tight) probe->is_settled[i] = true;
    }
}

/* Derivative along the line by Ridders' method, in `best`. Returns the noise of the finite
 * difference due to round-off, or NaN if the function is not finite. */
static real differentiate(struct probe *probe) {
    real width = natural_width(probe);
    real size = central(probe, width, probe->table[0]);
    for (int i = 0; i < SHRINKS && !real_is_finite(size); i++) /* near the boundary of the domain */
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

/* |stated - found| relative to the larger one. A value below the resolution of finite differences
 * is compared relative to that resolution. */
static real relative_error(real stated, real found, real noise) {
    const real floor = noise / noe_pow(NOE_EPSILON, (real)0.6);
    const real larger = noe_max(noe_max(noe_abs(stated), noe_abs(found)), floor);
    const real error = noe_abs(stated - found);
    return error == 0 ? 0 : error / larger;
}

static void compare(real *error, struct probe *probe, const real *stated, real rounding) {
    const real noise = noe_max(rounding, NOE_EPSILON * probe->terms);
    for (int i = 0; i < probe->m; i++)
        *error = noe_max(*error, relative_error(stated[i], probe->best[i], noise));
}

/* Number of compared coordinates, or multipliers, of n. */
static int sample_count(int n) {
    enum { ALL_MAX = 500, SAMPLE = 64 };
    return n <= ALL_MAX ? n : SAMPLE;
}

/* Coordinate number k of the sample: one of each of equal parts, at a place that differs from part
 * to part, so that no pattern of the numbering hides an error. */
static int sample_at(int n, int k) {
    const long count = sample_count(n), first = k * (long)n / count;
    const long length = (k + 1) * (long)n / count - first;
    return (int)(first + (length * (37 * (long)k % 64)) / 64);
}

/* Compares p with finite differences of L, and L_q if the system provides it. */
static void check_gradient(struct derivative_check *differences, struct probe *probe) {
    const struct noe_system *system = probe->system;
    const bool states_it = system->gradient || (system->traits & NOE_UNFORCED);
    const real *lq = probe->w;
    if (system->gradient) {
        system->gradient(system, probe->t, probe->q, probe->v, probe->gradient);
        lq = probe->gradient;
    }
    probe->what = OF_LAGRANGIAN;
    probe->m = 1;
    for (int side = 0; side < (states_it ? 2 : 1); side++)
        for (int k = 0; k < sample_count(system->n); k++) {
            const int i = sample_at(system->n, k);
            probe->line = side == 0 ? ALONG_VELOCITY : ALONG_POINT;
            probe->index = i;
            const real noise = differentiate(probe);
            compare(&differences->gradient_error, probe, side == 0 ? &probe->p[i] : &lq[i], noise);
        }
}

/* Column (p_x, w_x) of the system for direction `index`; zero outside the sparsity pattern. */
static void take_column(struct probe *probe) {
    const struct noe_system *system = probe->system;
    const int n = system->n, nz = system->nz;
    const bool by_velocity = probe->line == ALONG_VELOCITY;
    const real *p_x = probe->d + (by_velocity ? 0 : nz);
    const real *w_x = probe->d + (by_velocity ? 2 : 3) * (size_t)nz;
    memset(probe->column, 0, 2 * (size_t)n * sizeof(real));
    for (int i = 0; i < nz; i++) {
        const int row = system->row ? system->row[i] : i / n;
        const int col = system->row ? system->col[i] : i % n;
        if (col != probe->index) continue;
        probe->column[row] = p_x[i];
        probe->column[n + row] = w_x[i];
    }
}

static void check_hessian(struct derivative_check *differences, struct probe *probe) {
    const int n = probe->system->n;
    probe->what = OF_EQUATIONS;
    probe->m = 2 * n;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < sample_count(n); k++) {
            probe->line = side == 0 ? ALONG_VELOCITY : ALONG_POINT;
            probe->index = sample_at(n, k);
            const real noise = differentiate(probe);
            take_column(probe);
            compare(&differences->hessian_error, probe, probe->column, noise);
        }
}

/* Derivative of (p, w) by multiplier k from the constraint Jacobians: w_lambda = -g_q^T,
 * phi_v^T. */
static void take_reaction(struct probe *probe, int k) {
    const struct noe_system *system = probe->system;
    const int n = system->n;
    memset(probe->column, 0, 2 * (size_t)n * sizeof(real));
    for (int e = 0; e < system->nzc; e++) {
        const int row = system->crow ? system->crow[e] : e / n;
        const int col = system->crow ? system->ccol[e] : e % n;
        if (row == k)
            probe->column[n + col] = k < system->nholonomic ? -probe->dc[e] : probe->dc[e];
    }
}

/* Derivative of (g, psi) along the line: g_q and psi_q, psi_v, or g_t = psi - g_q v and psi_t. */
static void take_constraints(struct probe *probe) {
    const struct noe_system *system = probe->system;
    const int n = system->n, ng = system->nholonomic, nc = count_constraints(system);
    real *const g = probe->column, *const psi = g + ng;
    const bool by_time = probe->line == ALONG_TIME;
    probe->terms = 0;
    for (int k = 0; k < nc; k++) {
        if (k < ng) g[k] = by_time ? probe->c[ng + k] : 0;
        psi[k] = by_time ? probe->c[ng + nc + k] : 0;
    }
    for (int e = 0; e < system->nzc; e++) {
        const int row = system->crow ? system->crow[e] : e / n;
        const int col = system->crow ? system->ccol[e] : e % n;
        const real psi_v = probe->dc[e], psi_q = probe->dc[system->nzc + e];
        const real term = psi_v * probe->v[col];
        probe->terms = noe_max(probe->terms, noe_abs(term));
        if (by_time && row < ng) g[row] -= term;
        if (by_time || col != probe->index) continue;
        if (probe->line == ALONG_POINT && row < ng) g[row] = psi_v;
        psi[row] = probe->line == ALONG_VELOCITY ? psi_v : psi_q;
    }
    if (!by_time) probe->terms /= natural_width(probe); /* psi is small, but its terms are not */
}

static void check_constraints(struct derivative_check *differences, struct probe *probe) {
    const struct noe_system *system = probe->system;
    const int n = system->n, nc = count_constraints(system);
    probe->what = OF_CONSTRAINTS;
    probe->m = system->nholonomic + nc;
    const int count = sample_count(n);
    for (int i = 0; i < 2 * count + 1; i++) {
        probe->line = i < count ? ALONG_VELOCITY : i < 2 * count ? ALONG_POINT : ALONG_TIME;
        probe->index = sample_at(n, i % count);
        const real noise = differentiate(probe);
        take_constraints(probe);
        compare(&differences->constraint_error, probe, probe->column, noise);
    }
    probe->what = OF_EQUATIONS;
    probe->line = ALONG_VELOCITY;
    probe->m = 2 * n;
    probe->terms = 0;
    for (int i = 0; i < sample_count(nc); i++) {
        const int k = sample_at(nc, i);
        probe->index = n + k;
        const real noise = differentiate(probe);
        take_reaction(probe, k);
        compare(&differences->constraint_error, probe, probe->column, noise);
    }
}

/* Multipliers of the magnitude of the other forces, so that errors of their factors are visible. */
static void choose_multipliers(struct probe *probe, const real *v) {
    const struct noe_system *system = probe->system;
    const size_t n = (size_t)system->n, nc = (size_t)count_constraints(system);
    real *const given = probe->with_multipliers;
    memcpy(given, v, n * sizeof *v);
    memset(given + n, 0, nc * sizeof *v);
    probe->v = given;
    if (nc == 0) return;
    system->first(system, probe->t, probe->q, given, probe->p, probe->w);
    const real norm = real_norm(n, probe->w), size = real_is_finite(norm) && norm > 0 ? norm : 1;
    for (size_t k = 0; k < nc; k++) given[n + k] = size * ((real)0.7 + (real)(k % 3) / 8);
}

enum noe_status derivative_check(struct derivative_check *differences,
                                 const struct noe_system *system, real t, const real *q,
                                 const real *v, struct noe_error *error) {
    struct probe probe = {.system = system, .t = t, .q = q};
    struct arena arena = {0};
    layout(&arena, &probe);
    void *block = aligned_alloc(64, arena.used + 64);
    if (!block) return status_set(error, NOE_NO_MEMORY, "out of memory");
    memset(block, 0, arena.used);
    arena = (struct arena){.base = block};
    layout(&arena, &probe);
    choose_multipliers(&probe, v);
    differences->coordinates = sample_count(system->n);
    system->second(system, t, q, probe.v, probe.p, probe.w, probe.d);
    check_gradient(differences, &probe);
    check_hessian(differences, &probe);
    if (count_constraints(system) > 0) {
        system->constraints_second(system, t, q, probe.v, probe.c, probe.dc);
        check_constraints(differences, &probe);
    }
    free(block);
    return NOE_OK;
}
