/* The blocks of an optimal control problem: derivatives against finite differences, exact
 * sparsity patterns. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_text.h"
#include "study/control/control.h"

#define HORIZON "steps 4\nuntil 2\nfrom 0.5\n"

/* The mass matrix depends on the point, force and cost on time, point, velocity and controls. */
#define CART                                                                                       \
    "coord a, x\ncontrol u in [-9, 9], w in [-1, 1]\n"                                             \
    "L = a'^2/2 - a'*x'*sin(a) + (2 + sin(x))*x'^2 - sin(a)\n"                                     \
    "force x = u*cos(t*x) - x'*a*w, a = -a'*x^2\n"                                                 \
    "minimize u^2*a^2/2 + t*x'^2 + w^4 terminal a'^2*x^3 + t*a^2\n"                                \
    "bound a*x + u*x' in [-5, 5]\n"                                                                \
    "start a = 0.3, x = 0.2\n" HORIZON

#define TOP                                                                                        \
    "param J = diag(1, 2.8, 2)\nrotation R, W\ncontrol u[3] in [-9, 9]\n"                          \
    "L = dot(W, J*W)/2*(1 + R[1][2]/4) - R[3][3]*t\n"                                              \
    "force R = cross(u, transpose(R)*e1) + u*W[2]\n"                                               \
    "minimize dot(u, u)*R[2][1]^2 + W[1]^2 terminal R[3][3]*W[2]^2 + trace(R)\n"                   \
    "bound R[1][1] + W[3]*u[1] in [-5, 5]\n"                                                       \
    "start R = expm([0.3, -0.5, 0.8])\n" HORIZON

#define VEHICLE                                                                                    \
    "param J = diag(1, 2, 3), M = diag(4, 5, 6)\npose R, x, W, V\n"                                \
    "control f in [-9, 9]\n"                                                                       \
    "L = dot(W, J*W)/2 + dot(V, M*V)/2 + W[1]*V[2] - x[1]*R[1][3]\n"                               \
    "force R = [0, f, x[2]*f], x = f*W\n"                                                          \
    "minimize f^2*x[3]^2 + dot(V, V) terminal dot(x, x)*V[1]^2\n"                                  \
    "start x = [1, 2, 3]\n" HORIZON

/* R x SO(3) x R. */
#define CARRIER                                                                                    \
    "coord a\nrotation R, W\ncoord b\ncontrol u in [-9, 9]\n"                                      \
    "L = dot(W, diag(2, 3, 4)*W)/2*(1 + sin(a)^2/4) + (2 + R[1][1]*cos(b))/2*(a'^2 + b'^2)\n"      \
    "  + a'*W[2]/3 - R[2][3]*cos(a - b)\n"                                                         \
    "force a = u*b, R = [0, u, a']\n"                                                              \
    "minimize u^2*cosh(a - b) terminal a*b'\n"                                                     \
    "start R = expm([1, 0.2, -0.3]), a = 0.7, b = -1.1\n" HORIZON

/* SO(3) x R^3 with constraints that depend on time. */
#define JOINT                                                                                      \
    "param X = [0, 1, 0.3]\nrotation R, W\ncoord x[3]\ncontrol u in [-9, 9]\n"                     \
    "L = dot(W, diag(2, 3, 4)*W)/2 + (2 + R[1][2])*dot(x', x')/2 - x[3]\n"                         \
    "constraint x[1] - dot(e1, R*X) = t^2\nconstraint x[2]*x[3] - dot(e2, R*X)^2 = -1/2\n"         \
    "force R = [0, u, x[1]]\nminimize u^2*x[2]^2 terminal x[1]'*W[3]\n"                            \
    "start x = [1/4, 1, 1/2], x' = [1, 0, 0]\n" HORIZON

static const char *const models[] = {CART, TOP, VEHICLE, CARRIER, JOINT};
static const char *const methods[] = {"midpoint", "gauss stages=2", "lobatto stages=3", NULL};
static const char *const classical[] = {"explicit-euler", "implicit-euler", "rk4", NULL};
static const char *const at_ends[] = {
    "verlet", "euler-a", "euler-b", "verlet retraction=exp", "euler-a retraction=chord", NULL};
static const char *const with_exp[] = {"midpoint retraction=exp", "gauss retraction=exp",
                                       "midpoint retraction=skew", NULL};

enum { POINTS = 3 };

struct block_test {
    struct control control;
    bool is_end;
    const struct noe_block *block;
    struct noe_interval_place place;
    real *z, *weights, *values, *stencil;
};

static real number_of(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (real)(int)*seed / 2147483648.0;
}

static void evaluate(struct block_test *test, enum noe_block_part part, real *values) {
    const struct noe_transcription *t = test->control.transcription;
    if (test->is_end)
        transcription_end(t, part, &test->place, test->z, test->weights, values);
    else
        transcription_interval(t, part, &test->place, test->z, test->weights, values);
}

static void fill_random(struct block_test *test, unsigned seed) {
    for (int i = 0; i < test->block->nz; i++) test->z[i] = (real)0.2 + (real)0.5 * number_of(&seed);
    for (int i = 0; i <= test->block->nc; i++) test->weights[i] = number_of(&seed);
}

/* values, or J^T weights, at z + at e_k. */
static void probe(struct block_test *test, bool of_gradient, int k, real at, real *out) {
    const struct noe_block *block = test->block;
    const real kept = test->z[k];
    test->z[k] = kept + at;
    if (!of_gradient) {
        evaluate(test, NOE_VALUES, out);
    } else {
        evaluate(test, NOE_JACOBIAN, test->values);
        memset(out, 0, (size_t)block->nz * sizeof *out);
        for (int i = 0; i < block->nj; i++)
            out[block->jcol[i]] += test->weights[block->jrow[i]] * test->values[i];
    }
    test->z[k] = kept;
}

/* Column k of the derivative, by finite differences of fourth order. */
static void differences(struct block_test *test, bool of_gradient, int k, int count, real *column) {
    const real e = (real)1e-3;
    real *one = test->stencil, *two = one + count, *three = two + count, *four = three + count;
    probe(test, of_gradient, k, -2 * e, one);
    probe(test, of_gradient, k, -e, two);
    probe(test, of_gradient, k, e, three);
    probe(test, of_gradient, k, 2 * e, four);
    for (int i = 0; i < count; i++)
        column[i] = (one[i] - four[i] + 8 * (three[i] - two[i])) / (12 * e);
}

/* The max error of all entries, including those outside the pattern. `is_met` marks entries of
 * the pattern that are nonzero. */
static double compare(struct block_test *test, bool of_second, bool *is_met) {
    const struct noe_block *block = test->block;
    const int rows = of_second ? block->nz : block->nc + 1, cols = block->nz;
    const int count = of_second ? block->nh : block->nj;
    real *dense = calloc((size_t)(rows * cols), sizeof *dense);
    real *column = calloc((size_t)rows + 1, sizeof *column);
    double error = 0;
    evaluate(test, of_second ? NOE_HESSIAN : NOE_JACOBIAN, test->values);
    for (int i = 0; i < count; i++) {
        const int row = of_second ? block->hrow[i] : block->jrow[i];
        const int col = of_second ? block->hcol[i] : block->jcol[i];
        dense[row * cols + col] = test->values[i];
        is_met[i] |= fabs((double)test->values[i]) > 1e-9;
        if (of_second) assert_true(col <= row);
    }
    for (int k = 0; k < cols; k++) {
        differences(test, of_second, k, rows, column);
        for (int i = of_second ? k : 0; i < rows; i++)
            error = fmax(error, fabs((double)(column[i] - dense[i * cols + k])) /
                                    (1 + fabs((double)column[i])));
    }
    free(dense);
    free(column);
    return error;
}

static void check_block(struct block_test *test, const char *what) {
    const struct noe_block *block = test->block;
    const size_t max = (size_t)(block->nj + block->nh + block->nz + block->nc) + 1;
    test->z = calloc(max, sizeof(real));
    test->weights = calloc(max, sizeof(real));
    test->values = calloc(max, sizeof(real));
    test->stencil = calloc(4 * max, sizeof(real));
    bool *is_met = calloc(max, sizeof(bool));
    for (int part = 0; part < 2; part++) {
        const int count = part ? block->nh : block->nj;
        double error = 0;
        memset(is_met, 0, max * sizeof *is_met);
        for (unsigned point = 0; point < POINTS; point++) {
            fill_random(test, 17 + 31 * point);
            error = fmax(error, compare(test, part == 1, is_met));
        }
        if (!(error < (part ? 7e-12 : 4e-12)))
            fail_msg("%s: %s derivatives differ by %g", what, part ? "second" : "first", error);
        for (int i = 0; i < count; i++)
            if (!is_met[i])
                fail_msg("%s: entry %d of %s derivatives, (%d, %d), is always zero", what, i,
                         part ? "second" : "first", part ? block->hrow[i] : block->jrow[i],
                         part ? block->hcol[i] : block->jcol[i]);
    }
    free(test->z);
    free(test->weights);
    free(test->values);
    free(test->stencil);
    free(is_met);
}

/* Measured: 1.7e-12 for first and 3.5e-12 for second derivatives. */
static void check_model(const char *text, const char *const *method) {
    struct noe_model *model = model_text_open(text, false);
    for (; *method; method++) {
        struct block_test test = {0};
        struct noe_error error = {0};
        const struct noe_model_settings settings = {.interpret = true};
        if (control_open(&test.control, model, *method, model->run.until, 4, &settings, &error))
            fail_msg("%s", error.text);
        test.place = (struct noe_interval_place){2, model->q, model->q};
        for (int end = 0; end < 2; end++) {
            char what[120];
            test.is_end = end;
            test.block =
                end ? &test.control.transcription->end : &test.control.transcription->interval;
            snprintf(what, sizeof what, "%s of %.20s, %s", end ? "end" : "interval", text, *method);
            check_block(&test, what);
        }
        control_clear(&test.control);
    }
    noe_model_free(model);
}

static void derivatives_on_vectors(void **state) {
    (void)state;
    check_model(models[0], methods);
    check_model(models[0], classical);
}

static void derivatives_on_rotations(void **state) {
    (void)state;
    check_model(models[1], methods);
    check_model(models[1], at_ends);
    check_model(models[1], with_exp);
}

static void derivatives_on_poses(void **state) {
    (void)state;
    check_model(models[2], methods);
    check_model(models[2], at_ends);
    check_model(models[2], with_exp);
}

static void derivatives_on_products(void **state) {
    (void)state;
    check_model(models[3], methods);
    check_model(models[3], at_ends);
}

static void derivatives_with_constraints(void **state) {
    (void)state;
    check_model(models[4], (const char *const[]){"midpoint", "midpoint retraction=exp", NULL});
}

/* Compiled and interpreted blocks have equal values. */
static void compiled_and_interpreted_blocks_agree(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(CART, false);
    real z[40], weights[40], seen[2][400];
    unsigned seed = 5;
    for (int i = 0; i < 40; i++) {
        z[i] = number_of(&seed);
        weights[i] = number_of(&seed);
    }
    const real origin[2] = {0};
    const struct noe_interval_place place = {1, origin, origin};
    for (int part = 0; part < 3; part++) {
        for (int interpret = 0; interpret < 2; interpret++) {
            struct control control;
            const struct noe_model_settings settings = {.interpret = interpret};
            memset(seen[interpret], 0, sizeof seen[interpret]);
            assert_int_equal(control_open(&control, model, "gauss stages=2", 2, 4, &settings, NULL),
                             NOE_OK);
            assert_true(control.transcription->interval.nh < 400);
            assert_int_equal(control.transcription->note != NULL, interpret);
            transcription_interval(control.transcription, (enum noe_block_part)part, &place, z,
                                   weights, seen[interpret]);
            control_clear(&control);
        }
        for (int i = 0; i < 400; i++)
            assert_true(fabs((double)(seen[0][i] - seen[1][i])) <=
                        1e-13 * (1 + fabs((double)seen[0][i])));
    }
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_on_vectors),
        cmocka_unit_test(derivatives_on_rotations),
        cmocka_unit_test(derivatives_on_poses),
        cmocka_unit_test(derivatives_on_products),
        cmocka_unit_test(derivatives_with_constraints),
        cmocka_unit_test(compiled_and_interpreted_blocks_agree),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
