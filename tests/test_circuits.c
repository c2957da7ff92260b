/* Circuits stated in models: loops, energies, forces, and the published values of the exercise. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"
#include "noether_model.h"

/* Ober-Bloebaum et al. (2016), exercise 4: a complete graph of four nodes; branch 6 has no
 * inductor. */
#define BRANCHES                                                                                   \
    "param R = 0.000\nnode n1, n2, n3, n4\n"                                                       \
    "branch b1 : n1 -> n4 inductance = 1 capacitance = 1 resistance = R\n"                         \
    "branch b2 : n2 -> n3 inductance = 1 capacitance = 1 resistance = R\n"                         \
    "branch b3 : n3 -> n4 inductance = 1, capacitance = 1, resistance = R\n"                       \
    "branch b4 : n1 -> n3 inductance = 1 capacitance = 1 resistance = R\n"                         \
    "branch b5 : n2 -> n4 inductance = 1 capacitance = 1 resistance = R\n"                         \
    "branch b6 : n1 -> n2 capacitance = 1 resistance = R\n"
#define MESHES "mesh q[1] = -b1 + b5 + b6\nmesh q[2] = b2 + b3 - b5, q3 = b1 - b3 - b4\n"
#define RUN    BRANCHES MESHES "start q = [1, 1, 1]\n"

/* K and K2 of the exercise, and its matrices. */
static void test_loops_and_matrices(void **state) {
    (void)state;
    static const signed char K2[6][3] = {{-1, 0, 1}, {0, 1, 0},  {0, 1, -1},
                                         {0, 0, -1}, {1, -1, 0}, {1, 0, 0}};
    struct loaded run;
    loaded_open(&run, RUN "method midpoint\nstep 0.1\n");
    const struct noe_circuit *circuit = run.model->circuit;
    assert_non_null(circuit);
    assert_int_equal(circuit->nmeshes, 3);
    for (int i = 0; i < 18; i++) assert_int_equal(circuit->loop[i], K2[i / 3][i % 3]);
    const struct noe_system *system = run.model->system;
    noe_real p[3], w[3], d[36] = {0}, q[3] = {0.3, -0.7, 1.1}, v[3] = {0};
    system->second(system, 0, q, v, p, w, d);
    assert_int_equal(system->nz, 9);
    for (int i = 0; i < 9; i++) {
        const double C = i % 4 == 0 ? 3 : -1, L = i == 0 ? 2 : C;
        assert_near("L", d[i], L, 1e-15);
        assert_near("C", -d[27 + i], C, 1e-15);
    }
    assert_true(system->traits & NOE_DAMPED); /* for all values of R, also 0 */
    assert_false(system->traits & NOE_UNFORCED);
    loaded_close(&run);
}

static double energy_of(struct loaded *run) {
    struct noe_observation moment;
    assert_int_equal(noe_work_observe(run->run.work, &moment, NULL), NOE_OK);
    return moment.energy;
}

/* Forward Euler of the exercise is the drift with the old current followed by the kick, which is
 * euler-b. */
static void test_charges_without_resistance(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double q[2], energy_max, round; /* max |E - E0| over 300 steps */
    } rows[] = {
        {"euler-b", {-0.02047840209095639, 0.04838100764853846}, 0.10224, 5e-6},
        {"euler-a", {0.1211182297764653, 0.1685422656709941}, 0.10147, 5e-6},
        {"midpoint", {-0.05556462128334356, 0.03698876384720993}, 0, 5e-14},
        {"rk4", {0.01476485320476909, 0.08449568475486142}, 3.53e-5, 1e-7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        struct loaded run;
        double largest = 0;
        snprintf(text, sizeof text, RUN "method %s\nstep 0.1\n", rows[i].method);
        loaded_open(&run, text);
        const double start = energy_of(&run);
        assert_near("energy", start, 1.5, 1e-15);
        for (int k = 0; k < 300; k++) {
            loaded_steps(&run, 1);
            largest = fmax(largest, fabs(energy_of(&run) - start));
        }
        const struct noe_state *now = noe_work_state(run.run.work);
        assert_near("q1", now->q[0], rows[i].q[0], 4e-14);
        assert_near("q2", now->q[1], rows[i].q[1], 4e-14);
        assert_near("q3", now->q[2], rows[i].q[1], 4e-14);
        assert_near("energy error", largest, rows[i].energy_max, rows[i].round);
        loaded_close(&run);
    }
}

/* The last part: R = 0.001, T = 700, h = 0.4. */
static void test_energy_with_resistance(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double energy;
    } rows[] = {{"midpoint", 0.5286495743634433}, {"rk4", 0.3405557242036604}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        struct loaded run;
        snprintf(text, sizeof text, RUN "method %s\nstep 0.4\n", rows[i].method);
        memcpy(strstr(text, "0.000"), "0.001", 5);
        loaded_open(&run, text);
        loaded_steps(&run, 1750);
        assert_near(rows[i].method, energy_of(&run), rows[i].energy, 2e-13);
        loaded_close(&run);
    }
}

/* Branches in order: b1, b2, b3 form the spanning tree; b4, b5, b6 close one mesh each. */
static void test_loops_of_the_tree(void **state) {
    (void)state;
    static const signed char K2[6][3] = {{-1, 0, -1}, {0, -1, 1}, {1, -1, 1},
                                         {1, 0, 0},   {0, 1, 0},  {0, 0, 1}};
    struct loaded run;
    loaded_open(&run, BRANCHES "start q = [1, 0, 0]\nobserve charge = b3, current = b3'\n"
                               "method midpoint\nstep 0.1\n");
    const struct noe_circuit *circuit = run.model->circuit;
    for (int i = 0; i < 18; i++) assert_int_equal(circuit->loop[i], K2[i / 3][i % 3]);
    const struct noe_state *now = loaded_steps(&run, 10);
    struct noe_observation moment;
    assert_int_equal(noe_work_observe(run.run.work, &moment, NULL), NOE_OK);
    assert_near("charge", moment.values[0], now->q[0] - now->q[1] + now->q[2], 1e-15);
    assert_near("current", moment.values[1], moment.v[0] - moment.v[1] + moment.v[2], 1e-15);
    loaded_close(&run);
}

/* Elements that depend on the motion, with a source, beside a mechanical coordinate, against
 * equations written by hand. The plate of the capacitor moves, the coil saturates, the resistor
 * warms. */
static void test_elements_are_expressions(void **state) {
    (void)state;
    struct loaded run;
    loaded_open(&run, "node a, b\ncoord x\nL = x'^2 - x^2\n"
                      "branch coil : a -> b inductance = 2/(1 + u'^2/8)\n"
                      "branch u : b -> a capacitance = 3/(2 + x) resistance = 0.1 + coil^2 "
                      "source = sin(t)\n"
                      "start q1 = 0.4, q[1]' = 1, x = 0.2\n"
                      "mesh q1 = coil + u\nmethod gauss stages = 3\nstep 0.1\n");
    const struct noe_system *system = run.model->system;
    const noe_real t = 0.7, q[2] = {0.2, 0.4}, v[2] = {-0.3, 1};
    noe_real p[2], w[2];
    assert_int_equal(system->n, 2); /* x first, then the charge */
    system->first(system, t, q, v, p, w);
    const double x = 0.2, u = 0.4, i = 1, s = 1 + i * i / 8;
    assert_near("p", p[1], 2 * i / s - i * i * i / 4 / (s * s), 1e-15);
    assert_near("w of x", w[0], -2 * x - u * u / 6, 1e-15);
    assert_near("w of u", w[1], -u * (2 + x) / 3 - (0.1 + u * u) * i + sin(t), 1e-15);
    loaded_steps(&run, 10);
    loaded_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops_and_matrices),
        cmocka_unit_test(test_charges_without_resistance),
        cmocka_unit_test(test_energy_with_resistance),
        cmocka_unit_test(test_loops_of_the_tree),
        cmocka_unit_test(test_elements_are_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
