/* Banded matrices: factorisation against products, pivoting, failures, and reorderings that make
 * a band. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/banded.h"
#include "linalg/bandwidth_ordering.h"
#include "linalg/linear_system.h"

enum { N_MAX = 64, WIDTH_MAX = 9, ENTRIES_MAX = N_MAX * N_MAX };

/* Numbers in [-1,1], the same on every machine. */
static real random_number(void) {
    static uint64_t seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (real)((double)(seed >> 11) / 4503599627370496.0) - 1;
}

/* A matrix in banded and in full storage, and a solution. */
struct sample {
    struct banded band;
    real a[N_MAX * (3 * WIDTH_MAX + 1)], full[N_MAX][N_MAX], x[N_MAX];
    lane_index pivot[N_MAX];
};
static struct sample sample;

static bool is_inside(const struct banded *band, int i, int j) {
    return i - j <= band->below && j - i <= band->above;
}

static void store(struct sample *s) {
    memset(s->a, 0, sizeof s->a);
    assert_true(banded_room(&s->band) <= sizeof s->a / sizeof *s->a);
    for (int i = 0; i < s->band.n; i++)
        for (int j = 0; j < s->band.n; j++)
            if (is_inside(&s->band, i, j)) s->a[banded_place(&s->band, i, j)] = s->full[i][j];
}

/* Entries of order one; those of the diagonal are multiplied by `diagonal`. */
static void fill(struct sample *s, int n, int below, int above, real diagonal) {
    s->band = (struct banded){.n = n, .below = below, .above = above};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s->full[i][j] = is_inside(&s->band, i, j)
                                ? random_number() * (i == j ? diagonal : real_broadcast(1))
                                : real_broadcast(0);
    store(s);
}

/* |A x - b| relative to |A| |x|, where x is the solution by the factors. */
static double backward_error(struct sample *s) {
    const int n = s->band.n;
    real b[N_MAX], error = 0, size = 0, largest = 0;
    for (int i = 0; i < n; i++) s->x[i] = b[i] = random_number();
    banded_solve(&s->band, s->x, s->a, s->pivot);
    for (int i = 0; i < n; i++) {
        real sum = -b[i], row = 0;
        for (int j = 0; j < n; j++) {
            sum += s->full[i][j] * s->x[j];
            row += noe_abs(s->full[i][j]);
        }
        error = real_max(noe_abs(sum), error);
        largest = real_max(row, largest);
        size = real_max(noe_abs(s->x[i]), size);
    }
    return (double)(error / (largest * size));
}

/* Diagonals of ordinary, small and zero size. Without pivoting the last two fail. */
static void test_products(void **state) {
    (void)state;
    static const double diagonals[] = {10, 1, 1e-9, 0};
    for (int kind = 0; kind < 4; kind++) {
        double worst = 0;
        for (int below = 1; below <= WIDTH_MAX; below++)
            for (int above = 1; above <= WIDTH_MAX; above++)
                for (int n = 8; n <= N_MAX; n += 8) {
                    fill(&sample, n, below, above, real_broadcast(diagonals[kind]));
                    assert_true(banded_factor(&sample.band, sample.a, sample.pivot));
                    worst = fmax(worst, backward_error(&sample));
                }
        if (!(worst < 2e-15 * NOE_EPSILON / 2.2e-16)) fail_msg("backward error %g", worst);
    }
}

static void test_small(void **state) {
    (void)state;
    for (int n = 1; n <= 4; n++)
        for (int width = n == 1 ? 0 : 1; width <= 3; width++) {
            fill(&sample, n, width, width, real_broadcast(1));
            assert_true(banded_factor(&sample.band, sample.a, sample.pivot));
            assert_true(backward_error(&sample) < 4 * NOE_EPSILON);
        }
    for (int n = 1; n <= 9; n++) { /* diagonally dominant: eliminated from both ends */
        fill(&sample, n, 1, 1, real_broadcast(0));
        for (int i = 0; i < n; i++) sample.full[i][i] = i % 2 ? 2 : -3;
        store(&sample);
        assert_true(banded_factor(&sample.band, sample.a, sample.pivot));
        assert_int_equal(sample.band.form, TRIDIAGONAL_TWISTED);
        assert_true(backward_error(&sample) < 4 * NOE_EPSILON);
    }
    fill(&sample, 20, 0, 0, real_broadcast(1)); /* diagonal */
    assert_true(banded_factor(&sample.band, sample.a, sample.pivot));
    assert_true(backward_error(&sample) < 2 * NOE_EPSILON);
}

static bool has_swaps(const struct banded *band) {
    return band->below == 1 ? band->form == TRIDIAGONAL_SWAPPED : band->has_swaps;
}

/* Rows are swapped only if pivoting requires it; a solve after swaps takes a different path. */
static void test_swaps(void **state) {
    (void)state;
    for (int width = 1; width <= 3; width++) {
        fill(&sample, 30, width, width, real_broadcast(0));
        for (int i = 0; i < 30; i++) sample.full[i][i] = 2 * width;
        store(&sample);
        assert_true(banded_factor(&sample.band, sample.a, sample.pivot));
        assert_false(has_swaps(&sample.band));
        for (int at = 0; at < 30; at++) {
            sample.full[at][at] = 0;
            store(&sample);
            assert_true(banded_factor(&sample.band, sample.a, sample.pivot));
            if (at == 0) assert_true(has_swaps(&sample.band));
            assert_true(backward_error(&sample) < 8 * NOE_EPSILON);
            sample.full[at][at] = 2 * width;
        }
    }
}

static void test_singular(void **state) {
    (void)state;
    for (int width = 1; width <= 4; width++)
        for (int at = 0; at < 20; at++) {
            fill(&sample, 20, width, width, real_broadcast(1));
            for (int j = 0; j < 20; j++) sample.full[at][j] = 0;
            store(&sample);
            assert_false(banded_factor(&sample.band, sample.a, sample.pivot));
        }
}

/* One entry of the band that is not finite, in any position, among entries many of which are
 * zero. */
static void test_not_finite(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int width = 1; width <= 3; width++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                for (int kind = 0; kind < 6; kind++) {
                    fill(&sample, 12, width, width, real_broadcast(4));
                    if (!is_inside(&sample.band, i, j)) continue;
                    for (int k = 0; k < 12 && kind >= 3; k++)
                        for (int l = 0; l < 12; l++) sample.full[k][l] = k == l;
                    sample.full[i][j] = bad[kind % 3];
                    store(&sample);
                    assert_false(banded_factor(&sample.band, sample.a, sample.pivot));
                }
}

/* --- Reorderings. */

struct pattern {
    int n, nz, row[ENTRIES_MAX], col[ENTRIES_MAX];
};
static struct pattern pattern;

static void add_entry(struct pattern *p, int i, int j) {
    p->row[p->nz] = i;
    p->col[p->nz++] = j;
}

/* Permutes the unknowns and the entries at random. */
static void shuffle(struct pattern *p) {
    int name[N_MAX];
    for (int i = 0; i < p->n; i++) name[i] = i;
    for (int i = p->n - 1; i > 0; i--) {
        const int j = (int)((double)(random_number() + 1) / 2 * i), t = name[i];
        name[i] = name[j];
        name[j] = t;
    }
    for (int e = 0; e < p->nz; e++) {
        p->row[e] = name[p->row[e]];
        p->col[e] = name[p->col[e]];
    }
}

/* A chain, or a ring. Each link has `stages` unknowns, all coupled with those of the neighbours. */
static void link_up(struct pattern *p, int links, int stages, bool is_ring) {
    *p = (struct pattern){.n = links * stages};
    for (int i = 0; i < links; i++)
        for (int j = 0; j < links; j++) {
            const int apart = abs(i - j);
            if (apart > 1 && !(is_ring && apart == links - 1)) continue;
            for (int k = 0; k < stages; k++)
                for (int l = 0; l < stages; l++) add_entry(p, k * links + i, l * links + j);
        }
}

static enum linear_kind solve_pattern(const struct pattern *p, int *diagonals, double *error) {
    struct linear linear;
    struct arena arena = {0};
    static real value[ENTRIES_MAX], x[N_MAX], b[N_MAX];
    struct linear_plan plan = linear_plan(p->n, p->nz, p->row, p->col);
    linear_layout(&linear, &arena, p->n, p->nz, &plan);
    arena = (struct arena){.base = calloc(1, arena.used)};
    linear_layout(&linear, &arena, p->n, p->nz, &plan);
    assert_int_equal(linear_init(&linear, p->row, p->col), NOE_OK);
    for (int e = 0; e < p->nz; e++) value[e] = random_number() + (p->row[e] == p->col[e] ? 6 : 0);
    for (int i = 0; i < p->n; i++) b[i] = x[i] = random_number();
    assert_true(linear_factor(&linear, p->n, value));
    linear_solve(&linear, p->n, x);
    for (int e = 0; e < p->nz; e++) b[p->row[e]] -= value[e] * x[p->col[e]];
    *error = (double)real_norm((size_t)p->n, b);
    *diagonals = plan.band.below + plan.band.above;
    linear_clear(&linear);
    linear_plan_clear(&plan);
    free(arena.base);
    return plan.kind;
}

static void test_orders(void **state) {
    (void)state;
    for (int shuffled = 0; shuffled < 2; shuffled++)
        for (int stages = 1; stages <= 3; stages++)
            for (int ring = 0; ring < 2; ring++) {
                int diagonals;
                double error;
                link_up(&pattern, N_MAX / stages, stages, ring);
                if (shuffled) shuffle(&pattern);
                assert_int_equal(solve_pattern(&pattern, &diagonals, &error), LINEAR_BANDED);
                assert_true(diagonals <= 2 * (ring ? 4 * stages - 2 : 2 * stages - 1));
                assert_true(error < 16 * NOE_EPSILON);
            }
}

/* Disconnected parts, an isolated unknown, and a node that is coupled with all others. */
static void test_odd_patterns(void **state) {
    (void)state;
    int diagonals, order[N_MAX];
    double error;
    pattern = (struct pattern){.n = 40};
    for (int i = 0; i < 40; i++) add_entry(&pattern, i, i);
    for (int i = 0; i < 36; i++) add_entry(&pattern, i, (i + 4) % 40);
    assert_int_equal(solve_pattern(&pattern, &diagonals, &error), LINEAR_BANDED);
    assert_int_equal(diagonals, 2);
    assert_true(error < 4 * NOE_EPSILON);
    for (int i = 0; i < 40; i++) add_entry(&pattern, 0, i);
    assert_false(ordering_narrow(40, pattern.nz, pattern.row, pattern.col, 20, order));
    assert_true(ordering_narrow(40, pattern.nz, pattern.row, pattern.col, 99, order));
    uint64_t seen = 0;
    for (int i = 0; i < 40; i++) seen |= (uint64_t)1 << order[i];
    assert_true(seen == ((uint64_t)1 << 40) - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),     cmocka_unit_test(test_small),
        cmocka_unit_test(test_swaps),        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_orders),
        cmocka_unit_test(test_odd_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
