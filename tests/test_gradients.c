/* Discrete gradients and energy-momentum methods: values computed independently, and failures. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "engine/work.h"
#include "loaded.h"
#include "noether_model.h"

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

/* The max change of x p_y - y p_x in 50 steps in the sombrero potential. */
static void test_momentum_is_not_conserved(void **state) {
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
        const double start = momentum(noe_work_state(run.work)->q, noe_work_state(run.work)->p);
        for (int k = 0; k < 50; k++) {
            assert_int_equal(noe_work_step(run.work, NULL), NOE_OK);
            change = fmax(
                change,
                fabs(momentum(noe_work_state(run.work)->q, noe_work_state(run.work)->p) - start));
        }
        assert_near(rows[i].method, change, rows[i].change, rows[i].tolerance);
        run_end(&run);
    }
}

/* Planets of very different masses: the components of the state differ in scale. */
static void test_masses(void **state) {
    (void)state;
    struct loaded planets;
    struct noe_observation moment;
    loaded_open(&planets,
                "param m = [1, 1e-3, 2e-6]\ncoord r[3][2]\n"
                "L = sum(i = 1..3, m[i]/2*dot(r[i]', r[i]'))"
                " + sum(i = 2..3, j = 1..i-1, m[i]*m[j]/norm(r[i] - r[j]))\n"
                "invariant J = sum(i = 1..3, m[i]*(r[i][1]*r[i][2]' - r[i][2]*r[i][1]'))\n"
                "start r = [[0, 0], [1, 0], [0, 1.7]]\n"
                "start r' = [[0, -1e-3], [0, 0.95], [-0.8, 0]]\n"
                "method discrete-gradient kind = equivariant\nstep 0.05\n");
    noe_work_observe(planets.run.work, &moment, NULL);
    const double energy = moment.energy, turning = moment.values[0];
    for (int k = 0; k < 1000; k++) {
        loaded_steps(&planets, 1);
        noe_work_observe(planets.run.work, &moment, NULL);
        assert_near("energy", moment.energy / energy, 1, 4e-14);
        assert_near("momentum", moment.values[0] / turning, 1, 2e-15);
    }
    loaded_close(&planets);
}

/* The tangent map of a step with a constant full mass matrix, against finite differences. */
static void test_full_mass(void **state) {
    (void)state;
    struct loaded pair;
    struct noe_work *work;
    real M[16], z[4], end[2][4];
    loaded_open(&pair,
                "coord u[2]\nL = u[1]'^2 + u[2]'^2 + u[1]'*u[2]' - u[1]^4/4 - u[1]^2*u[2]^2\n"
                "start u = [1, 0.5], u' = [0.2, -0.4]\n"
                "method discrete-gradient kind = equivariant\nstep 0.1\n");
    work = pair.run.work;
    memcpy(z, noe_work_state(work)->q, 2 * sizeof *z);
    memcpy(z + 2, noe_work_state(work)->p, 2 * sizeof *z);
    assert_int_equal(noe_work_step_linearised(work, M, NULL), NOE_OK);
    for (int j = 0; j < 4; j++) {
        const real old = z[j], e = 1e-5;
        for (int side = 0; side < 2; side++) {
            z[j] = old + (side ? e : -e);
            noe_work_start_momentum(work, 0, z, z + 2, NULL);
            assert_int_equal(noe_work_step(work, NULL), NOE_OK);
            memcpy(end[side], noe_work_state(work)->q, 2 * sizeof *z);
            memcpy(end[side] + 2, noe_work_state(work)->p, 2 * sizeof *z);
        }
        z[j] = old;
        for (int i = 0; i < 4; i++)
            assert_near("derivative", M[4 * i + j], (end[1][i] - end[0][i]) / (2 * e), 4e-9);
    }
    loaded_close(&pair);
}

/* Position between the ends at which the force conserves the energy: a of the unknowns (X, F,
 * a). */
static void test_collocation(void **state) {
    (void)state;
    struct loaded well;
    double min = 1, max = 0;
    loaded_open(&well, "coord q\nL = q'^2/2 - (q^4 - q^2)/2\nstart q = 0.995\n"
                       "method energy-momentum kind = collocation\nstep 0.1\n");
    for (int k = 0; k < 100; k++) {
        loaded_steps(&well, 1);
        min = fmin(min, well.run.work->newton.u[2]);
        max = fmax(max, well.run.work->newton.u[2]);
    }
    assert_near("least a", min, 0.40, 0.005);
    assert_near("largest a", max, 0.77, 0.005);
    loaded_close(&well);
}

/* No scaling of the force conserves the energy in the 13th step in the Henon-Heiles potential.
 * The state is unchanged, and the message gives advice. */
static void test_no_root(void **state) {
    (void)state;
    const struct test_case test = {&henon_heiles, {0.1, 0.3}, {0.35, -0.2}};
    struct run run;
    struct noe_error error;
    run_start(&run, &test, "energy-momentum", 0.1);
    assert_int_equal(noe_work_steps(run.work, 20, &error), NOE_NOT_CONVERGED);
    assert_int_equal(noe_work_state(run.work)->k, 12);
    assert_non_null(strstr(error.text, "at right angles"));
    run_end(&run);
}

/* At and near an equilibrium there is no division by zero. */
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
            if (noe_work_steps(run.work, 10, &error) != NOE_OK)
                fail_msg("%s: %s", methods[i], error.text);
            const double y = noe_work_state(run.work)->q[1] - 1;
            assert_near(methods[i], y, away * cosh(1.0), 1e-3 * away + 1e-20);
            run_end(&run);
        }
}

#define DRIVEN                                                                                     \
    "coord x, y\nL = (x'^2 + y'^2)/2 - (x^2 + 2*y^2)/2 - x^2*y^2 - x^4/4\n"                        \
    "force x = 0.3*cos(2*t) - 0.1*x'*(1 + y^2) + 0.2*y\nforce y = -0.2*x - 0.05*y'*x^2\n"          \
    "start x = 1, y' = 0.7\nstep 0.1\nmethod "

/* The forces of this model. */
static void driving(double t, const double *q, const double *v, double *f) {
    f[0] = 0.3 * cos(2 * t) - 0.1 * v[0] * (1 + q[1] * q[1]) + 0.2 * q[1];
    f[1] = -0.2 * q[0] - 0.05 * v[1] * q[0] * q[0];
}

/* The point at which a discrete gradient evaluates the force between y0 and y1, y = (q,p): the
 * midpoint, the mean over the chord, or component by component the mean over the edge along
 * which that component changes. */
enum position { MIDDLE, CHORD, EDGES };

static void mean_force(enum position position, double t, double h, const double *y0,
                       const double *y1, double *f) {
    static const double c[] = {0.046910077030668004, 0.23076534494715845, 0.5, 0.76923465505284155,
                               0.95308992296933200};
    static const double b[] = {0.11846344252809454, 0.23931433524968323, 0.28444444444444444,
                               0.23931433524968323, 0.11846344252809454};
    for (int k = 0; k < 2; k++) {
        f[k] = 0;
        for (int i = 0; i < 5; i++) {
            const double part = position == MIDDLE ? 0.5 : c[i];
            double y[4], here[2];
            for (int j = 0; j < 4; j++) {
                const double moved = position != EDGES || j == k ? part : j < k;
                y[j] = y0[j] + moved * (y1[j] - y0[j]);
            }
            driving(t + (position == CHORD ? part : 0.5) * h, y, y + 2, here);
            f[k] += b[i] * here[k];
        }
    }
}

/* The energy changes by the work of the forces, h f.X with X = (q1 - q)/h. Measured: 5.5e-16. */
static void test_work_of_forces(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        enum position position;
    } rows[] = {{"gonzalez", MIDDLE}, {"equivariant", MIDDLE}, {"avf", CHORD}, {"itoh-abe", EDGES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        struct loaded driven;
        struct noe_observation moment;
        snprintf(text, sizeof text, DRIVEN "discrete-gradient kind = %s\n", rows[i].kind);
        loaded_open(&driven, text);
        noe_work_observe(driven.run.work, &moment, NULL);
        double energy = moment.energy, worst = 0;
        for (int k = 0; k < 500; k++) {
            const struct noe_state *now = noe_work_state(driven.run.work);
            const double t = now->t, y0[] = {now->q[0], now->q[1], now->p[0], now->p[1]};
            now = loaded_steps(&driven, 1);
            const double y1[] = {now->q[0], now->q[1], now->p[0], now->p[1]};
            double f[2];
            mean_force(rows[i].position, t, 0.1, y0, y1, f);
            const double work = f[0] * (y1[0] - y0[0]) + f[1] * (y1[1] - y0[1]);
            noe_work_observe(driven.run.work, &moment, NULL);
            worst = fmax(worst, fabs(moment.energy - energy - work));
            energy = moment.energy;
        }
        assert_near(rows[i].kind, worst, 0, 1.1e-15);
        loaded_close(&driven);
    }
}

static void test_refusals(void **state) {
    (void)state;
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    const real q[] = {0, 0, 1, 0.1}, v[4] = {0};
    struct noe_model *model;
    const struct noe_model_settings settings = {.interpret = true};
    assert_int_equal(noe_model_open_text(&model, "drive.noe",
                                         "coord q\nL = q'^2/2 - q^2/2\nforce q = cos(t)\n",
                                         &settings, &error),
                     NOE_OK);
    assert_int_equal(noe_problem_init(&problem, model->system, "energy-momentum", 0.1, &error),
                     NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "this one has forces; methods that serve it: "));
    assert_null(strstr(error.text, "energy-momentum,"));
    noe_model_free(model);
    assert_int_equal(noe_problem_init(&problem, &magnet, "energy-momentum", 0.1, &error),
                     NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "needs a separable system"));
    assert_int_equal(noe_problem_init(&problem, &vortices, "discrete-gradient kind=avf", 0.1, NULL),
                     NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, q, v, &error), NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "this Lagrangian is degenerate"));
    assert_int_equal(noe_work_step(work, &error), NOE_BAD_INPUT); /* not started */
    noe_work_free(work);
    noe_problem_clear(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_well), cmocka_unit_test(test_momentum_is_not_conserved),
        cmocka_unit_test(test_no_root),     cmocka_unit_test(test_equilibrium),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_masses),
        cmocka_unit_test(test_full_mass),   cmocka_unit_test(test_work_of_forces),
        cmocka_unit_test(test_collocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
