/* Parameters of a model by name, and changed between the steps of one run. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "model_text.h"
#include "noether_ensemble.h"

enum { BEFORE = 40, AFTER = 60, PATHS = 3 };

static const char vectors[] = "param g = 9.81, m = [1.5, 0.75], A = [[2, 3], [4, 5]]\n"
                              "coord x, y\n"
                              "L = m[1]*x'^2/2 + m[2]*y'^2/2 - g*y - A[1][2]*x^2\n";

static void test_names(void **state) {
    (void)state;
    static const char *const names[] = {"g",       "m[1]",    "m[2]",   "A[1][1]",
                                        "A[1][2]", "A[2][1]", "A[2][2]"};
    struct noe_model *model = model_text_open(vectors, true);
    assert_int_equal(noe_model_parameter_count(model), 7);
    for (int i = 0; i < 7; i++) {
        assert_string_equal(noe_model_parameter_name(model, i), names[i]);
        assert_int_equal(noe_model_parameter_index(model, names[i]), i);
    }
    assert_int_equal(noe_model_parameter_index(model, "m"), -1);
    assert_null(noe_model_parameter_name(model, 7));
    assert_null(noe_model_parameter_name(model, -1));
    noe_model_free(model);
}

struct end {
    real t, q[2], p[2], energy;
    long k;
};

static void read_end(struct noe_work *work, struct end *end) {
    struct noe_observation moment;
    const struct noe_state *now = noe_work_state(work);
    assert_int_equal(noe_work_observe(work, &moment, NULL), NOE_OK);
    *end =
        (struct end){now->t, {now->q[0], now->q[1]}, {now->p[0], now->p[1]}, moment.energy, now->k};
}

/* By the generic path, a specialised stepper or the interpreter. */
static struct noe_model *open_path(int path, const char *method, struct noe_problem *problem) {
    struct noe_model *model = model_text_open(MODEL_DOUBLE_PENDULUM, path == 2);
    assert_int_equal(noe_problem_init(problem, model->system, method, 0.01, NULL), NOE_OK);
    if (path == 1) assert_int_equal(noe_problem_specialise(problem, model, NULL, NULL), NOE_OK);
    return model;
}

/* AFTER steps with other masses and gravity, begun anew at the momentum reached before. */
static void run_anew(const char *method, const struct end *from, struct end *end) {
    static const char *const sets[] = {"m2=2", "g=4"};
    const struct noe_model_settings settings = {.nsets = 2, .sets = sets};
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_work *work;
    assert_int_equal(noe_model_open_text(&model, "test", MODEL_DOUBLE_PENDULUM, &settings, NULL),
                     NOE_OK);
    assert_int_equal(noe_problem_init(&problem, model->system, method, 0.01, NULL), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start_momentum(work, from->t, from->q, from->p, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, AFTER, NULL), NOE_OK);
    read_end(work, end);
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

static void assert_near(const struct end *one, const struct end *other) {
    const real far = 2e-12; /* measured: 3e-13 */
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(one->q[i] - other->q[i]) < far);
        assert_true(fabs(one->p[i] - other->p[i]) < 10 * far);
    }
    assert_true(fabs(one->energy - other->energy) < 50 * far);
    assert_true(fabs(one->t - other->t) < far);
}

static void check_change(const char *method, int path) {
    struct noe_problem problem;
    struct noe_work *work, *beside;
    struct end middle, end, anew, untouched, alone;
    struct noe_model *model = open_path(path, method, &problem);
    const int m2 = noe_model_parameter_index(model, "m2"),
              g = noe_model_parameter_index(model, "g");
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_create(&beside, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, BEFORE, NULL), NOE_OK);
    read_end(work, &middle);
    assert_int_equal(noe_work_set_parameter(work, m2, 2, NULL), NOE_OK);
    assert_int_equal(noe_work_set_parameter(work, g, 4, NULL), NOE_OK);
    assert_int_equal(noe_work_state(work)->k, BEFORE);
    assert_int_equal(noe_work_steps(work, AFTER, NULL), NOE_OK);
    read_end(work, &end);
    assert_int_equal(end.k, BEFORE + AFTER);
    run_anew(method, &middle, &anew);
    assert_near(&end, &anew);
    /* Another run of the same problem has the problem's parameters. */
    assert_int_equal(noe_work_start(beside, 0, model->q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(beside, BEFORE, NULL), NOE_OK);
    read_end(beside, &untouched);
    assert_memory_equal(&untouched, &middle, sizeof middle);
    /* A new start keeps the run's own. */
    assert_int_equal(noe_work_start_momentum(work, middle.t, middle.q, middle.p, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, AFTER, NULL), NOE_OK);
    read_end(work, &alone);
    assert_near(&alone, &anew);
    noe_work_free(beside);
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

static void test_change(void **state) {
    (void)state;
    static const char *const methods[] = {"midpoint", "gauss stages=2", "lobatto stages=3", "rk4"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int path = 0; path < PATHS; path++)
            if (path != 1 || i < 2) check_change(methods[i], path); /* compiling takes seconds */
}

/* The mass matrix is constant and factorised beforehand: the change must reach it. */
static void test_constant_mass(void **state) {
    (void)state;
    static const char text[] = "param m = 2\ncoord q\nL = m*q'^2/2\nstart q' = 3\n";
    for (int interpret = 0; interpret < 2; interpret++) {
        struct noe_model *model = model_text_open(text, interpret);
        struct noe_problem problem;
        struct noe_work *work;
        assert_int_equal(noe_problem_init(&problem, model->system, "verlet", 0.5, NULL), NOE_OK);
        assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
        assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
        assert_int_equal(noe_work_step(work, NULL), NOE_OK);
        assert_true(noe_work_state(work)->q[0] == 1.5);
        assert_int_equal(noe_work_set_parameter(work, 0, 4, NULL), NOE_OK);
        assert_int_equal(noe_work_step(work, NULL), NOE_OK);
        assert_true(noe_work_state(work)->p[0] == 6);
        assert_true(noe_work_state(work)->q[0] == 1.5 + 0.75);
        noe_work_free(work);
        noe_problem_clear(&problem);
        noe_model_free(model);
    }
}

/* The target of a method that keeps the discrete energy moves by the jump of the energy. */
static void test_energy_target(void **state) {
    (void)state;
    static const char text[] = "param k = 3\ncoord q\nL = q'^2/2 - k*q^4/4\nstart q = 1\n";
    struct noe_model *model = model_text_open(text, false);
    struct noe_problem problem;
    struct noe_work *work;
    assert_int_equal(noe_problem_init(&problem, model->system, "energy-midpoint", 0.05, NULL),
                     NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, 5, NULL), NOE_OK);
    const real target = noe_work_state(work)->energy_target, q = noe_work_state(work)->q[0];
    assert_int_equal(noe_work_set_parameter(work, 0, 3.5, NULL), NOE_OK);
    assert_true(fabs(noe_work_state(work)->energy_target - target - 0.5 * q * q * q * q / 4) <
                1e-14);
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

static void step_lanes(struct noe_batch *batch, const struct noe_model *model, int changed,
                       real (*q)[2]) {
    const int count = noe_batch_lanes(batch), g = noe_model_parameter_index(model, "g");
    struct noe_member members[16];
    assert_true(count <= 16);
    for (int i = 0; i < count; i++) members[i] = (struct noe_member){.q = model->q, .v = model->v};
    assert_int_equal(noe_batch_start(batch, count, members, NULL), NOE_OK);
    noe_batch_steps(batch, BEFORE);
    assert_int_equal(noe_batch_set_parameter(batch, changed, g, 4, NULL), NOE_OK);
    noe_batch_steps(batch, AFTER);
    noe_batch_measure(batch);
    for (int i = 0; i < count; i++) {
        struct noe_lane now;
        noe_batch_lane(batch, i, &now);
        assert_int_equal(now.status, NOE_OK);
        for (int j = 0; j < 2; j++) q[i][j] = now.q[j * now.stride];
    }
}

static void run_alone(const struct noe_model *model, const struct noe_problem *problem, real g,
                      real *q) {
    struct noe_work *work;
    assert_int_equal(noe_work_create(&work, problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, BEFORE, NULL), NOE_OK);
    const int index = noe_model_parameter_index(model, "g");
    assert_int_equal(noe_work_set_parameter(work, index, g, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, AFTER, NULL), NOE_OK);
    memcpy(q, noe_work_state(work)->q, 2 * sizeof *q);
    noe_work_free(work);
}

static void test_lanes(void **state) {
    (void)state;
    static const int widths[] = {1, 4, 0};
    for (size_t w = 0; w < 3; w++) {
        const struct noe_batch_settings settings = {.lanes = widths[w]};
        struct noe_problem problem;
        struct noe_batch *batch;
        struct noe_error error;
        real q[16][2], own[2], other[2];
        struct noe_model *model = open_path(0, "midpoint", &problem);
        assert_int_equal(noe_batch_create(&batch, &problem, model, &settings, NULL), NOE_OK);
        assert_true(noe_batch_is_compiled(batch));
        const int changed = noe_batch_lanes(batch) - 1;
        step_lanes(batch, model, changed, q);
        run_alone(model, &problem, 4, own);
        run_alone(model, &problem, model->system->parameters[4], other);
        for (int j = 0; j < 2; j++) {
            assert_true(fabs(q[changed][j] - own[j]) < 2e-12);
            if (changed > 0) assert_true(fabs(q[0][j] - other[j]) < 2e-12);
        }
        assert_int_equal(noe_batch_set_parameter(batch, changed + 1, 0, 1, &error), NOE_BAD_INPUT);
        assert_int_equal(noe_batch_set_parameter(batch, 0, 5, 1, &error), NOE_BAD_INPUT);
        noe_batch_free(batch);
        noe_problem_clear(&problem);
        noe_model_free(model);
    }
}

static void test_errors(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(vectors, true);
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.1, NULL), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_set_parameter(work, 7, 1, &error), NOE_BAD_INPUT);
    assert_string_equal(error.text, "there is no parameter 7: the system has 7");
    assert_int_equal(noe_work_set_parameter(work, -1, 1, &error), NOE_BAD_INPUT);
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

/* A monitor takes the current state as reference, and is read by name. */
static void test_monitor(void **state) {
    (void)state;
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_monitor *monitor;
    struct noe_model *model = open_path(0, "midpoint", &problem);
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_monitor_create(&monitor, work, NULL), NOE_OK);
    assert_true(isnan(noe_monitor_get(monitor, "energy_mean")));
    assert_int_equal(noe_work_steps_monitored(work, 50, monitor, NULL), NOE_OK);
    assert_true(noe_monitor_get(monitor, "steps") == 50);
    assert_true(noe_monitor_get(monitor, "energy_max") > 0);
    assert_true(noe_monitor_get(monitor, "energy_max") < 0.1);
    assert_true(noe_monitor_get(monitor, "energy_mean") <= noe_monitor_get(monitor, "energy_max"));
    assert_true(noe_monitor_get(monitor, "tip") > 0.1);
    assert_true(isnan(noe_monitor_get(monitor, "nothing")));
    noe_monitor_free(monitor);
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_change),
        cmocka_unit_test(test_constant_mass), cmocka_unit_test(test_energy_target),
        cmocka_unit_test(test_lanes),         cmocka_unit_test(test_errors),
        cmocka_unit_test(test_monitor),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
