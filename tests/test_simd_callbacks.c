/* SIMD callbacks, which evaluate a model at several points: against the scalar functions, and
 * with equal bits for every width and every file that they are compiled into. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/codegen/emit_model.h"
#include "model/jit/compile.h"
#include "model/jit/shared_object.h"
#include "model/jit/simd_callbacks.h"
#include "model/model.h"
#include "model_text.h"

extern const char model_header_text[], lanes_header_text[];

/* Some of the examples, and one model with constants and parameters in every position. */
static const char *const examples[] = {"cart_pendulum", "double_pendulum",    "duffing",
                                       "kepler",        "outer_solar_system", "pendulum_chain",
                                       "pleiades",      "point_vortices",     "toda_lattice"};
static const char every_position[] =
    "param a = 1.5, b = 0.25, c = [2, 3]\n"
    "coord x, y, z\n"
    "L = a*b*x'^2/2 + y'^2/2*c[1]/c[2] + (2 + sin(a*x))*z'^2/2 + a*z' - x^4 + 2^x + min(y, 3)\n"
    "  + max(a, x)*b + abs(y) + sqrt(a)*z + (a + b)^3*y\n"
    "force x = a\nforce y = 1\nforce z = cos(t) + c[2]*z'\n";

/* The arrays of all points; component k of point i at [k * NOE_WIDE + i]. */
struct points {
    double *t, *q, *v, *p, *w, *d;
    double *w_alone; /* from `force` */
};

static double *make_array(int count) {
    return aligned_alloc(64, (size_t)count * NOE_WIDE * sizeof(double));
}

static struct points make_points(const struct noe_system *system) {
    const int n = system->n;
    return (struct points){make_array(1), make_array(n), make_array(n),
                           make_array(n), make_array(n), make_array(3 * system->nz),
                           make_array(n)};
}

static void clear_points(struct points *points) {
    free(points->t);
    free(points->q);
    free(points->v);
    free(points->p);
    free(points->w);
    free(points->d);
    free(points->w_alone);
}

static void draw_points(struct points *points, const struct noe_model *model) {
    srand48(3);
    for (int i = 0; i < NOE_WIDE; i++) points->t[i] = drand48();
    for (int k = 0; k < model->system->n; k++) {
        for (int i = 0; i < NOE_WIDE; i++) {
            points->q[k * NOE_WIDE + i] = model->q[k] + 0.1 * (drand48() - 0.5);
            points->v[k * NOE_WIDE + i] = model->v[k] + drand48() - 0.5;
        }
    }
}

static struct noe_model *open_example(const char *name) {
    char path[1000];
    struct noe_model *model = NULL;
    struct noe_error error = {0};
    snprintf(path, sizeof path, "%s/examples/%s.noe", getenv("NOETHER_SOURCE"), name);
    if (noe_model_open(&model, path, NULL, &error) != NOE_OK) fail_msg("%s", error.text);
    return model;
}

static void compile_simd(struct noe_model *model) {
    struct noe_error error = {0};
    if (model_compile_simd(model, NULL, &error) != NOE_OK) fail_msg("%s", error.text);
    assert_non_null(model->system->force_simd);
    assert_non_null(model->system->stage_simd);
}

/* --- Against the scalar functions. */

static double largest(int count, const double *x) {
    double max = 0;
    for (int i = 0; i < count; i++) max = fabs(x[i]) > max ? fabs(x[i]) : max;
    return max;
}

/* Column `i` of `lanes` against `one`. */
static void check_close(int count, const double *one, const double *lanes, int i) {
    const double scale = largest(count, one);
    for (int k = 0; k < count; k++)
        assert_true(fabs(lanes[k * NOE_WIDE + i] - one[k]) <= 1e-14 * scale);
}

static void compare(struct noe_model *model) {
    compile_simd(model);
    const struct noe_system *system = model->system;
    const int n = system->n, nz = system->nz;
    struct points points = make_points(system);
    double *q = calloc((size_t)(4 * n + 4 * nz), sizeof *q);
    double *v = q + n, *p = v + n, *w = p + n, *d = w + n;
    draw_points(&points, model);
    system->force_simd(system, points.t, points.q, points.v, points.w_alone);
    system->stage_simd(system, points.t, points.q, points.v, points.p, points.w, points.d);
    for (int i = 0; i < NOE_WIDE; i++) {
        for (int k = 0; k < n; k++) {
            q[k] = points.q[k * NOE_WIDE + i];
            v[k] = points.v[k * NOE_WIDE + i];
        }
        system->second(system, points.t[i], q, v, p, w, d);
        check_close(n, p, points.p, i);
        check_close(n, w, points.w, i);
        check_close(n, w, points.w_alone, i);
        check_close(3 * nz, d, points.d, i);
    }
    clear_points(&points);
    free(q);
}

static void test_against_one_point(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        struct noe_model *model = open_example(examples[k]);
        compare(model);
        noe_model_free(model);
    }
    struct noe_model *model = model_text_open(every_position, false);
    compare(model);
    noe_model_free(model);
}

/* --- Equal bits in all lanes. */

typedef void first_function(const double *a, const double *t, const double *q, const double *v,
                            double *p, double *w, double *w_alone);

/* A shared object with the model's functions in lanes of `width`. */
static void *make_lanes(const struct model *model, int width, const struct simd_target *lanes) {
    struct writer text = {0};
    struct system_functions routines;
    assert_int_equal(system_functions_make(&routines, model->source, &model->equations, true),
                     NOE_OK);
    writer_print(&text, "#define NOE_LANES %d\n", width);
    writer_put(&text, model_header_text);
    writer_put(&text, lanes_header_text);
    assert_int_equal(emit_inline_functions(&text, &routines, EMIT_LANES, NULL), NOE_OK);
    system_functions_clear(&routines);
    writer_put(&text, "void run(const noe_real *a, const noe_real *t, const noe_real *q,\n"
                      "    const noe_real *v, noe_real *p, noe_real *w, noe_real *w_alone) {\n"
                      "    const struct noe_system system = {.parameters = a};\n"
                      "    model_first(&system, t[0], q, v, p, w);\n"
                      "    model_force(&system, t[0], q, v, w_alone);\n}\n");
    struct object object = {.text = &text};
    char note[400] = "";
    object_set_options(&object, compile_options(text.length, false), lanes);
    void *handle = object_load(&object, sizeof note, note);
    writer_clear(&text);
    if (!handle) fail_msg("%s", note);
    return handle;
}

/* Copies `width` columns, starting with column `from`, to or from the points. */
static void gather(int count, const double *points, int from, int width, double *lanes) {
    for (int k = 0; k < count; k++)
        memcpy(lanes + k * width, points + k * NOE_WIDE + from, (size_t)width * sizeof *lanes);
}

static void scatter(int count, double *points, int from, int width, const double *lanes) {
    for (int k = 0; k < count; k++)
        memcpy(points + k * NOE_WIDE + from, lanes + k * width, (size_t)width * sizeof *lanes);
}

static void run_lanes(const struct model *model, int width, const struct simd_target *lanes,
                      struct points *points) {
    const int n = model->system.n, na = model->system.nparameters + model->nprepared;
    void *handle = make_lanes(model, width, lanes);
    first_function *run;
    *(void **)&run = dlsym(handle, "run");
    double *a = make_array(na + 1), *t = make_array(1), *q = make_array(n), *v = make_array(n);
    double *p = make_array(n), *w = make_array(n), *w_alone = make_array(n);
    for (int k = 0; k < na * width; k++) a[k] = model->system.parameters[k / width];
    for (int from = 0; from < NOE_WIDE; from += width) {
        gather(1, points->t, from, width, t);
        gather(n, points->q, from, width, q);
        gather(n, points->v, from, width, v);
        run(a, t, q, v, p, w, w_alone);
        scatter(n, points->p, from, width, p);
        scatter(n, points->w, from, width, w);
        scatter(n, points->w_alone, from, width, w_alone);
    }
    double *const all[] = {a, t, q, v, p, w, w_alone};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    dlclose(handle);
}

/* `first` gives the same bits at every width, and `force` also those of force_simd. */
static void check_bits(struct noe_model *public) {
    const struct model *model = (const struct model *)public;
    const struct noe_system *system = &model->system;
    const struct simd_target lanes = simd_target_find();
    const size_t bytes = (size_t)system->n * NOE_WIDE * sizeof(double);
    struct points one = make_points(system), points = make_points(system);
    compile_simd(public);
    draw_points(&one, public);
    draw_points(&points, public);
    run_lanes(model, 1, &lanes, &one);
    for (int width = 4; width <= 8; width *= 2) {
        memset(points.p, 0xff, bytes);
        memset(points.w, 0xff, bytes);
        run_lanes(model, width, &lanes, &points);
        assert_memory_equal(points.p, one.p, bytes);
        assert_memory_equal(points.w, one.w, bytes);
        assert_memory_equal(points.w_alone, one.w_alone, bytes);
    }
    system->force_simd(system, points.t, points.q, points.v, points.w_alone);
    assert_memory_equal(points.w_alone, one.w_alone, bytes);
    clear_points(&one);
    clear_points(&points);
}

static void test_same_bits(void **state) {
    (void)state;
    static const char *const levels[] = {"avx512", "avx2", "none"};
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        setenv("NOETHER_LANES_SIMD", levels[level], 1);
        for (size_t k = 0; k < (level == 0 ? sizeof examples / sizeof *examples : 4); k++) {
            struct noe_model *model = open_example(examples[k]);
            check_bits(model);
            noe_model_free(model);
        }
        struct noe_model *model = model_text_open(every_position, false);
        check_bits(model);
        noe_model_free(model);
    }
    unsetenv("NOETHER_LANES_SIMD");
}

static void test_interpreted_model_is_rejected(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(every_position, true);
    struct noe_error error = {0};
    assert_int_equal(model_compile_simd(model, NULL, &error), NOE_NOT_SERVED);
    assert_non_null(strstr(error.text, "interpreted"));
    assert_null(model->system->force_simd);
    noe_model_free(model);
}

/* If the compiler fails there are no SIMD callbacks, and the message gives the reason. */
static void test_no_compiler(void **state) {
    (void)state;
    struct noe_model *model = model_text_open("coord x\nL = x'^2/2 - x^6/42\n", false);
    struct noe_error error = {0};
    setenv("NOETHER_CC", "/bin/false", 1);
    assert_int_equal(model_compile_simd(model, NULL, &error), NOE_NO_LIBRARY);
    assert_non_null(strstr(error.text, "/bin/false"));
    assert_null(model->system->stage_simd);
    unsetenv("NOETHER_CC");
    assert_int_equal(model_compile_simd(model, NULL, &error), NOE_OK);
    assert_int_equal(model_compile_simd(model, NULL, &error), NOE_OK);
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_one_point),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_interpreted_model_is_rejected),
        cmocka_unit_test(test_no_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
