/* Studies on systems stated by hand: drift, derivatives, convergence, method reports. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/trajectory.h"
#include "study/verify/method_report.h"

/* L = (1 + a^2) a'^2/2 + b'^2/2 + a' b' sin(a)/2 - a^2 b^2 - cos(b); `data` selects a derivative
 * to falsify. */
static real lagrangian(const struct noe_system *system, real t, const real *q, const real *v) {
    (void)system, (void)t;
    const real a = q[0], b = q[1];
    return (1 + a * a) * v[0] * v[0] / 2 + v[1] * v[1] / 2 + v[0] * v[1] * noe_sin(a) / 2 -
           a * a * b * b - noe_cos(b);
}

enum spoiled { NOTHING, MOMENTUM, FORCE, MASS, STIFFNESS };

static bool is_spoiled(const struct noe_system *system, enum spoiled part) {
    return system->data && *(const enum spoiled *)system->data == part;
}

static void first(const struct noe_system *system, real t, const real *q, const real *v, real *p,
                  real *w) {
    (void)t;
    const real a = q[0], b = q[1], s = noe_sin(a), c = noe_cos(a);
    p[0] = (1 + a * a) * v[0] + v[1] * s / 2;
    p[1] = v[1] + v[0] * s / 2;
    w[0] = a * v[0] * v[0] + v[0] * v[1] * c / 2 - 2 * a * b * b;
    w[1] = -2 * a * a * b + noe_sin(b);
    if (is_spoiled(system, MOMENTUM)) p[1] *= 1 + (real)1e-4;
    if (is_spoiled(system, FORCE)) w[1] *= 1 + (real)1e-4;
}

static void second(const struct noe_system *system, real t, const real *q, const real *v, real *p,
                   real *w, real *d) {
    const real a = q[0], b = q[1], s = noe_sin(a), c = noe_cos(a);
    const real block[16] = {1 + a * a,
                            s / 2,
                            s / 2,
                            1, /* p_v */
                            2 * a * v[0] + v[1] * c / 2,
                            0,
                            v[0] * c / 2,
                            0, /* p_q */
                            2 * a * v[0] + v[1] * c / 2,
                            v[0] * c / 2,
                            0,
                            0, /* w_v */
                            v[0] * v[0] - v[0] * v[1] * s / 2 - 2 * b * b,
                            -4 * a * b,
                            -4 * a * b,
                            -2 * a * a + noe_cos(b)}; /* w_q */
    first(system, t, q, v, p, w);
    for (int i = 0; i < 16; i++) d[i] = block[i];
    if (is_spoiled(system, MASS)) d[1] += (real)1e-4;
    if (is_spoiled(system, STIFFNESS)) d[15] *= 1 + (real)1e-4;
}

static void quantities(const struct noe_system *system, real t, const real *q, const real *v,
                       real *values) {
    (void)system, (void)t, (void)v;
    values[0] = q[0];
    values[1] = 1;
}

static const struct noe_quantity quantity[] = {
    {.name = "a", .kind = NOE_OBSERVE, .first = 0, .rows = 1, .cols = 1},
    {.name = "one", .kind = NOE_INVARIANT, .first = 1, .rows = 1, .cols = 1}};

static struct noe_system make_system(const enum spoiled *spoiled) {
    return (struct noe_system){.name = "coupled",
                               .n = 2,
                               .traits = NOE_QUADRATIC | NOE_AUTONOMOUS | NOE_UNFORCED,
                               .nz = 4,
                               .data = spoiled,
                               .lagrangian = lagrangian,
                               .first = first,
                               .second = second,
                               .nquantities = 2,
                               .nvalues = 2,
                               .quantity = quantity,
                               .quantities = quantities};
}

static const real q0[2] = {(real)0.8, (real)0.3}, v0[2] = {(real)0.2, (real)-0.5};

static void step_counts(void **state) {
    (void)state;
    bool fits;
    assert_int_equal(trajectory_step_count(0, 1, (real)0.1, &fits), 10);
    assert_true(fits);
    assert_int_equal(trajectory_step_count(-1, 1, (real)0.3, &fits), 6);
    assert_false(fits);
    assert_int_equal(trajectory_step_count(0, 1, (real)0.33333333, &fits), 3);
    assert_true(fits);
    assert_int_equal(trajectory_step_count(0, 1, 3, &fits), 0);
    assert_false(fits);
    assert_int_equal(trajectory_step_count(0, 1, (real)1e-300, &fits), -1);
}

static long rows_written;
static real last_row[10];

static enum noe_status count_row(void *file, const noe_real *values, struct noe_error *error) {
    (void)file, (void)error;
    rows_written++;
    for (int i = 0; i < 10; i++) last_row[i] = values[i];
    return NOE_OK;
}

static const struct noe_format counting = {.name = "count", .row = count_row};

static void drift_includes_all_steps(void **state) {
    (void)state;
    const struct noe_system system = make_system(NULL);
    struct noe_problem problem;
    struct trajectory result;
    assert_int_equal(noe_problem_init(&problem, &system, "midpoint", (real)0.1, NULL), NOE_OK);
    rows_written = 0;
    const struct trajectory_settings settings = {
        .problem = &problem, .q = q0, .v = v0, .steps = 100, .sample = 30, .format = &counting};
    assert_int_equal(trajectory_run(&result, &settings), NOE_OK);
    assert_int_equal(rows_written, 5); /* 0, 30, 60, 90, 100 */
    assert_int_equal(result.rows, 5);
    struct noe_work *work;
    struct noe_observation moment;
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, q0, v0, NULL), NOE_OK);
    real largest = 0, reach = 0;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(noe_work_step(work, NULL), NOE_OK);
        assert_int_equal(noe_work_observe(work, &moment, NULL), NOE_OK);
        largest = noe_max(largest, noe_abs(moment.energy - result.start.energy));
        reach = noe_max(reach, noe_abs(noe_work_state(work)->q[0] - q0[0]));
    }
    assert_true(result.energy_max_error == largest);
    assert_true(result.value_max_error[0] == reach);
    assert_true(result.value_max_error[1] == 0);
    assert_true(result.energy_mean_error > 0 && result.energy_mean_error < largest);
    assert_true(last_row[0] == result.final.t && last_row[1] == noe_work_state(work)->q[0]);
    assert_true(last_row[7] == result.final.energy);
    assert_true(last_row[8] == 1 && last_row[9] == last_row[1]); /* invariants come first */
    noe_work_free(work);
    trajectory_clear(&result);
    noe_problem_clear(&problem);
}

static void an_interrupt_ends_after_a_step(void **state) {
    (void)state;
    const struct noe_system system = make_system(NULL);
    const volatile sig_atomic_t interrupt = 1;
    struct noe_problem problem;
    struct trajectory result;
    assert_int_equal(noe_problem_init(&problem, &system, "midpoint", (real)0.1, NULL), NOE_OK);
    const struct trajectory_settings settings = {
        .problem = &problem, .q = q0, .v = v0, .steps = 100, .sample = 1, .interrupt = &interrupt};
    assert_int_equal(trajectory_run(&result, &settings), NOE_INTERRUPTED);
    assert_true(result.has_started && result.steps == 0);
    trajectory_clear(&result);
    noe_problem_clear(&problem);
}

static struct derivative_check compare(enum spoiled spoiled) {
    const struct noe_system system = make_system(&spoiled);
    struct derivative_check found = {0};
    assert_int_equal(derivative_check(&found, &system, 0, q0, v0, NULL), NOE_OK);
    return found;
}

static void wrong_derivatives_are_identified(void **state) {
    (void)state;
    const struct derivative_check right = compare(NOTHING);
    assert_true(right.gradient_error < 1e-11 && right.hessian_error < 1e-11);
    assert_true(compare(MOMENTUM).gradient_error > 5e-5);
    assert_true(compare(FORCE).gradient_error > 5e-5);
    assert_true(compare(MASS).hessian_error > 5e-5);
    assert_true(compare(STIFFNESS).hessian_error > 5e-5);
}

static void orders_are_observed(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double order;
    } expected[] = {{"euler-a", 1}, {"midpoint", 2}, {"verlet", 2},          {"gauss stages=2", 4},
                    {"rk4", 4},     {"dopri5", 5},   {"lobatto stages=4", 6}};
    const struct noe_system system = make_system(NULL);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct convergence_task task = {.system = &system,
                                              .method = expected[i].method,
                                              .until = 2,
                                              .reference_steps_max = 4096,
                                              .q = q0,
                                              .v = v0};
        struct convergence_reference reference;
        struct convergence_row row[5];
        assert_int_equal(convergence_refer(&reference, &task, 4, NULL), NOE_OK);
        assert_true(reference.agreement < 1e-13);
        for (int j = 0; j < 5; j++) {
            row[j] = (struct convergence_row){.steps = 8L << j, .h = 2 / (real)(8L << j)};
            assert_int_equal(convergence_measure(&row[j], &reference, &task, NULL), NOE_OK);
        }
        const double order = (double)convergence_order(NULL, 5, row, &reference);
        if (!(fabs(order - expected[i].order) < 0.15))
            fail_msg("%s: order %g", expected[i].method, order);
        convergence_reference_clear(&reference);
    }
}

static struct method_report measure(const char *method) {
    const struct noe_system system = make_system(NULL);
    struct noe_problem problem;
    struct method_report card = {0};
    assert_int_equal(noe_problem_init(&problem, &system, method, (real)0.05, NULL), NOE_OK);
    const struct convergence_task task = {
        .system = &system, .method = method, .until = 10, .q = q0, .v = v0};
    assert_int_equal(method_report_derivatives(&card, &task, &problem, NULL), NOE_OK);
    assert_int_equal(method_report_method(&card, &task, &problem, NULL), NOE_OK);
    noe_problem_clear(&problem);
    return card;
}

static void method_reports_distinguish_methods(void **state) {
    (void)state;
    const struct method_report midpoint = measure("midpoint"), rk4 = measure("rk4");
    assert_true(fabs((double)midpoint.order - 2) < 0.1 && fabs((double)rk4.order - 4) < 0.1);
    assert_true(midpoint.symplecticity_defect < 1e-15 && rk4.symplecticity_defect > 1e-8);
    assert_true(midpoint.reversibility_defect < 1e-15 && rk4.reversibility_defect > 1e-10);
    assert_int_equal(midpoint.energy_steps, 200);
    const struct method_report euler = measure("explicit-euler");
    assert_true(euler.energy_slope > 1); /* its energy grows */
    assert_true(noe_abs(midpoint.energy_slope) < 2e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_counts),
        cmocka_unit_test(drift_includes_all_steps),
        cmocka_unit_test(an_interrupt_ends_after_a_step),
        cmocka_unit_test(wrong_derivatives_are_identified),
        cmocka_unit_test(orders_are_observed),
        cmocka_unit_test(method_reports_distinguish_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
