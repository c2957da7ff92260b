/* A specialised stepper gives the bits of the generic one. */
/* SPDX-License-Identifier: MIT */
#include "engine/monitor.h"
#include "methods.h"
#include "model/jit/simd_callbacks.h"
#include "models.h"

static const char *const methods[] = {"verlet",
                                      "midpoint",
                                      "euler-a",
                                      "euler-b",
                                      "gauss stages=3",
                                      "lobatto stages=3",
                                      "rk4",
                                      "splitting order=4",
                                      "implicit-euler",
                                      "explicit-euler",
                                      "hermite-galerkin",
                                      "discrete-gradient kind=avf points=3",
                                      "energy-midpoint guard=anchored",
                                      "energy-gauss stages=2 guard=anchored"};

enum { NUMBERS_MAX = 40 };

struct end {
    real q[NUMBERS_MAX], p[NUMBERS_MAX], q_carry[NUMBERS_MAX], p_carry[NUMBERS_MAX], t;
    struct noe_monitor monitor;
    real deviation[4];
};

static void run_to_end(const struct noe_model *model, const char *method, bool specialised,
                       struct end *end) {
    const size_t n = (size_t)model->system->n;
    const real zero[4] = {0};
    struct noe_problem problem;
    struct noe_work *work = NULL;
    struct noe_error error;
    if (noe_problem_init(&problem, model->system, method, 0.01, &error) != NOE_OK ||
        (specialised && noe_problem_specialise(&problem, model, NULL, &error) != NOE_OK) ||
        noe_work_create(&work, &problem, &error) != NOE_OK ||
        noe_work_start(work, 0, model->q, model->v, &error) != NOE_OK)
        fail_msg("%s: %s", method, error.text);
    assert_int_equal(problem.internals->stepper.steps != NULL, specialised);
    memset(end, 0, sizeof *end);
    end->monitor =
        (struct noe_monitor){.values = zero, .value_max = end->deviation, .bad_value = -1};
    assert_int_equal(noe_work_steps(work, 150, &error), NOE_OK);
    assert_int_equal(noe_work_steps_monitored(work, 150, &end->monitor, &error), NOE_OK);
    const struct noe_state *now = noe_work_state(work);
    assert_int_equal(now->k, 300);
    memcpy(end->q, now->q, n * sizeof *end->q);
    memcpy(end->p, now->p, n * sizeof *end->p);
    memcpy(end->q_carry, now->q_carry, n * sizeof *end->q);
    memcpy(end->p_carry, now->p_carry, n * sizeof *end->p);
    end->t = now->t;
    end->monitor.values = end->monitor.value_max = NULL;
    end->monitor.moment.v = end->monitor.moment.values = NULL;
    noe_work_free(work);
    noe_problem_clear(&problem);
}

static void check_same_bits(const struct noe_model *model, const char *method) {
    struct end generic, specialised;
    run_to_end(model, method, false, &generic);
    run_to_end(model, method, true, &specialised);
    if (memcmp(&generic, &specialised, sizeof generic) != 0)
        fail_msg("%s on '%.20s': other bits", method, model->text);
    assert_int_equal(generic.monitor.count, 150);
    assert_true(generic.monitor.energy_max > 0);
}

static void test_same_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < test_models_count; i++) {
        struct noe_model *model;
        struct noe_error error;
        if (noe_model_open_text(&model, "model", test_models[i], NULL, &error) != NOE_OK)
            fail_msg("%s", error.text);
        for (size_t j = 0; j < sizeof methods / sizeof *methods; j++) {
            struct noe_problem problem;
            if (noe_problem_init(&problem, model->system, methods[j], 0.01, NULL) != NOE_OK)
                continue; /* splitting does not support a system that is not separable */
            noe_problem_clear(&problem);
            check_same_bits(model, methods[j]);
        }
        noe_model_free(model);
    }
}

/* Stages in SIMD lanes, one by one and in one evaluation; 12 stages need two vectors. */
static void test_stages(void **state) {
    (void)state;
#ifdef NOE_WITHOUT_FAST
    skip(); /* they are steps of the fixed-point kernel */
#endif
    const char *const stages[] = {"gauss stages=4", "gauss stages=8", "gauss stages=12"};
    for (size_t i = 0; i < test_models_count; i++) {
        struct noe_model *model;
        struct noe_error error;
        assert_int_equal(noe_model_open_text(&model, "model", test_models[i], NULL, &error),
                         NOE_OK);
        check_same_bits(model, "gauss stages=8");
        if (model_compile_simd(model, NULL, &error) != NOE_OK) fail_msg("%s", error.text);
        for (size_t j = 0; j < sizeof stages / sizeof *stages; j++)
            check_same_bits(model, stages[j]);
        noe_model_free(model);
    }
}

/* Elementary functions of many arguments, evaluated in vectors: steppers for any length, and
 * without a compiler. */
static void test_many_arguments(void **state) {
    (void)state;
    static const char text[] =
        "param n = 40, k = 4, g = 0.25\n"
        "coord u[n]\n"
        "L = sum(i = 1..n, u[i]'^2/2 + g*cos(u[i])) - sum(i = 2..n, k*cosh(u[i] - u[i-1]))\n"
        "start u[3] = 1, u[20]' = 2\n";
    static const char *const explicit[] = {"verlet", "splitting order=6"};
    const struct noe_model_settings settings = {.interpret = true};
    struct noe_model *model, *interpreted;
    struct noe_error error;
    assert_int_equal(noe_model_open_text(&model, "model", text, NULL, &error), NOE_OK);
    assert_int_equal(noe_model_open_text(&interpreted, "model", text, &settings, &error), NOE_OK);
    for (size_t i = 0; i < sizeof explicit / sizeof *explicit; i++) {
        struct end compiled, other;
        if (model->code.has_vectors) check_same_bits(model, explicit[i]);
        run_to_end(model, explicit[i], false, &compiled);
        run_to_end(interpreted, explicit[i], false, &other);
        assert_memory_equal(&compiled, &other, sizeof compiled);
    }
    noe_model_free(model);
    noe_model_free(interpreted);
}

/* Steps that a specialised stepper leaves to the library: a stiff system, and large or sparse
 * matrices. */
static void test_fallback_to_the_library(void **state) {
    (void)state;
#ifdef NOE_WITHOUT_FAST
    skip(); /* they are steps of the fixed-point kernel */
#endif
    static const struct {
        const char *model, *method;
    } rows[] = {
        {"coord a, b, c\nL = (a'^2 + b'^2 + c'^2)/2 - 1e8*(a-b)^2 - cos(c)\nstart a = 1, c' = 1\n",
         "gauss stages=4"},
        {"coord a, b, c\nL = (a'^2 + b'^2 + c'^2)/2 - 1e8*(a-b)^2 - cos(c)\nstart a = 1, c' = 1\n",
         "gauss stages=12"},
        {"coord u[20]\nL = sum(i = 1..20, u[i]'^2/2) - sum(i = 2..20, cosh(u[i] - u[i-1]))\n"
         "start u[3] = 1\n",
         "midpoint"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct noe_model *model;
        struct noe_error error;
        if (noe_model_open_text(&model, "model", rows[i].model, NULL, &error) != NOE_OK)
            fail_msg("%s", error.text);
        check_same_bits(model, rows[i].method);
        noe_model_free(model);
    }
}

/* Other parameters use the same stepper and give their own results. */
static void test_parameters(void **state) {
    (void)state;
    real last[2];
    for (int i = 0; i < 2; i++) {
        const char *const sets[] = {i ? "a=0.9" : "a=0.7"};
        const struct noe_model_settings settings = {.nsets = 1, .sets = sets};
        struct noe_model *model;
        struct end generic, specialised;
        assert_int_equal(noe_model_open_text(&model, "m", test_models[0], &settings, NULL), NOE_OK);
        run_to_end(model, "verlet", false, &generic);
        run_to_end(model, "verlet", true, &specialised);
        assert_memory_equal(&generic, &specialised, sizeof generic);
        last[i] = generic.q[0];
        noe_model_free(model);
    }
    assert_true(last[0] != last[1]);
}

/* If a problem cannot be specialised, the message gives the reason, and the problem is
 * unchanged. */
static void test_unspecialisable_problems(void **state) {
    (void)state;
    struct noe_model *model, *interpreted;
    struct noe_error error;
    struct noe_problem problem;
    const struct noe_model_settings interpret = {.interpret = true};
    assert_int_equal(noe_model_open_text(&model, "m", test_models[0], NULL, &error), NOE_OK);
    assert_int_equal(noe_model_open_text(&interpreted, "m", test_models[0], &interpret, &error),
                     NOE_OK);
    const struct {
        const struct noe_model *of, *with;
        const char *method, *words;
    } rows[] = {
        {model, model, "projected-euler", "no specialised stepper"},
        {model, interpreted, "verlet", "not this model's"},
        {interpreted, interpreted, "verlet", "interpreted"},
        {model, model, "gauss stages=12", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(
            noe_problem_init(&problem, rows[i].of->system, rows[i].method, 0.01, &error), NOE_OK);
        const enum noe_status status = noe_problem_specialise(&problem, rows[i].with, NULL, &error);
        assert_int_equal(status == NOE_OK, rows[i].words == NULL);
        if (rows[i].words) {
            assert_null(problem.internals->stepper.steps);
            assert_non_null(strstr(error.text, rows[i].words));
        }
        noe_problem_clear(&problem);
    }
    noe_model_free(model);
    noe_model_free(interpreted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),      cmocka_unit_test(test_stages),
        cmocka_unit_test(test_many_arguments), cmocka_unit_test(test_fallback_to_the_library),
        cmocka_unit_test(test_parameters),     cmocka_unit_test(test_unspecialisable_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
