/* Generated functions: equal bits compiled and interpreted, correct derivatives, sparsity
 * pattern, traits. */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "model_text.h"
#include "noether_model.h"

/* Systems of many kinds. In a forced system the last quantity, `stated`, is the force. */
static const struct {
    const char *name, *text;
    bool is_forced;
} systems[] = {
    {"double well", "coord q\nparam m = 1.25\nL = m/2*q'^2 - (q^4 - q^2)/2\n", false},
    {"double pendulum", MODEL_DOUBLE_PENDULUM, false},
    {"driven and damped",
     "param c = 0.3, k = 2.5, e = 0.7\n"
     "coord x, y\n"
     "L = (1 + t^2/5)*x'^2/2 + (2 + sin(x))*y'^2/2 + e*x'*y'*cos(x*y) + t*x*y' - k*x^2*y^3/3\n"
     "force x = -c*x'*abs(x') + cos(3*t)*y\n"
     "force y = -c*y'^3 + x*x' + exp(-t)\n"
     "observe stated = [-c*x'*abs(x') + cos(3*t)*y, -c*y'^3 + x*x' + exp(-t)]\n",
     true},
    {"every function",
     "param a = 1.7, b = -2.3\n"
     "coord x, y, z\n"
     "let r = sqrt(1 + x^2 + y^2)\n"
     "L = r*x'^2/2 + exp(sin(x)*y)*y'^2/2 + z'^2/2*(2 + cos(y)) + (1 + x'^2)^a\n"
     "  + tan(x/9)*atan(y) + asin(x/9)*acos(y/9) + sinh(x)*cosh(z)*tanh(y)\n"
     "  + log(2 + x^2)*atan2(y + 5, x) + abs(z + 9) + min(x, y + 30)*max(z, y - 30)\n"
     "  + r^b + (x + z)^3 + (x*y/5)^5 + y^7/100 + (z/3)^13 + (x/2)^16 + r^(-4)\n"
     "observe powers = [x^2, x^3, x^7, x^11, x^13, x^21, x^31, x^63]\n"
     "observe norm_of = norm([x, y, z]), turn = [[cos(x), -sin(x)], [sin(x), cos(x)]]\n",
     false},
    {"point vortices",
     "coord x[3], y[3]\n"
     "param g = [1, -0.5, 2]\n"
     "L = sum(i = 1..3, g[i]*(x[i]*y[i]' - y[i]*x[i]')/2)\n"
     "  + sum(i = 2..3, j = 1..i-1, g[i]*g[j]*log((x[i]-x[j])^2 + (y[i]-y[j])^2))\n",
     false},
    {"three bodies",
     "coord x[3][3]\n"
     "param m = [1, 0.25, 3e-3]\n"
     "L = sum(i = 1..3, m[i]/2*dot(x[i]', x[i]'))\n"
     "  + sum(i = 2..3, j = 1..i-1, m[i]*m[j]/norm(x[i] - x[j]))\n",
     false},
    {"functions of many arguments", /* in loops: with tables, backwards, over a subset */
     "param n = 12, m = [1, 2, 0.5, 3, 1.5, 0.75, 2.5, 1, 4, 2, 0.25, 1.25], a = 1.7\n"
     "coord u[n], w[n]\n"
     "L = sum(i = 1..n, m[i]/2*u[i]'^2 + w[i]'^2/2*(2 + sin(u[i])) + u[i]'*w[i]'*tanh(w[i])/9)\n"
     "  - sum(i = 1..n, exp(u[i]*w[i]/4) + log(3 + u[i]^2)*atan2(w[i] + 5, u[i])/i)\n"
     "  - sum(i = 1..n, (2 + cos(w[i]))^a*m[n+1-i]*u[n+1-i] + sqrt(2 + u[i]^2 + w[i]^2))\n"
     "  + sum(i = 2..n, j = 1..i-1, cos(u[i] - u[j])/(i + j)) + sin(t*u[3])*cosh(w[5])\n"
     "observe some = [sin(u[1]), tanh(w[2]), exp(u[3]*w[3]/4), asin(u[4]/9)]\n",
     false},
    {"long chain", /* long enough for functions that are split into parts */
     "param n = 120\n"
     "coord q[120]\n"
     "L = sum(i = 1..n, q[i]'^2/2*(2 + cos(q[i])))\n"
     "  + sum(i = 1..n-1, q[i]'*q[i+1]'*sin(q[i] - q[i+1]) - (q[i+1] - q[i])^4/4)\n",
     false},
};
enum { SYSTEM_COUNT = sizeof systems / sizeof *systems };

/* Results of all functions of a system at one point. */
struct values {
    noe_real lagrangian;
    noe_real *force, *p, *w, *p_of_momentum, *pv, *p_of_second, *w_of_second, *d, *quantities;
    noe_real *all;
    size_t count;
};

static struct values make_values(const struct noe_system *system) {
    const size_t n = (size_t)system->n, nz = (size_t)system->nz, more = (size_t)system->nvalues;
    struct values v = {.count = 6 * n + 5 * nz + more};
    v.all = malloc(v.count * sizeof *v.all);
    for (size_t i = 0; i < v.count; i++) v.all[i] = (noe_real)NAN;
    v.force = v.all;
    v.p = v.force + n;
    v.w = v.p + n;
    v.p_of_momentum = v.w + n;
    v.p_of_second = v.p_of_momentum + n;
    v.w_of_second = v.p_of_second + n;
    v.pv = v.w_of_second + n;
    v.d = v.pv + nz;
    v.quantities = v.d + 4 * nz;
    for (size_t i = 0; i < 4 * nz; i++) v.d[i] = 0; /* `second` requires the results of `first` */
    return v;
}

static void evaluate(const struct noe_system *system, noe_real t, const noe_real *q,
                     const noe_real *v, struct values *out) {
    out->lagrangian = system->lagrangian(system, t, q, v);
    system->force(system, t, q, v, out->force);
    system->first(system, t, q, v, out->p, out->w);
    system->momentum(system, t, q, v, out->p_of_momentum, out->pv);
    system->second(system, t, q, v, out->p_of_second, out->w_of_second, out->d);
    if (system->quantities) system->quantities(system, t, q, v, out->quantities);
}

/* A point that is the same in every run, with components between -1.5 and 1.5. */
static void choose_point(unsigned seed, int n, noe_real *q, noe_real *v) {
    uint64_t state = 88172645463325252u + seed;
    for (int i = 0; i < 2 * n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (i < n ? q : v)[i % n] = (noe_real)(state >> 11) / 9007199254740992.0 * 3 - 1.5;
    }
}

static void test_same_bits(void **state) {
    (void)state;
    for (int k = 0; k < SYSTEM_COUNT; k++) {
        struct noe_model *compiled = model_text_open(systems[k].text, false);
        struct noe_model *interpreted = model_text_open(systems[k].text, true);
        const struct noe_system *system = compiled->system;
        const int n = system->n;
        noe_real *q = malloc(2 * (size_t)n * sizeof *q), *v = q + n;
        struct values one = make_values(system), other = make_values(interpreted->system);
        assert_int_not_equal(compiled->code.kind, NOE_INTERPRETED);
        assert_int_equal(interpreted->code.kind, NOE_INTERPRETED);
        for (unsigned point = 0; point < 20; point++) {
            choose_point(point, n, q, v);
            evaluate(system, 0.1 * point, q, v, &one);
            evaluate(interpreted->system, 0.1 * point, q, v, &other);
            assert_memory_equal(&one.lagrangian, &other.lagrangian, sizeof one.lagrangian);
            assert_memory_equal(one.all, other.all, one.count * sizeof *one.all);
            for (size_t i = 0; i < one.count; i++) assert_true(one.all[i] == one.all[i]);
            assert_memory_equal(one.p, one.p_of_second, (size_t)n * sizeof *q);
            assert_memory_equal(one.p, one.p_of_momentum, (size_t)n * sizeof *q);
            assert_memory_equal(one.w, one.w_of_second, (size_t)n * sizeof *q);
            assert_memory_equal(one.w, one.force, (size_t)n * sizeof *q);
            assert_memory_equal(one.d, one.pv, (size_t)system->nz * sizeof *q);
        }
        free(one.all);
        free(other.all);
        free(q);
        noe_model_free(compiled);
        noe_model_free(interpreted);
    }
}

/* --- Threads: every thread has its own interpreter memory. */

struct visit {
    const struct noe_system *system;
    unsigned seed;
    noe_real sum;
};

static void *visit_points(void *argument) {
    struct visit *visit = argument;
    const struct noe_system *s = visit->system;
    noe_real *q = malloc(2 * (size_t)s->n * sizeof *q), *v = q + s->n;
    struct values values = make_values(s);
    visit->sum = 0;
    for (unsigned point = 0; point < 30; point++) {
        choose_point(visit->seed + point, s->n, q, v);
        evaluate(s, 0, q, v, &values);
        for (size_t i = 0; i < values.count; i++) visit->sum += values.all[i];
    }
    free(values.all);
    free(q);
    return NULL;
}

static void test_threads_are_independent(void **state) {
    (void)state;
    enum { COUNT = 4 };
    struct noe_model *model = model_text_open(systems[SYSTEM_COUNT - 1].text, true);
    pthread_t thread[COUNT];
    struct visit together[COUNT], alone;
    for (unsigned i = 0; i < COUNT; i++) {
        together[i] = (struct visit){model->system, 100 * i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, visit_points, &together[i]), 0);
    }
    for (unsigned i = 0; i < COUNT; i++) pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < COUNT; i++) {
        alone = (struct visit){model->system, 100 * i, 0};
        visit_points(&alone);
        assert_true(alone.sum == together[i].sum);
    }
    noe_model_free(model);
}

/* --- Derivatives against finite differences of fourth order. */

static const noe_real difference_step = 1e-3;
static const noe_real offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};

static noe_real deviation(noe_real a, noe_real b) {
    const noe_real size = noe_abs(a) > noe_abs(b) ? noe_abs(a) : noe_abs(b);
    return noe_abs(a - b) / (1 + size);
}

/* dL/dx by finite differences, where x is one component of q or v. */
static noe_real lagrangian_slope(const struct noe_system *s, noe_real t, const noe_real *q,
                                 const noe_real *v, noe_real *x) {
    const noe_real kept = *x;
    noe_real sum = 0;
    for (int i = 0; i < 4; i++) {
        *x = kept + offset[i] * difference_step;
        sum += weight[i] * s->lagrangian(s, t, q, v);
    }
    *x = kept;
    return sum / (12 * difference_step);
}

/* d(p,w)/dx by finite differences: 2n components. */
static void first_slope(const struct noe_system *s, noe_real t, const noe_real *q,
                        const noe_real *v, noe_real *x, noe_real *slope) {
    const noe_real kept = *x;
    noe_real *pw = malloc(2 * (size_t)s->n * sizeof *pw);
    memset(slope, 0, 2 * (size_t)s->n * sizeof *slope);
    for (int i = 0; i < 4; i++) {
        *x = kept + offset[i] * difference_step;
        s->first(s, t, q, v, pw, pw + s->n);
        for (int k = 0; k < 2 * s->n; k++) slope[k] += weight[i] * pw[k] / (12 * difference_step);
    }
    *x = kept;
    free(pw);
}

static void spread(const struct noe_system *s, const noe_real *packed, noe_real *full) {
    memset(full, 0, (size_t)s->n * (size_t)s->n * sizeof *full);
    for (int k = 0; k < s->nz; k++) {
        const int row = s->row ? s->row[k] : k / s->n, col = s->row ? s->col[k] : k % s->n;
        full[row * s->n + col] = packed[k];
    }
}

static noe_real check_first(const struct noe_system *s, noe_real t, noe_real *q, noe_real *v,
                            const struct values *values, bool is_forced) {
    noe_real worst = 0;
    for (int i = 0; i < s->n; i++) {
        const noe_real force = is_forced ? values->quantities[s->nvalues - s->n + i] : 0;
        const noe_real p = lagrangian_slope(s, t, q, v, &v[i]);
        const noe_real w = lagrangian_slope(s, t, q, v, &q[i]) + force;
        worst = noe_max(worst, noe_max(deviation(p, values->p[i]), deviation(w, values->w[i])));
    }
    return worst;
}

static noe_real check_second(const struct noe_system *s, noe_real t, noe_real *q, noe_real *v,
                             const struct values *values) {
    const int n = s->n;
    noe_real worst = 0, *full = malloc(4 * (size_t)n * (size_t)n * sizeof *full);
    noe_real *slope = malloc(2 * (size_t)n * sizeof *slope);
    for (int block = 0; block < 4; block++) {
        spread(s, values->d + block * s->nz, full + block * n * n);
    }
    for (int j = 0; j < n; j++) {
        for (int by_point = 0; by_point < 2; by_point++) {
            first_slope(s, t, q, v, by_point ? &q[j] : &v[j], slope);
            for (int i = 0; i < n; i++) {
                const noe_real *p_part = full + by_point * n * n, *w_part = p_part + 2 * n * n;
                worst = noe_max(worst, deviation(slope[i], p_part[i * n + j]));
                worst = noe_max(worst, deviation(slope[n + i], w_part[i * n + j]));
            }
        }
    }
    free(slope);
    free(full);
    return worst;
}

/* Measured: at most 7.6e-11, the error of the finite differences at the close encounter of three
 * bodies. */
static void test_derivatives(void **state) {
    (void)state;
    noe_real worst = 0;
    for (int k = 0; k < SYSTEM_COUNT; k++) {
        struct noe_model *model = model_text_open(systems[k].text, false);
        const struct noe_system *s = model->system;
        noe_real *q = malloc(2 * (size_t)s->n * sizeof *q), *v = q + s->n;
        struct values values = make_values(s);
        for (unsigned point = 0; point < 3; point++) {
            choose_point(point + 7, s->n, q, v);
            const noe_real t = 0.3 + point;
            evaluate(s, t, q, v, &values);
            const noe_real first = check_first(s, t, q, v, &values, systems[k].is_forced);
            const noe_real second = check_second(s, t, q, v, &values);
            worst = noe_max(worst, noe_max(first, second));
        }
        free(values.all);
        free(q);
        noe_model_free(model);
    }
    assert_true(worst < 1.6e-10);
}

/* --- Sparsity pattern. */

static void test_chain_pattern(void **state) {
    (void)state;
    struct noe_model *model = model_text_open("coord q[50]\nL = sum(i = 1..50, q[i]'^2/2)"
                                              " - sum(i = 1..49, exp(q[i] - q[i+1]))\n",
                                              true);
    const struct noe_system *s = model->system;
    assert_int_equal(s->nz, 3 * 50 - 2);
    int k = 0;
    for (int row = 0; row < 50; row++) {
        for (int col = row > 0 ? row - 1 : 0; col <= row + 1 && col < 50; col++, k++) {
            assert_int_equal(s->row[k], row);
            assert_int_equal(s->col[k], col);
        }
    }
    noe_model_free(model);
}

static void test_pattern_is_symmetric(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open("coord x, y, z\nL = (x'^2 + y'^2 + z'^2)/2\nforce x = z'\n", true);
    const struct noe_system *s = model->system;
    const int row[] = {0, 0, 1, 2, 2}, col[] = {0, 2, 1, 0, 2};
    assert_int_equal(s->nz, 5);
    assert_memory_equal(s->row, row, sizeof row);
    assert_memory_equal(s->col, col, sizeof col);
    noe_real q[3] = {0}, v[3] = {0}, p[3], w[3], d[20] = {0};
    s->second(s, 0, q, v, p, w, d);
    const noe_real wv[] = {0, 1, 0, 0, 0};
    assert_memory_equal(d + 2 * 5, wv, sizeof wv);
    noe_model_free(model);
}

static void test_full_pattern_is_dense(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(MODEL_DOUBLE_PENDULUM, true);
    assert_null(model->system->row);
    assert_null(model->system->col);
    assert_int_equal(model->system->nz, 4);
    noe_model_free(model);
}

/* --- Traits. */

static void test_traits(void **state) {
    (void)state;
    enum {
        COUPLED = NOE_QUADRATIC | NOE_CONSTANT_MASS,
        CONSTANT = COUPLED | NOE_DIAGONAL_MASS,
        PLAIN = NOE_AUTONOMOUS | NOE_UNFORCED
    };
    static const struct {
        const char *text;
        unsigned traits;
    } rows[] = {
        {"coord q\nL = q'^2/2 - q^4\n", CONSTANT | NOE_SEPARABLE | PLAIN},
        {"param a = 3\ncoord q\nL = a*q'^2/2 - a*q^4\n", CONSTANT | NOE_SEPARABLE | PLAIN},
        {"coord x, y\nL = (x' + y')^2/2 + y'^2 - x*y\n", COUPLED | NOE_SEPARABLE | PLAIN},
        {"coord q\nL = q'^2/2 - q^4 - t*q\n", CONSTANT | NOE_SEPARABLE | NOE_UNFORCED},
        {"coord q\nL = q'^2/2\nforce q = -q\n", CONSTANT | NOE_SEPARABLE | NOE_AUTONOMOUS},
        {"coord q\nL = q'^2/2\nforce q = sin(t)\n", CONSTANT | NOE_SEPARABLE},
        {"coord q\nL = q'^2/2\nforce q = -q'\n",
         CONSTANT | NOE_AUTONOMOUS | NOE_DAMPED | NOE_LINEAR_FRICTION | NOE_STEADY_BATH},
        {"coord q\nL = q'^2/2\nforce q = -q*q'\n",
         CONSTANT | NOE_AUTONOMOUS | NOE_DAMPED | NOE_LINEAR_FRICTION},
        {"coord q\nL = q'^2/2\nforce q = -q'^3\n", CONSTANT | NOE_AUTONOMOUS | NOE_DAMPED},
        {"param a = 2\ncoord q\nL = q'^2/2\nnoise b : q = a\n",
         CONSTANT | NOE_SEPARABLE | PLAIN | NOE_STEADY_BATH},
        {"coord q\nL = q'^2/2\nnoise b : q = q\n", CONSTANT | NOE_SEPARABLE | PLAIN},
        {"coord q\nL = q'^2/2\nforce q = 0\n", CONSTANT | NOE_SEPARABLE | PLAIN},
        {"param a = 2\ncoord q\nL = q'^2/2 + a*q'\n", CONSTANT | PLAIN},
        {"coord q\nL = q'^2/2 + t*q'\n", CONSTANT | NOE_UNFORCED},
        {"coord q\nL = (1 + t)*q'^2/2\n", NOE_QUADRATIC | NOE_UNFORCED},
        {"coord x, y\nL = (x'^2 + y'^2)/2 + x*y' - y*x'\n", CONSTANT | PLAIN},
        {"coord q\nL = (1 + q^2)*q'^2/2\n", NOE_QUADRATIC | PLAIN},
        {"coord q\nL = -sqrt(1 - q'^2)\n", PLAIN},
        {"coord x, y\nL = x*y' - x^2 - y^2\n", CONSTANT | NOE_LINEAR | PLAIN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct noe_model *model = model_text_open(rows[i].text, true);
        if (model->system->traits != rows[i].traits) printf("%s", rows[i].text);
        assert_int_equal(model->system->traits, rows[i].traits);
        noe_model_free(model);
    }
}

/* --- Parameters and sizes. */

static void test_parameters_are_read_when_called(void **state) {
    (void)state;
    const char *const sets[] = {"k=2.75"};
    struct noe_model_settings settings = {.nsets = 1, .sets = sets};
    struct noe_model *model;
    struct noe_error error;
    assert_int_equal(noe_model_open_text(&model, "x", "param k = 1.5\ncoord q\nL = q'^2/2 - k*q\n",
                                         &settings, &error),
                     NOE_OK);
    const noe_real q = 2, v = 3;
    assert_true(model->system->lagrangian(model->system, 0, &q, &v) == 4.5 - 2.75 * 2);
    noe_real value;
    assert_int_equal(model_number(model, "k*2", &value, &error), NOE_OK);
    assert_true(value == 5.5);
    char method[100];
    assert_int_equal(model_method(model, "gauss stages = 3", sizeof method, method, &error),
                     NOE_OK);
    assert_string_equal(method, "gauss stages=3");
    noe_model_free(model);
}

/* Parameters that the caller passes, with the values prepared from them, give the results of
 * parameters set when the model is opened. */
static void test_parameters_are_prepared(void **state) {
    (void)state;
    const char *text = "param m = 1.5, l = [2, 3], g = 9.81\ncoord q, r\n"
                       "L = m*l[1]^2*q'^2/2 + (m + l[2])*r'^2/2 + m*g*l[1]*cos(q)*sin(g/l[2])\n"
                       "observe constant = sqrt(g/l[1]), other = sqrt(g/l[1])*q\n";
    const char *const sets[] = {"m=0.7", "g=1.62"};
    for (int interpret = 0; interpret < 2; interpret++) {
        struct noe_model_settings settings = {.interpret = interpret};
        struct noe_model *model, *set;
        assert_int_equal(noe_model_open_text(&model, "x", text, &settings, NULL), NOE_OK);
        settings.nsets = 2, settings.sets = sets;
        assert_int_equal(noe_model_open_text(&set, "x", text, &settings, NULL), NOE_OK);
        assert_int_equal(model->system->nparameters, 4);
        assert_true(model->system->nprepared > 2 && model->system->nprepared < 16);
        noe_real parameters[20];
        for (int i = 0; i < 4; i++) parameters[i] = set->system->parameters[i];
        model_prepare(model, parameters);
        struct noe_system system = *model->system;
        system.parameters = parameters;
        const noe_real q[2] = {0.3, -0.4}, v[2] = {1.25, 0.5};
        noe_real got[2][4 + 16 + 2] = {{0}};
        for (int i = 0; i < 2; i++) {
            const struct noe_system *s = i == 0 ? &system : set->system;
            s->second(s, 0, q, v, got[i], got[i] + 2, got[i] + 4);
            s->quantities(s, 0, q, v, got[i] + 4 + 4 * s->nz);
        }
        assert_memory_equal(got[0], got[1], (size_t)(6 + 4 * system.nz) * sizeof(noe_real));
        noe_model_free(model);
        noe_model_free(set);
    }
}

static void test_interpretation_is_reported(void **state) {
    (void)state;
    struct noe_model *model = model_text_open("coord q\nL = q'^2/2\n", true);
    assert_int_equal(model->code.kind, NOE_INTERPRETED);
    assert_non_null(strstr(model->code.note, "requested"));
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_threads_are_independent),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_chain_pattern),
        cmocka_unit_test(test_pattern_is_symmetric),
        cmocka_unit_test(test_full_pattern_is_dense),
        cmocka_unit_test(test_traits),
        cmocka_unit_test(test_parameters_are_read_when_called),
        cmocka_unit_test(test_parameters_are_prepared),
        cmocka_unit_test(test_interpretation_is_reported),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
