/* One-step methods on Hermite polynomials: values computed independently, and closed forms. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"

#define WELL                                                                                       \
    "coord q\nL = q'^2/2 - (q^4 - q^2)/2\nstart q = %g\nmethod hermite-%s n = %d\nstep %g\n"

/* State after a number of steps in the double well. */
static void test_double_well(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        int n, steps;
        double start, h, q, v;
    } rows[] = {
        {"variational", 2, 100, 0.74, 0.1, 0.7060644588302, -0.0475843054304978},
        {"galerkin", 2, 100, 0.74, 0.1, 0.706144215993039, -0.0475805444218801},
        {"variational", 2, 100, 0.995, 0.1, 0.167077929772027, -0.130772984186433},
        {"galerkin", 2, 100, 0.995, 0.1, 0.168937519097315, -0.13360335671468},
        {"variational", 3, 50, 0.995, 0.2, 0.168948431816976, -0.133620017695369},
        {"galerkin", 3, 50, 0.995, 0.2, 0.16893712649575, -0.133602903590388},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        struct loaded well;
        snprintf(text, sizeof text, WELL, rows[i].start, rows[i].kind, rows[i].n, rows[i].h);
        loaded_open(&well, text);
        const struct noe_state *now = loaded_steps(&well, rows[i].steps);
        assert_near(rows[i].kind, now->q[0], rows[i].q, 1e-13);
        assert_near(rows[i].kind, now->p[0], rows[i].v, 1e-13);
        loaded_close(&well);
    }
}

/* The energy stays in a band of known width. */
static void test_energy_band(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        double start, band;
    } rows[] = {
        {"variational", 0.74, 3.5e-7},
        {"galerkin", 0.74, 6.4e-10},
        {"variational", 0.995, 8.0e-5},
        {"galerkin", 0.995, 1.5e-7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        struct loaded well;
        struct noe_observation moment;
        double widest = 0;
        snprintf(text, sizeof text, WELL, rows[i].start, rows[i].kind, 2, 0.1);
        loaded_open(&well, text);
        noe_work_observe(well.run.work, &moment, NULL);
        const double energy = moment.energy;
        for (int k = 0; k < 500; k++) {
            loaded_steps(&well, 1);
            noe_work_observe(well.run.work, &moment, NULL);
            widest = fmax(widest, fabs(moment.energy - energy));
        }
        assert_near(rows[i].kind, widest, rows[i].band, 0.03 * rows[i].band);
        loaded_close(&well);
    }
}

/* The step of L = v^2/2 - q^2/2 in closed form, rows and columns (q, p). */
static void test_oscillator(void **state) {
    (void)state;
    const double h = 0.3, h2 = h * h, h4 = h2 * h2;
    const double N = 2 * (h4 + 9 * h2 + 210), G = h4 + 16 * h2 + 240;
    const double variational[4] = {(7 * h4 - 192 * h2 + 420) / N, h * (h2 - 42) * (h2 - 10) / N,
                                   15 * h * (3 * h2 - 28) / N, (7 * h4 - 192 * h2 + 420) / N};
    const double galerkin[4] = {(3 * h4 - 104 * h2 + 240) / G, h * (h2 - 60) * (h2 - 12) / (3 * G),
                                24 * h * (h2 - 10) / G, (3 * h4 - 104 * h2 + 240) / G};
    const char *kinds[] = {"variational", "galerkin"};
    const double *const exact[] = {variational, galerkin};
    for (int i = 0; i < 2; i++) {
        char text[200];
        struct loaded oscillator;
        real M[4];
        snprintf(text, sizeof text,
                 "coord q\nL = q'^2/2 - q^2/2\nstart q = 1\nmethod hermite-%s\nstep 0.3\n",
                 kinds[i]);
        loaded_open(&oscillator, text);
        assert_int_equal(noe_work_step_linearised(oscillator.run.work, M, NULL), NOE_OK);
        for (int k = 0; k < 4; k++) assert_near(kinds[i], M[k], exact[i][k], 1e-15);
        loaded_close(&oscillator);
    }
}

/* Stability intervals of the oscillator: up to 3.055 and from 3.162 to 6.481, and up to 3.162
 * and from 3.464 to 7.746. */
static void test_stability(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        double h;
        bool is_stable;
    } rows[] = {
        {"variational", 3.054, true}, {"variational", 3.056, false}, {"variational", 3.161, false},
        {"variational", 3.163, true}, {"variational", 6.480, true},  {"variational", 6.482, false},
        {"galerkin", 3.161, true},    {"galerkin", 3.163, false},    {"galerkin", 3.463, false},
        {"galerkin", 3.465, true},    {"galerkin", 7.745, true},     {"galerkin", 7.747, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        struct loaded oscillator;
        real M[4];
        snprintf(text, sizeof text,
                 "coord q\nL = q'^2/2 - q^2/2\nstart q = 1\nmethod hermite-%s\nstep %g\n",
                 rows[i].kind, rows[i].h);
        loaded_open(&oscillator, text);
        assert_int_equal(noe_work_step_linearised(oscillator.run.work, M, NULL), NOE_OK);
        if ((fabs(M[0] + M[3]) < 2) != rows[i].is_stable)
            fail_msg("hermite-%s, h = %g: trace %g", rows[i].kind, rows[i].h, M[0] + M[3]);
        loaded_close(&oscillator);
    }
}

/* Max deviation of the energy of Duffing's damped oscillator, from 1.2, from that of the exact
 * solution in the first five seconds. */
static void test_duffing(void **state) {
    (void)state;
    static const char *const methods[] = {"hermite-variational", "hermite-galerkin"};
    static const double expected[] = {5e-4, 1e-6}, dampings[] = {0.025, 0.05};
    for (int i = 0; i < 4; i++) {
        char text[300];
        struct loaded coarse, fine;
        struct noe_observation a, b;
        double worst = 0;
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text,
                     "coord x\nL = x'^2/2 + x^2/2 - x^4/2\nforce x = -%g*x'\nstart x = 1.2\n"
                     "method %s\nstep 0.1\n",
                     dampings[i / 2], k ? "gauss stages = 8" : methods[i % 2]);
            loaded_open(k ? &fine : &coarse, text);
        }
        for (int k = 0; k < 50; k++) {
            loaded_steps(&coarse, 1);
            loaded_steps(&fine, 1);
            noe_work_observe(coarse.run.work, &a, NULL);
            noe_work_observe(fine.run.work, &b, NULL);
            worst = fmax(worst, fabs(a.energy - b.energy));
        }
        assert_near(methods[i % 2], worst, expected[i % 2], 0.3 * expected[i % 2]);
        loaded_close(&coarse);
        loaded_close(&fine);
    }
}

/* det M - 1 of one step in the double well from (0.9, 0.3): small, but not zero. */
static void test_area(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        double defect;
    } rows[] = {{"variational", 9.84e-5}, {"galerkin", -3.30e-7}};
    for (int i = 0; i < 2; i++) {
        char text[200];
        struct loaded well;
        real M[4];
        snprintf(text, sizeof text,
                 "coord q\nL = q'^2/2 - (q^4 - q^2)/2\nstart q = 0.9, q' = 0.3\n"
                 "method hermite-%s\nstep 0.1\n",
                 rows[i].kind);
        loaded_open(&well, text);
        assert_int_equal(noe_work_step_linearised(well.run.work, M, NULL), NOE_OK);
        assert_near(rows[i].kind, M[0] * M[3] - M[1] * M[2] - 1, rows[i].defect,
                    0.005 * fabs(rows[i].defect));
        loaded_close(&well);
    }
}

#define SECTION                                                                                    \
    "param mT = 12.387, mW = 12.387, Ia = 0.065, b = 0.135, a = -0.6, ch = 27.43, ca = 0.18\n"     \
    "param kh = 2844.4, rho = 1.225, CL = 6.28, CM = (1/2 + a)*CL, U = %.17g\n"                    \
    "param xa = (0.0873 - b*(1 + a))/b\n"                                                          \
    "coord y, alpha\n"                                                                             \
    "let aeff = alpha + y'/U + (1/2 - a)*b*alpha'/U\n"                                             \
    "L = mT*y'^2/2 + Ia*alpha'^2/2 + mW*xa*b*y'*alpha'"                                            \
    " - kh*y^2/2 - 2.82*alpha^2/2 + 62.322*alpha^3/3 - 3709.71*alpha^4/4\n"                        \
    "force y = -ch*y' - rho*U^2*b*CL*aeff\nforce alpha = -ca*alpha' + rho*U^2*b^2*CM*aeff\n"

/* A pitching and plunging wing section with aerodynamic forces. */
static void test_section(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        double y, alpha, y_rate, alpha_rate;
    } rows[] = {{"variational", -6.96503475592868e-4, -0.0607749193848874, 0.028253528253537,
                 -0.372108734523928},
                {"galerkin", -7.02717427055047e-4, -0.0607313272656411, 0.0281922424946476,
                 -0.374544227204653}};
    for (int i = 0; i < 2; i++) {
        char text[1200];
        struct loaded section;
        snprintf(text, sizeof text,
                 SECTION "start y = 0.01, alpha = 0.1\nmethod hermite-%s\nstep 0.01\n", 10.89675,
                 rows[i].kind);
        loaded_open(&section, text);
        const struct noe_state *now = loaded_steps(&section, 100);
        assert_near("plunge", now->q[0], rows[i].y, 1e-11);
        assert_near("pitch", now->q[1], rows[i].alpha, 1e-11);
        struct noe_observation moment;
        noe_work_observe(section.run.work, &moment, NULL);
        assert_near("plunge rate", moment.v[0], rows[i].y_rate, 1e-10);
        assert_near("pitch rate", moment.v[1], rows[i].alpha_rate, 1e-10);
        loaded_close(&section);
    }
}

/* At nine tenths of the flutter speed: a limit cycle. */
static void test_limit_cycle(void **state) {
    (void)state;
    char text[1200];
    struct loaded section;
    double low = 0, high = 0, first = 0, last = 0;
    int periods = -1;
    snprintf(text, sizeof text,
             SECTION "start y = 0.01, alpha = 0.1\nmethod hermite-galerkin\nstep 0.005\n",
             0.9 * 12.1074999181);
    loaded_open(&section, text);
    loaded_steps(&section, 3000);
    while (periods < 20) {
        const double was = noe_work_state(section.run.work)->q[1];
        const struct noe_state *now = loaded_steps(&section, 1);
        const double pitch = now->q[1];
        low = fmin(low, pitch);
        high = fmax(high, pitch);
        if (!(was < 0 && pitch >= 0)) continue;
        last = now->t + 0.005 * pitch / (was - pitch);
        if (periods++ < 0) first = last;
    }
    assert_near("period", (last - first) / periods, 0.377902, 2e-6);
    assert_near("lowest pitch", low, -0.062456, 2e-6);
    assert_near("highest pitch", high, 0.071253, 4e-6);
    loaded_close(&section);
}

/* The max pitch after 20 s at the air speed U, with the initial pitch `start`. */
static double late_pitch(double U, double start) {
    char text[1300];
    struct loaded section;
    double max = 0;
    snprintf(text, sizeof text,
             SECTION "start y = %g, alpha = %g\nmethod hermite-galerkin\nstep 0.01\n", U,
             start / 10, start);
    loaded_open(&section, text);
    loaded_steps(&section, 2000);
    for (int k = 0; k < 100; k++) max = fmax(max, fabs(loaded_steps(&section, 1)->q[1]));
    loaded_close(&section);
    return max;
}

/* Below the flutter speed small motions decay, and at 0.85 of it all motions decay. */
static void test_decay(void **state) {
    (void)state;
    const double flutter = 12.1074999181;
    assert_near("from 0.1", late_pitch(0.9 * flutter, 0.1), 0.071253, 2e-4);
    assert_near("from 0.001", late_pitch(0.9 * flutter, 0.001), 0, 1e-4);
    assert_near("at 0.85", late_pitch(0.85 * flutter, 0.1), 0, 1e-3);
    if (!(late_pitch(1.01 * flutter, 0.001) > 0.05)) fail_msg("no flutter above its speed");
}

/* Dense output of successive steps is continuous with its velocity. Inside a step its error is
 * O(h^(2n)). */
static void test_dense_output(void **state) {
    (void)state;
    const struct test_case test = {&double_pendulum, {0.3, -0.2}, {0.2, 0.5}};
    struct run run, fine;
    struct noe_error error;
    real q[2], v[2], end_q[2], end_v[2];
    double errors[2];
    for (int level = 0; level < 2; level++) {
        const real h = level ? 0.025 : 0.05;
        run_start(&run, &test, "hermite-galerkin n=3", h);
        assert_int_equal(noe_work_dense_output(run.work, 0.5, q, v, &error), NOE_BAD_INPUT);
        assert_int_equal(noe_work_step(run.work, &error), NOE_OK);
        run_start(&fine, &test, "gauss stages=8", 0.4 * h);
        assert_int_equal(noe_work_step(fine.work, &error), NOE_OK);
        assert_int_equal(noe_work_dense_output(run.work, 0.4, q, v, &error), NOE_OK);
        errors[level] = fmax(fabs(q[0] - noe_work_state(fine.work)->q[0]),
                             fabs(q[1] - noe_work_state(fine.work)->q[1]));
        assert_int_equal(noe_work_dense_output(run.work, 1, end_q, end_v, &error), NOE_OK);
        assert_int_equal(noe_work_step(run.work, &error), NOE_OK);
        assert_int_equal(noe_work_dense_output(run.work, 0, q, v, &error), NOE_OK);
        for (int i = 0; i < 2; i++) {
            assert_near("configuration", q[i], end_q[i], 4e-16);
            assert_near("velocity", v[i], end_v[i], 4e-15);
        }
        run_end(&fine);
        run_end(&run);
    }
    assert_near("order inside", log2(errors[0] / errors[1]), 6, 0.2);
    run_start(&run, &test, "midpoint", 0.1);
    assert_int_equal(noe_work_dense_output(run.work, 0.5, q, v, &error), NOE_NOT_SERVED);
    run_end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_well),  cmocka_unit_test(test_energy_band),
        cmocka_unit_test(test_oscillator),   cmocka_unit_test(test_area),
        cmocka_unit_test(test_section),      cmocka_unit_test(test_limit_cycle),
        cmocka_unit_test(test_dense_output), cmocka_unit_test(test_stability),
        cmocka_unit_test(test_duffing),      cmocka_unit_test(test_decay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
