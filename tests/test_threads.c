/* The library from four threads at once. A system, a method and a problem are shared; every work
 * belongs to one thread. The sanitizer for threads runs this test. */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/real.h"
#include "noether_model.h"

enum { THREADS = 4, STEPS = 200, NUMBERS = 4 };

static const char text[] = "param m = [1, 0.5], g = 9.81\n"
                           "coord a, b\n"
                           "L = (m[1] + m[2])*a'^2/2 + m[2]*b'^2/2 + m[2]*a'*b'*cos(a - b)\n"
                           "  + (m[1] + m[2])*g*cos(a) + m[2]*g*cos(b)\n"
                           "start a = 2, b = 2.5\n"
                           "observe height = cos(a) + cos(b)\n";

struct task {
    const struct noe_model *model;
    const struct noe_problem *problem;
    bool interpret, has_failed;
    real result[NUMBERS];
};

/* The state after some steps, with an observation at each. */
static bool run(const struct noe_model *model, const struct noe_problem *problem, real *result) {
    struct noe_work *work = NULL;
    struct noe_observation seen;
    bool is_good = noe_work_create(&work, problem, NULL) == NOE_OK &&
                   noe_work_start(work, 0, model->q, model->v, NULL) == NOE_OK;
    for (int k = 0; is_good && k < STEPS; k++)
        is_good =
            noe_work_step(work, NULL) == NOE_OK && noe_work_observe(work, &seen, NULL) == NOE_OK;
    if (is_good) {
        const struct noe_state *now = noe_work_state(work);
        memcpy(result, now->q, 2 * sizeof *result);
        memcpy(result + 2, now->p, 2 * sizeof *result);
    }
    noe_work_free(work);
    return is_good;
}

static void *run_shared(void *data) {
    struct task *task = data;
    task->has_failed = !run(task->model, task->problem, task->result);
    return NULL;
}

/* Reads the model, compiles it and its stepper, and steps it, all in one thread. */
static void *run_own(void *data) {
    struct task *task = data;
    const struct noe_model_settings settings = {.interpret = task->interpret};
    struct noe_model *model = NULL;
    struct noe_problem problem = {0};
    task->has_failed = noe_model_open_text(&model, "pendulum", text, &settings, NULL) != NOE_OK ||
                       noe_problem_init(&problem, model->system, "midpoint", 0.01, NULL) != NOE_OK;
    if (!task->has_failed && !task->interpret)
        task->has_failed = noe_problem_specialise(&problem, model, NULL, NULL) != NOE_OK;
    if (!task->has_failed) task->has_failed = !run(model, &problem, task->result);
    noe_problem_clear(&problem);
    noe_model_free(model);
    return NULL;
}

/* Runs four threads and compares every result with that of one run. */
static void check(void *(*start)(void *), const struct task *common, const real *expected) {
    pthread_t thread[THREADS];
    struct task task[THREADS];
    for (int i = 0; i < THREADS; i++) {
        task[i] = *common;
        assert_int_equal(pthread_create(&thread[i], NULL, start, &task[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_false(task[i].has_failed);
        assert_memory_equal(task[i].result, expected, sizeof task[i].result);
    }
}

static void test_threads(void **state) {
    (void)state;
    for (int interpret = 0; interpret < 2; interpret++) {
        const struct noe_model_settings settings = {.interpret = interpret};
        struct noe_model *model = NULL;
        struct noe_problem problem;
        real expected[NUMBERS];
        assert_int_equal(noe_model_open_text(&model, "pendulum", text, &settings, NULL), NOE_OK);
        assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.01, NULL), NOE_OK);
        assert_true(run(model, &problem, expected));
        const struct task common = {.model = model, .problem = &problem, .interpret = interpret};
        check(run_shared, &common, expected);
        check(run_own, &common, expected);
        noe_problem_clear(&problem);
        noe_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
