/* Systems with constraints: reference values, residuals at round-off, inconsistent starts. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "engine/monitor.h"
#include "loaded.h"
#include "mechanics/constraint.h"
#include "noether_model.h"
#include "spaces/product.h"

/* --- Values computed independently. */

static void expect(const char *name, const real *seen, const double *expected, int count,
                   double tolerance) {
    for (int i = 0; i < count; i++) assert_near(name, (double)seen[i], expected[i], tolerance);
}

/* Final components of q or, on groups, of p. */
struct reference {
    const struct noe_system *system;
    const char *method;
    double h, q[3], v[3], expected[3];
    int steps;
};

static const struct reference references[] = {
    {&spherical_pendulum,
     "lobatto stages=2",
     .05,
     {.6, 0, -.8},
     {.4, 1.2, .3},
     {-.5691828108105899, -.1274465860361304, -.8122735349532763},
     20},
    {&spherical_pendulum,
     "lobatto stages=3",
     .05,
     {.6, 0, -.8},
     {.4, 1.2, .3},
     {-.5686650577320396, -.1256549431756381, -.8129150554456125},
     20},
    {&nonholonomic_particle,
     "lobatto stages=2",
     .2,
     {1, .5, 0},
     {.3, -.2, .15},
     {-.7899116907205774, -.5198407487323583, .3517084368367706},
     10},
    {&nonholonomic_particle,
     "lobatto stages=3",
     .2,
     {1, .5, 0},
     {.3, -.2, .15},
     {-.7885164706874367, -.5192491215310266, .3505493985620645},
     10},
    {&nonholonomic_particle,
     "lobatto stages=4",
     .2,
     {1, .5, 0},
     {.3, -.2, .15},
     {-.7885186195448311, -.5192494879939293, .3505509522570123},
     10},
    {&nonholonomic_particle,
     "dla",
     .2,
     {1, .5, 0},
     {.3, -.2, .15},
     {-.7942933797834114, -.5198407487323583, .3517976848960388},
     10},
};

static void test_references(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        const struct reference *r = &references[i];
        struct test_case test = {.system = r->system};
        struct run run;
        memcpy(test.q, r->q, sizeof r->q);
        memcpy(test.v, r->v, sizeof r->v);
        run_start(&run, &test, r->method, r->h);
        assert_int_equal(noe_work_steps(run.work, r->steps, NULL), NOE_OK);
        expect(r->method, noe_work_state(run.work)->q, r->expected, 3, 1e-14);
        if (i == 2)
            assert_near("multiplier", noe_work_state(run.work)->multipliers[0], -.6297592011807702,
                        1e-14);
        run_end(&run);
    }
}

/* Chaplygin's sleigh with the initial heading 0.3; Suslov's body from exp(.3, -.2, .5). */
static void test_rotated_starts(void **state) {
    (void)state;
    const struct test_case sleigh = {
        &chaplygin_sleigh, {0, 0, .3}, {.4 * cos(.3), .4 * sin(.3), 1}};
    const double sleigh_end[] = {.5288442804978175, 1.237489069896317, 1.656724778435532};
    const double suslov_end[] = {2.239890905830449, -.8510810429753127, .3628700768685586};
    struct test_case body = {.system = &suslov, .v = {1, -.5, 0}};
    const real rotation[] = {.3, -.2, .5}, unity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct run run;
    run_start(&run, &sleigh, "lobatto stages=3", .2);
    assert_int_equal(noe_work_steps(run.work, 10, NULL), NOE_OK);
    expect("sleigh", noe_work_state(run.work)->q, sleigh_end, 3, 1e-14);
    run_end(&run);
    product_retract(&suslov, 1, body.q, unity, rotation);
    run_start(&run, &body, "lobatto stages=3", .2);
    assert_int_equal(noe_work_steps(run.work, 10, NULL), NOE_OK);
    expect("Suslov's body", noe_work_state(run.work)->p, suslov_end, 3, 1e-14);
    run_end(&run);
}

/* The slow heavy top of Ober-Bloebaum et al. (2016) as a system of index 3. */
static void test_alpha(void **state) {
    (void)state;
    const struct test_case top = {
        &joined_top, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0}, {0, 1.5, -.0461538, .0461538, 0, 0}};
    const double x[] = {.049627688546439531, .75810952491462093, -.65023614230775064};
    const double turn[] = {-3.4906482302043314, 1.5, .61545922965416453};
    const double lambda[] = {-2.705090123983385, -284.13393225974378, -1.2694421536956617};
    struct run run;
    struct noe_observation moment;
    run_start(&run, &top, "generalized-alpha rho=0.9", 1e-3);
    assert_int_equal(noe_work_steps(run.work, 2000, NULL), NOE_OK);
    expect("centre", noe_work_state(run.work)->q + 9, x, 3, 4e-15);
    assert_int_equal(noe_work_observe(run.work, &moment, NULL), NOE_OK);
    expect("turn", moment.v, turn, 3, 2e-12);
    expect("multipliers", moment.multipliers, lambda, 3, 2e-6); /* round-off over h^2 */
    run_end(&run);
}

#define CART                                                                                       \
    "param mp = 1, mc = 0.5, l = 0.1, g = 9.81\n"                                                  \
    "param m = mp + mc, J = mp*l^2, T = 2*pi*sqrt(l/g), xhat = l/5\n"                              \
    "coord alpha, x\n"                                                                             \
    "L = J/2*alpha'^2 - mp*l*alpha'*x'*sin(alpha) + m/2*x'^2 - mp*g*l*sin(alpha)\n"                \
    "constraint x = xhat*sin(2*pi*t/T)\n"                                                          \
    "start alpha = -pi/2, x' = xhat*2*pi/T\nmethod midpoint\n"

/* The pendulum on a driven cart. */
static void test_cart(void **state) {
    (void)state;
    struct loaded cart;
    loaded_open(&cart, CART "step T/100\n");
    const struct noe_state *now = loaded_steps(&cart, 400);
    assert_near("alpha", now->q[0], -0.4293021841127312, 2e-14);
    assert_near("multiplier", now->multipliers[0], 12.18805981357213, 4e-11);
    loaded_close(&cart);
    loaded_open(&cart, CART "step T/200\n");
    now = loaded_steps(&cart, 800);
    assert_near("alpha", now->q[0], -0.4279745780362218, 2e-14);
    assert_near("multiplier", now->multipliers[0], 12.91166306310217, 4e-11);
    loaded_close(&cart);
}

/* --- Orders that double precision resolves. */

static void check_order(const struct test_case *test, const char *method) {
    const double seen = observed_order(test, method, 1e-9);
    if (!(fabs(seen - 2) < 0.12))
        fail_msg("%s on %s: order 2 claimed, %.3f seen", method, test->system->name, seen);
}

static void test_orders(void **state) {
    (void)state;
    for (int i = 0; i < constrained_case_count; i++) {
        const struct test_case *test = &constrained_cases[i];
        check_order(test, "lobatto stages=2");
        if (test->system->nnonholonomic) check_order(test, "lobatto stages=2 multiplier=recompute");
        if (product_has_groups(test->system)) check_order(test, "lobatto stages=2 retraction=exp");
        if (test->system->nholonomic)
            check_order(test, "generalized-alpha");
        else if (!test->system->factors)
            check_order(test, "dla");
    }
}

/* --- Properties of every step. */

/* The max residuals do not grow with the number of steps. */
static void check_residuals(const struct test_case *test, const char *method, long steps,
                            double max) {
    struct run run;
    struct noe_monitor monitor = {.bad_value = -1};
    struct noe_error error;
    run_start(&run, test, method, 0.01);
    if (noe_work_steps_monitored(run.work, steps, &monitor, &error) != NOE_OK)
        fail_msg("%s on %s: %s", method, test->system->name, error.text);
    if (!(monitor.position_max <= max && monitor.velocity_max <= max))
        fail_msg("%s on %s: constraints off by %.2e, %.2e", method, test->system->name,
                 (double)monitor.position_max, (double)monitor.velocity_max);
    run_end(&run);
}

static void test_residuals(void **state) {
    (void)state;
    for (int i = 0; i < constrained_case_count; i++) {
        const struct test_case *test = &constrained_cases[i];
        const bool is_top = test->system == &joined_top; /* its velocities are larger */
        if (test->system == &appell_hamel) continue;     /* comes to rest */
        check_residuals(test, "lobatto stages=2 multiplier=recompute", is_top ? 20000 : 200000,
                        is_top ? 4e-14 : 4e-15);
        check_residuals(test, "lobatto stages=3 multiplier=recompute", 20000,
                        is_top ? 4e-14 : 4e-15);
    }
    check_residuals(&constrained_cases[0], "lobatto stages=2", 1000000, 4e-15);
    check_residuals(&constrained_cases[1], "lobatto stages=2", 1000000, 4e-15);
}

/* A step and the same step back: with carried multipliers (q,p,lambda) returns to its start on
 * R^n. */
static void test_symmetry(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int stages = 2; stages <= 4; stages++) {
            const struct test_case *test = &constrained_cases[i];
            char method[40];
            struct run run;
            struct noe_error error;
            snprintf(method, sizeof method, "lobatto stages=%d", stages);
            run_start(&run, test, method, 0.1);
            const real lambda = noe_work_state(run.work)->multipliers[0];
            assert_int_equal(noe_work_step_by(run.work, 0.1, &error), NOE_OK);
            assert_int_equal(noe_work_step_by(run.work, -0.1, &error), NOE_OK);
            for (int k = 0; k < 3; k++)
                assert_near(method, noe_work_state(run.work)->q[k], test->q[k], 2e-15);
            if (test->system->nnonholonomic)
                assert_near(method, noe_work_state(run.work)->multipliers[0], lambda, 4e-14);
            run_end(&run);
        }
}

/* Steps taken one call each give the same bits. */
static void check_one_by_one(const struct test_case *test, const char *method,
                             const struct noe_state *expected) {
    const size_t n = (size_t)test->system->n * sizeof(real);
    struct run run;
    run_start(&run, test, method, 0.05);
    while (noe_work_state(run.work)->k < expected->k)
        assert_int_equal(noe_work_steps(run.work, 1, NULL), NOE_OK);
    const struct noe_state *now = noe_work_state(run.work);
    assert_memory_equal(now->q, expected->q, n);
    assert_memory_equal(now->p, expected->p, n);
    assert_memory_equal(now->multipliers, expected->multipliers, sizeof(real));
    assert_true(now->t == expected->t);
    run_end(&run);
}

/* The kernel takes another path to the root of the same residual. */
static void test_kernel(void **state) {
    (void)state;
    for (int i = 0; i < constrained_case_count; i++)
        for (int kind = 0; kind < 2; kind++) {
            const char *method =
                kind ? "lobatto stages=2 multiplier=recompute" : "lobatto stages=2";
            struct run fast, slow;
            run_start(&fast, &constrained_cases[i], method, 0.05);
            run_start(&slow, &constrained_cases[i], method, 0.05);
            if (fast.problem.internals->kernel) {
                slow.problem.internals->kernel = NULL;
                assert_int_equal(noe_work_steps(fast.work, 20, NULL), NOE_OK);
                assert_int_equal(noe_work_steps(slow.work, 20, NULL), NOE_OK);
                const real off = state_distance(fast.problem.system, noe_work_state(fast.work),
                                                noe_work_state(slow.work));
                assert_near(method, off, 0, 1e-13);
                check_one_by_one(&constrained_cases[i], method, noe_work_state(fast.work));
            }
            run_end(&fast);
            run_end(&slow);
        }
}

/* A carried multiplier drifts away from the value that the sleigh's state determines; for the
 * particle it does not. */
static void test_drift(void **state) {
    (void)state;
    for (int i = 1; i <= 2; i++)
        for (int kind = 0; kind < 2; kind++) {
            struct run run;
            run_start(&run, &constrained_cases[i],
                      kind ? "lobatto stages=2 multiplier=recompute" : "lobatto stages=2", 0.1);
            assert_int_equal(noe_work_steps(run.work, 128, NULL), NOE_OK);
            const double drift = noe_work_stats(run.work).multiplier_drift;
            if (i == 2 && kind == 0)
                assert_true(drift > 1);
            else
                assert_true(drift < 0.05);
            run_end(&run);
        }
}

/* --- Starts. */

static void check_start(const struct test_case *test, const char *words) {
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    assert_int_equal(noe_problem_init(&problem, test->system, "lobatto", 0.1, &error), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, test->q, test->v, &error), NOE_BAD_INPUT);
    if (!strstr(error.text, words)) fail_msg("expected '%s' in: %s", words, error.text);
    noe_work_free(work);
    noe_problem_clear(&problem);
}

static void test_starts(void **state) {
    (void)state;
    const struct test_case off = {&spherical_pendulum, {.6, 0, -.7}, {0, 1, 0}};
    const struct test_case fast = {&spherical_pendulum, {.6, 0, -.8}, {1, 1, 0}};
    const struct test_case slips = {&nonholonomic_particle, {1, .5, 0}, {.3, -.2, .2}};
    check_start(&off, "holonomic constraint 1: left minus right side is -0.075");
    check_start(&fast, "holonomic constraint 1, differentiated in time");
    check_start(&slips, "nonholonomic constraint 1: left minus right side is 0.05");
}

#define LINKS                                                                                      \
    "coord a[3], b[3]\nL = dot(a',a')/2 + dot(b',b')/2 - 9.81*(a[3]+b[3])\n"                       \
    "constraint dot(a,a) = 1\nconstraint dot(b-a,b-a) = 1\n"                                       \
    "start a = [0.6,0,-0.8], b = [0.6,0.6,-1.6], a' = [0,1,0], b'=[0,1,0]\nstep 0.01\n"

/* A linearly dependent constraint changes only the multipliers. The minimum-norm multipliers are
 * found. */
static void test_redundant(void **state) {
    (void)state;
    static const char *const methods[] = {"lobatto stages=2", "lobatto stages=3", "midpoint",
                                          "generalized-alpha"};
    for (int i = 0; i < 4; i++) {
        char text[600];
        struct loaded plain, more;
        snprintf(text, sizeof text, LINKS "method %s\n", methods[i]);
        loaded_open(&plain, text);
        snprintf(text, sizeof text,
                 LINKS "constraint dot(b-a,b-a) + 2*dot(a,a) = 3\nmethod %s "
                       "redundant=least-squares\n",
                 methods[i]);
        loaded_open(&more, text);
        const struct noe_state *one = loaded_steps(&plain, 100), *two = loaded_steps(&more, 100);
        assert_near("position", state_distance(plain.model->system, one, two), 0, 1e-11);
        const real *x = one->multipliers, *y = two->multipliers;
        assert_near("multiplier", y[0] + 2 * y[2], x[0], 1e-8);
        assert_near("multiplier", y[1] + y[2], x[1], 1e-8);
        assert_near("along what changes nothing", 2 * y[0] + y[1] - y[2], 0, 1e-3);
        loaded_close(&plain);
        loaded_close(&more);
    }
    struct noe_model *model;
    struct noe_error error;
    struct run run;
    assert_int_equal(noe_model_open_text(&model, "links",
                                         LINKS "constraint dot(b-a,b-a) + 2*dot(a,a) = 3\n", NULL,
                                         &error),
                     NOE_OK);
    assert_int_equal(noe_problem_init(&run.problem, model->system, "lobatto", .01, &error), NOE_OK);
    assert_int_equal(noe_work_create(&run.work, &run.problem, &error), NOE_OK);
    assert_int_equal(noe_work_start(run.work, 0, model->q, model->v, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "holonomic constraint 3 is redundant"));
    run_end(&run);
    noe_model_free(model);
}

/* A pendulum whose length becomes zero. Its constraint has no gradient there. */
static void test_singular(void **state) {
    (void)state;
    static const char *const methods[] = {"lobatto stages=2", "lobatto stages=3", "midpoint"};
    for (int i = 0; i < 3; i++) {
        char text[300];
        struct loaded pendulum;
        struct noe_error error;
        snprintf(text, sizeof text,
                 "coord x, y\nL = (x'^2 + y'^2)/2\nconstraint x^2 + y^2 = (1 - t)^2\n"
                 "start x = 1, x' = -1, y' = 0.1\nmethod %s\nstep 0.1\n",
                 methods[i]);
        loaded_open(&pendulum, text);
        assert_true(noe_work_steps(pendulum.run.work, 20, &error) > 0);
        assert_true(noe_work_state(pendulum.run.work)->k < 11);
        if (!strstr(error.text, "the smallest singular value"))
            fail_msg("%s: %s", methods[i], error.text);
        loaded_close(&pendulum);
    }
}

/* A crank as long as its rod passes the singular configuration where slider and pivot coincide.
 * Both continuations satisfy the constraints and the motion is not determined, although a step
 * across it would succeed. */
static void test_singular_configuration(void **state) {
    (void)state;
    static const char *const methods[] = {"lobatto stages=2", "lobatto stages=3",
                                          "lobatto stages=4", "midpoint", "generalized-alpha"};
    static const char *const models[] = {
        "coord p[2], s\nL = dot(p', p')/2 + s'^2/2 - 9.81*p[2]\nconstraint dot(p, p) = 1\n"
        "constraint dot(p - [s, 0], p - [s, 0]) = 1\n"
        "start p = [0.6, 0.8], s = 1.2, p' = [-4, 3], s' = -8\n",
        "rotation R, W\ncoord s\nL = dot(W, W)/2 + s'^2/2\nconstraint [R[1][3], R[2][3]] = 0\n"
        "constraint norm(R*e1 - s*e1) = 1\n"
        "start R = expm(0.9*e3), s = 2*cos(0.9), W = 4*e3, s' = -8*sin(0.9)\n"};
    for (int i = 0; i < 20; i++) {
        const char *method = methods[i / 4];
        char text[400];
        struct loaded crank;
        struct noe_error error;
        const double h = i % 2 ? 0.013 : 0.001;
        snprintf(text, sizeof text, "%smethod %s\nstep %g\n", models[i / 2 % 2], method, h);
        loaded_open(&crank, text);
        assert_int_equal(noe_work_steps(crank.run.work, (long)(0.3 / h), &error), NOE_SINGULAR);
        const real s = noe_work_state(crank.run.work)->q[i / 2 % 2 ? 9 : 2];
        if (!(s > 0 && s < 10 * h)) fail_msg("%s: s = %g: %s", method, (double)s, error.text);
        if (!strstr(error.text, "the smallest singular value of their derivatives falls to"))
            fail_msg("%s: %s", method, error.text);
        loaded_close(&crank);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_rotated_starts),
        cmocka_unit_test(test_alpha),
        cmocka_unit_test(test_cart),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_residuals),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_singular_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
