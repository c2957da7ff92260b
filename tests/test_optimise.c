/* Minimisation: published iterations on SO(3), Wahba's problem against its closed form, products
 * of spaces, and the variational principle of the momentum method. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "objective.h"

/* --- Closed forms. */

static double determinant(const double *A) {
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
           A[2] * (A[3] * A[7] - A[4] * A[6]);
}

/* X = U S V^T by Jacobi rotations of the columns of X, largest first (Hestenes 1958). The
 * rotation that maximises tr(X^T R) is U diag(1, 1, det U det V) V^T. */
static void nearest_rotation(const double *X, double *R) {
    double U[9], V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, size[3];
    memcpy(U, X, sizeof U);
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                double a = 0, b = 0, c = 0;
                for (int i = 0; i < 3; i++) {
                    a += U[3 * i + p] * U[3 * i + p];
                    b += U[3 * i + q] * U[3 * i + q];
                    c += U[3 * i + p] * U[3 * i + q];
                }
                if (fabs(c) <= 1e-300) continue;
                const double z = (b - a) / (2 * c), t = copysign(1, z) / (fabs(z) + hypot(1, z));
                const double cosine = 1 / hypot(1, t), sine = cosine * t;
                double *both[2] = {U, V};
                for (int k = 0; k < 2; k++)
                    for (int i = 0; i < 3; i++) {
                        const double x = both[k][3 * i + p], y = both[k][3 * i + q];
                        both[k][3 * i + p] = cosine * x - sine * y;
                        both[k][3 * i + q] = sine * x + cosine * y;
                    }
            }
    int smallest = 0;
    for (int p = 0; p < 3; p++) {
        size[p] = sqrt(U[p] * U[p] + U[3 + p] * U[3 + p] + U[6 + p] * U[6 + p]);
        for (int i = 0; i < 3; i++) U[3 * i + p] /= size[p];
        if (size[p] < size[smallest]) smallest = p;
    }
    const double sign = determinant(U) * determinant(V) < 0 ? -1 : 1;
    for (int i = 0; i < 9; i++) {
        R[i] = 0;
        for (int p = 0; p < 3; p++)
            R[i] += (p == smallest ? sign : 1) * U[i / 3 * 3 + p] * V[i % 3 * 3 + p];
    }
}

static double largest_gap(int n, const double *a, const double *b) {
    double max = 0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(a[i] - b[i]));
    return max;
}

/* --- The trace function. */

static const double trace_X[9] = {45, 1, 0, 0, 20, 0, 0, 0, 2};
#define GD   "gradient-descent step=0.024"
#define AGD  "agd h=0.15491933384829668 epsilon=0.15491933384829668 mu=0.05"
#define SAGD "sagd j=0.35355339059327379 h=0.35355339059327379 eta=0.70710678118654757 gamma=0.909"

static struct objective open_trace(double angle, const char *axis) {
    char text[512];
    snprintf(text, sizeof text,
             "rotation R, W\nparam X = [[45, 1, 0], [0, 20, 0], [0, 0, 2]], a = %s\n"
             "minimize -trace(transpose(X)*R)\nstart R = expm(%.17g/norm(a)*a)\n",
             axis, angle);
    return objective_open(text);
}

/* f(R_k) - f(R*), without cancellation. */
static double gap_at(const struct objective_trace *trace, int k) {
    double best[9], sum = 0;
    nearest_rotation(trace_X, best);
    for (int i = 0; i < 9; i++) sum += trace_X[i] * (best[i] - trace->q[k][i]);
    return sum;
}

static void test_gaps_of_the_trace_function(void **state) {
    (void)state;
    static const int at[] = {0, 1, 2, 5, 8};
    static const struct {
        const char *method;
        double gap[5];
    } row[] = {
        {GD,
         {20.87344645869, 2.815209918833, 0.7443579661958, 1.640362544071e-2, 4.351551111025e-4}},
        {AGD,
         {20.87344645869, 2.815209918833, 0.4748242433643, 1.663507652745e-3, 5.965033867074e-6}},
        {SAGD,
         {20.87344645869, 6.430846752366, 0.7768552290736, 7.368178089549e-4, 4.206835558136e-7}},
    };
    struct objective stated = open_trace(1, "[1, 1, 1]");
    struct objective_trace trace;
    for (int i = 0; i < 3; i++) {
        const struct objective_found found =
            objective_minimise(stated.function, row[i].method, 1e-10, stated.model->q, &trace);
        assert_int_equal(found.status, NOE_OK);
        assert_near("f", (double)found.result.value, -67.00769185258, 6e-14); /* 2.8e-14 */
        for (int k = 0; k < 5; k++) /* measured 3.4e-12, the published digits */
            assert_near(row[i].method, gap_at(&trace, at[k]), row[i].gap[k], 7e-12);
    }
    objective_close(&stated);
}

static int iterations_to(const struct objective_trace *trace, double small) {
    int k = trace->count;
    while (k > 0 && gap_at(trace, k - 1) < small) k--;
    return k;
}

static void test_iterations_of_the_trace_function(void **state) {
    (void)state;
    static const struct {
        double angle;
        const char *axis;
        int count[3], clipped;
    } row[] = {
        {0, "[1, 1, 1]", {16, 10, 8}, 0},  {0.5, "[1, 1, 1]", {21, 14, 11}, 0},
        {1, "[1, 1, 1]", {22, 14, 11}, 0}, {2, "[1, 1, 1]", {19, 16, 13}, 1},
        {3, "[1, 1, 1]", {24, 21, 18}, 0}, {2, "[1, 2, 3]", {22, 15, 12}, 1},
    };
    static const char *const method[] = {GD, AGD, SAGD};
    struct objective_trace trace;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct objective stated = open_trace(row[i].angle, row[i].axis);
        for (int k = 0; k < 3; k++) {
            const struct objective_found found =
                objective_minimise(stated.function, method[k], 1e-9, stated.model->q, &trace);
            assert_int_equal(found.status, NOE_OK);
            assert_int_equal(iterations_to(&trace, 1e-10), row[i].count[k]);
            assert_int_equal(found.result.clipped, k == 2 ? row[i].clipped : 0);
        }
        objective_close(&stated);
    }
}

static void test_effective_rates(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step, momentum;
    } row[] = {{GD, 0.024, 0}, {AGD, 0.024, 0.05}, {SAGD, 0.02275, 0.091}};
    struct objective stated = open_trace(1, "[1, 1, 1]");
    for (int i = 0; i < 3; i++) {
        const struct objective_found found =
            objective_minimise(stated.function, row[i].method, 1e-8, stated.model->q, NULL);
        assert_near("step", (double)found.result.rate.step, row[i].step, 1e-17);
        assert_near("momentum", (double)found.result.rate.momentum, row[i].momentum, 6e-17);
    }
    objective_close(&stated);
}

/* --- Wahba's problem, with and without a translation. */

static void random_rotation(struct splitmix *stream, double *R) {
    double X[9];
    for (int i = 0; i < 9; i++) X[i] = splitmix_normal(stream);
    nearest_rotation(X, R);
}

static int print_rows(char *at, const char *name, int count, const double *x) {
    int length = sprintf(at, "param %s = [", name);
    for (int i = 0; i < count; i++)
        length += sprintf(at + length, "%s[%.17g, %.17g, %.17g]", i ? ", " : "", x[3 * i],
                          x[3 * i + 1], x[3 * i + 2]);
    return length + sprintf(at + length, "]\n");
}

enum { SEEN = 5 };

/* Directions or points d = R b + x with noise. */
static void observe_points(struct splitmix *stream, const double *x, double *d, double *b) {
    double R[9];
    random_rotation(stream, R);
    for (int i = 0; i < 3 * SEEN; i++) b[i] = splitmix_normal(stream);
    for (int i = 0; i < SEEN; i++)
        for (int k = 0; k < 3; k++)
            d[3 * i + k] = R[3 * k] * b[3 * i] + R[3 * k + 1] * b[3 * i + 1] +
                           R[3 * k + 2] * b[3 * i + 2] + x[k] + 0.05 * splitmix_normal(stream);
}

/* X = sum (d_i - d0)(b_i - b0)^T. */
static void profile(const double *d, const double *b, const double *d0, const double *b0,
                    double *X) {
    for (int i = 0; i < 9; i++) {
        X[i] = 0;
        for (int k = 0; k < SEEN; k++)
            X[i] += (d[3 * k + i / 3] - d0[i / 3]) * (b[3 * k + i % 3] - b0[i % 3]);
    }
}

static void test_wahba(void **state) {
    (void)state;
    static const char *const method[] = {"gradient-descent step=0.03",
                                         "agd h=0.2 epsilon=0.2 mu=0.3",
                                         "sagd j=0.2 h=0.2 eta=0.4 gamma=0.7"};
    static const double zero[3];
    double d[3 * SEEN], b[3 * SEEN], X[9], best[9], worst = 0;
    for (int trial = 0; trial < 20; trial++) {
        struct splitmix stream = splitmix_open(11, trial);
        char text[2048];
        observe_points(&stream, zero, d, b);
        int length = print_rows(text, "d", SEEN, d);
        length += print_rows(text + length, "b", SEEN, b);
        sprintf(text + length,
                "rotation R, W\nminimize sum(i = 1..%d, "
                "dot(d[i] - R*b[i], d[i] - R*b[i])/2)\n",
                SEEN);
        struct objective stated = objective_open(text);
        profile(d, b, zero, zero, X);
        nearest_rotation(X, best);
        for (int k = 0; k < 3; k++) {
            const struct objective_found found =
                objective_minimise(stated.function, method[k], 1e-11, stated.model->q, NULL);
            assert_int_equal(found.status, NOE_OK);
            worst = fmax(worst, largest_gap(9, found.q, best));
        }
        objective_close(&stated);
    }
    assert_near("attitude", worst, 0, 8e-12); /* measured 4.1e-12 */
}

/* A rotation and a translation, first as a product of spaces and then as a pose. */
static void test_registration(void **state) {
    (void)state;
    static const char *const space[] = {"coord x[3]\nrotation R, W\n", "pose R, x, W, V\n"};
    const double shift[3] = {0.3, -1.2, 0.7};
    double d[3 * SEEN], b[3 * SEEN], d0[3] = {0}, b0[3] = {0}, X[9], best[9], worst = 0;
    struct splitmix stream = splitmix_open(12, 0);
    observe_points(&stream, shift, d, b);
    for (int i = 0; i < 3 * SEEN; i++) d0[i % 3] += d[i] / SEEN, b0[i % 3] += b[i] / SEEN;
    profile(d, b, d0, b0, X);
    nearest_rotation(X, best);
    for (int which = 0; which < 2; which++) {
        char text[2048];
        int length = print_rows(text, "d", SEEN, d);
        length += print_rows(text + length, "b", SEEN, b);
        sprintf(text + length,
                "%sminimize sum(i = 1..%d, "
                "dot(d[i] - R*b[i] - x, d[i] - R*b[i] - x)/2)\n",
                space[which], SEEN);
        struct objective stated = objective_open(text);
        const struct objective_found found = objective_minimise(
            stated.function, "agd h=0.2 epsilon=0.2 mu=0.4", 1e-11, stated.model->q, NULL);
        assert_int_equal(found.status, NOE_OK);
        const double *R = found.q + (which ? 0 : 3), *x = found.q + (which ? 9 : 0);
        worst = fmax(worst, largest_gap(9, R, best));
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(x[k] - (d0[k] - best[3 * k] * b0[0] - best[3 * k + 1] * b0[1] -
                                             best[3 * k + 2] * b0[2])));
        objective_close(&stated);
    }
    assert_near("registration", worst, 0, 1.5e-11); /* measured 7.2e-12 */
}

/* --- Gradients. */

static void test_gradient_is_left_trivialised(void **state) {
    (void)state;
    struct objective stated = objective_open(
        "coord x[2]\nrotation R, W\npose Q, y, U, V\n"
        "minimize exp(x[1]*R[1][2]) + dot(y, Q*[1, 2, 3])^2 + R[3][3]*Q[2][1]*cos(x[2])\n"
        "start x = [0.3, -0.4], R = expm([0.3, 0.2, 0.1]), Q = expm([1, -1, 0.5]), y = "
        "[1, 0.2, 0.3]\n");
    const struct noe_objective *objective = stated.function;
    real gradient[11], other[11];
    double moved[32];
    assert_int_equal(objective->n, 11);
    objective->evaluate(objective, stated.model->q, gradient);
    const double h = 1e-5;
    for (int i = 0; i < objective->n; i++) {
        double f[2];
        for (int side = 0; side < 2; side++) {
            real x[11] = {0};
            x[i] = side ? h : -h;
            const real *g = stated.model->q, *s = x;
            real *to = moved;
            for (int k = 0; k < objective->nfactors; k++) {
                const struct noe_factor *factor = &objective->factors[k];
                factor->space->retract(factor->size, 1, to, g, s);
                to += factor->space->point * factor->size;
                g += factor->space->point * factor->size;
                s += factor->space->tangent * factor->size;
            }
            f[side] = objective->evaluate(objective, moved, other);
        }
        assert_near("rate", (f[1] - f[0]) / (2 * h), (double)gradient[i], 9e-10);
    }
    objective_close(&stated);
}

static void test_interpreted_and_compiled_agree(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open("rotation R, W\nminimize exp(R[1][1]*R[2][3]) - trace(R)\n"
                        "observe tip = R*e3\nstart R = expm([0.3, 0.2, 0.1])\n",
                        false);
    real gradient[2][3], value[2], tip[2][3];
    for (int i = 0; i < 2; i++) {
        const struct noe_model_settings settings = {.interpret = i == 1};
        struct noe_objective *objective;
        assert_int_equal(noe_objective_create(&objective, model, &settings, NULL), NOE_OK);
        assert_int_equal(objective->note != NULL, i == 1);
        value[i] = objective->evaluate(objective, model->q, gradient[i]);
        objective->observe(objective, model->q, tip[i]);
        noe_objective_free(objective);
    }
    assert_true(value[0] == value[1]);
    assert_memory_equal(gradient[0], gradient[1], sizeof gradient[0]);
    assert_memory_equal(tip[0], tip[1], sizeof tip[0]);
    assert_true(tip[0][2] == model->q[8]);
    noe_model_free(model);
}

/* --- Momentum and Nesterov's iteration on R^n. */

/* The discrete Euler-Lagrange equations with forces of
 *   L_d = h (|q1 - q0|^2/(2 h^2) - eta f(q0)),  f_d^- = -gamma (q1 - q0),  h = 1:
 *   D2 L_d(q0, q1) + D1 L_d(q1, q2) + f_d^-(q1, q2) = 0. */
static void test_momentum_is_a_variational_integrator(void **state) {
    (void)state;
    const double mu = 0.9, step = 0.0008, gamma = 1 / mu - 1, eta = step * (1 + gamma);
    struct objective stated = objective_open(OBJECTIVE_VALLEY);
    struct objective_trace trace;
    const struct objective_found found = objective_minimise(
        stated.function, "momentum step=0.0008 mu=0.9", 1e-8, stated.model->q, &trace);
    assert_int_equal(found.status, NOE_OK);
    double worst = 0;
    for (int k = 1; k + 1 < trace.count; k++) {
        real gradient[2];
        stated.function->evaluate(stated.function, trace.q[k], gradient);
        for (int i = 0; i < 2; i++) {
            const double back = trace.q[k][i] - trace.q[k - 1][i];
            const double on = trace.q[k + 1][i] - trace.q[k][i];
            worst = fmax(worst, fabs(back - on - eta * gradient[i] - gamma * on));
        }
    }
    assert_near("discrete equations", worst, 0, 5e-16); /* measured 2.5e-16 */
    objective_close(&stated);
}

static void test_nesterov_looks_ahead(void **state) {
    (void)state;
    const double mu = 0.9, step = 0.0008;
    struct objective stated = objective_open(OBJECTIVE_VALLEY);
    struct objective_trace trace;
    const struct objective_found found = objective_minimise(
        stated.function, "nesterov step=0.0008 mu=0.9", 1e-8, stated.model->q, &trace);
    assert_int_equal(found.status, NOE_OK);
    double worst = 0;
    for (int k = 1; k + 1 < trace.count; k++) {
        double p[2], ahead[2];
        real gradient[2];
        for (int i = 0; i < 2; i++) {
            p[i] = trace.q[k][i] - trace.q[k - 1][i];
            ahead[i] = trace.q[k][i] + mu * p[i];
        }
        stated.function->evaluate(stated.function, ahead, gradient);
        for (int i = 0; i < 2; i++)
            worst = fmax(worst,
                         fabs(trace.q[k][i] + mu * p[i] - step * gradient[i] - trace.q[k + 1][i]));
    }
    assert_near("iteration", worst, 0, 4.5e-16); /* measured 2.2e-16 */
    objective_close(&stated);
}

/* On a quadratic f = sum l_i x_i^2/2 the heavy ball converges if the step is below 2 (1 + mu)/l,
 * Nesterov's iteration if it is below 2 (1 + mu)/((1 + 2 mu) l), and both diverge above. */
static void test_step_limits(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double limit;
    } row[] = {{"gradient-descent step=%.17g", 0.5},
               {"momentum step=%.17g mu=0.5", 0.75},
               {"nesterov step=%.17g mu=0.5", 0.375},
               {"agd h=1 epsilon=%.17g mu=0.5", 0.75}};
    struct objective stated =
        objective_open("coord x, y\nminimize x^2/2 + 4*y^2/2\nstart x = 1, y = 1\n");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int above = 0; above < 2; above++) {
            char method[100];
            snprintf(method, sizeof method, row[i].name, row[i].limit * (above ? 1.02 : 0.98));
            const struct objective_found found =
                objective_minimise(stated.function, method, 1e-6, stated.model->q, NULL);
            assert_int_equal(found.status == NOE_OK, !above);
            if (above) assert_non_null(strstr(found.error.text, "too long for the curvature 4"));
        }
    objective_close(&stated);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps_of_the_trace_function),
        cmocka_unit_test(test_iterations_of_the_trace_function),
        cmocka_unit_test(test_effective_rates),
        cmocka_unit_test(test_wahba),
        cmocka_unit_test(test_registration),
        cmocka_unit_test(test_gradient_is_left_trivialised),
        cmocka_unit_test(test_interpreted_and_compiled_agree),
        cmocka_unit_test(test_momentum_is_a_variational_integrator),
        cmocka_unit_test(test_nesterov_looks_ahead),
        cmocka_unit_test(test_step_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
