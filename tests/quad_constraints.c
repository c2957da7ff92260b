/* Orders of methods on systems with constraints that double precision cannot resolve. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"
#include "noether_model.h"
#include "spaces/product.h"

static void check_order(const struct test_case *test, const char *method, double claimed) {
    const double seen = observed_order(test, method, 1e-18);
    if (!(fabs(seen - claimed) < 0.12))
        fail_msg("%s on %s: order %g claimed, %.3f seen", method, test->system->name, claimed,
                 seen);
}

/* lobatto with 3 and 4 stages (2 stages are measured in double precision), every multiplier
 * option and, on groups, both retractions. */
static void check_case(const struct test_case *test) {
    static const char *const kinds[] = {"", " multiplier=recompute", " retraction=exp"};
    for (int stages = 3; stages <= 4; stages++)
        for (int kind = 0; kind < 3; kind++) {
            char method[80];
            if (kind == 1 && (stages > 3 || !test->system->nnonholonomic)) continue;
            if (kind == 2 && !product_has_groups(test->system)) continue;
            snprintf(method, sizeof method, "lobatto stages=%d%s", stages, kinds[kind]);
            check_order(test, method, 2 * stages - 2);
        }
}

static void test_orders(void **state) {
    (void)state;
    for (int i = 0; i < constrained_case_count; i++) check_case(&constrained_cases[i]);
}

static void check_text(const char *text) {
    struct loaded loaded;
    struct test_case test = {0};
    loaded_open(&loaded, text);
    test.system = loaded.model->system;
    memcpy(test.q, loaded.model->q, (size_t)product_point_size(test.system) * sizeof *test.q);
    memcpy(test.v, loaded.model->v, (size_t)test.system->n * sizeof *test.v);
    check_case(&test);
    loaded_close(&loaded);
}

/* On poses: an unbalanced ball that rolls on a plane, and a body on a joint and a thread with a
 * blade. The second has holonomic and nonholonomic constraints. */
static void test_poses(void **state) {
    (void)state;
    check_text("pose R, x, W, V\n"
               "L = (1.1*W[1]^2 + 1.4*W[2]^2 + 1.8*W[3]^2 + 1.5*dot(V, V))/2 + 0.4*dot(R*[0.3, "
               "0.2, 1], [0, 0, 1])\n"
               "nonholonomic R*V = cross(R*W, [0, 0, 0.7])\n"
               "start W = [0.4, -0.6, 0.8], V = [-0.42, -0.28, 0], x = [0, 0, 0.7]\n"
               "method lobatto\nstep 0.1\n");
    check_text("pose R, x, W, V\n"
               "L = (1.1*W[1]^2 + 1.4*W[2]^2 + 1.8*W[3]^2 + 1.5*dot(V, V))/2 - x[3]\n"
               "constraint dot(x, x) = 1\n"
               "nonholonomic V[1] = 0.3*W[2]\n"
               "start W = [0.4, 1, 0.8], V = [0.3, 0, 0.5], x = [0, 1, 0]\n"
               "method lobatto\nstep 0.1\n");
}

/* A symmetric top held by a joint. No reaction has a moment about its axis, also not at the
 * start of generalized-alpha, which extrapolates. */
static void test_spin(void **state) {
    (void)state;
    static const char *const methods[] = {"lobatto stages=2", "midpoint", "generalized-alpha",
                                          "generalized-alpha start=forward"};
    for (int i = 0; i < 4; i++) {
        char text[400];
        struct loaded top;
        snprintf(text, sizeof text,
                 "param J = diag(0.3, 0.3, 0.4)\nrotation R, W\ncoord x[3]\n"
                 "L = dot(W, J*W)/2 + dot(x', x') - 9.81*x[3]\n"
                 "constraint [0, 0, 1] = transpose(R)*x\n"
                 "start x = [0, 0, 1], W = [0.6, 0.5, -0.7], x' = [0.5, -0.6, 0]\n"
                 "method %s\nstep 0.02\n",
                 methods[i]);
        loaded_open(&top, text);
        const real before = noe_work_state(top.run.work)->p[2];
        const real after = loaded_steps(&top, 100)->p[2];
        if (!(noe_abs(after - before) <= 4 * NOE_EPSILON))
            fail_msg("%s: spin changes by %.2e", methods[i], (double)(after - before));
        loaded_close(&top);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
