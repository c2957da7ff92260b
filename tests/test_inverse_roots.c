/* Inverse roots in SIMD lanes: the operations that become half-integer powers are found, and all
 * forms of them agree with roots and divisions and give the same bits at every width. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "methods.h"
#include "model/codegen/vectorise/program_inverse_roots.h"
#include "noether_ensemble.h"

/* --- Detection. */

/* Counts the divisions and square roots of a program, and its half-integer powers. */
struct counts {
    int slow, powers;
};

static struct counts count(const struct graph *graph, const struct program *program) {
    struct counts counts = {0};
    for (int i = 0; i < program->nsteps; i++) {
        const struct graph_node *node = &graph->node[program->step[i]];
        const bool is_root =
            node->op == GRAPH_CALL && strcmp(graph_functions[node->f].c_name, "noe_sqrt") == 0;
        counts.slow += node->op == GRAPH_DIV || is_root;
        counts.powers += node->op == GRAPH_HALF_POWER;
    }
    return counts;
}

static struct counts count_roots(struct graph *graph, int count_outputs, const int *node) {
    struct program_output output[8];
    struct program program;
    struct program_roots roots;
    for (int i = 0; i < count_outputs; i++) output[i] = (struct program_output){node[i], 0, i};
    assert_int_equal(program_make(&program, graph, count_outputs, output, NULL), NOE_OK);
    assert_int_equal(program_roots_make(&roots, graph, &program), NOE_OK);
    const struct counts counts = count(&roots.graph, &roots.program);
    program_roots_clear(&roots);
    program_clear(&program);
    return counts;
}

static void test_detection(void **state) {
    (void)state;
    struct graph graph;
    graph_init(&graph);
    const int x = graph_leaf(&graph, GRAPH_POINT, 0), y = graph_leaf(&graph, GRAPH_POINT, 1);
    const int s = graph_add(&graph, graph_power(&graph, x, 2), graph_power(&graph, y, 2));
    const int root = graph_pow(&graph, s, graph_number(&graph, 0.5));
    const int inverse = graph_div(&graph, graph_number(&graph, 1), s);
    const int all[] = {graph_pow(&graph, s, graph_number(&graph, -1.5)),
                       graph_div(&graph, x, graph_mul(&graph, s, graph_mul(&graph, s, root))),
                       graph_div(&graph, y, root),
                       graph_div(&graph, y, s),
                       graph_mul(&graph, graph_number(&graph, 3), inverse),
                       graph_sub(&graph, root, x)};
    const struct counts found = count_roots(&graph, 6, all);
    assert_int_equal(found.slow, 0);
    assert_int_equal(found.powers, 5); /* x^(-3/2), x^(-5/2), x^(-1/2), 1/x and sqrt(x) */
    const int alone[] = {root, inverse, graph_div(&graph, x, graph_add(&graph, s, y))};
    const struct counts kept = count_roots(&graph, 3, alone);
    assert_int_equal(kept.slow, 3);
    assert_int_equal(kept.powers, 0);
    const int far[] = {graph_pow(&graph, s, graph_number(&graph, -4.5))};
    assert_int_equal(count_roots(&graph, 1, far).powers, 0);
    graph_clear(&graph);
}

/* --- Evaluation. */

enum { RUNS = 8, N = 6, STEPS = 200 };

/* A spring with a rest length, gravity, and a repulsive core r^(-5). */
static const char model_text[] =
    "param k = 2, l = 0.7\ncoord r[3][2]\n"
    "L = sum(i = 1..3, dot(r[i]', r[i]')/2) - k/2*(norm(r[1] - r[2]) - l)^2 + "
    "1/norm(r[2] - r[3]) - 0.01/norm(r[1] - r[3])^5 + 0.1/dot(r[3], r[3])\n"
    "start r = [[1, 0.1], [-0.2, 0.9], [-0.9, -0.8]], r' = [[0, 0.3], [0.2, 0], [-0.2, 0.1]]\n";

static void run_batch(const struct noe_model *model, const struct noe_problem *problem, int lanes,
                      real end[RUNS][N]) {
    const struct noe_batch_settings settings = {.lanes = lanes};
    struct noe_batch *batch;
    assert_int_equal(noe_batch_create(&batch, problem, model, &settings, NULL), NOE_OK);
    for (int first = 0; first < RUNS; first += lanes) {
        struct noe_member member[RUNS];
        real q[RUNS][N];
        for (int i = 0; i < lanes; i++) {
            for (int j = 0; j < N; j++) q[i][j] = model->q[j] * (1 + 0.01 * (first + i));
            member[i] = (struct noe_member){.q = q[i], .v = model->v};
        }
        assert_int_equal(noe_batch_start(batch, lanes, member, NULL), NOE_OK);
        noe_batch_steps(batch, STEPS / 2);
        for (int k = STEPS / 2; k < STEPS; k++) noe_batch_steps(batch, 1);
        for (int i = 0; i < lanes; i++) {
            struct noe_lane now;
            noe_batch_lane(batch, i, &now);
            assert_int_equal(now.status, NOE_OK);
            for (int j = 0; j < N; j++) end[first + i][j] = now.q[j * now.stride];
        }
    }
    noe_batch_free(batch);
}

static real difference_alone(const struct noe_model *model, const struct noe_problem *problem,
                             int run, const real *end) {
    struct noe_work *work;
    real q[N], largest = 0;
    for (int j = 0; j < N; j++) q[j] = model->q[j] * (1 + 0.01 * run);
    assert_int_equal(noe_work_create(&work, problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, STEPS, NULL), NOE_OK);
    for (int j = 0; j < N; j++) largest = fmax(largest, fabs(noe_work_state(work)->q[j] - end[j]));
    noe_work_free(work);
    return largest;
}

static void test_runs(void **state) {
    (void)state;
    static const char *const methods[] = {"verlet", "splitting order=4", "midpoint"};
    for (int m = 0; m < 3; m++) {
        static real one[RUNS][N], other[RUNS][N];
        struct noe_model *model;
        struct noe_problem problem;
        assert_int_equal(noe_model_open_text(&model, "model", model_text, NULL, NULL), NOE_OK);
        assert_int_equal(noe_problem_init(&problem, model->system, methods[m], 0.01, NULL), NOE_OK);
        run_batch(model, &problem, 1, one);
        for (int lanes = 2; lanes <= RUNS; lanes *= 2) {
            run_batch(model, &problem, lanes, other);
            assert_memory_equal(one, other, sizeof one);
        }
        for (int i = 0; i < RUNS; i++) {
            const real difference = difference_alone(model, &problem, i, one[i]);
            if (!(difference < 5e-16)) /* measured: 2.2e-16 */
                fail_msg("%s: run %d differs by %g", methods[m], i, difference);
        }
        noe_problem_clear(&problem);
        noe_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_detection),
                                       cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
