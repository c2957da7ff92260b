/* Constrained systems that start at rest, where velocities and reactions are as small as
 * round-off. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "loaded.h"
#include "noether_model.h"

/* Horizontal, so that the first reaction vanishes too; and bent, so that it is not zero. */
static const char *const models[] = {
    "coord q[2]\nL = dot(q', q')/2 - 9.81*q[2]\nconstraint dot(q, q) = 1\nstart q = [1, 0]\n",
    "param a = 0.3, b = 0.4\ncoord x[2], y[2]\n"
    "L = dot(x', x')/2 + 3*dot(y', y')/2 - 9.81*(x[2] + 3*y[2])\n"
    "constraint dot(x, x) = a^2\nconstraint dot(x - y, x - y) = b^2\n"
    "start x = [a, 0], y = [a + 0.6*b, 0.8*b]\n"};

static const char *const methods[] = {"lobatto stages = 2", "lobatto stages = 3",
                                      "lobatto stages = 4", "midpoint", "generalized-alpha"};

/* The points fall, to within a step: initially y'' = -9.81 for the first one. */
static void small_steps_from_rest_succeed(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
            for (double h = 1e-2; h > 5e-7; h /= 10) {
                char text[1024];
                struct loaded run;
                noe_real c[4];
                snprintf(text, sizeof text, "%smethod %s\nstep %g\n", models[i], methods[k], h);
                loaded_open(&run, text);
                const struct noe_state *now = loaded_steps(&run, 20);
                const struct noe_system *system = run.model->system;
                system->constraints(system, now->t, now->q, run.model->v, c);
                for (int a = 0; a < system->nholonomic; a++)
                    assert_near("constraint", c[a], 0, 9e-16); /* measured 4.4e-16 */
                const double fallen = -9.81 * 200 * h * h;
                if (i == 0) assert_near("q", now->q[1], fallen, 0.1 * -fallen);
                loaded_close(&run);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_steps_from_rest_succeed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
