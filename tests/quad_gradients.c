/* Energy and momentum to the last of 34 digits, and reversibility. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "methods/method.h"

/* Max changes over 50 steps, relative to the start. */
static void drift(const struct test_case *test, const char *method, double *energy,
                  double *momentum) {
    struct run run;
    struct noe_error error;
    struct noe_observation moment;
    momentum_map *map = momentum_of(test->system);
    run_start(&run, test, method, 0.1Q);
    noe_work_observe(run.work, &moment, &error);
    const real start = moment.energy;
    const real turning = map ? map(noe_work_state(run.work)->q, noe_work_state(run.work)->p) : 1;
    *energy = *momentum = 0;
    for (int k = 0; k < 50; k++) {
        if (noe_work_step(run.work, &error) != NOE_OK)
            fail_msg("%s on %s: %s", method, test->system->name, error.text);
        noe_work_observe(run.work, &moment, &error);
        *energy = fmax(*energy, (double)noe_abs((moment.energy - start) / start));
        if (!map) continue;
        const real change = map(noe_work_state(run.work)->q, noe_work_state(run.work)->p) - turning;
        *momentum = fmax(*momentum, (double)noe_abs(change / turning));
    }
    run_end(&run);
}

static void check(const char *method, const struct variant *row, const struct test_case *test) {
    double energy, momentum;
    const unsigned needed = NOE_UNFORCED | NOE_AUTONOMOUS;
    if (!(row->traits & NOE_ENERGY) || (test->system->traits & needed) != needed) return;
    if (!(row->traits & NOE_NEEDS_HAMILTONIAN)) return;
    if (strcmp(method, "energy-momentum kind=projection") == 0 && test->system == &henon_heiles)
        return; /* may have no root */
    drift(test, method, &energy, &momentum);
    if (!(energy < 4e-33))
        fail_msg("%s on %s: energy changes by %.2e", method, test->system->name, energy);
    if ((row->traits & NOE_MOMENTUM) && !(momentum < 4e-33))
        fail_msg("%s on %s: momentum changes by %.2e", method, test->system->name, momentum);
}

static void test_conservation(void **state) {
    (void)state;
    for_each_method(2, check);
}

static void check_return(const char *method, const struct variant *row,
                         const struct test_case *test) {
    struct run run;
    struct noe_error error;
    if (strncmp(method, "hermite", 7) != 0 || test->system != &double_pendulum) return;
    (void)row;
    run_start(&run, test, method, 0.1Q);
    assert_int_equal(noe_work_step_by(run.work, 0.1Q, &error), NOE_OK);
    assert_int_equal(noe_work_step_by(run.work, -0.1Q, &error), NOE_OK);
    for (int i = 0; i < test->system->n; i++) {
        const double away = (double)noe_abs(noe_work_state(run.work)->q[i] - test->q[i]);
        if (!(away < 2e-32)) fail_msg("%s does not return: %.2e", method, away);
    }
    run_end(&run);
}

static void test_reversibility(void **state) {
    (void)state;
    for_each_method(6, check_return);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_reversibility),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
