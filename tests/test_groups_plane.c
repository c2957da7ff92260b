/* SE(2) against SE(3): a body that moves in a plane has the same motion in both, by every method.
 */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"

static const int in_space[3] = {2, 3, 4};

/* The planar state as one in space. */
static void lift(const struct test_case *flat, struct test_case *lifted) {
    const real *g = flat->q;
    const real q[12] = {g[0], g[1], 0, g[3], g[4], 0, 0, 0, 1, g[2], g[5], 0};
    memcpy(lifted->q, q, sizeof q);
    memset(lifted->v, 0, sizeof lifted->v);
    for (int i = 0; i < 3; i++) lifted->v[in_space[i]] = flat->v[i];
}

static real distance(const struct noe_state *flat, const struct noe_state *lifted) {
    const int point[6] = {0, 1, 9, 3, 4, 10};
    real max = 0;
    for (int i = 0; i < 6; i++) max = real_max(noe_abs(flat->q[i] - lifted->q[point[i]]), max);
    for (int i = 0; i < 3; i++) max = real_max(noe_abs(flat->p[i] - lifted->p[in_space[i]]), max);
    return max;
}

static int compared;

/* Methods that choose their step by an estimate see components that a planar body lacks. */
static void check_plane(const char *method, const struct variant *row,
                        const struct test_case *test) {
    const bool is_tied = test->system == &tied_sledge;
    struct test_case lifted = {.system = is_tied ? &tied_sledge_in_space : &free_sledge_in_space};
    struct run flat, space;
    if ((!is_tied && test->system != &free_sledge) || (row->traits & NOE_ADAPTIVE)) return;
    lift(test, &lifted);
    run_start(&flat, test, method, 0.05);
    run_start(&space, &lifted, method, 0.05);
    for (int k = 0; k < 40; k++) {
        assert_int_equal(noe_work_step(flat.work, NULL), NOE_OK);
        assert_int_equal(noe_work_step(space.work, NULL), NOE_OK);
    }
    const real off = distance(noe_work_state(flat.work), noe_work_state(space.work));
    if (!(off < 1e-13)) fail_msg("%s, %s: off by %.3g", method, test->system->name, (double)off);
    run_end(&flat);
    run_end(&space);
    compared++;
}

static void every_method_agrees_with_space(void **state) {
    (void)state;
    for_each_method(3, check_plane);
    assert_true(compared >= 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_agrees_with_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
