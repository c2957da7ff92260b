/* Spaces: their identities, the definition of each retraction, its domain, and round-off over
 * many steps. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/registry.h"
#include "spaces.h"
#include "spaces/group_accumulator.h"
#include "spaces/so3_retraction.h"
#include "spaces_evaluate.h"

static void test_group(void **state) {
    (void)state;
    for_each_retraction(check_inverse);
    for_each_retraction(check_group);
    for_each_retraction(check_adjoint);
    for_each_retraction(check_maurer_cartan);
}

static void test_differences(void **state) {
    (void)state;
    for_each_retraction(check_tangent);
    for_each_retraction(check_slopes);
    for_each_retraction(check_hessian);
}

/* X = the increment as a 4 x 4 matrix, times `factor`, plus I. */
static void homogeneous(real *X, real factor, const real *x) {
    real hat[9];
    vec3_zero(hat);
    vec3_add_hat(hat, factor, x);
    for (int i = 0; i < 3; i++) {
        memcpy(X + 4 * i, hat + 3 * i, 3 * sizeof *X);
        X[4 * i + 3] = factor * x[3 + i];
    }
    for (int i = 12; i < 16; i++) X[i] = 0;
    for (int i = 0; i < 4; i++) X[5 * i] += 1;
}

static void multiply(real *C, const real *A, const real *B) {
    real product[16];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            product[4 * i + j] = 0;
            for (int l = 0; l < 4; l++) product[4 * i + j] += A[4 * i + l] * B[4 * l + j];
        }
    memcpy(C, product, sizeof product);
}

static bool is_plane(const struct noe_space *space) { return strcmp(space->name, "se2") == 0; }

/* The point tau(x) of se2 as a 4 x 4 matrix, and x as a tangent of se3. */
static void plane_matrix(const real *g, const struct sample *s, real *x, real *G) {
    const int at[3] = {0, 1, 3};
    memset(x, 0, 6 * sizeof *x);
    for (int i = 0; i < 3; i++) x[2 + i] = s->x[i];
    memset(G, 0, 16 * sizeof *G);
    G[10] = 1;
    for (int i = 0; i < 9; i++) G[4 * at[i / 3] + at[i % 3]] = g[i];
}

/* The point tau(x) of so3, se3 or se2 as a 4 x 4 matrix; x is filled up with zeros. */
static void point_matrix(const struct retraction *r, const struct sample *s, real *x, real *G) {
    real g[SPACE_POINT_MAX] = {0}, one[SPACE_POINT_MAX];
    for (int i = 0; i < 6; i++) x[i] = i < r->space->tangent ? s->x[i] : 0;
    r->space->identity(1, one);
    r->space->retract(1, r->tau, g, one, s->x);
    if (is_plane(r->space)) {
        plane_matrix(g, s, x, G);
        return;
    }
    memset(G, 0, 16 * sizeof *G);
    for (int i = 0; i < 3; i++) {
        memcpy(G + 4 * i, g + 3 * i, 3 * sizeof *G);
        G[4 * i + 3] = g[9 + i];
    }
    G[15] = 1;
}

/* (I - X/2) tau = I + X/2. */
static void check_cayley(const struct retraction *r, const struct sample *s) {
    real x[6], G[16], plus[16], minus[16];
    point_matrix(r, s, x, G);
    homogeneous(plus, 0.5, x);
    homogeneous(minus, -0.5, x);
    multiply(G, minus, G);
    check_close(r, s, "(I - X/2) cay(X)", 16, G, plus, 2 * NOE_EPSILON);
}

/* tau = ((I + X/2^k + ...)^2)^..., scaling and squaring of the Taylor series. */
static void check_exponential(const struct retraction *r, const struct sample *s) {
    enum { HALVINGS = 6, TERMS = 14 };
    real x[6], G[16], sum[16], X[16], term[16];
    point_matrix(r, s, x, G);
    homogeneous(X, 1.0 / (1 << HALVINGS), x);
    homogeneous(sum, 0, x);
    for (int i = 0; i < 4; i++) X[5 * i] -= 1;
    memcpy(term, sum, sizeof sum);
    for (int k = 1; k <= TERMS; k++) {
        multiply(term, term, X);
        for (int i = 0; i < 16; i++) sum[i] += (term[i] /= k);
    }
    for (int k = 0; k < HALVINGS; k++) multiply(sum, sum, sum);
    check_close(r, s, "exp(X)", 16, G, sum, 46 * NOE_EPSILON);
}

/* The skew part of the retraction `skew` is x; the trace of `chord` is 3 - x.x. */
static void check_named(const struct retraction *r, const struct sample *s) {
    const bool is_flat = is_plane(r->space);
    const bool is_matrix =
        (r->space->kind.algebra != NOE_ALGEBRA_OTHER && r->space->point >= 9) || is_flat;
    const real *x = s->x, turn[3] = {0, 0, x[0]}, *w = is_flat ? turn : x;
    real g[SPACE_POINT_MAX], one[SPACE_POINT_MAX];
    r->space->identity(1, one);
    r->space->retract(1, r->tau, g, one, s->x);
    if (is_matrix && strstr(r->name, "cay")) check_cayley(r, s);
    if (is_matrix && strstr(r->name, "exp")) check_exponential(r, s);
    if (strstr(r->name, "skew")) {
        const real skew[3] = {(g[7] - g[5]) / 2, (g[2] - g[6]) / 2, (g[3] - g[1]) / 2};
        check_close(r, s, "skew part", is_flat ? 1 : 3, skew + 2 * is_flat, w + 2 * is_flat,
                    2 * NOE_EPSILON);
    }
    if (strstr(r->name, "chord")) {
        const real trace = g[0] + g[4] + g[8], claimed = 3 - vec3_dot(w, w);
        check_close(r, s, "trace", 1, &trace, &claimed, 2 * NOE_EPSILON);
    }
}

/* y = factor A(x) g, where g' = A(x) g is the frame, linear in g. On a matrix group A(x) g = g X.
 */
static void apply_frame(const struct noe_space *space, real factor, const real *x, const real *g,
                        real *y) {
    for (int i = 0; i < space->point; i++) y[i] = 0;
    for (int i = 0; i < space->nframe; i++) {
        const struct noe_frame *f = &space->frame[i];
        y[f->point] += factor * f->factor * g[f->from] * x[f->tangent];
    }
}

/* tau - A tau/2 = e + A e/2, on every space. */
static void check_cayley_of_frame(const struct retraction *r, const struct sample *s) {
    const struct noe_space *space = r->space;
    real one[SPACE_POINT_MAX], g[SPACE_POINT_MAX], left[SPACE_POINT_MAX], right[SPACE_POINT_MAX];
    if (!strstr(r->name, " cay")) return;
    space->identity(1, one);
    space->retract(1, r->tau, g, one, s->x);
    apply_frame(space, -0.5, s->x, g, left);
    apply_frame(space, 0.5, s->x, one, right);
    for (int i = 0; i < space->point; i++) {
        left[i] += g[i];
        right[i] += one[i];
    }
    check_close(r, s, "(1 - A/2) cay", space->point, left, right, 2 * NOE_EPSILON);
}

/* exp(x) is the end of g' = A(x) g from e after time 1, by Taylor series over short substeps. */
static void check_exponential_of_frame(const struct retraction *r, const struct sample *s) {
    enum { SUBSTEPS = 32, TERMS = 16 };
    const struct noe_space *space = r->space;
    real g[SPACE_POINT_MAX], end[SPACE_POINT_MAX];
    if (!strstr(r->name, " exp")) return;
    space->identity(1, end);
    space->retract(1, r->tau, g, end, s->x);
    for (int k = 0; k < SUBSTEPS; k++) {
        real term[SPACE_POINT_MAX], next[SPACE_POINT_MAX];
        memcpy(term, end, sizeof term);
        for (int j = 1; j <= TERMS; j++) {
            apply_frame(space, (real)1 / (SUBSTEPS * j), s->x, term, next);
            memcpy(term, next, sizeof term);
            for (int i = 0; i < space->point; i++) end[i] += term[i];
        }
    }
    check_close(r, s, "the flow of the frame", space->point, g, end, 30 * NOE_EPSILON);
}

static void test_definitions(void **state) {
    (void)state;
    for_each_retraction(check_named);
    for_each_retraction(check_cayley_of_frame);
    for_each_retraction(check_exponential_of_frame);
}

/* Matrix and quaternion of the same retraction; s3 is compared through its covering map. */
static void check_quaternion(const struct retraction *r, const struct sample *s) {
    if (r->space->kind.algebra != NOE_ALGEBRA_SO3) return;
    const int kind = strcmp(r->name, "s3 cay") == 0 ? SO3_HALF : r->tau;
    real R[9], q[4], of_q[9], back[4], x[3];
    assert_true(mask_all(so3_matrix(kind, R, s->x)));
    assert_true(mask_all(so3_quaternion(kind, q, s->x)));
    so3_of_quaternion(of_q, q);
    check_close(r, s, "matrix of the quaternion", 9, of_q, R, 20 * NOE_EPSILON);
    so3_to_quaternion(back, R);
    for (int i = 0; i < 4 && q[0] < 0; i++) back[i] = -back[i];
    check_close(r, s, "quaternion of the matrix", 4, back, q, 7 * NOE_EPSILON);
    assert_true(mask_all(so3_vector(kind, x, q)));
    check_close(r, s, "x of the quaternion", 3, x, s->x, 3 * NOE_EPSILON);
}

/* Rotations by pi, whose skew part vanishes. */
static void test_rotations_by_pi(void **state) {
    (void)state;
    for_each_retraction(check_quaternion);
    for (int i = 0; i < 60; i++) {
        const double a = 0.7 * i, b = 0.3 * i;
        const real w = (i % 3 - 1) * 1e-9;
        const real axis[3] = {cos(a) * sin(b), sin(a) * sin(b), cos(b)};
        const real c = noe_sqrt(1 - w * w), sign = w < 0 ? -1 : 1;
        const real q[4] = {w, c * axis[0], c * axis[1], c * axis[2]};
        real R[9], back[4];
        so3_of_quaternion(R, q);
        so3_to_quaternion(back, R);
        real same = 0;
        for (int j = 0; j < 4; j++) same += sign * back[j] * q[j];
        if (w == 0) same = noe_abs(same);
        assert_true(noe_abs(same - 1) < 8 * NOE_EPSILON);
    }
}

/* s_k against sine and cosine, up to the cancellation error of these near zero. */
static void test_stumpff(void **state) {
    (void)state;
    for (int i = 1; i <= 6283; i++) {
        const real angle = i * 1e-3, t = angle * angle;
        const struct stumpff s = stumpff(t);
        const real sine = noe_sin(angle) / angle, versine = noe_sin(angle / 2) / (angle / 2);
        const real third = (1 - sine) / t;
        assert_true(angle > 3.15 || noe_abs(s.s[0] - noe_cos(angle)) < 6 * NOE_EPSILON);
        assert_true(noe_abs(s.s[1] - sine) < 22 * NOE_EPSILON);
        assert_true(noe_abs(s.s[2] - versine * versine / 2) < 4 * NOE_EPSILON);
        assert_true(noe_abs(s.s[3] - third) < NOE_EPSILON * (1 + 1 / t));
    }
    real factorial = 1;
    for (int k = 2; k <= 9; k++) {
        factorial *= k;
        assert_true(noe_abs(stumpff(0).s[k] * factorial - 1) <= NOE_EPSILON);
    }
}

/* The branches join smoothly: between neighbouring numbers T changes by its derivative and a few
 * last bits. */
static void check_smooth(const struct retraction *r, const struct sample *s) {
    const int n = r->space->tangent * r->space->tangent;
    real x[SPACE_TANGENT_MAX], T[SPACE_MATRIX_MAX], next[SPACE_MATRIX_MAX];
    memcpy(x, s->x, sizeof x);
    r->space->maps.dtau(r->tau, T, x);
    for (int k = 0; k < 200; k++) {
        for (int i = 0; i < 3; i++) x[i] = nextafter((double)x[i], 100);
        r->space->maps.dtau(r->tau, next, x);
        check_close(r, s, "a neighbour", n, next, T, 8 * NOE_EPSILON);
        memcpy(T, next, sizeof T);
    }
}

static void test_smooth(void **state) {
    (void)state;
    for_each_retraction(check_smooth);
}

/* Beyond its limit a retraction reports failure. A point without an inverse x gives NaN. */
static void test_domain(void **state) {
    (void)state;
    static const double limits[] = {0, 6.283185307179586, 2, 1};
    const struct noe_space *so3 = noe_space_find("so3");
    real g[9], one[9], x[3], R[9];
    so3->identity(1, one);
    for (int tau = 0; so3->retractions >> tau; tau++) {
        const real in[3] = {0, 0.999 * limits[tau], 0}, out[3] = {0, 1.001 * limits[tau], 0};
        assert_true(so3->maps.retraction_load(tau, in) < 1);
        assert_true(mask_all(so3_matrix(tau, R, in)));
        if (limits[tau] == 0) continue;
        assert_true(so3->maps.retraction_load(tau, out) > 1);
        assert_false(mask_any(so3_matrix(tau, R, out)));
        so3->retract(1, tau, g, one, out);
        if (tau >= 2) assert_true(isnan((double)g[0]));
    }
    const real large[3] = {0, 1.8, 0};
    so3->retract(1, 1, g, one, large);
    so3->difference(1, 3, x, one, g);
    assert_true(isnan((double)x[1])); /* skew ends at a right angle */
    so3->difference(1, 2, x, one, g);
    assert_true(noe_abs(x[1] - 2 * noe_sin(large[1] / 2)) < 4 * NOE_EPSILON);
}

/* Steps forth, then the same steps back: what is left is round-off. The stored point is on the
 * space after every step. On se2 turns add up about one axis: 8.8 last bits were measured there. */
static void check_many_steps(const struct retraction *r, const struct sample *s) {
    enum { STEPS = 20000 };
    const struct noe_space *space = r->space;
    const int n = space->tangent;
    real g[SPACE_POINT_MAX], start[SPACE_POINT_MAX], carry[SPACE_TANGENT_MAX] = {0};
    real x[SPACE_TANGENT_MAX], worst = 0, far = 1;
    if (s->angle < 0.1) return;
    space->identity(1, start);
    space->retract(1, 0, start, start, s->z);
    memcpy(g, start, sizeof g);
    for (int k = 0; k < 2 * STEPS; k++) {
        const int step = k < STEPS ? k : 2 * STEPS - 1 - k;
        const real size = (k < STEPS ? 0.01 : -0.01);
        for (int i = 0; i < n; i++) x[i] = size * (s->x[i] + s->y[i] * sin(0.1 * step + i));
        space->advance(1, r->tau, g, carry, g, carry, x);
        worst = real_max(space->maps.defect(g), worst);
        far = real_max(real_norm((size_t)space->point, g), far);
    }
    const real bits = is_plane(space) ? 18 : 6;
    check_close(r, s, "the way back", space->point, g, start, bits * far * NOE_EPSILON);
    if (!(worst < 5 * NOE_EPSILON)) fail_msg("%s: defect %.3g", r->name, (double)worst);
}

static void test_many_steps(void **state) {
    (void)state;
    for_each_retraction(check_many_steps);
}

/* Advancing is retracting, and large steps stay on the space as well as small steps. */
static void check_advance(const struct retraction *r, const struct sample *s) {
    const struct noe_space *space = r->space;
    real g0[SPACE_POINT_MAX], g1[SPACE_POINT_MAX], g2[SPACE_POINT_MAX];
    real carry[SPACE_TANGENT_MAX] = {0};
    space->identity(1, g0);
    space->retract(1, 1, g0, g0, s->y);
    space->retract(1, r->tau, g1, g0, s->x);
    space->advance(1, r->tau, g2, carry, g0, carry, s->x);
    check_close(r, s, "a step", space->point, g1, g2, 8 * NOE_EPSILON);
    for (int k = 0; k < 1000; k++) space->advance(1, r->tau, g2, carry, g2, carry, s->x);
    if (!(space->maps.defect(g2) < 30 * NOE_EPSILON))
        fail_msg("%s, angle %.3g: defect %.3g", r->name, (double)s->angle,
                 (double)space->maps.defect(g2));
}

static void test_advance(void **state) {
    (void)state;
    for_each_retraction(check_advance);
}

/* A group accumulator agrees with `advance`, forwards and backwards, also for large steps, which
 * let a quaternion grow. */
static void check_group_accumulator(const struct retraction *r, const struct sample *s) {
    enum { STEPS = 2000 };
    const struct noe_space *space = r->space;
    real g[SPACE_POINT_MAX], start[SPACE_POINT_MAX], end[SPACE_POINT_MAX];
    real carry[SPACE_TANGENT_MAX] = {0}, x[SPACE_TANGENT_MAX];
    struct group_accumulator accumulator;
    if (s->angle < 0.1 || !space->kind.is_rotation) return;
    space->identity(1, start);
    space->retract(1, 0, start, start, s->z);
    memcpy(g, start, sizeof g);
    group_accumulator_begin(space, &accumulator, start, carry);
    for (int k = 0; k < 2 * STEPS; k++) {
        const int step = k < STEPS ? k : 2 * STEPS - 1 - k;
        const real size = (step % 100 ? 0.01 : 0.5) * (k < STEPS ? 1 : -1);
        for (int i = 0; i < space->tangent; i++)
            x[i] = size * (s->x[i] + 0.1 * s->y[i] * sin(0.1 * step + i));
        space->advance(1, r->tau, g, carry, g, carry, x);
        group_accumulator_retract(space, r->tau, &accumulator, x, k);
        if (k + 1 != STEPS) continue;
        group_accumulator_point(space, &accumulator, end);
        check_close(r, s, "the way there", space->point, end, g, 60 * NOE_EPSILON);
    }
    group_accumulator_end(space, &accumulator, end, carry);
    check_close(r, s, "the walk back", space->point, end, start, 10 * NOE_EPSILON);
    if (!(space->maps.defect(end) < 5 * NOE_EPSILON))
        fail_msg("%s: defect %.3g", r->name, (double)space->maps.defect(end));
}

static void test_group_accumulator(void **state) {
    const struct noe_space *so3 = noe_space_find("so3");
    const real huge[3] = {3e8, -2e8, 4e8}, beyond[3] = {1e300, 0, 0};
    real g[9], carry[3] = {0};
    struct group_accumulator accumulator;
    (void)state;
    for_each_retraction(check_group_accumulator);
    so3->identity(1, g);
    group_accumulator_begin(so3, &accumulator, g, carry);
    for (long k = 0; k < 1000; k++) group_accumulator_retract(so3, 0, &accumulator, huge, k);
    group_accumulator_end(so3, &accumulator, g, carry);
    assert_true(so3->maps.defect(g) < 5 * NOE_EPSILON);
    group_accumulator_retract(so3, 0, &accumulator, beyond, 1);
    group_accumulator_end(so3, &accumulator, g, carry);
    assert_true(isnan((double)g[0])); /* overflow gives NaN */
}

/* A point close to the space is projected to the nearest point. */
static void test_project(void **state) {
    (void)state;
    const struct noe_space *so3 = noe_space_find("so3"), *s3 = noe_space_find("s3");
    const real x[3] = {0.3, -0.5, 0.7};
    const real stretch[9] = {1 + 3e-9, 1e-9, -2e-9, 1e-9, 1 - 2e-9, 4e-9, -2e-9, 4e-9, 1 + 1e-9};
    real g[9], off[9], q[4];
    so3->identity(1, g);
    so3->retract(1, 0, g, g, x);
    vec3_multiply(off, g, stretch);
    assert_true(so3->maps.defect(off) > 7e-9 && so3->maps.defect(off) < 9e-9);
    so3->maps.project(off);
    assert_true(so3->maps.defect(off) < 3 * NOE_EPSILON);
    for (int i = 0; i < 9; i++) assert_true(noe_abs(off[i] - g[i]) < 3 * NOE_EPSILON);
    for (int i = 0; i < 3; i++) g[i] = -g[i];
    assert_true(so3->maps.defect(g) > 1); /* a reflection */
    s3->identity(1, q);
    s3->retract(1, 0, q, q, x);
    for (int i = 0; i < 4; i++) q[i] *= 1 + 1e-9;
    assert_true(s3->maps.defect(q) > 1.9e-9 && s3->maps.defect(q) < 2.1e-9);
    s3->maps.project(q);
    assert_true(s3->maps.defect(q) < 2 * NOE_EPSILON);
    g[0] = NAN;
    assert_false(so3->maps.defect(g) < 1);
}

static void test_vector(void **state) {
    (void)state;
    const struct noe_space *vector = noe_space_find("vector");
    const real q[2] = {1, 2}, x[2] = {0.5, -3};
    real q1[2], back[2];
    assert_int_equal(vector->retractions, 0);
    vector->retract(2, 1, q1, q, x);
    vector->difference(2, 0, back, q, q1);
    for (int i = 0; i < 2; i++) {
        assert_true(q1[i] == q[i] + x[i]);
        assert_true(back[i] == x[i]);
    }
}

/* spaces_four.c, spaces_eight.c: the number of results, or -1 if there is no such space. */
int spaces_four(const char *name, int tau, const double *x, double *result);
int spaces_eight(const char *name, int tau, const double *x, double *result);

/* Each lane has its own input, and its results are those of the scalar function, bit by bit. */
static void check_lanes(const struct noe_space *space, int width,
                        int (*lanes)(const char *, int, const double *, double *)) {
    double input[EVALUATE_INPUT * 8], result[EVALUATE_MAX * 8], x[EVALUATE_INPUT];
    double single[EVALUATE_MAX];
    for (int i = 0; i < EVALUATE_INPUT * width; i++) {
        const double size = i >= 18 * width ? 1e-17 : i % width == 1 ? 1e-12 : 0.1 + 0.05 * (i % 7);
        input[i] = i % width == 0 && i < 6 * width ? 0 : size * sin(1 + 1.7 * i);
    }
    for (int tau = 0; space->retractions >> tau; tau++) {
        const int count = lanes(space->name, tau, input, result);
        for (int l = 0; l < width; l++) {
            for (int i = 0; i < EVALUATE_INPUT; i++) x[i] = input[i * width + l];
            assert_int_equal(evaluate_space(space, tau, x, single), count);
            for (int i = 0; i < count; i++)
                if (!(result[i * width + l] == single[i]))
                    fail_msg("%s, retraction %d: number %d is %.17g in lane %d of %d, not %.17g",
                             space->name, tau, i, result[i * width + l], l, width, single[i]);
        }
    }
}

static void test_lanes(void **state) {
    (void)state;
    for (int i = 0; registry_spaces[i]; i++) {
        check_lanes(registry_spaces[i], 4, spaces_four);
        check_lanes(registry_spaces[i], 8, spaces_eight);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group),       cmocka_unit_test(test_differences),
        cmocka_unit_test(test_definitions), cmocka_unit_test(test_rotations_by_pi),
        cmocka_unit_test(test_stumpff),     cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_domain),      cmocka_unit_test(test_many_steps),
        cmocka_unit_test(test_advance),     cmocka_unit_test(test_group_accumulator),
        cmocka_unit_test(test_project),     cmocka_unit_test(test_vector),
        cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
