/* The last step repeated with another step size: the state is that of a step of that size. */
/* SPDX-License-Identifier: MIT */
#include "engine/work.h"
#include "methods.h"
#include "methods/method.h"

static void assert_ok(enum noe_status status, const struct noe_error *error, const char *method) {
    if (status != NOE_OK) fail_msg("%s: %s", method, error->text);
}

/* Measured 2.2e-16; 1.4e-15 if more than the stages is summed; 3.4e-15 if differences of the
 * energy, here -28, correct the step. */
static void assert_near(const struct test_case *test, const char *method, const struct noe_work *a,
                        const struct noe_work *b) {
    const unsigned traits = a->problem->traits;
    const double max = traits & NOE_SYMPLECTIC ? 4.5e-16 : traits & NOE_ENERGY ? 7e-15 : 2.8e-15;
    const real distance = state_distance(test->system, noe_work_state(a), noe_work_state(b));
    if (!(distance <= max) || noe_work_state(a)->k != noe_work_state(b)->k)
        fail_msg("%s on %s: retaken %.3g apart", method, test->system->name, (double)distance);
}

/* Two steps. The second is repeated with fractions of its size, backwards, and in full. */
static void check_restep(const char *method, const struct variant *row,
                         const struct test_case *test) {
    static const double part[] = {0.37, 1e-9, 0.999, -0.5, 1};
    const bool is_adaptive = row->traits & NOE_ADAPTIVE;
    const real h = (real)0.05;
    struct run run, other;
    struct noe_error error;
    run_start(&run, test, method, h);
    assert_ok(noe_work_step(run.work, &error), &error, method);
    assert_ok(noe_work_step(run.work, &error), &error, method);
    const real length = noe_work_state(run.work)->h, end = noe_work_state(run.work)->t;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        run_start(&other, test, method, h);
        assert_ok(noe_work_step(other.work, &error), &error, method);
        assert_ok(noe_work_step_by(other.work, part[i] * length, &error), &error, method);
        assert_ok(noe_work_restep(run.work, part[i] * length, &error), &error, method);
        assert_near(test, method, run.work, other.work);
        assert_true(noe_work_state(run.work)->t == noe_work_state(other.work)->t);
        run_end(&other);
    }
    assert_true(noe_work_state(run.work)->t == end);
    for (int k = 3; k < 40 && !is_adaptive; k++) { /* time is still t0 + k h */
        assert_ok(noe_work_step(run.work, &error), &error, method);
        assert_true(noe_work_state(run.work)->t == k * h);
    }
    run_end(&run);
}

static void every_method_repeats_its_last_step(void **state) {
    (void)state;
    for_each_method(4, check_restep);
}

/* After a substep the time grid continues from its end. */
static void the_run_continues_after_a_substep(void **state) {
    (void)state;
    struct run run;
    const real h = (real)0.125;
    run_start(&run, &test_cases[0], "verlet", h);
    assert_int_equal(noe_work_step(run.work, NULL), NOE_OK);
    assert_int_equal(noe_work_restep(run.work, h / 4, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(run.work, 3, NULL), NOE_OK);
    assert_true(noe_work_state(run.work)->t == h / 4 + 3 * h);
    assert_int_equal(noe_work_state(run.work)->k, 4);
    run_end(&run);
}

/* A time grid with a nonzero start keeps its values. */
static void full_steps_stay_on_the_grid(void **state) {
    (void)state;
    struct run run;
    const real h = (real)0.05, t0 = (real)0.1;
    run_start(&run, &test_cases[0], "midpoint", h);
    assert_int_equal(noe_work_start(run.work, t0, test_cases[0].q, test_cases[0].v, NULL), NOE_OK);
    for (int k = 1; k <= 200; k++) {
        assert_int_equal(noe_work_step(run.work, NULL), NOE_OK);
        if (k % 3 == 0) assert_int_equal(noe_work_restep(run.work, h / 3, NULL), NOE_OK);
        if (k % 3 == 0) assert_int_equal(noe_work_restep(run.work, h, NULL), NOE_OK);
        assert_true(noe_work_state(run.work)->t == t0 + k * h);
    }
    run_end(&run);
}

static void assert_refused(struct noe_work *work) {
    struct noe_error error;
    const struct noe_state before = *noe_work_state(work);
    const real q = before.q[0];
    assert_int_equal(noe_work_restep(work, (real)0.01, &error), NOE_BAD_INPUT);
    assert_true(strstr(error.text, "no single step"));
    assert_true(noe_work_state(work)->k == before.k && noe_work_state(work)->t == before.t);
    assert_true(noe_work_state(work)->q[0] == q);
}

static void misuse_is_rejected(void **state) {
    (void)state;
    struct run run;
    const struct test_case *test = &test_cases[0];
    run_start(&run, test, "verlet", (real)0.1);
    assert_refused(run.work); /* before the first step */
    assert_int_equal(noe_work_steps(run.work, 5, NULL), NOE_OK);
    assert_refused(run.work); /* five in one call, of which only the last can be repeated */
    assert_int_equal(noe_work_step(run.work, NULL), NOE_OK);
    assert_int_equal(noe_work_restep(run.work, (real)0.05, NULL), NOE_OK);
    assert_int_equal(noe_work_start(run.work, 0, test->q, test->v, NULL), NOE_OK);
    assert_refused(run.work); /* after a restart */
    assert_int_equal(noe_work_step(run.work, NULL), NOE_OK);
    assert_int_not_equal(noe_work_step_by(run.work, HUGE_VAL, NULL), NOE_OK);
    assert_refused(run.work); /* after a failure */
    run_end(&run);
}

static void a_failed_repeat_leaves_the_state(void **state) {
    (void)state;
    struct run run;
    run_start(&run, &test_cases[1], "midpoint", (real)0.1);
    assert_int_equal(noe_work_step(run.work, NULL), NOE_OK);
    const real t = noe_work_state(run.work)->t, q = noe_work_state(run.work)->q[0],
               p = noe_work_state(run.work)->p[1];
    assert_int_equal(noe_work_step(run.work, NULL), NOE_OK);
    assert_true(noe_work_restep(run.work, HUGE_VAL, NULL) > 0);
    assert_int_equal(noe_work_state(run.work)->k, 1);
    assert_true(noe_work_state(run.work)->t == t && noe_work_state(run.work)->q[0] == q);
    assert_true(noe_work_state(run.work)->p[1] == p);
    assert_int_equal(noe_work_step(run.work, NULL), NOE_OK); /* the run can continue */
    assert_true(noe_work_state(run.work)->t == 2 * (real)0.1);
    run_end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_repeats_its_last_step),
        cmocka_unit_test(the_run_continues_after_a_substep),
        cmocka_unit_test(full_steps_stay_on_the_grid),
        cmocka_unit_test(misuse_is_rejected),
        cmocka_unit_test(a_failed_repeat_leaves_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
