/* Spaces against finite differences in quadruple precision. */
/* SPDX-License-Identifier: MIT */
#include "spaces.h"

static void test_tangent(void **state) {
    (void)state;
    for_each_retraction(check_tangent);
}

static void test_inverse(void **state) {
    (void)state;
    for_each_retraction(check_inverse);
}

static void test_slopes(void **state) {
    (void)state;
    for_each_retraction(check_slopes);
}

static void test_hessian(void **state) {
    (void)state;
    for_each_retraction(check_hessian);
}

static void test_group(void **state) {
    (void)state;
    for_each_retraction(check_group);
    for_each_retraction(check_adjoint);
    for_each_retraction(check_maurer_cartan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tangent), cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_slopes),  cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
