/* Exported C: it compiles without warnings and gives the library's values. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model/export/export.h"
#include "model_text.h"
#include "spaces/product.h"

static const char *directory;

/* Compiles the text with strict warnings and loads it. */
static void *load(const char *text) {
    static int number;
    char source[300], object[300], command[1000];
    snprintf(source, sizeof source, "%s/exported.c", directory);
    snprintf(object, sizeof object, "%s/exported%d.so", directory, ++number);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command,
             "cc -std=c99 -Wall -Wextra -pedantic -Werror -ffp-contract=off -O1 -shared -fPIC "
             "-o '%s' '%s' -lm",
             object, source);
    assert_int_equal(system(command), 0);
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    return handle;
}

static void *find(void *handle, const char *prefix, const char *name) {
    char symbol[100];
    snprintf(symbol, sizeof symbol, "%s_%s", prefix, name);
    void *found = dlsym(handle, symbol);
    if (!found) print_error("no %s\n", symbol);
    assert_non_null(found);
    return found;
}

typedef double lagrangian_function(double, const double *, const double *);
typedef void one_function(double, const double *, const double *, double *);
typedef void two_function(double, const double *, const double *, double *, double *);
typedef void three_function(double, const double *, const double *, double *, double *, double *);

static void compare(const struct noe_model *model, void *handle, const char *prefix) {
    const struct noe_system *s = model->system;
    const size_t n = (size_t)s->n, nz = (size_t)s->nz, nv = (size_t)s->nvalues;
    const size_t np = (size_t)product_point_size(s), count = 6 * n + 5 * nz + nv;
    double *ours = calloc(2 * count + n + np, sizeof *ours), *theirs = ours + count;
    double *q = theirs + count, *v = q + np;
    for (size_t i = 0; i < np; i++) q[i] = model->q[i] + 0.1 + 0.37 * (double)i;
    for (size_t i = 0; i < n; i++) v[i] = model->v[i] + 0.3 - 0.05 * (double)i;
    const double t = 0.7;
    lagrangian_function *lagrangian = (lagrangian_function *)find(handle, prefix, "lagrangian");
    assert_true(lagrangian(t, q, v) == s->lagrangian(s, t, q, v));
    ((one_function *)find(handle, prefix, "force"))(t, q, v, theirs);
    s->force(s, t, q, v, ours);
    ((two_function *)find(handle, prefix, "first"))(t, q, v, theirs + n, theirs + 2 * n);
    s->first(s, t, q, v, ours + n, ours + 2 * n);
    double *d = theirs + 6 * n;
    ((two_function *)find(handle, prefix, "momentum"))(t, q, v, theirs + 3 * n, d);
    s->momentum(s, t, q, v, ours + 3 * n, ours + 6 * n);
    ((three_function *)find(handle, prefix, "second"))(t, q, v, theirs + 4 * n, theirs + 5 * n,
                                                       d + nz);
    s->second(s, t, q, v, ours + 4 * n, ours + 5 * n, ours + 6 * n + nz);
    if (nv > 0) {
        ((one_function *)find(handle, prefix, "quantities"))(t, q, v, d + 5 * nz);
        s->quantities(s, t, q, v, ours + 6 * n + 5 * nz);
    }
    assert_memory_equal(ours, theirs, count * sizeof *ours);
    assert_memory_equal(find(handle, prefix, "q0"), model->q, np * sizeof *q);
    assert_memory_equal(find(handle, prefix, "v0"), model->v, n * sizeof *q);
    free(ours);
}

static void check_export(const char *text, const char *prefix) {
    struct noe_model *model = model_text_open(text, false);
    struct noe_error error;
    char *exported;
    assert_int_equal(noe_model_export(model, &exported, &error), NOE_OK);
    void *handle = load(exported);
    compare(model, handle, prefix);
    dlclose(handle);
    free(exported);
    noe_model_free(model);
}

static void test_values(void **state) {
    (void)state;
    check_export(MODEL_DOUBLE_PENDULUM, "double_pendulum");
    check_export("model \"  3rd: a b--c! \"\ncoord q\nL = q'^2/2\n", "rd_a_b_c");
    check_export("coord q\nL = q'^2/2 - q\n", "test"); /* the name of the file */
    check_export("model \"Driven\"\nparam A = [[1, 2], [3.5, 4]], k = 0.5\ncoord x, y[2]\n"
                 "L = x'^2/2*(2 + sin(y[1])) + dot(y', A*y') + t*x^9 + min(x, y[2]) + abs(x - 3)\n"
                 "force x = -k*x'^3 + max(x, t) + x^k\nobserve e = x'\ninvariant o = [x, y[1]]\n",
                 "driven");
}

/* Exported functions call the C library for scalars. Here the model does so too. */
static void test_long_functions(void **state) {
    (void)state;
    setenv("NOETHER_LANES_SLEEF", "no", 1);
    check_export("model \"Chain\"\ncoord q[100]\n"
                 "L = sum(i = 1..100, q[i]'^2/2*(2 + cos(q[i])))\n"
                 "  + sum(i = 1..99, q[i]'*q[i+1]'*sin(q[i] - q[i+1]) - (q[i+1] - q[i])^4/4)\n",
                 "chain");
    unsetenv("NOETHER_LANES_SLEEF");
}

/* Texts of the model become harmless comments; otherwise the file would not compile. */
static void test_hostile_titles(void **state) {
    (void)state;
    static const char *const titles[] = {
        "*/ #error no /*", "x \\", "\\", "?\?/", "", "int", "'", "a%s%n", "\xc3\xa4\xc3\xb6"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        char text[200];
        snprintf(text, sizeof text, "model \"%s\"\ncoord q\nL = q'^2/2\n", titles[i]);
        struct noe_model *model;
        struct noe_error error;
        char *exported;
        if (noe_model_open_text(&model, "t", text, NULL, &error) != NOE_OK) continue;
        assert_int_equal(noe_model_export(model, &exported, &error), NOE_OK);
        dlclose(load(exported));
        free(exported);
        noe_model_free(model);
    }
}

/* --- Step functions. */

typedef void start_function(void *, double, const double *, const double *, double *);
typedef int step_function(void *, double, double, double *, double *);

static char work[1 << 16];

/* Steps from the model's start to time 1; (q,p) at the end. */
static void run(const struct noe_model *model, const struct export_method *method,
                const char *prefix, int steps, double *q, double *p) {
    struct noe_error error;
    char *exported;
    assert_int_equal(export_with_stepper(model, method, &exported, &error), NOE_OK);
    char *limit = strstr(exported, "ITERATIONS = 50"); /* few, as the Jacobian is exact */
    if (limit) memcpy(limit, "ITERATIONS = 06", strlen("ITERATIONS = 06"));
    void *handle = load(exported);
    start_function *start = (start_function *)find(handle, prefix, "start");
    step_function *step = (step_function *)find(handle, prefix, "step");
    memcpy(q, model->q, (size_t)model->system->n * sizeof *q);
    start(work, 0, q, model->v, p);
    for (int k = 0; k < steps; k++)
        assert_int_equal(step(work, k / (double)steps, 1.0 / steps, q, p), 0);
    dlclose(handle);
    free(exported);
}

static const noe_real half[] = {0.5}, one[] = {1};
static const struct export_method midpoint = {
    .words = "midpoint", .stages = 1, .a = half, .ahat = half, .b = one, .bhat = one, .c = half};

/* Gauss with two stages. */
#define ROOT 0.28867513459481288225
static const noe_real gauss_a[] = {0.25, 0.25 - ROOT, 0.25 + ROOT, 0.25};
static const noe_real gauss_b[] = {0.5, 0.5}, gauss_c[] = {0.5 - ROOT, 0.5 + ROOT};
static const struct export_method gauss = {.words = "gauss stages=2",
                                           .stages = 2,
                                           .a = gauss_a,
                                           .ahat = gauss_a,
                                           .b = gauss_b,
                                           .bhat = gauss_b,
                                           .c = gauss_c};

/* Lobatto IIIA-IIIB with two stages, and the same method as a splitting. */
static const noe_real lobatto_a[] = {0, 0, 0.5, 0.5}, lobatto_ahat[] = {0.5, 0, 0.5, 0};
static const noe_real lobatto_c[] = {0, 1};
static const struct export_method lobatto = {.words = "lobatto stages=2",
                                             .stages = 2,
                                             .a = lobatto_a,
                                             .ahat = lobatto_ahat,
                                             .b = gauss_b,
                                             .bhat = gauss_b,
                                             .c = lobatto_c};
static const noe_real kicks[] = {0.5, 0.5}, drifts[] = {1, 0};
static const struct export_method verlet = {
    .words = "verlet", .nsubsteps = 2, .kick = kicks, .drift = drifts};

/* Rotations and poses: the functions are exported, step functions are not. */
static void test_groups(void **state) {
    (void)state;
    static const char text[] = "model \"Bodies\"\nparam J = [diag(1, 2, 2.5), I]\ncoord a\n"
                               "pose R[2], x[2], W[2], V[2]\nrotation S, U\n"
                               "L = sum(i = 1..2, dot(W[i], J[i]*W[i]) + dot(V[i], V[i])*cos(a))\n"
                               "  + 1/norm(x[1] - x[2]) + a'^2 + dot(U, S*U) + a'*x[2][1]\n"
                               "observe c = R[2]*e1\nstart R[2] = expm([1, 2, 3]), a' = 2\n";
    check_export(text, "bodies");
    struct noe_model *model = model_text_open(text, false);
    struct noe_error error;
    char *exported;
    assert_int_equal(noe_model_export(model, &exported, &error), NOE_OK);
    assert_non_null(strstr(exported, "/* q[16]: R[2][2][1] */"));
    assert_non_null(strstr(exported, "/* v[12]: V[2][3] */"));
    assert_non_null(strstr(exported, "/* v[0]: a' */"));
    assert_non_null(strstr(exported, "BODIES_NP = 34"));
    free(exported);
    assert_int_equal(export_with_stepper(model, &midpoint, &exported, &error), NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "rotations or poses"));
    noe_model_free(model);
}

static double distance(const double *x, const double *y, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

static void check_order(const struct noe_model *model, const struct export_method *method,
                        const char *prefix, int order) {
    double z[3][4];
    for (int i = 0; i < 3; i++) run(model, method, prefix, 100 << i, z[i], z[i] + 2);
    const double ratio = distance(z[0], z[1], 4) / distance(z[1], z[2], 4);
    assert_true(fabs(log2(ratio) - order) < 0.05);
}

static void test_steps_with_stages(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(MODEL_DOUBLE_PENDULUM, false);
    check_order(model, &midpoint, "double_pendulum", 2);
    check_order(model, &gauss, "double_pendulum", 4);
    check_order(model, &lobatto, "double_pendulum", 2);
    double fine[4], rough[4];
    run(model, &gauss, "double_pendulum", 8, fine, fine + 2); /* large steps, within the limit */
    run(model, &gauss, "double_pendulum", 1000, fine, fine + 2);
    run(model, &midpoint, "double_pendulum", 1000, rough, rough + 2);
    const double apart = distance(fine, rough, 4); /* measured: 2.3e-5 */
    assert_true(apart > 1e-6 && apart < 4.6e-5);
    noe_model_free(model);
}

/* Verlet by kicks and drifts equals Lobatto by Newton, with a force of time, masses and two
 * degrees of freedom. */
static void test_steps_without_stages(void **state) {
    (void)state;
    struct noe_model *model = model_text_open("model \"Two\"\nparam m = 1.75\ncoord x, y\n"
                                              "L = m*x'^2/2 + y'^2/2 - (x^2 + x^2*y^2 + y^4)/2\n"
                                              "force y = cos(3*t)\nstart x = 1, y' = 0.5\n",
                                              false);
    double z[4], other[4];
    run(model, &verlet, "two", 100, z, z + 2);
    run(model, &lobatto, "two", 100, other, other + 2);
    assert_true(distance(z, other, 4) < 1.8e-15); /* measured: 8.9e-16 */
    check_order(model, &verlet, "two", 2);
    noe_model_free(model);
}

static void test_kicks_need_a_diagonal_mass(void **state) {
    (void)state;
    static const char *const texts[] = {MODEL_DOUBLE_PENDULUM,
                                        "coord x, y\nL = x'^2 + x'*y' + y'^2 - x*y\n"};
    for (int i = 0; i < 2; i++) {
        struct noe_model *model = model_text_open(texts[i], false);
        struct noe_error error;
        char *exported;
        assert_int_equal(export_with_stepper(model, &verlet, &exported, &error), NOE_NOT_SERVED);
        assert_null(exported);
        assert_non_null(strstr(error.text, "diagonal mass"));
        noe_model_free(model);
    }
}

/* A step that cannot be solved leaves the state unchanged: a singular Jacobian, and NaN. */
static void test_failed_step(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double h;
    } rows[] = {{"model \"Edge\"\ncoord q\nL = (q'^2 + q^2)/2\nstart q = 1, q' = -5\n", 2},
                {"model \"Edge\"\ncoord q\nL = q'^2/2 + q^1.5\nstart q = 1, q' = -5\n", 0.5}};
    for (int i = 0; i < 2; i++) {
        struct noe_model *model = model_text_open(rows[i].text, false);
        struct noe_error error;
        char *exported;
        assert_int_equal(export_with_stepper(model, &midpoint, &exported, &error), NOE_OK);
        void *handle = load(exported);
        double q = model->q[0], p;
        ((start_function *)find(handle, "edge", "start"))(work, 0, &q, model->v, &p);
        step_function *step = (step_function *)find(handle, "edge", "step");
        assert_int_equal(step(work, 0, rows[i].h, &q, &p), 1);
        assert_true(q == 1 && p == -5);
        dlclose(handle);
        free(exported);
        noe_model_free(model);
    }
}

/* A number of the list of parameters acts when it is edited, also one that was 0 in the model. */
static void test_edited_parameter(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(
        "model \"Push\"\nparam tau = 0\ncoord q\nL = q'^2/2\nforce q = tau\n", false);
    char *exported;
    const double q = 0, v = 0;
    double w = 0;
    assert_int_equal(noe_model_export(model, &exported, NULL), NOE_OK);
    char *number = strstr(exported, "0.0, /* a[0]: tau */");
    assert_non_null(number);
    *number = '3';
    void *handle = load(exported);
    ((one_function *)find(handle, "push", "force"))(0, &q, &v, &w);
    assert_true(w == 3);
    dlclose(handle);
    free(exported);
    noe_model_free(model);
}

static int begin(void **state) {
    const int failed = model_text_begin(state);
    directory = *state;
    return failed;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_long_functions),
        cmocka_unit_test(test_hostile_titles),
        cmocka_unit_test(test_steps_with_stages),
        cmocka_unit_test(test_steps_without_stages),
        cmocka_unit_test(test_kicks_need_a_diagonal_mass),
        cmocka_unit_test(test_failed_step),
        cmocka_unit_test(test_edited_parameter),
    };
    return cmocka_run_group_tests(tests, begin, model_text_end);
}
