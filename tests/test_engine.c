/* The engine: no allocation on the step path, agreement of the linear solvers, time on its grid. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "engine/work.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/linear_system.h"
#include "linalg/sparse.h"
#include "methods.h"
#include "methods/method.h"
#include "noether_model.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 0
#else
#define COUNTS_ALLOCATIONS 1
#endif

static long allocations;

#if COUNTS_ALLOCATIONS
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    allocations++;
    return __libc_realloc(old, size);
}
#endif

static void check_allocations(const char *method, const struct variant *row,
                              const struct test_case *test) {
    struct run run;
    struct noe_error error;
    struct noe_observation moment;
    (void)row;
    run_start(&run, test, method, 0.05);
    const long before = allocations;
    assert_int_equal(noe_work_steps(run.work, 50, &error), NOE_OK);
    assert_int_equal(noe_work_observe(run.work, &moment, &error), NOE_OK);
    const long after = allocations;
    run_end(&run);
    if (after != before) fail_msg("%s allocates on the step path", method);
}

static void test_allocations(void **state) {
    (void)state;
    if (!COUNTS_ALLOCATIONS) skip();
    const long before = allocations;
    free(malloc(10));
    assert_int_equal(allocations, before + 1); /* checks that the counter works */
    for_each_method(12, check_allocations);
}

/* A chain of coupled pendula, large enough for the banded solver. */
static void load_chain(struct noe_model **model, int count) {
    char text[300];
    struct noe_error error;
    const struct noe_model_settings settings = {0};
    snprintf(text, sizeof text,
             "coord q[%d]\nL = sum(i = 1..%d, q[i]'^2/2 + cos(q[i]))"
             " - sum(i = 1..%d, (q[i+1] - q[i])^2*(1 + q[i]^2)/2)\nstart q[1] = 1, q[3] = -0.5\n",
             count, count, count - 1);
    if (noe_model_open_text(model, "chain", text, &settings, &error) != NOE_OK)
        fail_msg("%s", error.text);
}

static void run_chain(const struct noe_model *model, const struct noe_system *system,
                      const char *solver, real *q) {
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    assert_int_equal(noe_problem_init(&problem, system, "gauss stages=2", 0.05, &error), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
    assert_string_equal(work_solver(work), solver);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, &error), NOE_OK);
    assert_int_equal(noe_work_steps(work, 1, &error), NOE_OK); /* the first step chooses pivots */
    const long started = allocations;
    if (noe_work_steps(work, 99, &error) != NOE_OK) fail_msg("%s", error.text);
    if (COUNTS_ALLOCATIONS) assert_int_equal(allocations, started);
    memcpy(q, noe_work_state(work)->q, (size_t)system->n * sizeof *q);
    noe_work_free(work);
    noe_problem_clear(&problem);
}

/* Blocks of a narrow system scattered into another pattern: entry e goes to place[e]. */
struct spread {
    const struct noe_system *narrow;
    int place[200];
    real values[4 * 200];
};
static struct spread spread;

static void spread_second(const struct noe_system *s, real t, const real *q, const real *v, real *p,
                          real *w, real *d) {
    const struct noe_system *o = spread.narrow;
    o->second(o, t, q, v, p, w, spread.values);
    memset(d, 0, sizeof *d * 4 * (size_t)s->nz);
    for (int block = 0; block < 4; block++)
        for (int e = 0; e < o->nz; e++)
            d[block * s->nz + spread.place[e]] = spread.values[block * o->nz + e];
}

static void spread_first(const struct noe_system *s, real t, const real *q, const real *v, real *p,
                         real *w) {
    (void)s;
    spread.narrow->first(spread.narrow, t, q, v, p, w);
}

static struct noe_system spread_system(const struct noe_system *narrow) {
    struct noe_system wide = *narrow;
    spread.narrow = narrow;
    assert_true(narrow->nz <= 200);
    wide.momentum = NULL;
    wide.first = spread_first;
    wide.second = spread_second;
    return wide;
}

/* The full pattern, for the dense solvers. */
static struct noe_system full_system(const struct noe_system *narrow) {
    struct noe_system full = spread_system(narrow);
    full.row = full.col = NULL;
    full.nz = full.n * full.n;
    for (int e = 0; e < narrow->nz; e++) spread.place[e] = narrow->row[e] * full.n + narrow->col[e];
    return full;
}

/* A pattern with entries far from the diagonal, which no reordering turns into a narrow band. */
static struct noe_system scattered_system(const struct noe_system *narrow) {
    static int row[400], col[400];
    struct noe_system scattered = spread_system(narrow);
    const int n = narrow->n, nz = narrow->nz;
    for (int e = 0; e < nz; e++) {
        row[e] = narrow->row[e];
        col[e] = narrow->col[e];
        spread.place[e] = e;
    }
    scattered.nz = nz;
    for (int i = 0; i < n; i++)
        for (int turn = 0; turn < 2; turn++) {
            const int j = (7 * i + 5 + 11 * turn) % n;
            if (abs(i - j) <= 1) continue;
            row[scattered.nz] = i;
            col[scattered.nz++] = j;
        }
    scattered.row = row;
    scattered.col = col;
    return scattered;
}

static void test_solvers_agree(void **state) {
    (void)state;
    enum { N = 40 };
    struct noe_model *model;
    real banded[N], dense[N], sparse[N];
    load_chain(&model, N);
    run_chain(model, model->system, "banded", banded);
    const struct noe_system full = full_system(model->system);
    run_chain(model, &full, lapack_available() ? "lapack" : "dense", dense);
    for (int i = 0; i < N; i++) assert_true(noe_abs(banded[i] - dense[i]) < 2e-14);
    if (sparse_available()) {
        const struct noe_system scattered = scattered_system(model->system);
        run_chain(model, &scattered, "sparse", sparse);
        for (int i = 0; i < N; i++) assert_true(noe_abs(sparse[i] - dense[i]) < 2e-14);
    }
    noe_model_free(model);
}

/* a x = b for a matrix with known solution, by all solvers, with entries in shuffled order. */
static void test_linear(void **state) {
    (void)state;
    enum { N = 60 };
    static real a[N * N], lu[N * N], x[N], expected[N];
    int pivot[N];
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                a[i * N + j] = sin(1 + i * 7 + j * 3) + (i == (j * 17) % N ? 5 : 0);
        for (int i = 0; i < N; i++) expected[i] = cos(i);
        for (int i = 0; i < N; i++) {
            x[i] = 0;
            for (int j = 0; j < N; j++) x[i] += a[i * N + j] * expected[j];
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) lu[kind ? j * N + i : i * N + j] = a[i * N + j];
        if (kind && !lapack_available()) break;
        assert_true(kind ? lapack_factor(N, lu, pivot) : dense_factor(N, lu, pivot));
        kind ? lapack_solve(N, x, lu, pivot) : dense_solve(N, x, lu, pivot);
        for (int i = 0; i < N; i++) assert_true(noe_abs(x[i] - expected[i]) < 2e-13);
    }
    real singular[4] = {1, 2, 2, 4}, not_finite[4] = {1, NAN, 2, 3};
    assert_false(dense_factor(2, singular, pivot));
    assert_false(dense_factor(2, not_finite, pivot));
}

/* Time is t0 + k h, not a sum. */
static void test_time(void **state) {
    (void)state;
    struct run run;
    struct noe_error error;
    run_start(&run, &test_cases[0], "verlet", 0.1);
    assert_int_equal(noe_work_steps(run.work, 100000, &error), NOE_OK);
    assert_true(noe_work_state(run.work)->t == (real)100000 * (real)0.1);
    assert_int_equal(noe_work_state(run.work)->k, 100000);
    assert_int_equal(noe_work_step_by(run.work, 0.025, &error), NOE_OK);
    assert_int_equal(noe_work_steps(run.work, 3, &error), NOE_OK);
    assert_true(noe_abs(noe_work_state(run.work)->t - (10000.025 + 0.3)) < 1e-11);
    run_end(&run);
}

/* A step before the start fails. A start that is not finite is rejected. */
static void test_start(void **state) {
    (void)state;
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    const real nan[2] = {NAN, 0}, zero[2] = {0, 0};
    assert_int_equal(noe_problem_init(&problem, &henon_heiles, "midpoint", 0.1, &error), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
    assert_int_equal(noe_work_step(work, &error), NOE_BAD_INPUT);
    assert_int_equal(noe_work_start(work, 0, nan, zero, &error), NOE_NOT_FINITE);
    assert_non_null(strstr(error.text, "start"));
    assert_int_equal(noe_work_step(work, NULL), NOE_BAD_INPUT);
    assert_int_equal(noe_work_start(work, 0, zero, zero, &error), NOE_OK);
    assert_int_equal(noe_work_steps(work, 5, &error), NOE_OK); /* equilibrium */
    assert_true(noe_work_state(work)->q[0] == 0 && noe_work_state(work)->p[1] == 0);
    noe_work_free(work);
    noe_problem_clear(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations), cmocka_unit_test(test_solvers_agree),
        cmocka_unit_test(test_linear),      cmocka_unit_test(test_time),
        cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
