/* Lagrangians that are linear in the velocities: orders of methods, and the defect of p = L_v. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"
#include "noether_model.h"

/* Point vortices: theta linear in q. The other models: theta nonlinear in q. */
static const char *const systems[] = {
    "coord x[3][2]\n"
    "param k = [1, 2, -0.7]\n"
    "L = sum(i = 1..3, k[i]/2*(x[i][1]*x[i][2]' - x[i][2]*x[i][1]'))\n"
    "  + sum(i = 2..3, j = 1..i-1, k[i]*k[j]/(4*pi)*log(dot(x[i] - x[j], x[i] - x[j])))\n"
    "start x = [[0, 0], [0.5, 0.1], [-0.2, 0.6]]\n",
    /* Lotka and Volterra */
    "coord q[2]\n"
    "L = (log(q[2])/q[1] + q[2])*q[1]' + q[1]*q[2]' - (q[1] + q[2] - log(q[1]) - 2*log(q[2]))\n"
    "start q = [1.5, 0.8]\n",
    /* a charged particle without mass */
    "coord q[2]\n"
    "L = (1 + q[1]^2 + q[2]^2)*(q[1]*q[2]' - q[2]*q[1]') - (q[1]^2/2 + 0.7*q[2]^2 + "
    "q[1]*q[2]^2/3)\n"
    "start q = [0.5, 0.3]\n",
};
enum { SYSTEMS = sizeof systems / sizeof *systems };
static const double span[SYSTEMS] = {2, 2, 12}; /* time span of runs whose errors are measured */

static void open_system(struct loaded *loaded, int index, const char *method, double h) {
    char text[900];
    snprintf(text, sizeof text, "%smethod %s\nstep %.17g\n", systems[index], method, h);
    loaded_open(loaded, text);
}

/* |p - theta(q)|. */
static double off_constraint(const struct loaded *loaded, const struct noe_state *state) {
    const struct noe_system *system = loaded->run.problem.system;
    const real rest[FREEDOMS_MAX] = {0};
    real p[FREEDOMS_MAX], w[FREEDOMS_MAX];
    system->first(system, state->t, state->q, rest, p, w);
    double max = 0;
    for (int k = 0; k < system->n; k++) max = fmax(max, fabs((double)(state->p[k] - p[k])));
    return max;
}

/* The point at the end of a time span, and the max deviation of p along the run. */
static void run_to_end(int index, const char *method, long steps, real *q, double *off) {
    struct loaded loaded;
    open_system(&loaded, index, method, span[index] / (double)steps);
    *off = 0;
    const struct noe_state *state = NULL;
    for (long k = 0; k < steps; k++) {
        state = loaded_steps(&loaded, 1);
        *off = fmax(*off, off_constraint(&loaded, state));
    }
    for (int k = 0; k < loaded.run.problem.system->n; k++) q[k] = state->q[k];
    loaded_close(&loaded);
}

static double error_of(int index, const char *method, long steps, const real *exact, double *off) {
    real q[FREEDOMS_MAX] = {0};
    double max = 0;
    run_to_end(index, method, steps, q, off);
    for (int k = 0; k < FREEDOMS_MAX; k++) max = fmax(max, fabs((double)(q[k] - exact[k])));
    return max;
}

/* Errors of q of two runs, the second with twice the steps of the first. */
struct row {
    const char *method;
    long steps; /* number of steps of the coarser run */
    double order[SYSTEMS];
    double off[SYSTEMS]; /* |p - theta(q)| in the finer run, as measured; 0: round-off */
};

static void check_row(const struct row *row, int index, const real *exact) {
    const double round_off = 4e-15; /* measured: at most 2e-15 */
    double off;
    const double coarse = error_of(index, row->method, row->steps, exact, &off);
    const double fine = error_of(index, row->method, 2 * row->steps, exact, &off);
    const double order = log2(coarse / fine), max = row->off[index];
    if (!(fabs(order - row->order[index]) < 0.1))
        fail_msg("%s on system %d: order %.3f (errors %.3g, %.3g)", row->method, index, order,
                 coarse, fine);
    if (max == 0 ? !(off < round_off) : !(off < 2 * max && off > max / 2))
        fail_msg("%s on system %d: p is off by %.3g", row->method, index, off);
}

static void test_orders(void **state) {
    (void)state;
    const struct row rows[] = {
        {"midpoint", 160, {2, 2, 2}, {0, 3.7e-5, 2.4e-5}},
        {"gauss stages=2", 80, {4, 2, 2}, {0, 4.1e-5, 7.8e-6}},
        {"gauss stages=3", 40, {6, 4, 4}, {0, 1.7e-8, 6.6e-8}},
        {"gauss stages=4", 20, {8, 4, 4}, {0, 1.9e-8, 1.2e-7}},
        {"implicit-euler", 1600, {1, 1, 1}, {0, 0, 0}},
        {"projected-gauss stages=1", 160, {2, 2, 2}, {0, 0, 0}},
        {"projected-gauss stages=2", 80, {4, 4, 4}, {0, 0, 0}},
        {"projected-gauss stages=3", 40, {6, 6, 6}, {0, 0, 0}},
        {"projected-gauss stages=4", 16, {8, 8, 8}, {0, 0, 0}},
    };
    for (int index = 0; index < SYSTEMS; index++) {
        real exact[FREEDOMS_MAX] = {0};
        double off;
        run_to_end(index, "projected-gauss stages=7", 100, exact, &off);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_row(&rows[i], index, exact);
    }
}

/* Over 20000 steps of 0.05: the max deviation of the energy, and of p from theta(q). */
static void measure_long(int index, const char *method, double *energy, double *off) {
    struct loaded loaded;
    struct noe_observation moment;
    open_system(&loaded, index, method, 0.05);
    assert_int_equal(noe_work_observe(loaded.run.work, &moment, NULL), NOE_OK);
    const double start = (double)moment.energy;
    *energy = *off = 0;
    for (int k = 0; k < 20000; k++) {
        const struct noe_state *now = loaded_steps(&loaded, 1);
        *off = fmax(*off, off_constraint(&loaded, now));
        assert_int_equal(noe_work_observe(loaded.run.work, &moment, NULL), NOE_OK);
        *energy = fmax(*energy, fabs((double)moment.energy - start));
    }
    loaded_close(&loaded);
}

static void test_long(void **state) {
    (void)state;
    const struct {
        const char *method;
        double energy[SYSTEMS]; /* as measured */
    } rows[] = {
        {"projected-gauss stages=1", {1.2e-4, 2.8e-3, 2.3e-6}},
        {"projected-gauss stages=2", {3e-8, 1.3e-6, 1.6e-11}},
        {"projected-gauss stages=3", {2.1e-11, 3.3e-10, 5.1e-16}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int index = 0; index < SYSTEMS; index++) {
            double energy, off;
            measure_long(index, rows[i].method, &energy, &off);
            if (!(energy < 2 * rows[i].energy[index] && off < 8e-15)) /* measured: at most 4e-15 */
                fail_msg("%s on system %d: energy %.3g, p off by %.3g", rows[i].method, index,
                         energy, off);
        }
}

/* A step by h and one by -h, and the Jacobian against finite differences. */
static void test_step(void **state) {
    (void)state;
    for (int index = 0; index < SYSTEMS; index++)
        for (int s = 1; s <= 4; s++) {
            struct loaded loaded;
            struct test_case test = {0};
            char method[40];
            snprintf(method, sizeof method, "projected-gauss stages = %d", s);
            open_system(&loaded, index, method, 0.1);
            test.system = loaded.run.problem.system;
            memcpy(test.q, loaded.model->q, (size_t)test.system->n * sizeof *test.q);
            assert_int_equal(noe_work_step_by(loaded.run.work, 0.1, NULL), NOE_OK);
            assert_int_equal(noe_work_step_by(loaded.run.work, -0.1, NULL), NOE_OK);
            const struct noe_state *now = noe_work_state(loaded.run.work);
            for (int k = 0; k < test.system->n; k++)
                assert_near("return", (double)now->q[k], (double)test.q[k], 2e-15);
            snprintf(method, sizeof method, "projected-gauss stages=%d", s);
            const struct noe_problem *problem = &loaded.run.problem;
            const struct variant row = {problem->traits, problem->internals->scheme,
                                        problem->internals->scheme_data};
            check_jacobian(method, &row, &test);
            loaded_close(&loaded);
        }
}

/* Messages of methods that do not support such a Lagrangian, and of those that support no other. */
static void test_rejections(void **state) {
    (void)state;
    const struct test_case test = {&vortices, {0, 0, 1, 0.1}, {0}};
    struct run run;
    struct noe_error error;
    run_start(&run, &test, "rk4", 0.1);
    assert_int_equal(noe_work_step(run.work, &error), NOE_SINGULAR);
    assert_non_null(strstr(error.text, "degenerate"));
    run_end(&run);
    for (int i = 0; i < 2; i++) {
        const char *method = i ? "verlet" : "lobatto";
        assert_int_equal(noe_problem_init(&run.problem, &vortices, method, 0.1, &error), NOE_OK);
        assert_int_equal(noe_work_create(&run.work, &run.problem, &error), NOE_OK);
        assert_int_equal(noe_work_start(run.work, 0, test.q, test.v, &error), NOE_NOT_SERVED);
        assert_non_null(strstr(error.text, "needs a regular Lagrangian"));
        run_end(&run);
    }
    assert_int_equal(noe_problem_init(&run.problem, &kepler, "projected-gauss", 0.1, &error),
                     NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "linear in the velocities; methods that serve it: "));
    assert_null(strstr(error.text, "projected-gauss,"));
}

/* Coordinates without inertia, of which the equations of motion say too little. */
static void test_no_inertia(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int coordinate;
    } rows[] = {
        {"coord x, y\nL = x'^2/2 - y^2 - x^2\n", 2},        /* y = 0 */
        {"coord x\nL = x'/2 - x^2/2\n", 1},                 /* x = 0 */
        {"coord x, y, z\nL = x*y' - x^2 - y^2 - z^2\n", 3}, /* an odd number */
        {"coord x, y\nL = (x' + y')^2/2 - x^2 - y^2\n", 1}, /* one combination has inertia */
        {"coord x, y, z\nL = x'^2/2 - z^2\nconstraint x + y = 0\n", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct noe_model_settings settings = {.interpret = true};
        struct noe_model *model;
        struct noe_problem problem;
        struct noe_work *work;
        struct noe_error error;
        char begin[40];
        assert_int_equal(noe_model_open_text(&model, "test", rows[i].text, &settings, &error),
                         NOE_OK);
        assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.1, &error),
                         NOE_OK);
        assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
        assert_int_equal(noe_work_start(work, 0, model->q, model->v, &error), NOE_BAD_INPUT);
        snprintf(begin, sizeof begin, "coordinate %d has no inertia", rows[i].coordinate);
        if (strncmp(error.text, begin, strlen(begin)) != 0) fail_msg("%s", error.text);
        noe_work_free(work);
        noe_problem_clear(&problem);
        noe_model_free(model);
    }
}

/* A resistor and a capacitor without a coil beside an oscillator: the velocity of y follows. */
static void test_first_order_beside_second(void **state) {
    (void)state;
    struct loaded loaded;
    loaded_open(&loaded, "coord x, y\nL = x'^2/2 - x^2/2 - y^2/2\nforce y = -2*y'\n"
                         "start x = 1, y = 1\nmethod midpoint\nstep 0.01\n");
    const struct noe_state *now = loaded_steps(&loaded, 100);
    assert_near("x", (double)now->q[0], cos(1), 1.5e-5);    /* measured: 7e-6 */
    assert_near("y", (double)now->q[1], exp(-0.5), 1.3e-6); /* measured: 6.3e-7 */
    loaded_close(&loaded);
}

/* v is off the equations of motion at the node by as much as q is. */
static void test_velocities(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double order;
    } rows[] = {{"midpoint", 2}, {"projected-gauss stages=2", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            /* x = cos(t + t^2/2), y = sin(t + t^2/2) */
            struct loaded loaded;
            struct noe_observation moment;
            char text[300];
            const long steps = 20 << fine;
            snprintf(text, sizeof text,
                     "coord x, y\nL = 3*x*y' + t*y' + y - (1 + t)*3*(x^2 + y^2)/2\n"
                     "start x = 1\nmethod %s\nstep %.17g\n",
                     rows[i].method, 1.0 / (double)steps);
            loaded_open(&loaded, text);
            assert_int_equal(noe_work_observe(loaded.run.work, &moment, NULL), NOE_OK);
            assert_near("start", (double)moment.v[1], 1, 2e-13);
            loaded_steps(&loaded, steps);
            assert_int_equal(noe_work_observe(loaded.run.work, &moment, NULL), NOE_OK);
            error[fine] = fmax(fabs((double)moment.v[0] + 2 * sin(1.5)),
                               fabs((double)moment.v[1] - 2 * cos(1.5)));
            loaded_close(&loaded);
        }
        assert_near(rows[i].method, log2(error[0] / error[1]), rows[i].order, 0.1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),     cmocka_unit_test(test_long),
        cmocka_unit_test(test_step),       cmocka_unit_test(test_rejections),
        cmocka_unit_test(test_no_inertia), cmocka_unit_test(test_first_order_beside_second),
        cmocka_unit_test(test_velocities)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
