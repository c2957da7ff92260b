/* Elementary functions in SIMD lanes: equal bits at every width, errors below one unit in the
 * last place (or the stated bound for half-integer powers), and the special values of the scalar
 * functions. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/jit/compile.h"
#include "model/jit/shared_object.h"
#include "model/jit/simd_target.h"
#include "noether.h"

extern const char model_header_text[], lanes_header_text[];

/* Arguments of random size within [-x_max, x_max], or [0, x_max], and likewise for y. */
struct function {
    const char *name;
    double (*scalar)(double);
    double (*scalar2)(double, double);
    long double (*exact)(long double); /* NULL: the scalar function is exact */
    long double (*exact2)(long double, long double);
    double x_max, y_max;
    bool is_positive;
    double seeded, divided; /* error bounds of half-integer powers: with AVX-512, and without */
};
#define UNARY(name, x_max, is_positive)                                                            \
    { #name, noe_##name, NULL, name##l, NULL, x_max, 0, is_positive, 0, 0 }
#define BINARY(name, x_max, y_max, is_positive)                                                    \
    { #name, NULL, noe_##name, NULL, name##l, x_max, y_max, is_positive, 0, 0 }
#define EXACT(name)                                                                                \
    { #name, noe_##name, NULL, NULL, NULL, 1e300, 0, false, 0, 0 }
#define EXACT2(name)                                                                               \
    { #name, NULL, noe_##name, NULL, NULL, 1e300, 1e300, false, 0, 0 }
#define TWIN(name, as)                                                                             \
    { #name, noe_##as, NULL, as##l, NULL, 1e300, 0, false, 0, 0 }
/* Powers by root and division, in the order that gives their special values. */
static double inverse_root(double t) { return 1 / sqrt(t); }
static double inverse(double t) { return 1 / t; }
static double inverse_3(double t) { return 1 / t * (1 / t * sqrt(t)); }
static double inverse_4(double t) { return 1 / (t * t); }
static double inverse_5(double t) { return 1 / t * inverse_3(t); }
static double inverse_7(double t) { return 1 / t * inverse_5(t); }
static long double inverse_rootl(long double t) { return 1 / sqrtl(t); }
static long double inversel(long double t) { return 1 / t; }
static long double inverse_3l(long double t) { return 1 / (t * sqrtl(t)); }
static long double inverse_4l(long double t) { return 1 / (t * t); }
static long double inverse_5l(long double t) { return 1 / (t * t * sqrtl(t)); }
static long double inverse_7l(long double t) { return 1 / (t * t * t * sqrtl(t)); }
/* Measured against quadruple precision: 0.5, 0.5, 0.5, 2.3, 1.4, 1.9 and 2.6 units, and, by root
 * and division, 0.5, 1.5, 0.5, 3.4, 1.5, 4.8 and 6. */
#define POWER(name, as, seeded, divided)                                                           \
    { #name, as, NULL, as##l, NULL, 1e60, 0, true, seeded, divided }
static const struct function functions[] = {
    POWER(half_1, sqrt, 0.51, 0.51),
    POWER(half_m1, inverse_root, 0.51, 1.6),
    POWER(half_m2, inverse, 0.51, 0.51),
    POWER(half_m3, inverse_3, 2.5, 3.6),
    POWER(half_m4, inverse_4, 1.6, 1.6),
    POWER(half_m5, inverse_5, 2.2, 5.2),
    POWER(half_m7, inverse_7, 3, 6.5),
    TWIN(twin_sine, sin),
    TWIN(twin_cosine, cos),
    UNARY(acos, 1, false),
    UNARY(asin, 1, false),
    UNARY(atan, 1e300, false),
    UNARY(cos, 1e300, false),
    UNARY(cosh, 709, false),
    UNARY(exp, 708, false),
    UNARY(log, 1e300, true),
    UNARY(sin, 1e300, false),
    UNARY(sinh, 709, false),
    UNARY(tan, 1e300, false),
    UNARY(tanh, 1e300, false),
    BINARY(atan2, 1e300, 1e300, false),
    BINARY(pow, 1e9, 30, true),
    EXACT(sqrt),
    EXACT(abs),
    EXACT(floor),
    EXACT(sign),
    EXACT(step_at),
    EXACT2(min),
    EXACT2(max),
};
enum {
    FUNCTION_COUNT = sizeof functions / sizeof *functions,
    COUNT = 40000, /* number of arguments, a multiple of every width */
    WIDTH_COUNT = 4
};
static const double special[] = {0,         -0.0, 1,      -1,      0.5,      -0.5,
                                 2,         3,    5e-324, -5e-324, 1e-310,   DBL_MIN,
                                 1e-20,     1e20, 1e300,  DBL_MAX, -DBL_MAX, INFINITY,
                                 -INFINITY, NAN,  M_PI,   -2.5,    709,      -1e22};
enum { SPECIAL_COUNT = sizeof special / sizeof *special };
static const char *const widths[WIDTH_COUNT] = {"#define NOE_LANES 1\n", "#define NOE_LANES 4\n",
                                                "#define NOE_LANES 8\n", ""};
static const char *const levels[] = {"avx512", "avx2", "none"};
enum { LEVEL_COUNT = sizeof levels / sizeof *levels };

static _Alignas(64) double x[COUNT], y[COUNT], result[COUNT], first[COUNT];

/* --- Generated code. */

typedef void (*table[FUNCTION_COUNT])(long, const double *, const double *, double *);

/* Both results of one function. */
static const char twins[] = "static lanes_real LANES_NAME(twin_sine)(lanes_real x) {\n"
                            "    lanes_real s, c;\n    LANES_NAME(sincos)(x, &s, &c);\n"
                            "    return s;\n}\n"
                            "static lanes_real LANES_NAME(twin_cosine)(lanes_real x) {\n"
                            "    lanes_real s, c;\n    LANES_NAME(sincos)(x, &s, &c);\n"
                            "    return c;\n}\n";

/* Functions of one argument. */
static const char powers[] = "#define POWER(name, halves) static lanes_real LANES_NAME(name)(\\\n"
                             "    lanes_real x) { return LANES_NAME(half_power)(x, halves); }\n"
                             "POWER(half_1, 1)\nPOWER(half_m1, -1)\nPOWER(half_m2, -2)\n"
                             "POWER(half_m3, -3)\nPOWER(half_m4, -4)\nPOWER(half_m5, -5)\n"
                             "POWER(half_m7, -7)\n";

static void write_text(struct writer *out, const char *width) {
    writer_put(out, width);
    writer_put(out, model_header_text);
    writer_put(out, lanes_header_text);
    writer_put(out, twins);
    writer_put(out, powers);
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        writer_print(out,
                     "static void f%d(long n, const lanes_real *x, const lanes_real *y,\n"
                     "    lanes_real *r) {\n"
                     "    for (long i = 0; i < n / LANES_WIDTH; i++)\n"
                     "        r[i] = LANES_NAME(%s)(x[i]%s);\n}\n",
                     f, functions[f].name, functions[f].scalar2 ? ", y[i]" : "");
    }
    writer_put(out, "void *const table[] = {");
    for (int f = 0; f < FUNCTION_COUNT; f++) writer_print(out, "f%d, ", f);
    writer_put(out, "};\n");
}

/* The functions of one width with the instructions that the environment allows. */
static void *make(const char *width, table *made) {
    struct writer text = {0};
    write_text(&text, width);
    const struct simd_target lanes = simd_target_find();
    struct object object = {.text = &text};
    char note[400] = "";
    object_set_options(&object, compile_options(text.length, false), &lanes);
    void *handle = object_load(&object, sizeof note, note);
    writer_clear(&text);
    if (!handle) fail_msg("%s: %s", lanes.description, note);
    memcpy(made, dlsym(handle, "table"), sizeof *made);
    return handle;
}

/* Restricts the lanes to a level of instructions; false if this machine does not support it. */
static bool choose(const char *level, const char *sleef) {
    char words[100];
    setenv("NOETHER_LANES_SIMD", level, 1);
    setenv("NOETHER_LANES_SLEEF", sleef, 1);
    simd_target_describe(sizeof words, words);
    const char *name = strcmp(level, "avx512") == 0 ? "AVX-512,"
                       : strcmp(level, "avx2") == 0 ? "AVX2,"
                                                    : "no AVX2,";
    if (strcmp(sleef, "no") != 0 && !strstr(words, "lanes, SLEEF")) return false;
    return strncmp(words, name, strlen(name)) == 0;
}

/* --- Arguments. */

static double uniform(double low, double high) { return low + (high - low) * drand48(); }

/* Half of them of all magnitudes, half between 0 and min(20, max). */
static double draw(double largest, bool is_positive) {
    const double size =
        drand48() < 0.5 ? largest * exp(uniform(-300, 0)) : uniform(0, largest < 20 ? largest : 20);
    return is_positive || drand48() < 0.5 ? size : -size;
}

static void fill_random(const struct function *function) {
    for (int i = 0; i < COUNT; i++) {
        x[i] = draw(function->x_max, function->is_positive);
        y[i] = draw(function->y_max, false);
    }
}

static void fill_special(void) {
    for (int i = 0; i < COUNT; i++) {
        x[i] = special[i % SPECIAL_COUNT];
        y[i] = special[i / SPECIAL_COUNT % SPECIAL_COUNT];
    }
}

static double scalar_value(const struct function *function, int i) {
    return function->scalar ? function->scalar(x[i]) : function->scalar2(x[i], y[i]);
}

static bool is_same(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

/* --- Checks. */

/* The distance from the exact value in units in the last place. */
static double error_of(const struct function *function, int i) {
    const long double exact =
        function->exact ? function->exact(x[i]) : function->exact2(x[i], y[i]);
    const double near = fabs((double)exact);
    if (!isfinite(near)) return 0;
    const double unit = near < DBL_MIN ? 5e-324 : near - nextafter(near, 0);
    return (double)(fabsl(result[i] - exact) / unit);
}

static void check_errors(const struct function *function, const char *where) {
    double worst = 0;
    int at = 0;
    for (int i = 0; i < COUNT; i++) {
        const double error = error_of(function, i);
        if (error > worst || error != error) worst = error, at = i;
    }
    const double bound = function->seeded == 0          ? 1.001 /* error of the long double */
                         : strcmp(where, "avx512") == 0 ? function->seeded
                                                        : function->divided;
    if (!(worst < bound)) {
        fail_msg("%s %s(%.17g, %.17g) = %.17g: %.3g units", where, function->name, x[at], y[at],
                 result[at], worst);
    }
}

/* Infinities, NaN and the sign of 0 are those of the C library. Other results are close to its
 * results, or infinite if they are within rounding of overflow. */
static bool is_alike(const struct function *function, double wanted, double got) {
    const double units = function->seeded == 0 ? 2 : function->seeded + function->divided;
    if (isinf(wanted) || wanted != wanted || wanted == 0) return is_same(wanted, got);
    if (fabs(wanted) > 0.999 * DBL_MAX && got == copysign(INFINITY, wanted)) return true;
    return fabs(got - wanted) <= units * DBL_EPSILON * fabs(wanted) || fabs(got - wanted) <= 5e-324;
}

static void check_special(const struct function *function, const char *where) {
    const bool is_exact = !function->exact && !function->exact2;
    for (int i = 0; i < COUNT; i++) {
        const double wanted = scalar_value(function, i), got = result[i];
        if (is_exact ? is_same(wanted, got) : is_alike(function, wanted, got)) continue;
        fail_msg("%s %s(%g, %g) = %.17g, not %.17g", where, function->name, x[i], y[i], got,
                 wanted);
    }
}

static void check_bits(const struct function *function, const char *where) {
    for (int i = 0; i < COUNT; i++) {
        if (is_same(result[i], first[i])) continue;
        fail_msg("%s %s(%.17g, %.17g) = %.17g, %.17g at another width", where, function->name, x[i],
                 y[i], result[i], first[i]);
    }
}

/* All widths of one level. The first is compared with exact values, the others with the first. */
static void check_level(const char *level) {
    table made[WIDTH_COUNT];
    void *handle[WIDTH_COUNT];
    for (int w = 0; w < WIDTH_COUNT; w++) handle[w] = make(widths[w], &made[w]);
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        for (int is_random = 0; is_random < 2; is_random++) {
            if (is_random)
                fill_random(&functions[f]);
            else
                fill_special();
            for (int w = 0; w < WIDTH_COUNT; w++) {
                made[w][f](COUNT, x, y, result);
                if (w > 0)
                    check_bits(&functions[f], level);
                else if (!is_random || !functions[f].exact == !functions[f].exact2)
                    check_special(&functions[f], level);
                else
                    check_errors(&functions[f], level);
                if (w == 0) memcpy(first, result, sizeof first);
            }
        }
    }
    for (int w = 0; w < WIDTH_COUNT; w++) dlclose(handle[w]);
}

static void test_sleef(void **state) {
    (void)state;
    int count = 0;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        if (!choose(levels[level], "yes")) continue;
        check_level(levels[level]);
        count++;
    }
    if (count == 0) skip();
}

static void test_libm(void **state) {
    (void)state;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        if (!choose(levels[level], "no")) continue;
        table made[WIDTH_COUNT];
        for (int w = 0; w < WIDTH_COUNT; w++) {
            void *handle = make(widths[w], &made[w]);
            for (int f = 0; f < FUNCTION_COUNT; f++) {
                if (functions[f].seeded != 0) continue;
                fill_random(&functions[f]);
                made[w][f](COUNT, x, y, result);
                for (int i = 0; i < COUNT; i++)
                    assert_true(is_same(result[i], scalar_value(&functions[f], i)));
            }
            dlclose(handle);
        }
    }
}

/* All processors with fused multiply-add give the same bits, except for half-integer powers. */
static void test_levels_agree(void **state) {
    (void)state;
    table made[2];
    void *handle[2];
    if (!choose("avx512", "yes")) skip();
    handle[0] = make(widths[2], &made[0]);
    choose("avx2", "yes");
    handle[1] = make(widths[1], &made[1]);
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        if (functions[f].seeded != 0) continue;
        fill_random(&functions[f]);
        made[0][f](COUNT, x, y, first);
        made[1][f](COUNT, x, y, result);
        check_bits(&functions[f], "avx2");
    }
    dlclose(handle[0]);
    dlclose(handle[1]);
}

static void test_description(void **state) {
    (void)state;
    char words[100];
    setenv("NOETHER_LANES_SIMD", "none", 1);
    setenv("NOETHER_LANES_SLEEF", "no", 1);
    assert_int_equal(simd_target_describe(sizeof words, words), 4);
    assert_string_equal(words, "no AVX2, 4 lanes, libm (SLEEF is turned off)");
    unsetenv("NOETHER_LANES_SIMD");
    unsetenv("NOETHER_LANES_SLEEF");
    const int width = simd_target_describe(sizeof words, words);
    assert_true(width == 4 || width == 8);
    simd_target_describe(4, words);
    assert_int_equal(strlen(words), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sleef),
        cmocka_unit_test(test_libm),
        cmocka_unit_test(test_levels_agree),
        cmocka_unit_test(test_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
