/* Continuation: if Newton's method may have found another branch, the root is branch_root from
 * small step sizes. If that branch ends before the full step size, the step fails. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "model_text.h"
#include "noether_ensemble.h"

/* With L = v^2/2 - A cos q, from q with momentum p, the increment x = h v/2 to the middle of a
 * midpoint step satisfies Kepler's equation, x - k sin(q + x) = h p/2 with k = h^2 A/4, which
 * has several roots for k > 1. */
#define SLOPE "param A = 4\ncoord q\nL = q'^2/2 - A*cos(q)\n"
enum { SPEEDS = 40, LENGTHS = 20, PARTS = 4000 };

/* The root on the branch that begins at x = 0 for h = 0, branch_root by small increments of h; NAN
 * if the branch ends. The minimal slope of the equation along it measures the distance from a
 * fold. */
static double branch_root(double q, double p, double h, double *min) {
    double x = 0;
    *min = 1;
    for (int part = 1; part <= PARTS; part++) {
        const double s = h * part / PARTS;
        for (int i = 0; i < 4; i++)
            x -= (x - s * s * sin(q + x) - s * p / 2) / (1 - s * s * cos(q + x));
        const double slope = 1 - s * s * cos(q + x);
        if (slope < *min) *min = slope;
        if (!(slope > 0)) return NAN;
    }
    return x;
}

/* True if there may be other roots. */
static bool assert_step(const struct noe_model *model, double q, double p, double h) {
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error = {0};
    const real at = q, v = p;
    double min;
    const double x = branch_root(q, p, h, &min);
    const bool is_past = h * h * cos(q + h * p / 2) > 1; /* the guess lies beyond a fold */
    if (isnan(x) || min < 0.02 || is_past) return false;
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", h, &error), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, &error), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, &at, &v, &error), NOE_OK);
    const enum noe_status status = noe_work_step(work, &error);
    const double off = fabs((double)noe_work_state(work)->q[0] - q - 2 * x);
    if (status != NOE_OK || !(off < 3e-15 / min)) /* measured: 1.4e-15 */
        fail_msg("q = %g, p = %g, h = %g: %s, off by %g from %g", q, p, h, error.text, off, x);
    noe_work_free(work);
    noe_problem_clear(&problem);
    return h > 1;
}

static void test_root_lies_on_the_branch(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(SLOPE, true);
    int several = 0;
    for (int i = 0; i < SPEEDS; i++)
        for (int j = 0; j < LENGTHS; j++)
            for (int k = 0; k < 4; k++)
                several += assert_step(model, -0.5 * k, 0.05 + 0.15 * i, 0.1 * (j + 1));
    assert_true(several > 900);
    noe_model_free(model);
}

/* --- A step size too large: the branch ends at a fraction of it. Place and time were found by
 * continuation with small increments in another program. */

#define PENDULUM                                                                                   \
    "param l = [2, 3], m = [1, 2], g = 9.80665\ncoord a[2]\nlet c = cos(a[1] - a[2])\n"            \
    "L = (m[1] + m[2])/2*l[1]^2*a[1]'^2 + m[2]/2*l[2]^2*a[2]'^2 + m[2]*l[1]*l[2]*a[1]'*a[2]'*c\n"  \
    "  + (m[1] + m[2])*g*l[1]*cos(a[1]) + m[2]*g*l[2]*cos(a[2])\n"                                 \
    "start a = [pi/4, pi/2], a' = [0, pi/8]\n"
enum { TAKEN = 242, MANY = 1000 };
/* The motion is chaotic: another way to the root has another round-off, which the motion amplifies.
 * The numbers are the error of the energy, about twice the measured one, and the members whose
 * branch ends. */
#ifdef NOE_WITHOUT_FAST
enum { ENDS = 7 };
static const double energy_max = 3e-11;
#else
enum { ENDS = 8 };
static const double energy_max = 3e-12;
#endif

static void assert_end(const struct noe_model *model, struct noe_problem *problem) {
    struct noe_work *work;
    struct noe_error error = {0};
    struct noe_observation now;
    assert_int_equal(noe_work_create(&work, problem, &error), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, &error), NOE_OK);
    assert_int_equal(noe_work_steps(work, MANY, &error), NOE_NOT_CONVERGED);
    assert_int_equal(noe_work_state(work)->k, TAKEN);
    assert_int_equal(noe_work_observe(work, &now, &error), NOE_OK);
    const double off = fabs((double)now.energy + 10.327736965382);
    if (!(off < energy_max)) fail_msg("energy %.12g", (double)now.energy);
    noe_work_free(work);
}

static void test_branch_that_ends(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(PENDULUM, false);
    struct noe_problem problem;
    struct noe_error error = {0};
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.1, &error), NOE_OK);
    assert_end(model, &problem);
    assert_int_equal(noe_problem_specialise(&problem, model, NULL, &error), NOE_OK);
    assert_end(model, &problem);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

/* --- SIMD lanes: continuation in one lane does not change the others. */

enum { MEMBERS = 8 };
struct end {
    real q[2], p[2];
    long k, status;
};

static void in_lanes(const struct noe_model *model, const struct noe_problem *problem, int lanes,
                     struct end *end) {
    const struct noe_batch_settings settings = {.lanes = lanes};
    struct noe_batch *batch;
    struct noe_error error;
    assert_int_equal(noe_batch_create(&batch, problem, model, &settings, &error), NOE_OK);
    for (int first = 0; first < MEMBERS; first += lanes) {
        struct noe_member member[MEMBERS];
        real q[MEMBERS][2];
        for (int i = 0; i < lanes; i++) {
            for (int k = 0; k < 2; k++) q[i][k] = model->q[k] * (1 + 0.02 * (first + i));
            member[i] = (struct noe_member){.q = q[i], .v = model->v};
        }
        assert_int_equal(noe_batch_start(batch, lanes, member, &error), NOE_OK);
        noe_batch_steps(batch, MANY);
        for (int i = 0; i < lanes; i++) {
            struct end *to = &end[first + i];
            struct noe_lane now;
            noe_batch_lane(batch, i, &now);
            *to = (struct end){.k = now.k, .status = now.status};
            for (int k = 0; k < 2; k++) {
                to->q[k] = now.q[k * now.stride];
                to->p[k] = now.p[k * now.stride];
            }
        }
    }
    noe_batch_free(batch);
}

static void test_lanes(void **state) {
    (void)state;
    static struct end one[MEMBERS], other[MEMBERS];
    struct noe_model *model = model_text_open(PENDULUM, false);
    struct noe_problem problem;
    struct noe_error error = {0};
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.1, &error), NOE_OK);
    in_lanes(model, &problem, 1, one);
    for (int lanes = 4; lanes <= 8; lanes *= 2) {
        in_lanes(model, &problem, lanes, other);
        assert_memory_equal(one, other, sizeof one);
    }
    int ends = 0;
    for (int i = 0; i < MEMBERS; i++) ends += one[i].status == NOE_NOT_CONVERGED;
    assert_int_equal(ends, ENDS);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_root_lies_on_the_branch),
                                       cmocka_unit_test(test_branch_that_ends),
                                       cmocka_unit_test(test_lanes)};
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
