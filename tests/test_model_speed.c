/* From text to a loaded system: time and size. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "model_text.h"

static double seconds_to_open(const char *text, enum noe_model_code_kind kind) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    struct noe_model *model = model_text_open(text, false);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_int_equal(model->code.kind, kind);
    assert_true(model->code.bytes < 1000000);
    noe_model_free(model);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

static void test_double_pendulum(void **state) {
    (void)state;
    assert_true(seconds_to_open(MODEL_DOUBLE_PENDULUM, NOE_COMPILED) < 0.4);
    assert_true(seconds_to_open(MODEL_DOUBLE_PENDULUM, NOE_CACHED) < 0.02);
}

static void test_toda_lattice(void **state) {
    (void)state;
    const char *const text = "param n = 200\ncoord q[200]\n"
                             "L = sum(i = 1..n, q[i]'^2/2)"
                             " - sum(i = 1..n-1, exp(q[i] - q[i+1]))\n";
    assert_true(seconds_to_open(text, NOE_COMPILED) < 5);
    assert_true(seconds_to_open(text, NOE_CACHED) < 0.5);
}

/* Processor time for a model of n coordinates, without the compiler. */
static double processor_seconds(const char *format, int n) {
    char text[300];
    snprintf(text, sizeof text, format, n);
    const clock_t begin = clock();
    struct noe_model *model = model_text_open(text, false);
    if (!model->nconstraints) assert_true(model->code.bytes < 90000); /* measured: 34000 to 42000 */
    noe_model_free(model);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* The time grows linearly with the length. Quadratic growth would give a factor of 64 for 8
 * times the length. Measured: 8 to 11. */
static void test_long_chains(void **state) {
    (void)state;
    const char *const text[] = {
        "param n = %d\ncoord q[n]\nL = sum(i = 1..n, q[i]'^2/2 + cos(q[i]))"
        " - sum(i = 2..n, (q[i] - q[i-1])^2)\n",
        "param n = %d\ncoord x[n], y[n]\nL = sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2 - y[i])\n"
        "constraint (x[i] - x[i-1] + 1)^2 + (y[i] - y[i-1])^2 = 1 for i = 2..n\n",
        "param n = %d\ncoord x[n], y[n]\nL = sum(i = 1..n, x[i]'^2 + y[i]'^2)\n"
        "nonholonomic x[i]' = y[i]*y[i-1]' for i = 2..n\n",
        "param n = %d\ncoord q[n]\nL = sum(i = 1..n, q[i]'^2/2*(2 + cos(q[i])))"
        " + sum(i = 1..n-1, q[i]'*q[i+1]'*sin(q[i] - q[i+1]) - (q[i+1] - q[i])^4/4)\n"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const double few = processor_seconds(text[i], 5000),
                     many = processor_seconds(text[i], 40000);
        assert_true(many < 24 * few);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_toda_lattice),
        cmocka_unit_test(test_long_chains),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
