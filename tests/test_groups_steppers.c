/* Steps on groups by every path: generic and specialised give the same bits, lanes of every width
 * do, and lanes agree with a run alone. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "model_text.h"
#include "spaces/product.h"

#define TOP                                                                                        \
    "param J = [[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]], a = [0.3, -0.4, 1]\n"                  \
    "rotation R, W\nL = dot(W, J*W)/2 - 2.5*dot(e3, R*a)\n"                                        \
    "start R = expm([0.3, -0.5, 0.8]), W = [0.6, -0.5, 0.7]\n"
#define BODY                                                                                       \
    "param J = diag(1.2, 1.7, 2.1), M = diag(2, 2.4, 3), a = [0.3, -0.2, 0.5]\n"                   \
    "pose R, x, W, V\nlet y = x + R*a\n"                                                           \
    "L = dot(W, J*W)/2 + dot(V, M*V)/2 - dot(y, y) - dot(y, y)^2/4 - 1.5*x[3]\n"                   \
    "start R = expm([-0.4, 0.9, 0.2]), x = [0.4, -0.3, 0.2], W = [0.6, -0.5, 0.4],\n"              \
    "  V = [0.3, 0.2, -0.4]\n"
#define CARRIER                                                                                    \
    "param J = diag(2, 3, 4)\ncoord a\nrotation R, W\ncoord b\n"                                   \
    "L = dot(W, J*W)/2*(1 + sin(a)^2/4) + (2 + R[1][1]*cos(b))/2*(a'^2 + b'^2)\n"                  \
    "  + a'*dot(W, [R[3][1], cos(b), 0.5])/3 - R[2][3]*cos(a - b)\n"                               \
    "force a = -0.1*a', R = [0, b, a']\n"                                                          \
    "start R = expm([1, 0.2, -0.3]), W = [0.3, -0.8, 0.5], a = 0.7, a' = 0.4, b = -1.1\n"
#define FREE                                                                                       \
    "rotation R, W\nL = dot(W, diag(2, 3, 4)*W)/2\n"                                               \
    "start R = expm([0.3, -0.5, 0.8]), W = [1, 0.5, -0.8]\n"
#define VEHICLE                                                                                    \
    "pose R, x, W, V\nL = dot(W, diag(1.09, 2.16, 2.68)*W)/2 + dot(V, diag(3.72, 7.42, "           \
    "4.29)*V)/2\n"                                                                                 \
    "start R = expm([-0.4, 0.9, 0.2]), W = [0.6, -0.5, 0.4], V = [0.3, 0.2, -0.4]\n"
#define PENDULUM                                                                                   \
    "coord a, b\nL = a'^2/2*(2 + cos(b)) + b'^2 + a'*b'*sin(a) - cos(a) - b^4\n"                   \
    "force b = -0.1*b'\nstart a = 0.5, b' = 0.3\n"

static const struct {
    const char *text, *method;
} rows[] = {
    {TOP, "gauss stages=2"},
    {TOP, "midpoint retraction=exp"},
    {TOP, "lgvi"},
    {TOP, "euler-b retraction=skew"},
    {TOP, "rkmk"},
    {TOP, "generalized-alpha"},
    {TOP, "implicit-euler"},
    {BODY, "gauss stages=1 retraction=exp"},
    {BODY, "verlet"},
    {BODY, "lgvi"},
    {BODY, "lgvi symmetric=yes"},
    {BODY, "rk4"},
    {BODY, "dopri5 tolerance=1e-6"},
    {BODY, "generalized-alpha rho=0.6 start=forward"},
    {BODY, "euler-b convention=thesis"},
    {CARRIER, "lobatto stages=2"},
    {CARRIER, "euler-a"},
    {CARRIER, "verlet retraction=new"},
    {CARRIER, "midpoint"},
    {CARRIER, "generalized-alpha retraction=cay"},
    {CARRIER, "implicit-euler"},
    {CARRIER, "euler-a convention=thesis retraction=exp"},
    {FREE, "mln"},
    {FREE, "flv"},
    {FREE, "kr"},
    {PENDULUM, "generalized-alpha"},
    {PENDULUM, "dopri5"},
    {VEHICLE, "tln"},
    {VEHICLE, "flv"},
    {VEHICLE, "lv"},
    {VEHICLE, "sw"},
    {VEHICLE, "swp"},
};
enum {
    ROWS = sizeof rows / sizeof *rows,
    STEPS = 60,
    MEMBERS = 5,
    ROOM = POINT_MAX + FREEDOMS_MAX
};

static struct noe_model *open_row(size_t i, struct noe_problem *problem) {
    struct noe_model *model = model_text_open(rows[i].text, false);
    struct noe_error error;
    if (noe_problem_init(problem, model->system, rows[i].method, 0.05, &error) != NOE_OK)
        fail_msg("%s: %s", rows[i].method, error.text);
    return model;
}

/* Member `index` begins turned about an axis and with other velocities. */
static void member_start(const struct noe_model *model, int index, real *q, real *v) {
    real x[FREEDOMS_MAX];
    for (int i = 0; i < model->system->n; i++) {
        x[i] = 0.05 * index * (1 + i % 3);
        v[i] = model->v[i] * (1 + 0.02 * index);
    }
    product_retract(model->system, 1, q, model->q, x);
}

static void alone(const struct noe_model *model, const struct noe_problem *problem, int index,
                  real *end) {
    struct noe_work *work;
    struct noe_error error;
    real q[POINT_MAX], v[FREEDOMS_MAX];
    member_start(model, index, q, v);
    assert_int_equal(noe_work_create(&work, problem, &error), NOE_OK);
    if (noe_start(work, 0, q, v, &error) != NOE_OK || noe_steps(work, STEPS, &error) != NOE_OK)
        fail_msg("%s: %s", problem->method->name, error.text);
    const struct noe_state *now = noe_now(work);
    memset(end, 0, ROOM * sizeof *end);
    memcpy(end, now->p, (size_t)model->system->n * sizeof *end);
    memcpy(end + FREEDOMS_MAX, now->q, (size_t)problem->np * sizeof *end);
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

static void in_lanes(const struct noe_model *model, const struct noe_problem *problem, int lanes,
                     real ends[MEMBERS][ROOM]) {
    const struct noe_batch_settings settings = {.lanes = lanes};
    const int np = problem->np, n = model->system->n;
    struct noe_batch *batch;
    struct noe_error error;
    real q[MEMBERS][POINT_MAX], v[MEMBERS][FREEDOMS_MAX];
    memset(ends, 0, sizeof(real[MEMBERS][ROOM]));
    assert_int_equal(noe_batch_create(&batch, problem, model, &settings, &error), NOE_OK);
    if (noe_batch_lanes(batch) != lanes) fail_msg("%s", noe_batch_text(batch));
    for (int first = 0; first < MEMBERS; first += lanes) {
        struct noe_member member[MEMBERS];
        const int count = first + lanes > MEMBERS ? MEMBERS - first : lanes;
        for (int i = 0; i < count; i++) {
            member_start(model, first + i, q[i], v[i]);
            member[i] = (struct noe_member){.q = q[i], .v = v[i]};
        }
        assert_int_equal(noe_batch_start(batch, count, member, &error), NOE_OK);
        noe_batch_steps(batch, STEPS);
        noe_batch_measure(batch);
        for (int i = 0; i < count; i++) {
            struct noe_lane now;
            noe_batch_lane(batch, i, &now);
            assert_int_equal(now.status, NOE_OK);
            for (int k = 0; k < n; k++) ends[first + i][k] = now.p[k * now.stride];
            for (int k = 0; k < np; k++) ends[first + i][FREEDOMS_MAX + k] = now.q[k * now.stride];
        }
    }
    noe_batch_free(batch);
}

/* Lanes take a new Jacobian in every iteration: a run alone agrees to round-off, not in bits. A
 * step that is chosen by an estimate of the error has the round-off of that, and ends at another
 * time (measured: 3.2e-11). */
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
        for (int k = 0; k < ROOM; k++)
            largest = fmax(largest, fabs(single[k] - four[MEMBERS - 1][k]));
        const bool is_adaptive = problem.method->traits & NOE_ADAPTIVE;
        if (!(largest < (is_adaptive ? 7e-11 : 2e-13)))
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
