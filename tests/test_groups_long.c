/* Conserved quantities of methods on groups in long runs, and messages for steps that are too
 * large. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "spaces/product.h"

#define SOME_TURN -7 / 9., -4 / 9., 4 / 9., 4 / 9., 1 / 9., 8 / 9., -4 / 9., 8 / 9., 1 / 9.

static const struct test_case top = {&tilted_top, {SOME_TURN}, {0.6, -0.5, 0.7}};
static const struct test_case tied = {
    &tied_vehicle, {SOME_TURN, 0.4, -0.3, 0.2}, {0.6, -0.5, 0.4, 0.3, 0.2, -0.4}};
static const struct test_case freely = {&rigid_body, {SOME_TURN}, {1, 0.5, -0.8}};

/* Measured, relative: momentum at most 1e-14, defect 5e-16. */
static void check_long(const struct test_case *test, const char *method, long steps) {
    momentum_map *momentum = momentum_of(test->system);
    const struct noe_space *space = test->system->factors[0].space;
    struct run run;
    struct noe_error error;
    double drift = 0, defect = 0;
    run_start(&run, test, method, 0.05);
    const double start = (double)momentum(noe_work_state(run.work)->q, noe_work_state(run.work)->p);
    for (long k = 0; k < steps; k += 1000) {
        if (noe_work_steps(run.work, 1000, &error) != NOE_OK)
            fail_msg("%s: %s", method, error.text);
        const struct noe_state *now = noe_work_state(run.work);
        drift = fmax(drift, fabs((double)momentum(now->q, now->p) / start - 1));
        defect = fmax(defect, (double)space->maps.defect(now->q));
    }
    run_end(&run);
    if (!(drift < 1e-12) || !(defect < 2e-15))
        fail_msg("%s on %s: momentum moved by %.2e of itself, the group is missed by %.2e", method,
                 test->system->name, drift, defect);
}

static void test_momentum(void **state) {
    (void)state;
    check_long(&top, "verlet", 1000000);
    check_long(&top, "midpoint", 1000000);
    check_long(&top, "gauss stages=2", 1000000);
    check_long(&top, "lgvi", 1000000);
    check_long(&tied, "lgvi", 300000);
    check_long(&tied, "lobatto stages=3 retraction=exp", 100000);
}

/* Max distance from the group in a long run, at sampled steps. Measured: 5e-16 to 8e-16. */
static void check_defect(const struct test_case *test, const char *method, long steps) {
    const struct noe_space *space = test->system->factors[0].space;
    struct run run;
    struct noe_error error;
    double defect = 0;
    run_start(&run, test, method, 0.05);
    for (long k = 0; k < steps; k += 9973) {
        if (noe_work_steps(run.work, 9973, &error) != NOE_OK)
            fail_msg("%s: %s", method, error.text);
        defect = fmax(defect, (double)space->maps.defect(noe_work_state(run.work)->q));
    }
    run_end(&run);
    if (!(defect < 2e-15)) fail_msg("%s: the group is missed by %.2e", method, defect);
}

static void test_defect(void **state) {
    (void)state;
    check_defect(&freely, "flv", 10000000);
    check_defect(&freely, "tln", 2000000);
    check_defect(&freely, "rk4", 1000000);
    check_defect(&top, "lgvi", 2000000);
    check_defect(&top, "midpoint", 2000000);
}

/* Max change of the energy, relative. */
static double energy_change(const struct test_case *test, const char *method, double h,
                            long steps) {
    struct run run;
    struct noe_error error;
    struct noe_observation moment;
    double largest = 0;
    run_start(&run, test, method, h);
    assert_int_equal(noe_work_observe(run.work, &moment, &error), NOE_OK);
    const double start = (double)moment.energy;
    for (long k = 0; k < steps; k += 100) {
        if (noe_work_steps(run.work, 100, &error) != NOE_OK) fail_msg("%s: %s", method, error.text);
        assert_int_equal(noe_work_observe(run.work, &moment, &error), NOE_OK);
        largest = fmax(largest, fabs((double)moment.energy / start - 1));
    }
    run_end(&run);
    return largest;
}

/* Measured: half of the tolerance. Steps of swp and kr project to the initial energy: over 1e7
 * steps it changes by 9e-16. */
static void test_energy(void **state) {
    static const struct {
        const char *method;
        long steps;
        double max;
    } rows[] = {{"mln", 200000, 3e-14},
                {"lv", 200000, 1.2e-14},
                {"swp", 1000000, 1.4e-15},
                {"kr", 1000000, 1.4e-15},
                {"euler-a retraction=new", 200000, 6e-15},
                {"lgvi", 200000, 6e-15}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double change = energy_change(&freely, rows[i].method, 0.1, rows[i].steps);
        if (!(change < rows[i].max)) fail_msg("%s: energy moved by %.2e", rows[i].method, change);
    }
    assert_true(energy_change(&freely, "euler-a", 0.1, 1000) > 1e-5);
}

/* Kirchhoff's vehicle, a regular orbit: the least-squares slope of the energy to t = T. */
static double energy_slope(const char *method, double h, double T) {
    const long steps = lround(T / h / 10) * 10;
    const double I[3] = {1.09, 2.16, 2.68}, M[3] = {3.72, 7.42, 4.29}, s = 0.4, phi = 0.6;
    const double P[2] = {s * sin(phi), -s * cos(phi)}, p[2] = {5.2 * cos(phi), 5.2 * sin(phi)};
    struct test_case test = {&kirchhoff_vehicle, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
    struct run run;
    struct noe_error error;
    struct noe_observation moment;
    double rest = 8, first = 0, sum = 0, slope = 0;
    for (int i = 0; i < 2; i++) {
        test.v[i] = P[i] / I[i];
        test.v[3 + i] = p[i] / M[i];
        rest -= P[i] * P[i] / I[i] + p[i] * p[i] / M[i];
    }
    test.v[2] = sqrt(rest / I[2]);
    run_start(&run, &test, method, h);
    for (long k = 0; k <= steps; k += 10) {
        const double t = (double)k * h - T / 2;
        if (k && noe_work_steps(run.work, 10, &error) != NOE_OK) fail_msg("%s", error.text);
        assert_int_equal(noe_work_observe(run.work, &moment, &error), NOE_OK);
        if (k == 0) first = (double)moment.energy;
        slope += t * ((double)moment.energy - first);
        sum += t * t;
    }
    run_end(&run);
    assert_true(fabs(first - 4) < 1e-14);
    return slope / sum;
}

/* Measured: at most 1.6e-12 to t = 1e5, also for midpoint and gauss. */
static void test_slopes(void **state) {
    static const struct {
        const char *method;
        double T, max;
    } rows[] = {{"tln", 1e5, 2e-12},           {"mln", 1e5, 2e-12},
                {"flv", 1e5, 2e-12},           {"lv", 1e5, 2e-12},
                {"verlet", 1e5, 2e-12},        {"midpoint", 1e4, 3e-10},
                {"gauss stages=1", 1e4, 3e-10}};
    (void)state;
    const double rk4 = energy_slope("rk4", 0.05, 1e5);
    if (!(fabs(rk4 + 4.82e-8) < 1e-10)) fail_msg("rk4: slope %.3e", rk4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double slope = energy_slope(rows[i].method, 0.05, rows[i].T);
        if (!(fabs(slope) < rows[i].max)) fail_msg("%s: slope %.3e", rows[i].method, slope);
    }
    const double coarse = energy_slope("rk4", 0.05, 1e4), fine = energy_slope("rk4", 0.025, 1e4);
    assert_true(fabs(coarse + 4.83e-8) < 1e-10 && fabs(coarse / fine - 32) < 0.2);
    const double drift = energy_slope("sw", 0.0125, 5e3), less = energy_slope("sw", 0.00625, 5e3);
    assert_true(fabs(drift / less - 8) < 0.1); /* the energy of sw drifts by O(h^3) */
}

/* The vehicle as published: first order, spatial momentum conserved. */
static void test_vehicle(void **state) {
    const struct noe_space *so3 = noe_space_find("so3");
    const double x[3] = {0.19931657902503322, -0.40406806706089148, 10.188316481241375};
    const double p[3] = {7.8092194842557587, 5.5973722245305893, 3.4529954265066906};
    struct test_case test = {
        &underwater_vehicle, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 10}, {1.5, 1, 0.5}};
    const real rotation[3] = {1, 2, 3}, u[3] = {0.1, -0.2, 0.1};
    struct run run;
    struct noe_error error;
    (void)state;
    so3->retract(1, 1, test.q, test.q, rotation);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) test.v[3 + i] += test.q[3 * k + i] * u[k];
    run_start(&run, &test, "lgvi", 0.01);
    assert_int_equal(noe_work_steps(run.work, 200, &error), NOE_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs((double)noe_work_state(run.work)->q[9 + i] - x[i]) < 1e-13 * 10);
        assert_true(fabs((double)noe_work_state(run.work)->p[i] - p[i]) < 1e-13 * 10);
    }
    run_end(&run);
}

static void expect_words(const char *text, const char *words) {
    if (!strstr(text, words)) fail_msg("'%s' does not say '%s'", text, words);
}

/* A step beyond the domain of a retraction fails and leaves the state unchanged. */
static void test_domain(void **state) {
    static const struct {
        const char *method, *limit, *advice;
    } rows[] = {{"euler-a retraction=new", "|x| < 2", "0.15, or retraction = cay"},
                {"euler-b retraction=exp convention=thesis", "|x| < 6.283", "or retraction = cay"},
                {"verlet retraction=skew", "|x| < 1", "0.073, or retraction = cay"},
                {"gauss stages=2 retraction=new", "|x| < 2", "or retraction = cay"},
                {"midpoint retraction=exp", "|x| < 6.283", "or retraction = cay"},
                {"lgvi-energy", "|x| < 2", "0.15, or verlet"},
                {"lgvi", "|x| < 2", "0.15, or verlet"},
                {"sw", "|x| < 6.283", "or verlet"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_case fast = freely;
        struct run run;
        struct noe_error error;
        for (int k = 0; k < 3; k++) fast.v[k] *= 10;
        run_start(&run, &fast, rows[i].method, 3);
        const real q = noe_work_state(run.work)->q[0];
        if (noe_work_step(run.work, &error) != NOE_NOT_CONVERGED)
            fail_msg("%s took a step that is too long", rows[i].method);
        expect_words(error.text, rows[i].limit);
        expect_words(error.text, "try a step smaller than ");
        expect_words(error.text, rows[i].advice);
        assert_true(noe_work_state(run.work)->k == 0 && noe_work_state(run.work)->q[0] == q);
        run_end(&run);
    }
}

/* Messages name the reason why a method does not support a system, and methods that do; starts
 * that are not rotations. */
static void test_messages(void **state) {
    struct noe_problem problem;
    struct noe_error error;
    struct noe_work *work;
    (void)state;
    assert_int_equal(noe_problem_init(&problem, &tilted_top, "flv", 0.1, &error), NOE_NOT_SERVED);
    expect_words(error.text, "flv needs an Euler-Poincaré system");
    expect_words(error.text, "(L depends on the configuration)");
    expect_words(error.text, "gauss");
    assert_int_equal(noe_problem_init(&problem, &mixed, "lgvi", 0.1, &error), NOE_NOT_SERVED);
    expect_words(error.text, "separable");
    assert_int_equal(noe_problem_init(&problem, &henon_heiles, "mln", 0.1, &error), NOE_NOT_SERVED);
    expect_words(error.text, "needs a rotation or a pose");
    assert_int_equal(noe_problem_init(&problem, &kirchhoff_vehicle, "kr", 0.1, &error),
                     NOE_NOT_SERVED);
    expect_words(error.text, "kr does not serve poses; methods that serve it: ");
    assert_int_equal(noe_problem_init(&problem, &rigid_body, "splitting", 0.1, &error),
                     NOE_NOT_SERVED);
    expect_words(error.text, "splitting does not serve rotations");
    assert_int_equal(
        noe_problem_init(&problem, &quaternion_top, "verlet retraction=new", 0.1, &error),
        NOE_NOT_SERVED);
    expect_words(error.text, "s3 has no retraction 'chord'");
    assert_int_equal(noe_problem_init(&problem, &tilted_top, "midpoint", 0.1, &error), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
    const real stretched[9] = {1 + 1e-6, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_int_equal(noe_work_start(work, 0, stretched, top.v, &error), NOE_BAD_INPUT);
    expect_words(error.text, "no point of so3: it is off by 2e-06");
    assert_int_equal(noe_work_step(work, &error), NOE_BAD_INPUT);
    const real nearly[9] = {1 + 1e-10, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_int_equal(noe_work_start(work, 0, nearly, top.v, &error), NOE_OK);
    assert_true(noe_work_state(work)->q[0] == 1);
    noe_work_free(work);
    noe_problem_clear(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum), cmocka_unit_test(test_energy),
        cmocka_unit_test(test_slopes),   cmocka_unit_test(test_vehicle),
        cmocka_unit_test(test_domain),   cmocka_unit_test(test_messages),
        cmocka_unit_test(test_defect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
