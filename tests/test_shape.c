/* Shapes on the sphere: harmonics, rotation, gradients, fits, files, and the recovery of rotations.
 */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/splitmix.h"
#include "loaded.h"
#include "study/shape/shape.h"

static void turn_by(double x, double y, double z, double *R) {
    const double w[3] = {x, y, z};
    const struct noe_space *space = noe_space_find("so3");
    space->identity(1, R);
    space->retract(1, 1, R, R, w);
}

/* Uniform on SO(3), from a normally distributed quaternion. */
static void random_rotation(struct splitmix *stream, double *R) {
    double q[4], size = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = splitmix_normal(stream);
        size += q[i] * q[i];
    }
    const double w = q[0], s = 2 / size;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = s * q[1 + i] * q[1 + j] + (i == j) * (s * w * w - 1);
    const double v[3] = {s * w * q[1], s * w * q[2], s * w * q[3]};
    R[1] -= v[2], R[2] += v[1], R[3] += v[2], R[5] -= v[0], R[6] -= v[1], R[7] += v[0];
}

static double gap(int n, const double *a, const double *b) {
    double max = 0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(a[i] - b[i]));
    return max;
}

/* The angle between two rotations close to each other. */
static double angle_between(const double *A, const double *B) {
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += (A[i] - B[i]) * (A[i] - B[i]);
    return sqrt(sum / 2);
}

static struct noe_shape *relief(int band, unsigned long seed) {
    struct noe_shape *shape;
    assert_int_equal(noe_shape_relief(&shape, band, seed, NULL), NOE_OK);
    return shape;
}

static struct noe_shape *rotated(const struct noe_shape *shape, const double *R) {
    struct noe_shape *made;
    assert_int_equal(noe_shape_rotate(&made, shape, R, NULL), NOE_OK);
    return made;
}

/* --- Harmonics. */

/* The first harmonics in closed form, and the orthonormality of all, by the midpoint rule in
 * longitude and Gauss quadrature in z. */
static void test_harmonics(void **state) {
    (void)state;
    enum { BAND = 12 };
    const double pi = 3.14159265358979323846, x[3] = {2 / 7.0, -3 / 7.0, 6 / 7.0};
    double y[BAND * BAND], sum[BAND * BAND] = {0}, cross = 0;
    shape_harmonics(BAND, x, y);
    const double n0 = sqrt(1 / (4 * pi)), n1 = sqrt(3 / (4 * pi)), n2 = sqrt(15 / (4 * pi));
    const double first[] = {n0,
                            n1 * x[1],
                            n1 * x[2],
                            n1 * x[0],
                            n2 * x[0] * x[1],
                            n2 * x[1] * x[2],
                            n2 / sqrt(12) * (3 * x[2] * x[2] - 1),
                            n2 * x[0] * x[2],
                            n2 / 2 * (x[0] * x[0] - x[1] * x[1])};
    assert_near("closed form", gap(9, y, first), 0, 2.3e-16); /* measured 1.1e-16 */
    for (int i = 0; i < BAND; i++) {
        double z = cos(pi * (i + 0.75) / (BAND + 0.5)), slope = 0;
        for (int k = 0; k < 8; k++) {
            double p = 1, last = 0;
            for (int l = 0; l < BAND; l++) {
                const double next = ((2 * l + 1) * z * p - l * last) / (l + 1);
                last = p, p = next;
            }
            slope = BAND * (last - z * p) / (1 - z * z);
            z -= p / slope;
        }
        const double weight = 2 / ((1 - z * z) * slope * slope);
        for (int j = 0; j < 2 * BAND; j++) {
            const double phi = pi * (j + 0.5) / BAND, s = sqrt(1 - z * z);
            const double u[3] = {s * cos(phi), s * sin(phi), z};
            shape_harmonics(BAND, u, y);
            for (int k = 0; k < BAND * BAND; k++) sum[k] += weight * pi / BAND * y[k] * y[k];
            cross += weight * pi / BAND * y[shape_at(7, 3)] * y[shape_at(9, 3)];
        }
    }
    for (int k = 0; k < BAND * BAND; k++)
        assert_near("norm", sum[k], 1, 1e-14); /* measured 4.9e-15 */
    assert_near("cross", cross, 0, 1.4e-15);
}

/* --- Rotation. */

/* f(R^T x) is the rotated shape, also at the singularity of the Euler angles. */
static void test_rotation_of_shapes(void **state) {
    (void)state;
    static const double angle[][3] = {{0, 0, 0},
                                      {0, 0, 1},
                                      {0, 1e-9, 1},
                                      {1e-5, 0, 0},
                                      {3.14159265358979312, 0, 0},
                                      {0, 3.1415926, 0},
                                      {0.4, -2, 1},
                                      {0, 1.5707963267948966, 0}};
    struct splitmix stream = splitmix_open(3, 0);
    double worst = 0;
    struct noe_shape *f = relief(40, 7);
    for (size_t i = 0; i < sizeof angle / sizeof *angle; i++) {
        double R[9];
        turn_by(angle[i][0], angle[i][1], angle[i][2], R);
        struct noe_shape *g = rotated(f, R);
        for (int k = 0; k < 10; k++) {
            double x[3], back[3];
            for (int j = 0; j < 3; j++) x[j] = splitmix_normal(&stream);
            for (int j = 0; j < 3; j++) back[j] = R[j] * x[0] + R[3 + j] * x[1] + R[6 + j] * x[2];
            worst = fmax(worst, fabs((double)(noe_shape_value(g, x) - noe_shape_value(f, back))));
        }
        noe_shape_free(g);
    }
    assert_near("rotated", worst, 0, 5e-15); /* measured 2.5e-15 */
    noe_shape_free(f);
}

/* The matrices are an orthogonal representation at high degrees too. */
static void test_rotations_compose(void **state) {
    (void)state;
    struct splitmix stream = splitmix_open(4, 0);
    struct noe_shape *f = relief(200, 1);
    double A[9], B[9], AB[9] = {0}, lost = 0;
    random_rotation(&stream, A);
    random_rotation(&stream, B);
    for (int i = 0; i < 27; i++) AB[i / 3] += A[i / 9 * 3 + i % 3] * B[i % 3 * 3 + i / 3 % 3];
    struct noe_shape *b = rotated(f, B), *ab = rotated(b, A), *at_once = rotated(f, AB);
    assert_near("composition", gap(200 * 200, ab->c, at_once->c), 0, 6e-16); /* measured 2.8e-16 */
    for (int l = 1; l < 200; l++)
        lost = fmax(lost, fabs((double)(shape_power(ab, l) / shape_power(f, l)) - 1));
    assert_near("power of each degree", lost, 0, 1.4e-14); /* measured 6.8e-15 */
    noe_shape_free(f);
    noe_shape_free(b);
    noe_shape_free(ab);
    noe_shape_free(at_once);
}

static void test_gradient_of_the_correlation(void **state) {
    (void)state;
    struct splitmix stream = splitmix_open(5, 0);
    struct noe_shape *f = relief(12, 1), *g = relief(12, 2);
    struct noe_objective *objective;
    const struct noe_space *space = noe_space_find("so3");
    assert_int_equal(noe_shape_objective(&objective, f, g, 0, NULL), NOE_OK);
    double worst = 0;
    for (int trial = 0; trial < 6; trial++) {
        double R[9], moved[9];
        real gradient[3], other[3];
        random_rotation(&stream, R);
        if (trial == 0) turn_by(0, 0, 0.4, R);
        objective->evaluate(objective, R, gradient);
        for (int i = 0; i < 3; i++) {
            double x[3] = {0}, value[2];
            for (int side = 0; side < 2; side++) {
                x[i] = side ? 1e-5 : -1e-5;
                space->retract(1, 1, moved, R, x);
                value[side] = objective->evaluate(objective, moved, other);
            }
            worst = fmax(worst, fabs((value[1] - value[0]) / 2e-5 - gradient[i]));
        }
    }
    assert_near("gradient", worst, 0, 2.2e-10); /* measured 1.1e-10 */
    noe_objective_free(objective);
    noe_shape_free(f);
    noe_shape_free(g);
}

/* --- Matching. */

static void recover(int band, int trials) {
    struct splitmix stream = splitmix_open(6, band);
    double worst = 0;
    for (int i = 0; i < trials; i++) {
        struct noe_shape *f = relief(band, 100 + (unsigned long)i);
        struct noe_shape_match match;
        struct noe_error error = {0};
        double R[9];
        random_rotation(&stream, R);
        struct noe_shape *g = rotated(f, R);
        if (noe_shape_match(f, g, 0, &match, &error) != NOE_OK) fail_msg("%d: %s", i, error.text);
        worst = fmax(worst, angle_between(match.R, R));
        assert_near("correlation", (double)match.correlation, 1, 1.7e-14);
        assert_true(match.runner_up < 0.99);
        noe_shape_free(f);
        noe_shape_free(g);
    }
    assert_near("rotation", worst, 0, 7e-12); /* measured 3.5e-12 */
}

static void test_rotations_are_recovered(void **state) {
    (void)state;
    recover(16, 100);
    recover(64, 25);
}

/* White noise of a tenth of the relief in all degrees moves the maximum by about the noise over
 * the square root of the number of data. */
static void test_noise(void **state) {
    (void)state;
    struct splitmix stream = splitmix_open(7, 0);
    struct noe_shape *f = relief(32, 3);
    struct noe_shape_match match;
    double R[9];
    random_rotation(&stream, R);
    struct noe_shape *g = rotated(f, R);
    for (int i = 1; i < 32 * 32; i++) g->c[i] += 0.1 / 32 * splitmix_normal(&stream);
    assert_int_equal(noe_shape_match(f, g, 0, &match, NULL), NOE_OK);
    assert_near("angle", angle_between(match.R, R), 0, 2.2e-3);   /* measured 1.1e-3 */
    assert_near("left over", (double)match.residual, 0.1, 0.017); /* measured 0.0083 */
    noe_shape_free(f);
    noe_shape_free(g);
}

/* Shapes without low degrees are searched with their lowest degrees. The band limits may differ. */
static void test_high_degrees_alone(void **state) {
    (void)state;
    struct splitmix stream = splitmix_open(8, 0);
    struct noe_shape *f = relief(30, 4), *high;
    struct noe_shape_match match;
    double R[9];
    memset(f->c, 0, 400 * sizeof *f->c);
    random_rotation(&stream, R);
    struct noe_shape *g = rotated(f, R);
    assert_int_equal(noe_shape_create(&high, 34, NULL), NOE_OK);
    memcpy(high->c, g->c, 900 * sizeof *g->c);
    assert_int_equal(noe_shape_match(f, high, 0, &match, NULL), NOE_OK);
    assert_true(match.search_band > 20);
    assert_near("rotation", angle_between(match.R, R), 0, 1e-11);
    noe_shape_free(f);
    noe_shape_free(g);
    noe_shape_free(high);
}

static void test_undetermined_rotation(void **state) {
    (void)state;
    struct noe_shape *f = relief(2, 1), *sphere, *g = relief(8, 5);
    struct noe_shape_match match;
    struct noe_error error = {0};
    assert_int_equal(noe_shape_match(f, f, 0, &match, &error), NOE_SINGULAR);
    assert_non_null(strstr(error.text, "not determined"));
    assert_int_equal(noe_shape_create(&sphere, 8, NULL), NOE_OK);
    sphere->c[0] = 1;
    assert_int_equal(noe_shape_match(sphere, g, 0, &match, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "every rotation matches"));
    g->c[3] = NAN;
    assert_int_equal(noe_shape_match(g, g, 0, &match, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "not finite"));
    noe_shape_free(f);
    noe_shape_free(g);
    noe_shape_free(sphere);
    assert_int_equal(noe_shape_create(&f, 0, &error), NOE_BAD_INPUT);
    assert_int_equal(noe_shape_create(&f, NOE_SHAPE_BAND_MAX + 1, &error), NOE_BAD_INPUT);
}

/* The variance of degree l is 1/(l(l+1)), and the coefficients do not depend on the band limit. */
static void test_relief(void **state) {
    (void)state;
    struct noe_shape *f = relief(256, 9), *low = relief(16, 9);
    assert_near("band", gap(256, f->c, low->c), 0, 0);
    double sum = 0;
    int count = 0;
    for (int l = 1; l < 256; l++, count += 2 * l - 1)
        sum += (2 * l + 1) * l * (l + 1.0) * (double)shape_power(f, l);
    assert_near("variance", sum / count, 1, 0.004); /* measured 0.0019; sigma is 0.0055 */
    noe_shape_free(f);
    noe_shape_free(low);
}

/* --- Fits and files. */

static void test_fit(void **state) {
    (void)state;
    enum { COUNT = 600 };
    static double x[3 * COUNT], value[COUNT];
    struct splitmix stream = splitmix_open(10, 0);
    struct noe_shape *f = relief(12, 6), *fitted;
    struct noe_error error = {0};
    real residual;
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++) x[3 * i + k] = splitmix_normal(&stream);
        value[i] = noe_shape_value(f, x + 3 * i);
    }
    assert_int_equal(noe_shape_fit(&fitted, 12, COUNT, x, value, &residual, NULL), NOE_OK);
    assert_near("coefficients", gap(144, fitted->c, f->c), 0, 7e-14); /* measured 3.4e-14 */
    assert_near("residual", (double)residual, 0, 7e-14);
    noe_shape_free(fitted);
    assert_int_equal(noe_shape_fit(&fitted, 25, COUNT, x, value, NULL, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "600 values cannot determine the 625 coefficients"));
    for (int half = 0; half < 2; half++) { /* points on the sphere, then on its equator alone */
        for (int i = 0; i < COUNT; i++) x[3 * i + 2] = half ? 0 : fabs(x[3 * i + 2]);
        assert_int_equal(noe_shape_fit(&fitted, half ? 4 : 12, 200, x, value, NULL, &error),
                         NOE_NOT_CONVERGED);
        assert_non_null(strstr(error.text, "lower band"));
        assert_null(fitted);
    }
    x[3] = x[4] = x[5] = 0;
    assert_int_equal(noe_shape_fit(&fitted, 12, COUNT, x, value, NULL, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "point 2"));
    noe_shape_free(f);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_points_and_samples(void **state) {
    (void)state;
    const char *path = "test_shape.txt";
    struct noe_shape *read = NULL;
    struct noe_error error = {0};
    /* x^2 + y^2 + z^2 = 1 has the single coefficient sqrt(4 pi), which the corners of a cube
     * determine. */
    write_file(path, "points # a sphere\n1 1 1\n-1 1 1\n1, -1, 1\n1 1 -1\n-1 -1 1\n-1 1 -1\n");
    assert_int_equal(noe_shape_read(&read, path, 2, NULL, &error), NOE_OK);
    assert_near("radius", (double)read->c[0], sqrt(3 * 4 * 3.14159265358979323846), 1.8e-15);
    noe_shape_free(read);
    write_file(path, "samples\n0 0 1\n90 0 2\n180 0 1\n270 0 2\n0 90 4\n0 -90 2\n");
    assert_int_equal(noe_shape_read(&read, path, 2, NULL, &error), NOE_OK);
    assert_near("z", (double)(read->c[2] * sqrt(3 / (4 * 3.14159265358979323846))), 1, 5e-16);
    noe_shape_free(read);
    unlink(path);
}

static void test_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
        int band, line;
    } row[] = {
        {"", "holds no shape", 0, 0},
        {"# nothing\n", "holds no shape", 0, 0},
        {"harmonics\n1 0 1\n", "begins with 'coefficients'", 0, 1},
        {"coefficients\n1 0\n", "three numbers, 'degree order value'", 0, 2},
        {"coefficients\n1 0 1 5\n", "the end of the row", 0, 2},
        {"coefficients\n1 0 nan\n", "three numbers", 0, 2},
        {"coefficients\n\n1 2 1\n", "|order| <= degree", 0, 3},
        {"coefficients\n0.5 0 1\n", "whole numbers", 0, 2},
        {"coefficients\n1 0 1\n1 0 2\n", "given twice", 0, 3},
        {"points\n1 0 1\n", "points need a band", 0, 0},
        {"samples\n1 0 1\n", "1 values cannot determine the 4 coefficients", 2, 0},
    };
    const char *path = "test_shape.txt";
    struct noe_shape *f = relief(9, 8), *read = NULL;
    struct noe_error error = {0};
    char *text = shape_text(f);
    write_file(path, text);
    free(text);
    assert_int_equal(noe_shape_read(&read, path, 0, NULL, &error), NOE_OK);
    assert_int_equal(read->band, 9);
    assert_memory_equal(read->c, f->c, 81 * sizeof *f->c);
    noe_shape_free(read);
    assert_int_equal(noe_shape_read(&read, path, 5, NULL, &error), NOE_OK);
    assert_int_equal(read->band, 5);
    noe_shape_free(read);
    noe_shape_free(f);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        error = (struct noe_error){0};
        write_file(path, row[i].text);
        const enum noe_status status = noe_shape_read(&read, path, row[i].band, NULL, &error);
        if (status != NOE_BAD_INPUT || !strstr(error.text, row[i].words) ||
            error.line != row[i].line)
            fail_msg("%s: %d:%d %s", row[i].text, error.line, error.column, error.text);
        assert_null(read);
    }
    unlink(path);
    assert_int_equal(noe_shape_read(&read, path, 2, NULL, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "cannot read"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_harmonics),
        cmocka_unit_test(test_rotation_of_shapes),
        cmocka_unit_test(test_rotations_compose),
        cmocka_unit_test(test_gradient_of_the_correlation),
        cmocka_unit_test(test_rotations_are_recovered),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_high_degrees_alone),
        cmocka_unit_test(test_undetermined_rotation),
        cmocka_unit_test(test_relief),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_points_and_samples),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
