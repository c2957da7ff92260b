/* Many constraints: the kernel solves for the multipliers alone, with a tridiagonal, sparse or
 * dense matrix, and reaches the root of the same residual. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "engine/monitor.h"
#include "engine/work.h"
#include "methods.h"
#include "model_text.h"

/* A chain of points in the plane with different masses, hanging from the origin. */
static char *chain_text(int n) {
    char *text = NULL;
    size_t size;
    double x = 0, y = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "coord r[%d][2]\nL = sum(i=1..%d, (1 + i/10)*(dot(r[i]', r[i]')/2 - r[i][2]))\n",
            n, n);
    fputs("constraint dot(r[1], r[1]) = 1\n", out);
    for (int i = 2; i <= n; i++)
        fprintf(out, "constraint dot(r[%d] - r[%d], r[%d] - r[%d]) = 1\n", i, i - 1, i, i - 1);
    fputs("start r = [", out);
    for (int i = 0; i < n; i++) {
        x += cos(-1.2 + 0.5 * sin(0.7 * i));
        y += sin(-1.2 + 0.5 * sin(0.7 * i));
        fprintf(out, "%s[%.17g, %.17g]", i ? ", " : "", x, y);
    }
    fputs("]\n", out);
    fclose(out);
    return text;
}

/* A net of n by n points in space with links in both directions, initially flat and thrown
 * upwards with uneven velocities. */
static char *net_text(int n) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "coord r[%d][3]\nL = sum(i=1..%d, dot(r[i]', r[i]')/2 - r[i][3])\n", n * n, n * n);
    for (int i = 1; i <= n * n; i++) {
        if (i % n)
            fprintf(out, "constraint dot(r[%d] - r[%d], r[%d] - r[%d]) = 1\n", i + 1, i, i + 1, i);
        if (i + n <= n * n)
            fprintf(out, "constraint dot(r[%d] - r[%d], r[%d] - r[%d]) = 1\n", i + n, i, i + n, i);
    }
    fputs("start r = [", out);
    for (int i = 0; i < n * n; i++) fprintf(out, "%s[%d, %d, 0]", i ? ", " : "", i / n, i % n);
    fputs("], r' = [", out);
    for (int i = 0; i < n * n; i++)
        fprintf(out, "%s[0, 0, %g]", i ? ", " : "", sin(0.4 * i) + (i % 3));
    fputs("]\n", out);
    fclose(out);
    return text;
}

/* A hub with n spokes in space. */
static char *hub_text(int n) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out,
            "coord c[3], r[%d][3]\nL = dot(c', c') + sum(i=1..%d, dot(r[i]', r[i]')/2 - r[i][3])\n",
            n, n);
    for (int i = 1; i <= n; i++) fprintf(out, "constraint dot(r[%d] - c, r[%d] - c) = 1\n", i, i);
    fputs("start r = [", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s[%.17g, %.17g, 0]", i ? ", " : "", cos(0.3 * i), sin(0.3 * i));
    fputs("], c' = [0, 0, 2]\n", out);
    fclose(out);
    return text;
}

static void open_run(struct run *run, const struct noe_model *model, bool use_kernel) {
    struct noe_error error;
    if (noe_problem_init(&run->problem, model->system, "lobatto stages=2", 0.01, &error) != NOE_OK)
        fail_msg("%s", error.text);
    assert_non_null(run->problem.internals->kernel);
    if (!use_kernel) run->problem.internals->kernel = NULL;
    assert_int_equal(noe_work_create(&run->work, &run->problem, &error), NOE_OK);
    if (noe_work_start(run->work, 0, model->q, model->v, &error) != NOE_OK)
        fail_msg("%s", error.text);
}

static void take_steps(struct run *run, long count) {
    struct noe_error error;
    if (noe_work_steps(run->work, count, &error) != NOE_OK) fail_msg("%s", error.text);
}

/* A saved run continues with the same bits, also in another run. */
static void check_saved(struct run *run, const struct noe_model *model) {
    const struct noe_state *now = noe_work_state(run->work);
    const size_t bytes = (size_t)model->system->n * sizeof(real);
    struct run other;
    void *image = malloc(noe_work_snapshot_size(run->work));
    open_run(&other, model, true);
    take_steps(run, 7);
    noe_work_snapshot_save(run->work, image);
    take_steps(run, 7);
    assert_int_equal(noe_work_snapshot_restore(other.work, image, NULL), NOE_OK);
    take_steps(&other, 7);
    now = noe_work_state(run->work);
    assert_memory_equal(now->q, noe_work_state(other.work)->q, bytes);
    assert_memory_equal(now->p, noe_work_state(other.work)->p, bytes);
    run_end(&other);
    free(image);
}

/* Max differences of states and max constraint residuals: twice the measured values. */
struct bounds {
    double state, position, velocity;
};

/* Without KLU another solver factors the net's matrix. */
static void check_model(char *text, const char *solver, struct bounds max) {
    struct noe_model *model = model_text_open(text, true);
    struct run fast, slow;
    struct noe_monitor monitor = {.bad_value = -1};
    open_run(&fast, model, true);
    open_run(&slow, model, false);
    if (solver) assert_string_equal(work_solver(fast.work), solver);
    take_steps(&fast, 20);
    take_steps(&slow, 20);
    const real off =
        state_distance(model->system, noe_work_state(fast.work), noe_work_state(slow.work));
    if (!(off <= max.state)) fail_msg("%s: off by %.2e", work_solver(fast.work), (double)off);
    assert_int_equal(noe_work_steps_monitored(fast.work, 20, &monitor, NULL), NOE_OK);
    if (!(monitor.position_max <= max.position && monitor.velocity_max <= max.velocity))
        fail_msg("%s: constraints off by %.2e, %.2e", work_solver(fast.work),
                 (double)monitor.position_max, (double)monitor.velocity_max);
    check_saved(&fast, model);
    run_end(&fast);
    run_end(&slow);
    noe_model_free(model);
    free(text);
}

static void test_tridiagonal(void **state) {
    (void)state;
    check_model(chain_text(40), "banded", (struct bounds){8e-15, 4e-14, 1e-15});
}

static void test_net(void **state) {
    (void)state;
    check_model(net_text(14), NULL, (struct bounds){8e-15, 1.5e-14, 2.7e-14});
}

static void test_hub(void **state) {
    (void)state;
    check_model(hub_text(20), "dense", (struct bounds){1e-15, 1e-15, 2e-15});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tridiagonal),
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_hub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
