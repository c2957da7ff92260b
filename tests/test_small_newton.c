/* Kernels with at most six unknowns, which take many steps per call: their reports and failures. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "engine/condition.h"
#include "engine/work.h"
#include "loaded.h"
#include "methods.h"
#include "methods/method.h"
#include "noether_model.h"

static const char pendulum[] = "coord a, b\n"
                               "L = a'^2 + b'^2/2 + a'*b'*cos(a - b) + 9.81*(2*cos(a) + cos(b))\n"
                               "start a = 1, b = 0.5, a' = 0.3\nmethod midpoint\nstep 0.01\n";

static struct noe_work *begin(const struct loaded *loaded, struct noe_problem *problem, real h) {
    struct noe_work *work = NULL;
    struct noe_error error;
    if (noe_problem_init(problem, loaded->model->system, "midpoint", h, &error) != NOE_OK ||
        noe_work_create(&work, problem, &error) != NOE_OK ||
        noe_work_start(work, 0, loaded->model->q, loaded->model->v, &error) != NOE_OK)
        fail_msg("%s", error.text);
    return work;
}

static void end(struct noe_work *work, struct noe_problem *problem) {
    noe_work_free(work);
    noe_problem_clear(problem);
}

/* Iterations, factorisations, residual and condition number are those of the equations, for one
 * step and for many steps per call. */
static void test_effort(void **state) {
    (void)state;
    struct loaded loaded;
    struct noe_problem problem;
    struct noe_error error;
    real condition[2];
    loaded_open(&loaded, pendulum);
    for (int single = 0; single < 2; single++) {
        struct noe_work *work = begin(&loaded, &problem, 0.01);
        assert_true(kernel_is_implicit(&problem));
        assert_string_equal(work_solver(work), "dense");
        for (int k = 0; k < 1000; k += single ? 1 : 1000)
            assert_int_equal(noe_work_steps(work, single ? 1 : 1000, &error), NOE_OK);
        const struct noe_step_stats effort = noe_work_stats(work);
        assert_int_equal(effort.steps, 1000);
        assert_int_equal(effort.evaluations, effort.iterations);
        assert_in_range(effort.iterations, 1500, 2500); /* 1933 */
        assert_int_equal(effort.factorisations, effort.iterations);
        assert_in_range(effort.iterations_max, 3, 8);
        assert_true(effort.residual_max > 0 && effort.residual_max < 1e-15);
        assert_int_equal(condition_of_step(work, &condition[single], &error), NOE_OK);
        end(work, &problem);
    }
    assert_true(condition[0] > 1 && condition[0] == condition[1]);
    loaded_close(&loaded);
}

/* The engine's Newton method and the kernel find the same roots: over 300 steps of a chaotic
 * motion they agree to the amplified round-off. */
static void test_newton(void **state) {
    (void)state;
    struct loaded loaded;
    struct noe_problem fast, slow;
    struct noe_error error;
    loaded_open(&loaded, pendulum);
    struct noe_work *a = begin(&loaded, &fast, 0.01), *b = begin(&loaded, &slow, 0.01);
    slow.internals->kernel = NULL;
    assert_int_equal(noe_work_steps(a, 300, &error), NOE_OK);
    assert_int_equal(noe_work_steps(b, 300, &error), NOE_OK);
    const real distance =
        state_distance(loaded.model->system, noe_work_state(a), noe_work_state(b));
    if (!(distance < 1e-12)) fail_msg("they differ by %.2e", (double)distance);
    end(a, &fast);
    end(b, &slow);
    loaded_close(&loaded);
}

/* The remaining residual of a step has no effect: after 20000 steps forwards and backwards a
 * regular motion returns to within round-off. One run needs one residual evaluation per step,
 * the other several. */
static void test_return(void **state) {
    (void)state;
    static const real step[] = {0.002, 0.01, 0.03};
    static const double near[] = {3e-15, 1e-13, 7e-14}; /* twice the measured value */
    struct loaded loaded;
    loaded_open(&loaded, pendulum);
    for (int i = 0; i < 3; i++) {
        struct noe_problem problem;
        struct noe_error error;
        struct noe_observation moment;
        const real q[2] = {0.6, 0.3}, v[2] = {0.2, 0};
        real back[2];
        struct noe_work *work = begin(&loaded, &problem, step[i]);
        assert_int_equal(noe_work_start(work, 0, q, v, &error), NOE_OK);
        assert_int_equal(noe_work_steps(work, 20000, &error), NOE_OK);
        assert_int_equal(noe_work_observe(work, &moment, &error), NOE_OK);
        for (int k = 0; k < 2; k++) back[k] = -moment.v[k];
        assert_int_equal(noe_work_start(work, 0, noe_work_state(work)->q, back, &error), NOE_OK);
        assert_int_equal(noe_work_steps(work, 20000, &error), NOE_OK);
        for (int k = 0; k < 2; k++) {
            const double distance = (double)noe_abs(noe_work_state(work)->q[k] - q[k]);
            if (!(distance < near[i])) fail_msg("h = %g: %.2e", (double)step[i], distance);
        }
        end(work, &problem);
    }
    loaded_close(&loaded);
}

/* A run that leaves the domain of its model ends after the same step with the same bits,
 * whatever the number of steps per call. The state is that of the last successful step. */
static void test_failure(void **state) {
    (void)state;
    static const char text[] = "coord x, y\n"
                               "L = (1 + y^2)*x'^2/2 + y'^2/2 - log(2 - x) - y^2/2\n"
                               "start y = 0.3, x' = 0.7\nmethod midpoint\nstep 0.01\n";
    struct loaded loaded;
    struct noe_problem problem;
    struct noe_error error[2];
    enum noe_status status[2] = {NOE_OK, NOE_OK};
    real q[2][2];
    long k[2];
    loaded_open(&loaded, text);
    for (int single = 0; single < 2; single++) {
        struct noe_work *work = begin(&loaded, &problem, 0.01);
        for (int i = 0; i < 2000 && status[single] == NOE_OK; i++)
            status[single] = noe_work_steps(work, single ? 1 : 2000, &error[single]);
        k[single] = noe_work_state(work)->k;
        memcpy(q[single], noe_work_state(work)->q, sizeof q[single]);
        end(work, &problem);
    }
    assert_true(status[0] == NOE_NOT_FINITE || status[0] == NOE_NOT_CONVERGED);
    assert_int_equal(status[0], status[1]);
    assert_true(k[0] > 100 && k[0] < 2000);
    assert_int_equal(k[0], k[1]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_string_equal(error[0].text, error[1].text);
    loaded_close(&loaded);
}

/* If the Jacobian is singular, here 1 - h^2 k/4 with h = 1/8 and k = 256, the message is that of
 * Newton's method. */
static void test_singular(void **state) {
    (void)state;
    struct loaded loaded;
    struct noe_problem problem;
    struct noe_error error;
    loaded_open(&loaded,
                "coord x\nL = x'^2/2 + 128*x^2\nstart x = 1\nmethod midpoint\nstep 0.125\n");
    struct noe_work *work = begin(&loaded, &problem, 0.125);
    assert_int_equal(noe_work_steps(work, 10, &error), NOE_SINGULAR);
    assert_non_null(strstr(error.text, "singular"));
    assert_int_equal(noe_work_state(work)->k, 0);
    end(work, &problem);
    loaded_close(&loaded);
}

/* Velocities that pass through zero, at the bottom of a well and at its walls. */
static void test_zero_velocity(void **state) {
    (void)state;
    struct loaded loaded;
    struct noe_problem problem;
    struct noe_error error;
    struct noe_observation moment;
    loaded_open(&loaded, "coord x, y\nL = (1 + x^2)*x'^2/2 + y'^2/2e6 - x^4 - y^2/2e6\n"
                         "start x = 1\nmethod midpoint\nstep 0.01\n");
    struct noe_work *work = begin(&loaded, &problem, 0.01);
    assert_int_equal(noe_work_steps(work, 5000, &error), NOE_OK);
    assert_int_equal(noe_work_observe(work, &moment, &error), NOE_OK);
    assert_true(noe_abs(moment.energy - 1) < 1e-4);
    assert_true(noe_work_state(work)->q[1] == 0 && moment.v[1] == 0);
    end(work, &problem);
    loaded_close(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_effort),   cmocka_unit_test(test_newton),
        cmocka_unit_test(test_return),   cmocka_unit_test(test_failure),
        cmocka_unit_test(test_singular), cmocka_unit_test(test_zero_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
