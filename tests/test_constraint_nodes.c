/* Velocities, momenta and multipliers that are recorded at the nodes of constrained runs, also for
 * mass matrices that are regular along the constraints only. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"

#define PENDULUM "param g = 9.81\ncoord x, y\nL = (x'^2 + y'^2)/2 - g*y\nconstraint x^2 + y^2 = 1\n"

/* The free rigid body as a unit quaternion in R^4: W = 2 conj(q) q', and L does not depend on the
 * velocity along q. */
#define BODY                                                                                       \
    "param j = [1, 2, 2.5]\ncoord a, b[3]\nlet W = 2*(a*b' - a'*b - cross(b, b'))\n"               \
    "L = dot(W, diag(j)*W)/2\nconstraint a^2 + dot(b, b) = 1\n"                                    \
    "start a = 0.8, b = [0, 0.6, 0], a' = -0.12, b' = [0.5, 0.16, -0.3]\n"

/* A circuit in branch charges: a coil, a capacitor and a coil with a capacitor in parallel. Branch
 * `u` has no inductance. */
#define CIRCUIT                                                                                    \
    "coord i, u, w\nL = i'^2 + w'^2/2 - u^2 - w^2/4\nconstraint i - u - w = 0\n"                   \
    "start i = 0.7, u = 0.5, w = 0.2, i' = 1, u' = 0.4, w' = 0.6\n"

enum { NUMBERS = 12 };

/* q, v, p and multipliers at the end of a run. */
static void run_to(const char *text, const char *method, double h, long steps, double *z) {
    char stated[1200];
    struct loaded run;
    struct noe_observation moment;
    snprintf(stated, sizeof stated, "%smethod %s\nstep %.17g\n", text, method, h);
    loaded_open(&run, stated);
    const struct noe_state *now = loaded_steps(&run, steps);
    const int n = run.model->system->n, m = run.model->nconstraints;
    assert_int_equal(noe_work_observe(run.run.work, &moment, NULL), NOE_OK);
    memset(z, 0, NUMBERS * sizeof *z);
    for (int k = 0; k < n; k++) {
        z[k] = (double)now->q[k];
        z[n + k] = (double)moment.v[k];
        if (n < 4) z[2 * n + k] = (double)now->p[k];
    }
    for (int a = 0; a < m; a++) z[NUMBERS - 1 - a] = (double)now->multipliers[a];
    loaded_close(&run);
}

static double distance(const double *x, const double *y) {
    double largest = 0;
    for (int k = 0; k < NUMBERS; k++) largest = fmax(largest, fabs(x[k] - y[k]));
    return largest;
}

/* A hanging pendulum stays at rest, and its rod carries the weight: 2 lambda = g. */
static void test_rest(void **state) {
    (void)state;
    static const char *const methods[] = {"midpoint", "lobatto stages=2", "lobatto stages=3",
                                          "generalized-alpha"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        double z[NUMBERS];
        run_to(PENDULUM "start x = 0, y = -1\n", methods[i], 0.01, 10, z);
        for (int k = 0; k < 6; k++) assert_near(methods[i], z[k], k == 1 ? -1 : 0, 0);
        assert_near(methods[i], z[NUMBERS - 1], 9.81 / 2, 2e-15);
    }
}

/* Orders of q, v and p together; multipliers are carried from step to step, or belong to the node
 * before. If the mass matrix is singular, s stages of lobatto have the order s, or s + 1 for odd
 * s. */
static void test_orders(void **state) {
    (void)state;
    static const struct {
        const char *text, *method;
        double order;
    } rows[] = {{PENDULUM "start x = 0.6, y = -0.8\n", "midpoint", 2},
                {BODY, "midpoint", 2},
                {BODY, "lobatto stages=3", 4},
                {BODY, "lobatto stages=4", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double exact[NUMBERS], coarse[NUMBERS], fine[NUMBERS];
        run_to(rows[i].text, "lobatto stages=6", 0.025, 40, exact);
        run_to(rows[i].text, rows[i].method, 0.05, 20, coarse);
        run_to(rows[i].text, rows[i].method, 0.025, 40, fine);
        exact[NUMBERS - 1] = coarse[NUMBERS - 1] = fine[NUMBERS - 1] = 0;
        const double order = log2(distance(coarse, exact) / distance(fine, exact));
        if (!(fabs(order - rows[i].order) < 0.1))
            fail_msg("%s on model %zu: order %.3f (errors %.3g, %.3g)", rows[i].method, i, order,
                     distance(coarse, exact), distance(fine, exact));
    }
}

/* Against the mesh charges i = q1 + q2, u = q1, w = q2, whose mass matrix is regular. */
static void test_circuit(void **state) {
    (void)state;
    double branch[NUMBERS], mesh[NUMBERS];
    run_to(CIRCUIT, "midpoint", 0.05, 40, branch);
    run_to("coord u, w\nL = (u' + w')^2 + w'^2/2 - u^2 - w^2/4\n"
           "start u = 0.5, w = 0.2, u' = 0.4, w' = 0.6\n",
           "midpoint", 0.05, 40, mesh);
    for (int k = 0; k < 4; k++) assert_near("branch", branch[1 + k + k / 2], mesh[k], 2e-15);
}

/* Energy and velocities along the constraint over 10000 steps. */
static void test_long(void **state) {
    (void)state;
    struct loaded run;
    struct noe_observation moment;
    noe_real c[2];
    double energy = 0, velocity = 0;
    loaded_open(&run, BODY "method midpoint\nstep 0.05\n");
    assert_int_equal(noe_work_observe(run.run.work, &moment, NULL), NOE_OK);
    const double start = (double)moment.energy;
    const struct noe_system *system = run.model->system;
    for (int k = 0; k < 10000; k++) {
        const struct noe_state *now = loaded_steps(&run, 1);
        assert_int_equal(noe_work_observe(run.run.work, &moment, NULL), NOE_OK);
        system->constraints(system, now->t, now->q, moment.v, c);
        energy = fmax(energy, fabs((double)moment.energy - start));
        velocity = fmax(velocity, fabs((double)c[1]));
    }
    assert_near("energy", energy, 0, 1e-3);
    assert_near("velocity", velocity, 0, 2e-15);
    loaded_close(&run);
}

/* Stages that a constant null space of the mass matrix leaves open. */
static void test_open_stages(void **state) {
    (void)state;
    struct loaded run;
    struct noe_error error;
    loaded_open(&run, CIRCUIT "method lobatto stages=3\nstep 0.05\n");
    assert_int_equal(noe_work_step(run.run.work, &error), NOE_SINGULAR);
    assert_non_null(strstr(error.text, "midpoint serves such a system"));
    loaded_close(&run);
}

/* Methods whose stages need the whole mass matrix name the reason. */
static void test_refusals(void **state) {
    (void)state;
    static const char *const methods[] = {"lobatto stages=2", "generalized-alpha"};
    for (int i = 0; i < 2; i++) {
        struct loaded run;
        struct noe_error error;
        loaded_open(&run, BODY "method midpoint\nstep 0.05\n");
        struct noe_problem problem;
        struct noe_work *work;
        assert_int_equal(noe_problem_init(&problem, run.model->system, methods[i], 0.05, &error),
                         NOE_OK);
        assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
        assert_int_equal(noe_work_start(work, 0, run.model->q, run.model->v, &error),
                         NOE_NOT_SERVED);
        assert_non_null(strstr(error.text, "mass matrix is singular"));
        assert_non_null(strstr(error.text, "midpoint and lobatto stages=3 serve it"));
        noe_work_free(work);
        noe_problem_clear(&problem);
        loaded_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_circuit),     cmocka_unit_test(test_long),
        cmocka_unit_test(test_open_stages), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
