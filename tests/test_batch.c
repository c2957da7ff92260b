/* A run gives the same bits in a batch of any width, whatever its neighbours do. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"

static const char *const models[] = {
    /* separable, diagonal mass, explicit; a large start escapes to infinity */
    "param a = 0.7\ncoord x, y\nL = a*x'^2/2 + y'^2/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\n"
    "start x = 0.1, y = 0.2, x' = 0.3\ninvariant e = x'^2\n",
    /* coupled mass, forced, depends on time */
    "param m = 1.5, l = 0.3\ncoord al, x\n"
    "L = m*l^2/2*al'^2 - m*l*al'*x'*sin(al) + m*x'^2 - 9.81*m*l*sin(al)\n"
    "force x = sin(2*t) - 0.1*x'\nstart al = -pi/2, x' = 0.2\nobserve s = sin(al)\n",
    /* constant full mass */
    "param c = 1\ncoord u[2]\nL = u[1]'^2 + u[2]'^2 + c*u[1]'*u[2]' - u[1]^4/4 - u[2]^2\n"
    "start u = [1, 0.5]\n",
    /* not quadratic in the velocity, and three rows to exchange */
    "param k = 0.2\ncoord u[3]\nL = u[1]'^2/2 + 2*u[1]'*u[2]' + 5*u[2]'^2 + u[3]'^2/2 + "
    "k*dot(u', u')^2 - dot(u, u)/2\nstart u = [1, 0.5, 0.2], u' = [0.3, 0.1, -0.2]\n",
    /* more freedoms than fit registers */
    "param g = 1\ncoord r[3][2]\nL = sum(i = 1..3, dot(r[i]', r[i]')/2) + sum(i = 2..3, j = "
    "1..i-1, g/norm(r[i] - r[j]))\nstart r = [[0.97,-0.243],[-0.97,0.243],[0,0]]\n"
    "start r' = [[0.466,0.432],[0.466,0.432],[-0.932,-0.865]]\n",
};

static const char *const methods[] = {"verlet",           "midpoint", "gauss stages=3",
                                      "lobatto stages=3", "rk4",      "splitting order=4"};

enum { MEMBERS = 11, ROOM = 8, STEPS = 300, WILD = 3 };

struct end {
    real q[ROOM], p[ROOM], v[ROOM], values[ROOM], t, energy;
    long k;
    enum noe_status status;
};

/* Members differ in start and parameters; one is so far out that it may fail. */
struct start {
    real q[ROOM], v[ROOM], parameters[ROOM];
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
    start->member =
        (struct noe_member){index % 2 ? start->parameters : NULL, 0.1 * index, start->q, start->v};
}

static void read_lane(const struct noe_system *system, const struct noe_batch_moment *moment,
                      int lanes, int lane, struct end *end) {
    for (int i = 0; i < system->n; i++) {
        end->q[i] = moment->q[i * lanes + lane];
        end->p[i] = moment->p[i * lanes + lane];
        end->v[i] = moment->v[i * lanes + lane];
    }
    for (int i = 0; i < system->nvalues; i++) end->values[i] = moment->values[i * lanes + lane];
    end->t = moment->t[lane];
    end->energy = moment->energy[lane];
    end->k = moment->k[lane];
    end->status = moment->status[lane];
}

static void run_members(const struct noe_model *model, const struct noe_problem *problem, int width,
                        struct end *ends) {
    const struct noe_batch_settings settings = {.lanes = width};
    struct noe_batch *batch = NULL;
    struct noe_error error;
    if (noe_batch_create(&batch, problem, model, &settings, &error) != NOE_OK)
        fail_msg("%s", error.text);
    if (noe_batch_lanes(batch) != width) fail_msg("%s", noe_batch_text(batch));
    memset(ends, 0, MEMBERS * sizeof *ends);
    for (int first = 0; first < MEMBERS; first += width) {
        const int count = first + width > MEMBERS ? MEMBERS - first : width;
        struct start starts[MEMBERS];
        struct noe_member members[MEMBERS];
        struct noe_batch_moment moment;
        for (int i = 0; i < count; i++) {
            make_start(model, first + i, &starts[i]);
            members[i] = starts[i].member;
        }
        assert_int_equal(noe_batch_start(batch, count, members, &error), NOE_OK);
        noe_batch_steps(batch, STEPS / 2);
        noe_batch_steps(batch, STEPS - STEPS / 2);
        noe_batch_now(batch, &moment);
        for (int i = 0; i < count; i++)
            read_lane(model->system, &moment, width, i, &ends[first + i]);
    }
    noe_batch_free(batch);
}

/* The library's own steps, with the C library's functions: other bits, the same trajectory. */
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
    assert_int_equal(noe_start(work, start.member.t, start.q, start.v, NULL), NOE_OK);
    const enum noe_status status = noe_steps(work, STEPS, NULL);
    real largest = status == end->status ? 0 : HUGE_VAL;
    const struct noe_state *now = noe_now(work);
    for (int i = 0; i < system.n && status == NOE_OK; i++)
        largest = fmax(largest, fabs(now->q[i] - end->q[i]) / (1 + fabs(now->q[i])));
    if (now->k != end->k && status == NOE_OK) largest = HUGE_VAL;
    noe_work_free(work);
    return largest;
}

static void compare_widths(const struct noe_model *model, const char *method, size_t index) {
    static struct end one[MEMBERS], other[MEMBERS];
    struct noe_problem problem;
    if (noe_problem_init(&problem, model->system, method, 0.01, NULL) != NOE_OK)
        return; /* a splitting of a system that is not separable */
    run_members(model, &problem, 1, one);
    for (int width = 4; width <= 8; width *= 2) {
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
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct noe_model *model;
        struct noe_error error;
        if (noe_model_open_text(&model, "model", models[i], NULL, &error) != NOE_OK)
            fail_msg("%s", error.text);
        for (size_t j = 0; j < sizeof methods / sizeof *methods; j++)
            compare_widths(model, methods[j], i);
        noe_model_free(model);
    }
}

/* A run that escapes to infinity stops at a step of its own; its neighbours go on. */
static void test_failure(void **state) {
    (void)state;
    struct noe_model *model;
    struct noe_problem problem;
    struct end ends[MEMBERS];
    assert_int_equal(noe_model_open_text(&model, "model", models[0], NULL, NULL), NOE_OK);
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

/* Without a compiler there is one lane, and words that say why. */
static void test_without_compiler(void **state) {
    (void)state;
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_batch *batch;
    struct noe_batch_moment moment;
    struct noe_error error;
    const struct noe_model_settings settings = {.interpret = true};
    assert_int_equal(noe_model_open_text(&model, "model", models[0], &settings, NULL), NOE_OK);
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.01, NULL), NOE_OK);
    assert_int_equal(noe_batch_create(&batch, &problem, model, NULL, &error), NOE_OK);
    assert_int_equal(noe_batch_lanes(batch), 1);
    assert_non_null(strstr(noe_batch_text(batch), "one run at a time"));
    const struct noe_member member = {NULL, 0, model->q, model->v};
    assert_int_equal(noe_batch_start(batch, 2, &member, &error), NOE_BAD_INPUT);
    assert_int_equal(noe_batch_start(batch, 1, &member, &error), NOE_OK);
    noe_batch_steps(batch, 10);
    noe_batch_now(batch, &moment);
    assert_int_equal(moment.status[0], NOE_OK);
    assert_int_equal(moment.k[0], 10);
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
