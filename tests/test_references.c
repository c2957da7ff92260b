/* Values computed independently, compared with runs of text models. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"
#include "noether_model.h"

#define CART                                                                                       \
    "param mp = 1, mc = 0.5, l = 0.1, g = 9.81, parts = 100\n"                                     \
    "param m = mp + mc, J = mp*l^2, T = 2*pi*sqrt(l/g), fhat = mp*g/5\n"                           \
    "coord alpha, x\n"                                                                             \
    "L = J/2*alpha'^2 - mp*l*alpha'*x'*sin(alpha) + m/2*x'^2 - mp*g*l*sin(alpha)\n"                \
    "force x = fhat*sin(2*pi*t/T)\nstart alpha = -pi/2\nmethod midpoint\n"

/* Ober-Bloebaum et al. (2016), exercise 1: pendulum on a driven cart after four periods. */
static void test_cart(void **state) {
    (void)state;
    struct loaded cart;
    loaded_open(&cart, CART "step T/100\n");
    const struct noe_state *now = loaded_steps(&cart, 400);
    assert_near("alpha", now->q[0], -1.683545623773557, 2e-14);
    assert_near("x", now->q[1], 0.3426590039891716, 2e-14);
    loaded_close(&cart);
    loaded_open(&cart, CART "step T/200\n");
    now = loaded_steps(&cart, 800);
    assert_near("alpha", now->q[0], -1.684570126555083, 2e-14);
    assert_near("x", now->q[1], 0.3426855517713955, 2e-14);
    loaded_close(&cart);
}

static void test_kepler(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double expected[4];
    } rows[] = {
        {"gauss stages = 2",
         {-.6292271156652654, .7993056872500554, -.9825559111634061, -.02326262139935517}},
        {"lobatto stages = 3",
         {-.6288332816463927, .7996796932746016, -.9824910101134017, -.02277533776514543}},
        {"gauss stages = 12",
         {-.6289481768266242, .7996647309700393, -.9825156909388113, -.02276317009743042}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        struct loaded kepler_run;
        snprintf(text, sizeof text,
                 "coord q[2]\nL = dot(q', q')/2 + 1/norm(q)\nstart q = [.4, 0], q' = [0, 2]\n"
                 "method %s\nstep 0.1\n",
                 rows[i].method);
        loaded_open(&kepler_run, text);
        const struct noe_state *now = loaded_steps(&kepler_run, 10);
        for (int k = 0; k < 4; k++)
            assert_near(rows[i].method, k < 2 ? now->q[k] : now->p[k - 2], rows[i].expected[k],
                        2e-14);
        loaded_close(&kepler_run);
    }
}

/* Seven stars (IVP test set): the reference has 16 digits, of which close encounters cost three. */
static void test_pleiades(void **state) {
    (void)state;
    static const double x[] = {0.3706139143970502, 3.237284092057233,  -3.222559032418324,
                               0.6597091455775310, 0.3425581707156584, 1.562172101400631,
                               -0.7003092922212495};
    static const double y[] = {-3.943437585517392, -3.271380973972550, 5.225081843456543,
                               -2.590612434977470, 1.198213693392275,  -0.2429682344935824,
                               1.091449240428980};
    struct loaded stars;
    loaded_open(&stars, "coord r[7][2]\n"
                        "L = sum(i = 1..7, i/2*dot(r[i]', r[i]')) + sum(i = 2..7, j = 1..i-1, "
                        "i*j/norm(r[i]-r[j]))\n"
                        "start r = [[3,3], [3,-3], [-1,2], [-3,0], [2,0], [-2,-4], [2,4]]\n"
                        "start r' = [[0,0], [0,0], [0,0], [0,-1.25], [0,1], [1.75,0], [-1.5,0]]\n"
                        "method gauss stages = 8\nstep 3/6000\n");
    const struct noe_state *now = loaded_steps(&stars, 6000);
    for (int i = 0; i < 7; i++) {
        assert_near("x", now->q[2 * i], x[i], 5e-13);
        assert_near("y", now->q[2 * i + 1], y[i], 5e-13);
    }
    loaded_close(&stars);
}

/* The figure-eight orbit of three bodies after one period in 400 steps. */
static void test_figure_eight(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double closes, energy;
    } rows[] = {{"gauss stages = 2", 1.3e-7, 3e-15}, {"midpoint", 1.3e-3, 4e-9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        struct loaded orbit;
        struct noe_observation moment;
        snprintf(text, sizeof text,
                 "coord q[3][2]\nL = sum(i = 1..3, dot(q[i]', q[i]')/2)"
                 " + sum(i = 2..3, j = 1..i-1, 1/norm(q[i] - q[j]))\n"
                 "start q = [[0.97000436,-0.24308753],[-0.97000436,0.24308753],[0,0]]\n"
                 "start q' = [[0.46620368,0.43236573],[0.46620368,0.43236573],"
                 "[-0.93240737,-0.86473146]]\nmethod %s\nstep 6.32591398/400\n",
                 rows[i].method);
        loaded_open(&orbit, text);
        noe_work_observe(orbit.run.work, &moment, NULL);
        const double energy = moment.energy;
        double distance = 0;
        const struct noe_state *now = loaded_steps(&orbit, 400);
        for (int k = 0; k < 6; k++) distance = fmax(distance, fabs(now->q[k] - orbit.model->q[k]));
        noe_work_observe(orbit.run.work, &moment, NULL);
        assert_near("closing", distance, rows[i].closes, 0.2 * rows[i].closes);
        assert_true(fabs(moment.energy - energy) <= 1.5 * rows[i].energy);
        loaded_close(&orbit);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cart),
        cmocka_unit_test(test_kepler),
        cmocka_unit_test(test_pleiades),
        cmocka_unit_test(test_figure_eight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
