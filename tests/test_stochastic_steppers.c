/* Noise gives the same bits however steps are taken, and methods say what they do not serve. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"
#include "noether_batch.h"

#define BODY                                                                                       \
    "param J = diag(1, 2, 2.5), g = 0.7, s = 0.9\n"                                                \
    "rotation R, W\ncoord x\n"                                                                     \
    "L = dot(W, J*W)/2 + x'^2/2 + 1.2*R[3][3] - x^2*R[1][3]\n"                                     \
    "force R = -g*[W[1], 2*W[2], W[3]], x = -(1 + R[1][1]^2)*x'\n"                                 \
    "noise a : R = [s, 0, 0.1], x = 0.2\n"                                                         \
    "noise b : R = [0, sqrt(2)*s*R[1][1], 0]\n"                                                    \
    "start W = [0.5, -0.3, 1], x = 0.3\n"

static const char *const methods[] = {"stochastic-euler", "stochastic-baoab retraction=exp"};
enum { STEPS = 150, MEMBERS = 5, POINT = 10, SIZE = 4, SEED = 11 };

static struct noe_model *open_model(const char *text) {
    struct noe_model *model;
    struct noe_error error = {0};
    if (noe_model_open_text(&model, "test.noe", text, NULL, &error) != NOE_OK)
        fail_msg("%s", error.text);
    return model;
}

static void open_problem(struct noe_problem *problem, const struct noe_model *model,
                         const char *method) {
    struct noe_error error = {0};
    if (noe_problem_init(problem, model->system, method, 0.05, &error) != NOE_OK)
        fail_msg("%s", error.text);
}

static void begin(struct run *run, const struct noe_model *model, int member) {
    noe_work_seed(run->work, SEED, (unsigned long)member);
    assert_int_equal(noe_start(run->work, 0, model->q, model->v, NULL), NOE_OK);
}

static void assert_same_state(const struct noe_state *a, const struct noe_state *b) {
    assert_memory_equal(a->q, b->q, POINT * sizeof(real));
    assert_memory_equal(a->p, b->p, SIZE * sizeof(real));
    assert_true(a->t == b->t && a->k == b->k);
}

static void check_lanes(const struct noe_model *model, const struct noe_problem *problem,
                        struct noe_work *const *alone, int lanes) {
    const struct noe_batch_settings settings = {.lanes = lanes};
    struct noe_batch *batch;
    struct noe_error error = {0};
    assert_int_equal(noe_batch_create(&batch, problem, model, &settings, &error), NOE_OK);
    assert_int_equal(noe_batch_lanes(batch), lanes);
    for (int first = 0; first < MEMBERS; first += lanes) {
        const int count = first + lanes > MEMBERS ? MEMBERS - first : lanes;
        struct noe_member member[MEMBERS];
        for (int i = 0; i < count; i++)
            member[i] = (struct noe_member){
                .q = model->q, .v = model->v, .seed = SEED, .number = (unsigned long)(first + i)};
        assert_int_equal(noe_batch_start(batch, count, member, &error), NOE_OK);
        noe_batch_steps(batch, STEPS);
        noe_batch_measure(batch);
        for (int i = 0; i < count; i++) {
            struct noe_lane now;
            const struct noe_state *one = noe_now(alone[first + i]);
            noe_batch_lane(batch, i, &now);
            assert_int_equal(now.status, NOE_OK);
            for (int k = 0; k < POINT; k++) assert_true(now.q[k * now.stride] == one->q[k]);
            for (int k = 0; k < SIZE; k++) assert_true(now.p[k * now.stride] == one->p[k]);
        }
    }
    noe_batch_free(batch);
}

static void test_lanes_and_steppers(void **state) {
    struct noe_model *model = open_model(BODY);
    (void)state;
    for (int m = 0; m < 2; m++) {
        struct noe_problem problem;
        struct noe_work *alone[MEMBERS];
        struct noe_error error = {0};
        open_problem(&problem, model, methods[m]);
        for (int i = 0; i < MEMBERS; i++) {
            assert_int_equal(noe_work_create(&alone[i], &problem, NULL), NOE_OK);
            noe_work_seed(alone[i], SEED, (unsigned long)i);
            assert_int_equal(noe_start(alone[i], 0, model->q, model->v, NULL), NOE_OK);
            assert_int_equal(noe_steps(alone[i], STEPS, NULL), NOE_OK);
        }
        assert_true(noe_now(alone[0])->q[9] != noe_now(alone[1])->q[9]);
        check_lanes(model, &problem, alone, 1);
        check_lanes(model, &problem, alone, 4);
        struct run run = {.problem = problem};
        if (noe_problem_specialise(&run.problem, model, NULL, &error) != NOE_OK)
            fail_msg("%s", error.text);
        assert_int_equal(noe_work_create(&run.work, &run.problem, NULL), NOE_OK);
        begin(&run, model, 2);
        assert_int_equal(noe_steps(run.work, STEPS, NULL), NOE_OK);
        assert_same_state(noe_now(run.work), noe_now(alone[2]));
        for (int i = 0; i < MEMBERS; i++) noe_work_free(alone[i]);
        run_end(&run);
    }
    noe_model_free(model);
}

/* One step after the other, a step that is taken again, and all at once. */
static void test_steps_one_by_one(void **state) {
    struct noe_model *model = open_model(BODY);
    (void)state;
    for (int m = 0; m < 2; m++) {
        struct run one, all;
        open_problem(&one.problem, model, methods[m]);
        open_problem(&all.problem, model, methods[m]);
        assert_int_equal(noe_work_create(&one.work, &one.problem, NULL), NOE_OK);
        assert_int_equal(noe_work_create(&all.work, &all.problem, NULL), NOE_OK);
        begin(&one, model, 0);
        begin(&all, model, 0);
        for (int k = 0; k < STEPS; k++) assert_int_equal(noe_step(one.work, NULL), NOE_OK);
        assert_int_equal(noe_step_retake(one.work, 0.05, NULL), NOE_OK);
        assert_int_equal(noe_steps(all.work, STEPS, NULL), NOE_OK);
        assert_memory_equal(noe_now(one.work)->p, noe_now(all.work)->p, SIZE * sizeof(real));
        run_end(&one);
        run_end(&all);
    }
    noe_model_free(model);
}

/* A part of a step takes that part of the increment: with noise alone p1 = p + x dB. */
static void test_part_of_a_step(void **state) {
    struct noe_model *model = open_model("coord q\nL = q'^2/2\nnoise b : q = 1\n");
    (void)state;
    for (int m = 0; m < 2; m++) {
        struct run run;
        open_problem(&run.problem, model, methods[m]);
        assert_int_equal(noe_work_create(&run.work, &run.problem, NULL), NOE_OK);
        begin(&run, model, 0);
        assert_int_equal(noe_step(run.work, NULL), NOE_OK);
        const double whole = noe_now(run.work)->p[0];
        assert_int_equal(noe_step_retake(run.work, 0.05 / 4, NULL), NOE_OK);
        assert_near("part", noe_now(run.work)->p[0], whole / 4, 1e-15);
        run_end(&run);
    }
    noe_model_free(model);
}

static void test_what_is_not_served(void **state) {
    static const struct {
        const char *text, *method, *words;
    } rows[] = {
        {"coord q\nL = q'^2/2\nnoise b : q = 1\n", "midpoint",
         "midpoint knows no noise, and this system has some; methods that serve it: "
         "stochastic-baoab, stochastic-euler"},
        {"coord q\nL = q'^2/2\nforce q = -q'^3\nnoise b : q = 1\n", "stochastic-baoab",
         "stochastic-baoab needs friction that is linear in the velocities; methods that serve it: "
         "stochastic-euler"},
        {"coord q\nL = (1 + q^2)*q'^2/2\nnoise b : q = 1\n", "stochastic-baoab",
         "stochastic-baoab needs L = v.Mv/2 - U(t,q) with M constant; no method serves it"},
        {"rotation R, W\ncoord q\nL = dot(W, W)/2 + q'^2/2 + q'*W[1]/2\nnoise b : q = 1\n",
         "stochastic-euler",
         "stochastic-euler needs a mass matrix that does not couple rotations or poses with "
         "anything else; no method serves it"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct noe_model *model = open_model(rows[i].text);
        struct noe_problem problem;
        struct noe_error error = {0};
        assert_int_equal(noe_problem_init(&problem, model->system, rows[i].method, 0.1, &error),
                         NOE_NOT_SERVED);
        assert_string_equal(error.text, rows[i].words);
        noe_problem_clear(&problem);
        noe_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_and_steppers),
        cmocka_unit_test(test_steps_one_by_one),
        cmocka_unit_test(test_part_of_a_step),
        cmocka_unit_test(test_what_is_not_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
