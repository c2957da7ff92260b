/* A run gives the same bits in a batch of any width, whatever the state of the other lanes. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "model/model.h"
#include "models.h"
#include "noether_ensemble.h"

static const char *const methods[] = {
    "verlet", "midpoint",          "gauss stages=3",      "lobatto stages=3",
    "rk4",    "splitting order=4", "hermite-variational", "energy-midpoint guard=anchored"};

enum { MEMBERS = 11, ROOM = 8, STEPS = 300, WILD = 3 };

struct end {
    real q[ROOM], p[ROOM], v[ROOM], values[ROOM], t, energy;
    long k;
    enum noe_status status;
};

/* Members differ in start and parameters. One starts so far out that it may fail. */
struct start {
    real q[ROOM], v[ROOM], parameters[8 * ROOM]; /* parameters, and the values prepared from them */
    struct noe_member member;
};

static void make_start(const struct noe_model *model, int index, struct start *start) {
    const int n = model->system->n;
    for (int i = 0; i < n; i++) {
        start->q[i] = model->q[i] * (1 + 0.01 * index) + (index == WILD ? 40 : 0);
        start->v[i] = model->v[i] - 0.003 * index;
    }
    for (int i = 0; i < 2; i++) start->parameters[i] = model->system->parameters[i];
    start->parameters[0] *= 1 + 0.02 * index;
    model_prepare(model, start->parameters);
    start->member = (struct noe_member){.parameters = index % 2 ? start->parameters : NULL,
                                        .t = 0.1 * index,
                                        .q = start->q,
                                        .v = start->v};
}

static void read_lane(const struct noe_system *system, const struct noe_batch *batch, int lane,
                      struct end *end) {
    struct noe_lane now;
    noe_batch_lane(batch, lane, &now);
    for (int i = 0; i < system->n; i++) {
        end->q[i] = now.q[i * now.stride];
        end->p[i] = now.p[i * now.stride];
        end->v[i] = now.v[i * now.stride];
    }
    for (int i = 0; i < system->nvalues; i++) end->values[i] = now.values[i * now.stride];
    end->t = now.t;
    end->energy = now.energy;
    end->k = now.k;
    end->status = now.status;
}

static void run_members(const struct noe_model *model, const struct noe_problem *problem, int lanes,
                        struct end *ends) {
    const struct noe_batch_settings settings = {.lanes = lanes};
    struct noe_batch *batch = NULL;
    struct noe_error error;
    if (noe_batch_create(&batch, problem, model, &settings, &error) != NOE_OK)
        fail_msg("%s", error.text);
    const int width = noe_batch_lanes(batch);
    if (lanes ? width != lanes : width < 4) fail_msg("%s", noe_batch_text(batch));
    memset(ends, 0, MEMBERS * sizeof *ends);
    for (int first = 0; first < MEMBERS; first += width) {
        const int count = first + width > MEMBERS ? MEMBERS - first : width;
        struct start starts[MEMBERS];
        struct noe_member members[MEMBERS];
        for (int i = 0; i < count; i++) {
            make_start(model, first + i, &starts[i]);
            members[i] = starts[i].member;
        }
        assert_int_equal(noe_batch_start(batch, count, members, &error), NOE_OK);
        noe_batch_steps(batch, STEPS / 2);
        noe_batch_steps(batch, STEPS - STEPS / 2);
        noe_batch_observe(batch);
        for (int i = 0; i < count; i++) read_lane(model->system, batch, i, &ends[first + i]);
    }
    noe_batch_free(batch);
}

/* Generic steps with the C library's functions give other bits but the same trajectory. */
static real difference_alone(const struct noe_model *model, const struct noe_problem *problem,
                             int index, const struct end *end) {
    struct noe_problem own = *problem;
    struct noe_system system = *model->system;
    struct noe_work *work = NULL;
    struct start start;
    make_start(model, index, &start);
    if (start.member.parameters) system.parameters = start.parameters;
    own.system = &system;
    assert_int_equal(noe_work_create(&work, &own, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, start.member.t, start.q, start.v, NULL), NOE_OK);
    const enum noe_status status = noe_work_steps(work, STEPS, NULL);
    real largest = status == end->status ? 0 : HUGE_VAL;
    const struct noe_state *now = noe_work_state(work);
    for (int i = 0; i < system.n && status == NOE_OK; i++)
        largest = fmax(largest, fabs(now->q[i] - end->q[i]) / (1 + fabs(now->q[i])));
    if (now->k != end->k && status == NOE_OK) largest = HUGE_VAL;
    noe_work_free(work);
    return largest;
}

static void compare_widths(const struct noe_model *model, const char *method, size_t index) {
    static const int widths[] = {4, 8, 0}; /* 0: groups of SIMD lanes */
    static struct end one[MEMBERS], other[MEMBERS];
    struct noe_problem problem;
    if (noe_problem_init(&problem, model->system, method, 0.01, NULL) != NOE_OK)
        return; /* splitting does not support a system that is not separable */
    run_members(model, &problem, 1, one);
    for (size_t j = 0; j < sizeof widths / sizeof *widths; j++) {
        const int width = widths[j];
        run_members(model, &problem, width, other);
        for (int i = 0; i < MEMBERS; i++)
            if (memcmp(&one[i], &other[i], sizeof *one) != 0)
                fail_msg("%s on model %zu, width %d, member %d: other bits (status %d %d, k %ld "
                         "%ld, q %.17g %.17g)",
                         method, index, width, i, one[i].status, other[i].status, one[i].k,
                         other[i].k, one[i].q[0], other[i].q[0]);
    }
    for (int i = 0; i < MEMBERS; i++) {
        if (i == WILD) continue;
        const real difference = difference_alone(model, &problem, i, &one[i]);
        if (!(difference < 2e-11))
            fail_msg("%s on model %zu, member %d: %g from a run alone", method, index, i,
                     difference);
    }
    noe_problem_clear(&problem);
}

static void test_same_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < test_models_count; i++) {
        struct noe_model *model;
        struct noe_error error;
        if (noe_model_open_text(&model, "model", test_models[i], NULL, &error) != NOE_OK)
            fail_msg("%s", error.text);
        for (size_t j = 0; j < sizeof methods / sizeof *methods; j++)
            compare_widths(model, methods[j], i);
        noe_model_free(model);
    }
}

/* A run that escapes to infinity stops at its own step; the other lanes continue. */
static void test_failure(void **state) {
    (void)state;
    struct noe_model *model;
    struct noe_problem problem;
    struct end ends[MEMBERS];
    assert_int_equal(noe_model_open_text(&model, "model", test_models[0], NULL, NULL), NOE_OK);
    assert_int_equal(noe_problem_init(&problem, model->system, "verlet", 0.01, NULL), NOE_OK);
    run_members(model, &problem, 4, ends);
    assert_int_equal(ends[WILD].status, NOE_NOT_FINITE);
    assert_true(ends[WILD].k > 0 && ends[WILD].k < STEPS);
    assert_true(isfinite(ends[WILD].q[0]));
    for (int i = 0; i < MEMBERS; i++)
        if (i != WILD) assert_int_equal(ends[i].k, STEPS);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

/* Without a compiler there is one lane, and the description gives the reason. */
static void test_without_compiler(void **state) {
    (void)state;
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_batch *batch;
    struct noe_lane now;
    struct noe_error error;
    const struct noe_model_settings settings = {.interpret = true};
    assert_int_equal(noe_model_open_text(&model, "model", test_models[0], &settings, NULL), NOE_OK);
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.01, NULL), NOE_OK);
    const struct noe_batch_settings three = {.lanes = 3};
    assert_int_equal(noe_batch_create(&batch, &problem, model, &three, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "found 3"));
    assert_int_equal(noe_batch_create(&batch, &problem, model, NULL, &error), NOE_OK);
    assert_int_equal(noe_batch_lanes(batch), 1);
    assert_non_null(strstr(noe_batch_text(batch), "one run at a time"));
    const struct noe_member member = {.q = model->q, .v = model->v};
    assert_int_equal(noe_batch_start(batch, 2, &member, &error), NOE_BAD_INPUT);
    assert_int_equal(noe_batch_start(batch, 1, &member, &error), NOE_OK);
    noe_batch_steps(batch, 10);
    noe_batch_observe(batch);
    noe_batch_lane(batch, 0, &now);
    assert_int_equal(now.status, NOE_OK);
    assert_int_equal(now.k, 10);
    noe_batch_free(batch);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_without_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
