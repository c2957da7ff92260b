/* Minimisation: messages of failures, statements allowed in a file, visitors and interrupts. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/jit/simd_callbacks.h"
#include "objective.h"

static void test_failures_have_messages(void **state) {
    (void)state;
    static const struct {
        const char *text, *method, *words;
        enum noe_status status;
    } row[] = {
        {"coord x\nminimize log(x)\nstart x = -1\n", "gradient-descent step=1",
         "not finite at the start", NOE_NOT_FINITE},
        {"coord x\nminimize sqrt(x)\n", "gradient-descent step=1", "no gradient at the start",
         NOE_NOT_FINITE},
        {"coord x\nminimize x^4\nstart x = 3\n", "gradient-descent step=1",
         "diverges: at iteration", NOE_NOT_FINITE},
        {"coord x\nminimize cosh(x)\nstart x = 1\n", "gradient-descent step=0.001",
         "not settled after 3000 iterations", NOE_NOT_CONVERGED},
        {"coord x\nminimize (x - 1e6)^4 + 1e-3*(x - 1e6)^2\n", "gradient-descent step=1",
         "diverges", NOE_NOT_FINITE},
        {"coord x\nminimize cosh(x)\n", "gradient-decent step=1", "did you mean 'gradient-descent'",
         NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\n", "newton", "those that minimise: gradient-descent",
         NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\nstart x = 1\n", "gradient-descent",
         "needs 'step = ...'; at the start the curvature of the objective is up to 1.54",
         NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\n", "momentum step=1", "needs 'mu = ...'", NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\n", "agd",
         "agd needs 'h = ...', 'epsilon = ...', 'mu = ...'; at the start", NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\n", "agd epsilon=1", "agd needs 'h = ...', 'mu = ...'",
         NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\n", "momentum step=1 mu=1.5", "within 0 .. 1", NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\n", "momentum step=1 mu=1", "less than 1", NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\n", "gradient-descent step=0", "must be positive",
         NOE_BAD_INPUT},
        {"coord x\nminimize cosh(x)\n", "sagd j=1 h=1 eta=1 gamma=2", "keep -1 of the velocity",
         NOE_BAD_INPUT},
        {"rotation R, W\nminimize R[1][1]\n", "nesterov step=1 mu=0.5",
         "methods that do: gradient-descent, agd, sagd", NOE_NOT_SERVED},
        {"pose R, x, W, V\nminimize R[1][1]\n", "sagd j=1 h=1 eta=1 gamma=0.5",
         "methods that do: gradient-descent, agd", NOE_NOT_SERVED},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct objective stated = objective_open(row[i].text);
        const struct objective_found found =
            objective_minimise(stated.function, row[i].method, 1e-10, stated.model->q, NULL);
        if (found.status != row[i].status || !strstr(found.error.text, row[i].words))
            fail_msg("%s, %s: %d %s", row[i].text, row[i].method, found.status, found.error.text);
        for (int k = 0; k < stated.function->np; k++) assert_true(isfinite(found.q[k]));
        objective_close(&stated);
    }
}

static void test_tolerance_below_round_off(void **state) {
    (void)state;
    struct objective stated = objective_open("coord x\nminimize (x - 1/3)^2 + exp(x)\n");
    const struct objective_found found =
        objective_minimise(stated.function, "gradient-descent step=0.1", 0, stated.model->q, NULL);
    if (found.status != NOE_OK) { /* a gradient of exactly zero is possible too */
        assert_int_equal(found.status, NOE_NOT_CONVERGED);
        assert_non_null(strstr(found.error.text, "round-off"));
    }
    assert_true(found.result.gradient_norm < 1e-15);
    objective_close(&stated);
}

static enum noe_status stop_at_three(void *visitor, const struct noe_iterate *iterate) {
    *(long *)visitor = iterate->k;
    return iterate->k == 3 ? NOE_IO : NOE_OK;
}

static void test_visitors_and_interrupts(void **state) {
    (void)state;
    struct objective stated = objective_open(OBJECTIVE_VALLEY);
    long last = -1;
    const int interrupt = 1;
    real q[2] = {-1.2, 1};
    struct noe_descent_result result;
    struct noe_descent_settings settings = {.method = "gradient-descent step=0.001",
                                            .tolerance = 1e-10,
                                            .iterations = 100,
                                            .visit = stop_at_three,
                                            .visitor = &last};
    assert_int_equal(noe_minimise(stated.function, &settings, q, &result, NULL), NOE_IO);
    assert_int_equal(last, 3);
    assert_int_equal(result.iterations, 3);
    settings.visit = NULL;
    settings.interrupt = &interrupt;
    assert_int_equal(noe_minimise(stated.function, &settings, q, &result, NULL), NOE_INTERRUPTED);
    settings.tolerance = -1;
    assert_int_equal(noe_minimise(stated.function, &settings, q, &result, NULL), NOE_BAD_INPUT);
    objective_close(&stated);
}

/* --- Statements allowed in a file. */

static void test_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
        int line;
    } row[] = {
        {"coord q\nparam a = 1\nminimize a^2\n", "depends on no coordinate", 3},
        {"coord q\nminimize q^2*t\n", "the time", 2},
        {"coord q\nminimize q'^2\n", "a velocity", 2},
        {"coord q\nminimize q^2 terminal q\n", "'terminal' belongs to optimal control", 2},
        {"coord q\nminimize q^2\nforce q = 1\n", "'force' has no meaning", 3},
        {"coord q\nminimize q^2\nbound q in [0, 1]\n", "'bound' has no meaning", 3},
        {"coord q\nminimize q^2\nstep 0.1\n", "option of its method", 3},
        {"coord q\nminimize q^2\nobserve v = q'\n", "uses time or a velocity", 2},
        {"coord q\nminimize q^2\nstart q' = 1\n", "a start velocity", 2},
        {"coord q\nminimize [q, q]\n", "must be a scalar", 2},
        {"coord q\ncontrol u in [0, 1]\nminimize u^2\n", "no Lagrangian", 1},
        {"coord q\nstart q = 1\n", "no Lagrangian", 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct noe_model *model = NULL;
        struct noe_error error = {0};
        const enum noe_status status =
            noe_model_open_text(&model, "test.noe", row[i].text, NULL, &error);
        if (status != NOE_BAD_INPUT || !strstr(error.text, row[i].words) ||
            error.line != row[i].line)
            fail_msg("%s: %d:%d %s", row[i].text, error.line, error.column, error.text);
        assert_null(model);
    }
}

static void test_objectives_have_no_motion(void **state) {
    (void)state;
    struct objective stated = objective_open("coord q\nminimize q^2\nstart q = 1\n");
    struct noe_problem problem;
    struct noe_error error = {0};
    char *text = NULL;
    assert_int_equal(noe_problem_init(&problem, stated.model->system, "midpoint", 1, &error),
                     NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "no Lagrangian"));
    assert_int_equal(noe_model_export(stated.model, &text, &error), NOE_BAD_INPUT);
    assert_int_equal(model_compile_simd(stated.model, NULL, &error), NOE_BAD_INPUT);
    objective_close(&stated);
    struct noe_model *model = model_text_open("coord q\nL = q'^2/2\n", true);
    struct noe_objective *objective;
    assert_int_equal(noe_objective_create(&objective, model, NULL, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "equations of motion"));
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_have_messages),
        cmocka_unit_test(test_tolerance_below_round_off),
        cmocka_unit_test(test_visitors_and_interrupts),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_objectives_have_no_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
