/* Parameters of a model by name, and changed between the steps of one run. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "model/jit/batch_events.h"
#include "model/model.h"
#include "model_text.h"
#include "noether_ensemble.h"
#include "noether_model.h"

enum { BEFORE = 40, AFTER = 60, PATHS = 3 };

static const char vectors[] = "param g = 9.81, m = [1.5, 0.75], A = [[2, 3], [4, 5]]\n"
                              "coord x, y\n"
                              "L = m[1]*x'^2/2 + m[2]*y'^2/2 - g*y - A[1][2]*x^2\n"
                              "observe place = [x, y], height = y\n";

static void test_names(void **state) {
    (void)state;
    static const char *const names[] = {"g",       "m[1]",    "m[2]",   "A[1][1]",
                                        "A[1][2]", "A[2][1]", "A[2][2]"};
    struct noe_model *model = model_text_open(vectors, true);
    assert_int_equal(model->system->nparameters, 7);
    for (int i = 0; i < 7; i++) {
        assert_string_equal(model->system->parameter[i], names[i]);
        assert_int_equal(noe_model_parameter_index(model, names[i]), i);
    }
    assert_int_equal(noe_model_parameter_index(model, "m"), -1);
    assert_int_equal(noe_model_quantity_index(model, "place"), 0);
    assert_int_equal(noe_model_quantity_index(model, "height"), 2);
    assert_int_equal(noe_model_quantity_index(model, "x"), -1);
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
    noe_batch_observe(batch);
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
        assert_true(batch_is_compiled(batch));
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

/* Parameters that are 0 or 1 in the file: a free particle that may get a force, a spring with any
 * exponent, and a mass. */
#define NEUTRAL_LAWS                                                                               \
    "coord x, y\nL = m*(x'^2 + y'^2)/2 + c*x'*y' - k*x^2/2 - a[1][2]*y^2\n"                        \
    "force x = tau + x^n\nstart x = 0.3, y = 0.2\n"
static const char neutral[] =
    "param tau = 0, m = 1, c = 0, k = 0, n = 1, a = [[1, 0], [0, 1]]\n" NEUTRAL_LAWS;
static const char stated[] =
    "param tau = 0.5, m = 2, c = 0.25, k = 3, n = 2, a = [[1, 0.75], [0, 1]]\n" NEUTRAL_LAWS;
enum { CHANGED = 6 };
static const int changed_index[CHANGED] = {0, 1, 2, 3, 4, 6};

static void run_stated(real *q) {
    struct noe_model *model = model_text_open(stated, false);
    struct noe_problem problem;
    struct noe_work *work;
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.01, NULL), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, AFTER, NULL), NOE_OK);
    memcpy(q, noe_work_state(work)->q, 2 * sizeof *q);
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

/* A run of the neutral model with the values of the other one, set before the start. */
static void run_set(int path, const real *value, real *q) {
    struct noe_model *model = model_text_open(neutral, path == 2);
    struct noe_problem problem;
    struct noe_work *work;
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.01, NULL), NOE_OK);
    if (path == 1) assert_int_equal(noe_problem_specialise(&problem, model, NULL, NULL), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    for (int i = 0; i < CHANGED; i++) {
        const int index = changed_index[i];
        assert_int_equal(noe_work_set_parameter(work, index, value[index], NULL), NOE_OK);
    }
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, AFTER, NULL), NOE_OK);
    memcpy(q, noe_work_state(work)->q, 2 * sizeof *q);
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

/* A run in a lane of a batch, with these values as parameters of its member. */
static void run_member(int lanes, const real *value, real *q) {
    const struct noe_batch_settings settings = {.lanes = lanes};
    struct noe_model *model = model_text_open(neutral, false);
    struct noe_problem problem;
    struct noe_batch *batch;
    struct noe_lane now;
    const struct noe_member member = {.parameters = value, .q = model->q, .v = model->v};
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.01, NULL), NOE_OK);
    assert_int_equal(noe_batch_create(&batch, &problem, model, &settings, NULL), NOE_OK);
    assert_int_equal(noe_batch_start(batch, 1, &member, NULL), NOE_OK);
    noe_batch_steps(batch, AFTER);
    noe_batch_observe(batch);
    noe_batch_lane(batch, 0, &now);
    for (int j = 0; j < 2; j++) q[j] = now.q[j * now.stride];
    noe_batch_free(batch);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

/* A value of 0 or 1 in the file does not decide what a parameter can do. */
static void test_neutral_values(void **state) {
    (void)state;
    struct noe_model *other = model_text_open(stated, true);
    real expected[2], q[2];
    run_stated(expected);
    for (int path = 0; path < PATHS + 2; path++) {
        if (path < PATHS)
            run_set(path, other->system->parameters, q);
        else
            run_member(path == PATHS ? 1 : 4, other->system->parameters, q);
        for (int j = 0; j < 2; j++)
            if (!(fabs(q[j] - expected[j]) < 2e-15))
                fail_msg("path %d: %.17g, %.17g", path, q[j], expected[j]);
    }
    noe_model_free(other);
}

/* Derivatives of x^n at x = 0, for n = 0, 1, 2, 3 set by a run. */
static void test_exponent(void **state) {
    (void)state;
    static const real curvature[] = {0, 0, 2, 0};
    struct noe_model *model =
        model_text_open("param n = 2\ncoord x\nL = x'^2/2 + x^n\nstart x = 0\n", true);
    for (int n = 0; n < 4; n++) {
        struct noe_system system = *model->system;
        real parameters[16] = {n}, q = 0, v = 0, p, w, d[4] = {0};
        model_prepare(model, parameters);
        system.parameters = parameters;
        system.second(&system, 0, &q, &v, &p, &w, d);
        assert_true(w == (n == 1 ? 1 : 0));
        assert_true(d[3] == curvature[n]);
    }
    noe_model_free(model);
}

/* Traits and the sparsity pattern hold for all values of the parameters. */
static void test_structure(void **state) {
    (void)state;
    struct noe_model *one = model_text_open(neutral, true), *other = model_text_open(stated, true);
    assert_int_equal(one->system->traits, other->system->traits);
    assert_int_equal(one->system->nz, other->system->nz);
    noe_model_free(one);
    noe_model_free(other);
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
    /* A parameter by which a model divides may be 0 in the file, but not in a run. */
    model = model_text_open("param z = 0\ncoord q\nL = q'^2/z\n", true);
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.1, NULL), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, &error), NOE_NOT_FINITE);
    assert_int_equal(noe_work_set_parameter(work, 0, 2, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
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
        cmocka_unit_test(test_monitor),       cmocka_unit_test(test_neutral_values),
        cmocka_unit_test(test_structure),     cmocka_unit_test(test_exponent),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
