/* Discrete gradients and energy-momentum methods: numbers that were computed independently, and
 * where they end. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"

static void test_double_well(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double start, q, v;
    } rows[] = {
        {"discrete-gradient", 0.74, 0.706942077885079, -0.047599430230639},
        {"discrete-gradient kind = avf", 0.74, 0.706940192626678, -0.0475994171138559},
        {"discrete-gradient kind = itoh-abe", 0.74, 0.706940192626678, -0.0475994171138559},
        {"energy-momentum", 0.74, 0.706940192626678, -0.0475994171138559},
        {"discrete-gradient", 0.995, 0.169822542690157, -0.134656854875814},
        {"discrete-gradient kind = avf", 0.995, 0.169838578686385, -0.13467591162294},
        {"discrete-gradient kind = itoh-abe", 0.995, 0.169838578686385, -0.13467591162294},
        {"energy-momentum", 0.995, 0.169838578686385, -0.13467591162294},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        struct loaded well;
        snprintf(text, sizeof text,
                 "coord q\nL = q'^2/2 - (q^4 - q^2)/2\nstart q = %g\nmethod %s\nstep 0.1\n",
                 rows[i].start, rows[i].method);
        loaded_open(&well, text);
        const struct noe_state *now = loaded_steps(&well, 100);
        assert_near(rows[i].method, now->q[0], rows[i].q, 1e-13);
        assert_near(rows[i].method, now->p[0], rows[i].v, 1e-13);
        loaded_close(&well);
    }
}

/* The largest change of x p_y - y p_x in 50 steps on the sombrero. */
static void test_momentum_lost(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double change, tolerance;
    } rows[] = {
        {"discrete-gradient", 9.7e-5, 5e-7},
        {"discrete-gradient kind=equivariant", 0, 2e-16},
        {"discrete-gradient kind=avf", 6.6e-5, 5e-7},
        {"discrete-gradient kind=itoh-abe", 4.5e-3, 5e-5},
        {"energy-momentum kind=projection", 0, 2e-16},
        {"energy-momentum kind=collocation", 0, 2e-16},
    };
    const struct test_case test = {&sombrero, {0.8, 0.1}, {0.05, 0.3}};
    momentum_map *momentum = momentum_of(&sombrero);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run run;
        double change = 0;
        run_start(&run, &test, rows[i].method, 0.1);
        const double start = momentum(noe_now(run.work)->q, noe_now(run.work)->p);
        for (int k = 0; k < 50; k++) {
            assert_int_equal(noe_step(run.work, NULL), NOE_OK);
            change =
                fmax(change, fabs(momentum(noe_now(run.work)->q, noe_now(run.work)->p) - start));
        }
        assert_near(rows[i].method, change, rows[i].change, rows[i].tolerance);
        run_end(&run);
    }
}

/* No size of the force keeps the energy in the 13th step on Henon and Heiles' potential; the state
 * stands, and the words say what to do. */
static void test_no_root(void **state) {
    (void)state;
    const struct test_case test = {&henon_heiles, {0.1, 0.3}, {0.35, -0.2}};
    struct run run;
    struct noe_error error;
    run_start(&run, &test, "energy-momentum", 0.1);
    assert_int_equal(noe_steps(run.work, 20, &error), NOE_NOT_CONVERGED);
    assert_int_equal(noe_now(run.work)->k, 12);
    assert_non_null(strstr(error.text, "at right angles"));
    run_end(&run);
}

/* At an equilibrium, and close to one, nothing is divided by nothing. */
static void test_equilibrium(void **state) {
    (void)state;
    static const char *const methods[] = {"discrete-gradient",
                                          "discrete-gradient kind=equivariant",
                                          "discrete-gradient kind=avf",
                                          "discrete-gradient kind=itoh-abe",
                                          "energy-momentum",
                                          "energy-momentum kind=collocation"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = 0; k < 2; k++) {
            const double away = k ? 1e-7 : 0;
            const struct test_case test = {&henon_heiles, {0, 1 + away}, {0}}; /* a saddle */
            struct run run;
            struct noe_error error;
            if (k && strncmp(methods[i], "energy", 6) == 0) continue; /* may have no root */
            run_start(&run, &test, methods[i], 0.1);
            if (noe_steps(run.work, 10, &error) != NOE_OK)
                fail_msg("%s: %s", methods[i], error.text);
            const double y = noe_now(run.work)->q[1] - 1;
            assert_near(methods[i], y, away * cosh(1.0), 1e-3 * away + 1e-20);
            run_end(&run);
        }
}

static void test_refusals(void **state) {
    (void)state;
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    const real q[] = {0, 0, 1, 0.1}, v[4] = {0};
    assert_int_equal(noe_problem_init(&problem, &driven_pendulum, "discrete-gradient", 0.1, &error),
                     NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "this one has forces; methods that serve it: "));
    assert_null(strstr(error.text, "discrete-gradient,"));
    assert_int_equal(noe_problem_init(&problem, &magnet, "energy-momentum", 0.1, &error),
                     NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "needs a separable system"));
    assert_int_equal(noe_problem_init(&problem, &vortices, "discrete-gradient kind=avf", 0.1, NULL),
                     NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
    assert_int_equal(noe_start(work, 0, q, v, &error), NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "this Lagrangian is degenerate"));
    assert_int_equal(noe_step(work, &error), NOE_BAD_INPUT); /* there was no start */
    noe_work_free(work);
    noe_problem_clear(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_well), cmocka_unit_test(test_momentum_lost),
        cmocka_unit_test(test_no_root),     cmocka_unit_test(test_equilibrium),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
