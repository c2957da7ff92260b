/* Steps with constraints by every path: specialised steppers give the same bits, lanes of every
 * width do, and lanes agree with a run alone. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "model_text.h"

#define LINKS                                                                                      \
    "coord a[3], b[3]\nL = dot(a', a')/2 + dot(b', b') - 9.81*(a[3] + 2*b[3])\n"                   \
    "constraint dot(a, a) = 1\nconstraint dot(b - a, b - a) = 1\n"                                 \
    "start a = [0.6, 0, -0.8], b = [0.6, 0.6, -1.6], a' = [0, 1, 0], b' = [0, 1, 0]\n"
#define SLEIGH                                                                                     \
    "param J = 0.5, a = 0.5\ncoord x, y, f\nL = (x'^2 + y'^2)/2 + J/2*f'^2\n"                      \
    "nonholonomic y'*cos(f) - x'*sin(f) = a*f'\nstart f' = 1, x' = 0.4, y' = a\n"
#define BLADE                                                                                      \
    "coord x, y, f\nL = (x'^2 + y'^2)/2 + f'*(y'*cos(f) - x'*sin(f))/2 + 3/8*f'^2\n"               \
    "nonholonomic y'*cos(f) = x'*sin(f)\nconstraint x^2 + y^2 + f^2 = 1\n"                         \
    "start x = 1, f' = 1\n"
#define BODY                                                                                       \
    "rotation R, W\nL = W[1]^2 + 3/2*W[2]^2 + 3/4*W[3]^2 + 0.4*W[1]*W[3] - R[3][3] - R[3][1]/2\n"  \
    "nonholonomic W[3] = 0\nstart W = [1, -0.5, 0]\n"
#define PARTICLE                                                                                   \
    "coord x, y, z\nL = (x'^2 + (1 + y^2)*y'^2 + z'^2)/2 - x^2 - y^2 + x'*y'*z/3\n"                \
    "nonholonomic z' = y*x'\nstart x = 1, y = 0.5, x' = 0.3, y' = -0.2, z' = 0.15\n"
#define TOP                                                                                        \
    "param J = diag(0.3, 0.5, 0.4)\nrotation R, W\ncoord x[3]\n"                                   \
    "L = dot(W, J*W)/2 + dot(x', x') - 2*x[3]\nconstraint [0, 1, 0] = transpose(R)*x\n"            \
    "start x = [0, 1, 0], W = [0.6, 0.5, -0.7], x' = [0.7, 0, 0.6]\n"

static const struct {
    const char *text, *method;
    bool is_coarse; /* multipliers enter with their round-off, eps q/h^2 */
} rows[] = {
    {LINKS, "lobatto stages=2", false},
    {SLEIGH, "lobatto stages=2 multiplier=recompute", false},
    {SLEIGH, "lobatto stages=3", false},
    {BLADE, "lobatto stages=2", false},
    {BODY, "lobatto stages=2 multiplier=recompute", false},
    {TOP, "lobatto stages=2 retraction=exp", false},
    {LINKS, "midpoint", false},
    {TOP, "midpoint", false},
    {LINKS, "generalized-alpha", true},
    {TOP, "generalized-alpha", true},
    {SLEIGH, "dla", false},
    {PARTICLE, "dla", false},
};
enum { ROWS = sizeof rows / sizeof *rows, STEPS = 60, MEMBERS = 5, LAMBDA_MAX = 3 };
enum { ROOM = POINT_MAX + FREEDOMS_MAX + LAMBDA_MAX };

static struct noe_model *open_row(size_t i, struct noe_problem *problem) {
    struct noe_model *model = model_text_open(rows[i].text, false);
    struct noe_error error;
    if (noe_problem_init(problem, model->system, rows[i].method, 0.02, &error) != NOE_OK)
        fail_msg("%s: %s", rows[i].method, error.text);
    return model;
}

/* Constraints here are linear in velocities: members have other multiples of them. */
static void member_velocity(const struct noe_model *model, int index, real *v) {
    for (int i = 0; i < model->system->n; i++) v[i] = model->v[i] * (1 + 0.02 * index);
}

static void alone(const struct noe_model *model, const struct noe_problem *problem, int index,
                  real *end) {
    const struct noe_system *system = model->system;
    struct noe_work *work;
    struct noe_error error;
    real v[FREEDOMS_MAX];
    member_velocity(model, index, v);
    assert_int_equal(noe_work_create(&work, problem, &error), NOE_OK);
    if (noe_start(work, 0, model->q, v, &error) != NOE_OK ||
        noe_steps(work, STEPS, &error) != NOE_OK)
        fail_msg("%s: %s", problem->method->name, error.text);
    const struct noe_state *now = noe_now(work);
    const size_t m = (size_t)(system->nholonomic + system->nnonholonomic);
    memset(end, 0, ROOM * sizeof *end);
    memcpy(end, now->p, (size_t)system->n * sizeof *end);
    memcpy(end + FREEDOMS_MAX, now->q, (size_t)problem->np * sizeof *end);
    memcpy(end + FREEDOMS_MAX + POINT_MAX, now->multipliers, m * sizeof *end);
    noe_work_free(work);
}

static void test_specialised(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct noe_problem problem;
        struct noe_model *model = open_row(i, &problem);
        struct noe_error error;
        real generic[ROOM], specialised[ROOM];
        alone(model, &problem, 0, generic);
        if (noe_problem_specialise(&problem, model, NULL, &error) != NOE_OK)
            fail_msg("%s: %s", rows[i].method, error.text);
        alone(model, &problem, 0, specialised);
        if (memcmp(generic, specialised, sizeof generic) != 0)
            fail_msg("row %zu, %s: other bits, p %.17g %.17g", i, rows[i].method, generic[0],
                     specialised[0]);
        noe_problem_clear(&problem);
        noe_model_free(model);
    }
}

static void read_lane(const struct noe_batch *batch, int lane, const struct noe_problem *problem,
                      real *end) {
    const struct noe_system *system = problem->system;
    const int m = system->nholonomic + system->nnonholonomic;
    struct noe_lane now;
    noe_batch_lane(batch, lane, &now);
    if (now.status != NOE_OK)
        fail_msg("%s: status %d after %ld steps", problem->method->name, now.status, now.k);
    for (int k = 0; k < system->n; k++) end[k] = now.p[k * now.stride];
    for (int k = 0; k < problem->np; k++) end[FREEDOMS_MAX + k] = now.q[k * now.stride];
    for (int k = 0; k < m; k++) end[FREEDOMS_MAX + POINT_MAX + k] = now.multipliers[k * now.stride];
}

static void in_lanes(const struct noe_model *model, const struct noe_problem *problem, int lanes,
                     real ends[MEMBERS][ROOM]) {
    const struct noe_batch_settings settings = {.lanes = lanes};
    struct noe_batch *batch;
    struct noe_error error;
    real v[MEMBERS][FREEDOMS_MAX];
    memset(ends, 0, sizeof(real[MEMBERS][ROOM]));
    assert_int_equal(noe_batch_create(&batch, problem, model, &settings, &error), NOE_OK);
    if (noe_batch_lanes(batch) != lanes) fail_msg("%s", noe_batch_text(batch));
    for (int first = 0; first < MEMBERS; first += lanes) {
        struct noe_member member[MEMBERS];
        const int count = first + lanes > MEMBERS ? MEMBERS - first : lanes;
        for (int i = 0; i < count; i++) {
            member_velocity(model, first + i, v[i]);
            member[i] = (struct noe_member){.q = model->q, .v = v[i]};
        }
        assert_int_equal(noe_batch_start(batch, count, member, &error), NOE_OK);
        noe_batch_steps(batch, STEPS);
        noe_batch_measure(batch);
        for (int i = 0; i < count; i++) read_lane(batch, i, problem, ends[first + i]);
    }
    noe_batch_free(batch);
}

/* Lanes take a new Jacobian in every iteration: a run alone agrees to round-off, not in bits. */
static void test_lanes(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct noe_problem problem;
        struct noe_model *model = open_row(i, &problem);
        static real one[MEMBERS][ROOM], four[MEMBERS][ROOM];
        real single[ROOM], largest = 0;
        in_lanes(model, &problem, 1, one);
        in_lanes(model, &problem, 4, four);
        if (memcmp(one, four, sizeof one) != 0)
            fail_msg("row %zu, %s: lanes give other bits, p %.17g %.17g", i, rows[i].method,
                     one[0][0], four[0][0]);
        alone(model, &problem, MEMBERS - 1, single);
        for (int k = 0; k < POINT_MAX + FREEDOMS_MAX; k++)
            largest = fmax(largest, fabs(single[k] - four[MEMBERS - 1][k]));
        if (!(largest < (rows[i].is_coarse ? 5e-13 : 2e-13))) /* measured: 2.3e-13, 1e-13 */
            fail_msg("row %zu, %s: lanes are off by %.2e", i, rows[i].method, (double)largest);
        noe_problem_clear(&problem);
        noe_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specialised),
        cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
