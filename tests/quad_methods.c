/* Properties that double precision cannot resolve: high orders, and Kepler's orbit closed to
 * thirty digits. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "methods/method.h"

static void check_order(const char *method, const struct variant *row,
                        const struct test_case *test) {
    struct noe_problem problem;
    (void)row;
    assert_int_equal(noe_problem_init(&problem, test->system, method, 0.1, NULL), NOE_OK);
    const int claimed = problem.order;
    noe_problem_clear(&problem);
    if (claimed < 4) return; /* measured in double */
    const bool is_group = test->system == &tilted_top || test->system == &tied_vehicle;
    const bool is_default = strstr(method, "=cay") || strstr(method, "=exp");
    if (is_group
            ? claimed > 8 || !is_default
            : claimed > 12 || (test->system != &henon_heiles && test->system != &double_pendulum))
        return;
    const double seen = observed_order(test, method, 1e-25);
    if (!(fabs(seen - claimed) < 0.12))
        fail_msg("%s on %s: order %d claimed, %.3f seen", method, test->system->name, claimed,
                 seen);
}

static void test_orders(void **state) {
    (void)state;
    for_each_method(10, check_order);
}

/* e = 0.6 has period 2 pi, so the start returns after one revolution. */
static void test_kepler(void **state) {
    (void)state;
    enum { STEPS = 512 };
    const struct test_case test = {&kepler, {0.4Q, 0}, {0, 2}};
    const real period = 6.28318530717958647692528676655900577Q;
    struct run run;
    struct noe_error error;
    run_start(&run, &test, "gauss stages=12", period / STEPS);
    assert_int_equal(noe_work_steps(run.work, STEPS, &error), NOE_OK);
    const struct noe_state *now = noe_work_state(run.work);
    const real x = noe_abs(now->q[0] - 0.4Q), y = noe_abs(now->q[1]);
    if (!(x < 1e-30 && y < 1e-30))
        fail_msg("Kepler's orbit misses its start by %.2e, %.2e", (double)x, (double)y);
    run_end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_kepler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
