/* 'stop when': runs end at the first root of an equation, located by substeps of the method. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_text.h"
#include "study/trajectory.h"

#define OSCILLATOR "coord q\nL = (q'^2 - q^2)/2\n"
#define PARTICLE   "coord q\nL = q'^2/2\n"
#define BALL       "coord y\nL = y'^2/2 - 9.81*y\nstart y = 2\nstop when y = 0\n"

#define KEPLER "coord x[2]\nL = dot(x', x')/2 + 1/norm(x)\nstart x = [0.4, 0], x' = [0, 2]\n"

static const double pi = 3.14159265358979323846;

/* Runs a model with a method; the caller clears the result. */
static enum noe_status run_rows(struct trajectory *result, const char *text, const char *method,
                                double h, double until, const struct noe_format *format) {
    struct noe_model *model = model_text_open(text, true);
    struct noe_problem problem;
    struct noe_error error;
    bool fits;
    if (noe_problem_init(&problem, model->system, method, h, &error) != NOE_OK)
        fail_msg("%s: %s", method, error.text);
    struct trajectory_settings settings = {.problem = &problem,
                                           .q = model->q,
                                           .v = model->v,
                                           .steps = trajectory_step_count(0, until, h, &fits),
                                           .until = until,
                                           .sample = 3,
                                           .format = format};
    if (problem.traits & NOE_ADAPTIVE) settings.steps = -1;
    const enum noe_status status = trajectory_run(result, &settings);
    noe_problem_clear(&problem);
    noe_model_free(model);
    return status;
}

static void run(struct trajectory *result, const char *text, const char *method, double h,
                double until) {
    if (run_rows(result, text, method, h, until, NULL) != NOE_OK)
        fail_msg("%s: %s", method, result->error.text);
}

/* Checks that the run ends at `time` within the tolerance, by statement `by` (-1: at its final
 * time). */
static void assert_ends(const char *text, const char *method, double h, int by, double time,
                        double tolerance) {
    struct trajectory result;
    run(&result, text, method, h, 10);
    const double error = fabs((double)result.final.t - time);
    if (result.crossing != by || !(error <= tolerance))
        fail_msg("%s\n%s: ended by %d at %.17g, %.3g from %.17g", text, method, result.crossing,
                 (double)result.final.t, error, time);
    trajectory_clear(&result);
}

static void quarter_period(void **state) {
    (void)state;
    const char *text = OSCILLATOR "start q = 1\nstop when q = 0\n";
    struct trajectory result;
    run(&result, text, "gauss stages=6", 0.1, 10);
    assert_int_equal(result.crossing, 0);
    assert_int_equal(result.steps, 16);                       /* fifteen full steps */
    assert_true(noe_abs(result.final.t - pi / 2) <= 4.5e-16); /* measured 2.2e-16 */
    assert_true(noe_abs(result.event_value) <= 1e-16);
    assert_true(result.event_value == result.final.q[0]);
    assert_true(noe_abs(result.final.v[0] + 1) <= 4.5e-16);
    assert_true(result.step_last == result.step_min && result.step_max == (real)0.1);
    assert_true(noe_abs(result.final.t - (15 * (real)0.1 + result.step_last)) <= 2.3e-16);
    trajectory_clear(&result);
}

/* Every method of order two solves a free free_fall exactly, for every step size. */
static void free_fall(void **state) {
    (void)state;
    static const char *const methods[] = {"verlet",
                                          "midpoint",
                                          "gauss stages=2",
                                          "gauss stages=5",
                                          "lobatto stages=2",
                                          "lobatto stages=4",
                                          "splitting order=2",
                                          "splitting order=8",
                                          "rk4",
                                          "dopri5"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = 1; k <= 20; k++) {
            struct trajectory result;
            run(&result, BALL, methods[i], 0.0371 * k, 10);
            assert_int_equal(result.crossing, 0);
            assert_true(noe_abs(result.final.t - sqrt(4 / 9.81)) <= 1e-15); /* measured 4.4e-16 */
            assert_true(result.event_value == result.final.q[0]);
            trajectory_clear(&result);
        }
}

/* From perihelion, where r' = 0, to aphelion: half a period. The start is not an event. */
static void kepler_half_period(void **state) {
    (void)state;
    const char *text = KEPLER "stop when dot(x, x') = 0\n";
    struct trajectory result;
    run(&result, text, "gauss stages=4", 0.1, 10);
    assert_int_equal(result.crossing, 0);
    assert_true(noe_abs(result.final.t - pi) <= 1.1e-8);    /* measured 5.1e-9 */
    assert_true(noe_abs(result.final.q[0] + 1.6) <= 4e-10); /* measured 1.8e-10 */
    trajectory_clear(&result);
    assert_ends(text, "dopri5 tolerance=1e-12", 0.1, 0, pi, 2.6e-11);
}

/* The energy error at a root is no larger than at the ends of steps. */
static void energy_at_a_root(void **state) {
    (void)state;
    static const double wanted[] = {0.39, 0.3, 0.1, 0, -0.3, -0.8, -1.3, -1.59};
    struct trajectory result;
    real worst = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char text[200];
        snprintf(text, sizeof text, KEPLER "stop when x[1] = %g\n", wanted[i]);
        run(&result, text, "gauss stages=4", 0.1, 10);
        assert_int_equal(result.crossing, 0);
        assert_true(noe_abs(result.final.q[0] - wanted[i]) <= 4.5e-16);
        worst = noe_max(worst, noe_abs(result.final.energy - result.start.energy));
        trajectory_clear(&result);
    }
    run(&result, KEPLER, "gauss stages=4", 0.1, 3.1);
    assert_true(worst > 0 && worst <= 2 * result.energy_max_error);
    trajectory_clear(&result);
}

/* The statistics of the run leave out everything after the root. */
static void statistics_end_at_the_root(void **state) {
    (void)state;
    struct trajectory result;
    run(&result, OSCILLATOR "start q = 1\nobserve where = q\nstop when t = 0.01\n", "verlet", 0.5,
        10);
    const real error = noe_abs(result.final.energy - result.start.energy);
    assert_true(result.steps == 1 && result.step_first == result.final.t && error > 0);
    assert_true(result.energy_max_error == error && result.energy_mean_error == error);
    assert_true(result.value_max_error[0] == 1 - result.final.q[0]);
    assert_true(result.final.values[0] == result.final.q[0]);
    trajectory_clear(&result);
}

static void the_start_is_not_an_event(void **state) {
    (void)state;
    static const char *const methods[] = {"gauss stages=6", "splitting order=10"};
    for (size_t i = 0; i < 2; i++) {
        const char *method = methods[i];
        assert_ends(OSCILLATOR "start q' = 1\nstop when q = 0\n", method, 0.1, 0, pi, 4.5e-16);
        assert_ends(OSCILLATOR "start q' = -1\nstop when q = 0\n", method, 0.1, 0, pi, 4.5e-16);
        assert_ends(OSCILLATOR "start q = 1\nstop when q' = 0\n", method, 0.1, 0, pi, 4.5e-16);
        /* Zero up to rounding. */
        assert_ends(OSCILLATOR "start q = cos(pi/2), q' = -1\nstop when q = 0\n", method, 0.1, 0,
                    pi, 4.5e-16);
        assert_ends(OSCILLATOR "start q = 1e-9, q' = -1\nstop when q = 0\n", method, 0.1, 0, 1e-9,
                    5e-23); /* measured 2.2e-23 */
    }
    /* A function that is zero on an interval. */
    assert_ends(PARTICLE "start q' = 1\nstop when max(t - 1, 0)*(t - 2) = 0\n", "verlet", 0.3, 0, 2,
                5e-16);
}

static void the_first_root_ends_the_run(void **state) {
    (void)state;
    const double third = asin(1.0 / 3);
    assert_ends(OSCILLATOR "start q = 1\nstop when q = 0\nstop when 3*q = 1\n", "gauss stages=8",
                0.7, 1, pi / 2 - third, 4.5e-16);
    assert_ends(OSCILLATOR "start q = 1\nstop when 3*q = 1\nstop when q = 0\n", "gauss stages=8",
                0.7, 0, pi / 2 - third, 4.5e-16);
    assert_ends(OSCILLATOR "start q = 1\nstop when 3*q = -1\nstop when q = 0\nstop when t = 2\n"
                           "stop when 1000*q = q'^9\n",
                "gauss stages=8", 1.1, 1, pi / 2, 4.5e-16);
    /* Two roots of one function in a step: the ends have equal signs, and a root of the other
     * function lies between them. */
    assert_ends(PARTICLE "start q' = 1\nstop when (t - 1.51)*(t - 1.53) = 0\nstop when t = 1.52\n",
                "midpoint", 0.25, 0, 1.51, 5e-16);
    assert_ends(PARTICLE "start q' = 1\nstop when (t - 1.7)*(t - 1.72) = 0\nstop when t = 1.71\n",
                "midpoint", 0.25, 0, 1.7, 5e-16);
    /* One root at the end of a step, another before it. */
    assert_ends(PARTICLE "start q = -1, q' = 1\nstop when q = 0\nstop when t = 0.9\n", "verlet",
                0.25, 1, 0.9, 5e-16);
}

static void a_tangency_is_not_an_event(void **state) {
    (void)state;
    assert_ends(OSCILLATOR "start q = 1\nstop when (q + 1)^2 = 0\n", "verlet", 0.1, -1, 10, 1e-14);
    assert_ends(PARTICLE "start q = -1, q' = 1\nstop when abs(q) = 0\n", "verlet", 0.3, -1, 9.9,
                1e-14);
}

static void zero_at_the_end_of_a_step(void **state) {
    (void)state;
    struct trajectory result;
    run(&result, PARTICLE "start q = -1, q' = 1\nstop when q = 0\n", "verlet", 0.25, 10);
    assert_int_equal(result.crossing, 0);
    assert_int_equal(result.steps, 4);
    assert_true(result.final.t == 1 && result.final.q[0] == 0 && result.event_value == 0);
    assert_true(result.step_min == (real)0.25);
    assert_int_equal(result.effort.steps, 4); /* no step was repeated */
    trajectory_clear(&result);
}

/* A sign change without a zero: the run continues as if there were no event function. */
static void jumps_are_not_events(void **state) {
    (void)state;
    const char *wraps = PARTICLE "start q = 3, q' = 1\nstop when atan2(sin(q), cos(q)) = 0\n";
    assert_ends(wraps, "midpoint", 0.1, 0, 2 * pi - 3, 1e-15);
    assert_ends(wraps, "verlet", 0.1, 0, 2 * pi - 3, 1e-15);
    assert_ends(PARTICLE "start q' = 1\nstop when 1/(t - 0.95) = 0\nstop when t = 0.97\n",
                "midpoint", 0.1, 1, 0.97, 3e-16);
    static const char *const methods[] = {"verlet", "gauss stages=3"};
    for (int i = 0; i < 2; i++) {
        struct trajectory with, without;
        const char *free = OSCILLATOR "start q = 1\n";
        run(&with, OSCILLATOR "start q = 1\nstop when 1/q = 0\n", methods[i], 0.1, 100);
        run(&without, free, methods[i], 0.1, 100);
        assert_int_equal(with.crossing, -1);
        assert_int_equal(with.steps, 1000);
        assert_true(with.final.t == without.final.t && with.step_min == (real)0.1);
        assert_true(noe_abs(with.final.q[0] - without.final.q[0]) <= 1e-15); /* measured 0 */
        trajectory_clear(&with);
        trajectory_clear(&without);
    }
}

static void a_nonfinite_value_is_reported(void **state) {
    (void)state;
    struct trajectory result;
    enum noe_status status = run_rows(&result, PARTICLE "start q' = 1\nstop when log(-1 - q) = 0\n",
                                      "verlet", 0.25, 10, NULL);
    assert_int_equal(status, NOE_NOT_FINITE);
    assert_true(strstr(result.error.text, "step 0") &&
                strstr(result.error.text, "'log(-1 - q) = 0' do not"));
    assert_int_equal(result.steps, 0);
    trajectory_clear(&result);
    status = run_rows(&result, PARTICLE "start q = 2, q' = -1\nstop when sqrt(q) = -1\n", "verlet",
                      0.3, 10, NULL);
    assert_int_equal(status, NOE_NOT_FINITE);
    assert_true(strstr(result.error.text, "step 7"));
    assert_int_equal(result.steps, 7);
    assert_int_equal(result.crossing, -1);
    trajectory_clear(&result);
    /* Finite at both ends of the step, not finite in between. */
    status = run_rows(&result,
                      PARTICLE "start q = 0, q' = 1\n"
                               "stop when sqrt((t - 1.02)*(t - 1.18)) + t - 1.17 = 0\n",
                      "verlet", 0.25, 10, NULL);
    assert_int_equal(status, NOE_NOT_FINITE);
    trajectory_clear(&result);
}

/* A free particle whose functions return NaN after a given number of evaluations. */
struct fragile {
    int evaluations, max;
};

static real fragile_lagrangian(const struct noe_system *system, real t, const real *q,
                               const real *v) {
    (void)system, (void)t, (void)q;
    return v[0] * v[0] / 2;
}

static void fragile_first(const struct noe_system *system, real t, const real *q, const real *v,
                          real *p, real *w) {
    struct fragile *fragile = (struct fragile *)system->data;
    (void)t, (void)q;
    p[0] = v[0];
    w[0] = ++fragile->evaluations > fragile->max ? (real)NAN : 0;
}

static void fragile_second(const struct noe_system *system, real t, const real *q, const real *v,
                           real *p, real *w, real *d) {
    fragile_first(system, t, q, v, p, w);
    d[0] = 1;
    d[1] = d[2] = d[3] = 0;
}

static void fragile_events(const struct noe_system *system, real t, const real *q, const real *v,
                           real *values) {
    (void)system, (void)t, (void)v;
    values[0] = q[0] * q[0] * q[0] - 1;
}

static void a_failing_substep_is_reported(void **state) {
    (void)state;
    static const struct noe_event crossing = {.text = "q^3 = 1"};
    static const real q = 0, v = 1;
    struct fragile fragile = {.max = 1000};
    const struct noe_system system = {.name = "fragile",
                                      .n = 1,
                                      .nz = 1,
                                      .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS,
                                      .data = &fragile,
                                      .lagrangian = fragile_lagrangian,
                                      .first = fragile_first,
                                      .second = fragile_second,
                                      .nevents = 1,
                                      .crossing = &crossing,
                                      .events = fragile_events};
    struct noe_problem problem;
    struct trajectory result;
    assert_int_equal(noe_problem_init(&problem, &system, "midpoint", (real)0.3, NULL), NOE_OK);
    const struct trajectory_settings settings = {
        .problem = &problem, .q = &q, .v = &v, .steps = 3, .sample = 1};
    assert_int_equal(trajectory_run(&result, &settings), NOE_OK); /* ends before the event */
    const int whole = fragile.evaluations;
    trajectory_clear(&result);
    struct trajectory_settings longer = settings;
    longer.steps = 100;
    assert_int_equal(trajectory_run(&result, &longer), NOE_OK);
    assert_true(result.crossing == 0 && noe_abs(result.final.t - 1) <= 3e-16);
    trajectory_clear(&result);
    fragile = (struct fragile){.max = whole + whole / 3 + 2}; /* fails in the second substep */
    assert_true(trajectory_run(&result, &longer) > 0);
    assert_true(strstr(result.error.text, "on the way to a crossing"));
    assert_int_equal(result.steps, 3);
    assert_true(result.final.t == 3 * (real)0.3 && result.crossing == -1);
    trajectory_clear(&result);
    noe_problem_clear(&problem);
}

static long rows;
static real last_time;

static enum noe_status take_row(void *file, const noe_real *values, struct noe_error *error) {
    (void)file, (void)error;
    rows++;
    last_time = values[0];
    return NOE_OK;
}

static void the_last_row_is_at_the_root(void **state) {
    (void)state;
    static const struct noe_format format = {.name = "rows", .row = take_row};
    static const double steps[] = {0.1, 0.11, 0.12, 0.25};
    for (int i = 0; i < 4; i++) {
        struct trajectory result;
        rows = 0;
        assert_int_equal(run_rows(&result, BALL, "verlet", steps[i], 10, &format), NOE_OK);
        assert_int_equal(rows, 1 + (result.steps + 2) / 3);
        assert_true(last_time == result.final.t && rows == result.rows);
        trajectory_clear(&result);
    }
}

/* The compiled and the interpreted function agree, and so do their texts. */
static void compiled_and_interpreted_events_agree(void **state) {
    (void)state;
    const char *text = "param a = 2\ncoord x, y\nL = (x'^2 + y'^2)/2\nlet r = sqrt(x^2 + y^2)\n"
                       "stop when a*r + # a comment\n\n   y'*t =   sin(x)\n"
                       "stop  when  x' = [1, 2][2]\n";
    struct noe_model *compiled = model_text_open(text, false);
    struct noe_model *interpreted = model_text_open(text, true);
    const noe_real q[] = {0.3, -0.4}, v[] = {2.5, 0.7}, t = 1.5;
    const noe_real expected[] = {2 * (noe_real)0.5 + v[1] * t - noe_sin(q[0]), 0.5};
    struct noe_model *const models[] = {compiled, interpreted};
    for (int i = 0; i < 2; i++) {
        const struct noe_system *system = models[i]->system;
        noe_real values[2];
        assert_int_equal(system->nevents, 2);
        assert_string_equal(system->crossing[0].text, "a*r + y'*t = sin(x)");
        assert_string_equal(system->crossing[1].text, "x' = [1, 2][2]");
        system->events(system, t, q, v, values);
        assert_true(noe_abs(values[0] - expected[0]) <= 4.5e-16);
        assert_true(values[1] == expected[1]);
        noe_model_free(models[i]);
    }
    struct noe_model *none = model_text_open(OSCILLATOR, true);
    assert_true(none->system->nevents == 0 && !none->system->crossing && !none->system->events);
    noe_model_free(none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarter_period),
        cmocka_unit_test(free_fall),
        cmocka_unit_test(kepler_half_period),
        cmocka_unit_test(energy_at_a_root),
        cmocka_unit_test(statistics_end_at_the_root),
        cmocka_unit_test(the_start_is_not_an_event),
        cmocka_unit_test(the_first_root_ends_the_run),
        cmocka_unit_test(a_tangency_is_not_an_event),
        cmocka_unit_test(zero_at_the_end_of_a_step),
        cmocka_unit_test(jumps_are_not_events),
        cmocka_unit_test(a_nonfinite_value_is_reported),
        cmocka_unit_test(a_failing_substep_is_reported),
        cmocka_unit_test(the_last_row_is_at_the_root),
        cmocka_unit_test(compiled_and_interpreted_events_agree),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
