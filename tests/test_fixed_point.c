/* Fixed-point iteration: agreement with Newton's method, its layouts, the choice of the solver,
 * long runs. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "engine/work.h"
#include "methods.h"
#include "methods/method.h"
#include "model/jit/simd_callbacks.h"

static const char *const methods[] = {"gauss stages=3",  "gauss stages=4",   "gauss stages=8",
                                      "gauss stages=12", "lobatto stages=3", "lobatto stages=6"};
enum { METHODS = sizeof methods / sizeof *methods };

/* A copy of a system that is declared separable with a diagonal mass matrix. */
static struct noe_system as_diagonal(const struct noe_system *system) {
    struct noe_system copy = *system;
    copy.traits |= NOE_DIAGONAL_MASS;
    return copy;
}

/* --- The root. */

/* Steps by both solvers from the same states; returns the max distance of their ends. */
static double root_distance(const struct test_case *test, const char *method, double h) {
    struct run run, newton;
    struct noe_error error;
    double largest = 0;
    run_start(&run, test, method, h);
    assert_true(kernel_is_fixed_point(&run.problem));
    for (int k = 0; k < 20; k++) {
        const struct noe_state *now = noe_work_state(run.work);
        run_start(&newton, test, method, h);
        newton.problem.internals->kernel = NULL;
        noe_work_start_momentum(newton.work, now->t, now->q, now->p, &error);
        memcpy(newton.work->now->q_carry, now->q_carry, (size_t)test->system->n * sizeof(real));
        memcpy(newton.work->now->p_carry, now->p_carry, (size_t)test->system->n * sizeof(real));
        assert_int_equal(noe_work_step(newton.work, &error), NOE_OK);
        assert_int_equal(noe_work_step(run.work, &error), NOE_OK);
        assert_true(run.work->fixed_point.has_solved);
        largest = fmax(largest, (double)state_distance(test->system, noe_work_state(run.work),
                                                       noe_work_state(newton.work)));
        run_end(&newton);
    }
    assert_int_equal(noe_work_stats(run.work).factorisations, 0);
    assert_true(noe_work_stats(run.work).iterations >= 2 * 20);
    run_end(&run);
    return largest;
}

static void test_same_root(void **state) {
    (void)state;
    const struct noe_system henon = as_diagonal(&henon_heiles), ellipse = as_diagonal(&kepler);
    const struct {
        struct test_case test;
        double h;
    } rows[] = {
        {{&henon, {0.1, 0.3}, {0.35, -0.2}}, 0.2},
        {{&ellipse, {0.8, 0.1}, {0, 1.2}}, 0.1},
        {{&henon_heiles, {0.1, 0.3}, {0.35, -0.2}}, 0.2},
        {{&double_pendulum, {0.3, -0.2}, {0.2, 0.5}}, 0.05},
        {{&driven_pendulum, {0.3, -0.2}, {0.2, 0.5}}, 0.05},
        {{&magnet, {1.0, 0.3}, {0.2, 0.6}}, 0.02},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int j = 0; j < METHODS; j++) {
            const double distance = root_distance(&rows[i].test, methods[j], rows[i].h);
            if (!(distance <= 4.5e-16)) /* measured 2.2e-16 */
                fail_msg("%s on %s: %.2e from Newton's root", methods[j], rows[i].test.system->name,
                         distance);
        }
}

/* The contraction rate falls like h^2, even if p depends on q and w on v. Half the step size
 * gives a quarter of the rate, where first order would give a half. */
static void test_rate(void **state) {
    (void)state;
    const struct test_case cases[] = {{&double_pendulum, {1.3, -0.7}, {0.9, 1.5}},
                                      {&magnet, {1.0, 0.3}, {0.9, 1.6}}};
    for (int i = 0; i < 2; i++) {
        double rate[2];
        for (int k = 0; k < 2; k++) {
            const double h = 0.08 / (1 + k);
            struct run run;
            struct noe_error error;
            run_start(&run, &cases[i], "gauss stages=8", h);
            rate[k] = 0;
            for (int step = 0; step < 20 * (1 + k); step++) {
                assert_int_equal(noe_work_step(run.work, &error), NOE_OK);
                assert_true(run.work->fixed_point.has_solved);
                rate[k] += (double)run.work->fixed_point.rate / (20 * (1 + k));
            }
            run_end(&run);
        }
        if (!(rate[0] > 2.8 * rate[1])) /* measured 5.0 and 3.5 */
            fail_msg("%s: %g", cases[i].system->name, rate[0] / rate[1]);
    }
}

/* --- Stages in SIMD lanes: the bits of scalar evaluation, for any number of stages. */

static void henon_force_wide(const struct noe_system *s, const noe_scalar *t, const real *q,
                             const real *v, real *w) {
    for (int i = 0; i < NOE_WIDE; i++) {
        real point[2] = {q[i], q[NOE_WIDE + i]}, force[2];
        henon_heiles.force(s, t[i], point, v, force);
        w[i] = force[0];
        w[NOE_WIDE + i] = force[1];
    }
}

static void driven_stage_wide(const struct noe_system *s, const noe_scalar *t, const real *q,
                              const real *v, real *p, real *w, real *d) {
    for (int i = 0; i < NOE_WIDE; i++) {
        real x[2] = {q[i], q[NOE_WIDE + i]}, u[2] = {v[i], v[NOE_WIDE + i]};
        real momentum[2], force[2], second[16];
        driven_pendulum.second(s, t[i], x, u, momentum, force, second);
        for (int k = 0; k < 2; k++) {
            p[k * NOE_WIDE + i] = momentum[k];
            w[k * NOE_WIDE + i] = force[k];
        }
        for (int e = 0; e < 12; e++) d[e * NOE_WIDE + i] = second[e];
    }
}

static void test_stages_in_lanes(void **state) {
    (void)state;
    struct noe_system henon[2], driven[2];
    henon[0] = henon[1] = as_diagonal(&henon_heiles);
    driven[0] = driven[1] = driven_pendulum;
    henon[1].force_simd = henon_force_wide;
    driven[1].stage_simd = driven_stage_wide;
    const struct noe_system *systems[2] = {henon, driven};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < METHODS; j++) {
            struct run run[2];
            struct noe_error error;
            for (int k = 0; k < 2; k++) {
                struct test_case test = test_cases[i ? 2 : 0];
                test.system = systems[i] + k;
                run_start(&run[k], &test, methods[j], 0.05);
                assert_int_equal(noe_work_steps(run[k].work, 50, &error), NOE_OK);
            }
            assert_true(run[1].work->fixed_point.has_solved);
            if (state_distance(systems[i], noe_work_state(run[0].work),
                               noe_work_state(run[1].work)) != 0)
                fail_msg("%s on %s: other bits", methods[j], systems[i]->name);
            assert_int_equal(noe_work_stats(run[0].work).evaluations,
                             noe_work_stats(run[1].work).evaluations);
            run_end(&run[0]);
            run_end(&run[1]);
        }
}

/* --- The choice of the solver. L = |v|^2/2 - k(t) |q|^2/2, where k is large up to t = 10. */

static real stiffness(real t) { return t < 10 ? 1e6 : 1; }

static real spring_lagrangian(const struct noe_system *s, real t, const real *q, const real *v) {
    (void)s;
    return (v[0] * v[0] + v[1] * v[1]) / 2 - stiffness(t) * (q[0] * q[0] + q[1] * q[1]) / 2;
}

static void spring_first(const struct noe_system *s, real t, const real *q, const real *v, real *p,
                         real *w) {
    (void)s;
    for (int i = 0; i < 2; i++) {
        p[i] = v[i];
        w[i] = -stiffness(t) * q[i];
    }
}

static void spring_second(const struct noe_system *s, real t, const real *q, const real *v, real *p,
                          real *w, real *d) {
    spring_first(s, t, q, v, p, w);
    memset(d, 0, 16 * sizeof *d);
    d[0] = d[3] = 1;
    d[12] = d[15] = -stiffness(t);
}

static const struct noe_system spring = {
    .name = "spring",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_UNFORCED,
    .lagrangian = spring_lagrangian,
    .first = spring_first,
    .second = spring_second,
};

static void test_stiff(void **state) {
    (void)state;
    const struct noe_system diagonal = as_diagonal(&spring);
    const struct noe_system *systems[] = {&spring, &diagonal};
    for (int i = 0; i < 24; i++) {
        const struct test_case test = {systems[i % 2], {1 + 0.05 * i, 0.5 - 0.015 * i}, {0, 1}};
        struct run run, newton;
        struct noe_error error;
        int solved[2] = {0}, pauses = 0;
        run_start(&run, &test, "gauss stages=4", 0.1);
        run_start(&newton, &test, "gauss stages=4", 0.1);
        newton.problem.internals->kernel = NULL;
        for (int k = 0; k < 400; k++) {
            const int pause = run.work->fixed_point.pause;
            assert_int_equal(noe_work_step(run.work, &error), NOE_OK);
            assert_int_equal(noe_work_step(newton.work, &error), NOE_OK);
            solved[k >= 100] += run.work->fixed_point.has_solved;
            pauses += run.work->fixed_point.pause > pause;
        }
        assert_int_equal(solved[0], 0);       /* Newton's method, */
        assert_in_range(pauses, 5, 9);        /* with fewer and fewer other attempts, */
        assert_in_range(solved[1], 170, 300); /* until the fixed point is chosen. */
        const real distance =
            state_distance(&spring, noe_work_state(run.work), noe_work_state(newton.work));
        if (!(distance <= 1.4e-12)) /* measured 7e-13, where momenta reach 1e3 */
            fail_msg("%.2e from Newton's run", (double)distance);
        run_end(&run);
        run_end(&newton);
    }
}

/* A mass matrix that is not positive definite rules out the fixed-point iteration. */
static void test_indefinite_mass(void **state) {
    (void)state;
    const struct test_case test = {&vortices, {0, 0, 1, 0.1}, {0}};
    struct run run;
    struct noe_error error;
    run_start(&run, &test, "gauss stages=3", 0.1);
    assert_true(kernel_is_fixed_point(&run.problem));
    assert_int_equal(noe_work_steps(run.work, 100, &error), NOE_OK);
    assert_false(run.work->fixed_point.has_solved);
    assert_true(noe_work_stats(run.work).factorisations > 0);
    run_end(&run);
}

/* No solver state carries over from one run to the next, or from a step of another size. */
static void test_repeatable(void **state) {
    (void)state;
    const struct test_case *test = &test_cases[1];
    struct run run, other;
    struct noe_error error;
    run_start(&run, test, "gauss stages=8", 0.05);
    run_start(&other, test, "gauss stages=8", 0.05);
    assert_int_equal(noe_work_steps(run.work, 30, &error), NOE_OK);
    assert_int_equal(noe_work_start(run.work, 0, test->q, test->v, &error), NOE_OK);
    assert_int_equal(noe_work_steps(run.work, 30, &error), NOE_OK);
    assert_int_equal(noe_work_steps(other.work, 30, &error), NOE_OK);
    assert_true(
        state_distance(test->system, noe_work_state(run.work), noe_work_state(other.work)) == 0);
    run_end(&run);
    run_end(&other);
}

/* --- Long runs: the energy error is a random walk of round-off without drift. */

enum { WALKS = 8 };

/* The mean energy change over several ellipses. A drift would have the same sign in all of them. */
static double mean_energy_change(const struct noe_system *system, const char *method, double h,
                                 long steps, double *spread) {
    double sum = 0, squares = 0;
    for (int i = 0; i < WALKS; i++) {
        const struct test_case test = {system, {0.8 + 1e-3 * i, 0}, {0, 1.2247448713915890}};
        struct run run;
        struct noe_error error;
        struct noe_observation moment;
        run_start(&run, &test, method, h);
        noe_work_observe(run.work, &moment, &error);
        const double start = moment.energy;
        assert_int_equal(noe_work_steps(run.work, steps, &error), NOE_OK);
        noe_work_observe(run.work, &moment, &error);
        assert_int_equal(noe_work_stats(run.work).factorisations, 0);
        sum += moment.energy - start;
        squares += (moment.energy - start) * (moment.energy - start);
        run_end(&run);
    }
    *spread = sqrt(squares / WALKS);
    return sum / WALKS;
}

static void test_no_drift(void **state) {
    (void)state;
    const struct noe_system diagonal = as_diagonal(&kepler);
    const struct noe_system *systems[] = {&kepler, &diagonal};
    for (int i = 0; i < 2; i++) {
        double spread;
        const double mean = mean_energy_change(systems[i], "gauss stages=8", 0.5, 40000, &spread);
        if (!(fabs(mean) <= 1.1e-14))
            fail_msg("energy drifts by %.2e", mean);                        /* measured 5.5e-15 */
        if (!(spread <= 1.9e-14)) fail_msg("energy walks by %.2e", spread); /* measured 9.5e-15 */
    }
}

/* The outer solar system, 100000 steps of 200 days. */
static void test_solar_system(void **state) {
    (void)state;
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    struct noe_observation moment;
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/outer_solar_system.noe", getenv("NOETHER_SOURCE"));
    if (noe_model_open(&model, path, NULL, &error) != NOE_OK) fail_msg("%s", error.text);
    model_compile_simd(model, NULL, NULL); /* SIMD callbacks, if there is a compiler */
    assert_int_equal(noe_problem_init(&problem, model->system, "gauss stages=8", 200, &error),
                     NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, &error), NOE_OK);
    assert_int_equal(noe_work_observe(work, &moment, &error), NOE_OK);
    const double start = moment.energy;
    double largest = 0;
    for (int k = 0; k < 100; k++) {
        assert_int_equal(noe_work_steps(work, 1000, &error), NOE_OK);
        assert_int_equal(noe_work_observe(work, &moment, &error), NOE_OK);
        largest = fmax(largest, fabs((moment.energy - start) / start));
    }
    assert_int_equal(noe_work_stats(work).factorisations, 0);
    if (!(largest <= 6e-14)) fail_msg("energy goes %.2e", largest); /* measured 3.2e-14 */
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_root),       cmocka_unit_test(test_rate),
        cmocka_unit_test(test_stages_in_lanes), cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_indefinite_mass), cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_no_drift),        cmocka_unit_test(test_solar_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
