/* Correlation of two shapes on a grid over SO(3), and its largest values. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "study/shape/shape.h"

/* For one beta the correlation is a trigonometric sum in alpha and gamma. Its coefficients of cos m
 * alpha cos k gamma, cos sin, sin cos and sin sin are sums over the degrees. */
struct grid {
    int band, count, nbeta; /* degrees; angles alpha and gamma; angles beta */
    struct shape_wigner wigner;
    const real *f, *g;
    real *cc, *cs, *sc, *ss; /* band x band */
    real *c, *s;             /* cos and sin of multiples of the angles: band x count */
    real *even, *odd;        /* sums over k: band x count */
    real *value;             /* nbeta x count x count */
    real *block;
};

static const real PI = (real)3.14159265358979323846264338327950288L;

static bool make_grid(struct grid *grid, const struct noe_shape *f, const struct noe_shape *g,
                      int band) {
    const int count = 3 * band, nbeta = 3 * band / 2 + 1;
    const size_t plane = (size_t)band * (size_t)band, lines = (size_t)band * (size_t)count;
    *grid = (struct grid){.band = band, .count = count, .nbeta = nbeta, .f = f->c, .g = g->c};
    grid->block = calloc(4 * plane + 4 * lines + (size_t)nbeta * (size_t)count * (size_t)count,
                         sizeof *grid->block);
    if (!grid->block || !shape_wigner_make(&grid->wigner, band)) return false;
    grid->cc = grid->block;
    grid->cs = grid->cc + plane;
    grid->sc = grid->cs + plane;
    grid->ss = grid->sc + plane;
    grid->c = grid->ss + plane;
    grid->s = grid->c + lines;
    grid->even = grid->s + lines;
    grid->odd = grid->even + lines;
    grid->value = grid->odd + lines;
    for (int m = 0; m < band; m++)
        for (int i = 0; i < count; i++) {
            const real angle = 2 * PI * ((long)m * i % count) / count;
            grid->c[m * count + i] = noe_cos(angle);
            grid->s[m * count + i] = noe_sin(angle);
        }
    return true;
}

static void clear_grid(struct grid *grid) {
    shape_wigner_clear(&grid->wigner);
    free(grid->block);
}

/* Cosine and sine orders of the shapes combine as in shape_turn_back. */
static void add_degree(struct grid *grid, int l) {
    const real half = noe_sqrt((real)0.5);
    const real *f = grid->f + shape_at(l, 0), *g = grid->g + shape_at(l, 0);
    for (int m = 0; m <= l; m++) {
        const real gc = m ? g[m] : half * g[0], gs = m ? g[-m] : 0;
        const real *p = grid->wigner.p + m * grid->band, *n = grid->wigner.n + m * grid->band;
        const int row = m * grid->band;
        for (int k = 0; k <= l; k++) {
            const real fc = k ? f[k] : half * f[0], fs = k ? f[-k] : 0;
            const real even = p[k] + n[k], odd = p[k] - n[k];
            grid->cc[row + k] += gc * even * fc + gs * odd * fs;
            grid->cs[row + k] += gs * odd * fc - gc * even * fs;
            grid->sc[row + k] += gs * even * fc - gc * odd * fs;
            grid->ss[row + k] -= gs * even * fs + gc * odd * fc;
        }
    }
}

/* value[alpha][gamma] from the coefficients, one angle after the other. */
static void sum_waves(struct grid *grid, real *value) {
    const int band = grid->band, count = grid->count;
    const size_t lines = (size_t)band * (size_t)count;
    memset(grid->even, 0, 2 * lines * sizeof *grid->even);
    for (int m = 0; m < band; m++)
        for (int k = 0; k < band; k++) {
            const int at = m * band + k;
            const real *c = grid->c + k * count, *s = grid->s + k * count;
            real *even = grid->even + m * count, *odd = grid->odd + m * count;
            for (int i = 0; i < count; i++) {
                even[i] += grid->cc[at] * c[i] + grid->cs[at] * s[i];
                odd[i] += grid->sc[at] * c[i] + grid->ss[at] * s[i];
            }
        }
    for (int a = 0; a < count; a++)
        for (int m = 0; m < band; m++) {
            const real c = grid->c[m * count + a], s = grid->s[m * count + a];
            const real *even = grid->even + m * count, *odd = grid->odd + m * count;
            for (int i = 0; i < count; i++) value[a * count + i] += c * even[i] + s * odd[i];
        }
}

static real beta_of(const struct grid *grid, int b) { return PI * b / (grid->nbeta - 1); }

static void fill_grid(struct grid *grid) {
    const size_t plane = (size_t)grid->band * (size_t)grid->band;
    for (int b = 0; b < grid->nbeta; b++) {
        const real beta = beta_of(grid, b);
        memset(grid->cc, 0, 4 * plane * sizeof *grid->cc);
        shape_wigner_begin(&grid->wigner, noe_cos(beta), noe_sin(beta));
        for (int l = 1; l < grid->band; l++) {
            shape_wigner_next(&grid->wigner);
            add_degree(grid, l);
        }
        sum_waves(grid, grid->value + (size_t)b * (size_t)grid->count * (size_t)grid->count);
    }
}

static void rotation_at(const struct grid *grid, long at, real *R) {
    const int count = grid->count;
    const real alpha = 2 * PI * (at / count % count) / count, gamma = 2 * PI * (at % count) / count;
    const real beta = beta_of(grid, (int)(at / count / count));
    const real ca = noe_cos(alpha), sa = noe_sin(alpha), cb = noe_cos(beta), sb = noe_sin(beta);
    const real cg = noe_cos(gamma), sg = noe_sin(gamma);
    const real made[9] = {ca * cb * cg - sa * sg,
                          -ca * cb * sg - sa * cg,
                          ca * sb,
                          sa * cb * cg + ca * sg,
                          -sa * cb * sg + ca * cg,
                          sa * sb,
                          -sb * cg,
                          sb * sg,
                          cb};
    memcpy(R, made, sizeof made);
}

/* True if the value is no smaller than its neighbours in the grid. At the poles of beta all alpha
 * are neighbours, so every value counts there. */
static bool is_peak(const struct grid *grid, long at) {
    const int count = grid->count, square = count * count;
    const int b = (int)(at / square), a = (int)(at / count % count), g = (int)(at % count);
    for (int db = -1; db <= 1; db++)
        for (int da = -1; da <= 1; da++)
            for (int dg = -1; dg <= 1; dg++) {
                if (b + db < 0 || b + db >= grid->nbeta) continue;
                const long other = (long)(b + db) * square +
                                   (long)((a + da + count) % count) * count +
                                   (g + dg + count) % count;
                if (grid->value[other] > grid->value[at]) return false;
            }
    return true;
}

/* The cosine of the angle between two rotations. */
static real nearness(const real *A, const real *B) {
    real trace = 0;
    for (int i = 0; i < 9; i++) trace += A[i] * B[i];
    return (trace - 1) / 2;
}

/* Inserts a peak into the sorted list. Of peaks that are close to each other the larger stays. */
static int enter(struct shape_candidate *list, int count, int max, real cosine,
                 const struct shape_candidate *next) {
    for (int i = 0; i < count; i++)
        if (list[i].value >= next->value && nearness(list[i].R, next->R) > cosine) return count;
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (list[i].value >= next->value || nearness(list[i].R, next->R) <= cosine)
            list[kept++] = list[i];
    if (kept == max && list[max - 1].value >= next->value) return kept;
    int at = kept < max ? kept++ : max - 1;
    for (; at > 0 && list[at - 1].value < next->value; at--) list[at] = list[at - 1];
    list[at] = *next;
    return kept;
}

int shape_search(const struct noe_shape *f, const struct noe_shape *g, int band, int max,
                 struct shape_candidate *found, long *points) {
    struct grid grid;
    int count = -1;
    if (make_grid(&grid, f, g, band)) {
        const real cosine = noe_cos(PI / (band > 2 ? band : 2));
        *points = (long)grid.nbeta * grid.count * grid.count;
        fill_grid(&grid);
        count = 0;
        for (long at = 0; at < *points; at++) {
            struct shape_candidate next = {.value = grid.value[at]};
            if (count == max && next.value <= found[max - 1].value) continue;
            if (!is_peak(&grid, at)) continue;
            rotation_at(&grid, at, next.R);
            count = enter(found, count, max, cosine, &next);
        }
    }
    clear_grid(&grid);
    return count;
}
