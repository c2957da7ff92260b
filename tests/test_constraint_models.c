/* Constraints stated in models: g, psi, reactions, their derivatives and sparsity pattern. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_text.h"
#include "study/verify/constraint_rank.h"
#include "study/verify/derivative_check.h"

/* Rheonomic and scleronomic constraints, with a force and a mass that depend on all variables. */
#define LINKAGE                                                                                    \
    "param l = 1.3, k = 2\n"                                                                       \
    "coord x[2], a, b\n"                                                                           \
    "L = (1 + sin(a)^2)/2*a'^2 + dot(x', x')/2 + b'*x[1]'*cos(a) + b'^2 - k*a^2*b\n"               \
    "force a = -0.1*a'*b, b = x[1]*t\n"                                                            \
    "constraint dot(x, x) = l^2 + 0.1*sin(t)\n"                                                    \
    "constraint sin(a) - x[2]*b*cos(t) = 0.05\n"                                                   \
    "start x[1] = sqrt(l^2), x[1]' = 0.05/l, a = asin(0.05), b = 0.3\n"

/* Nonlinear in the velocities (Appell and Hamel), affine in the velocities, and holonomic. */
#define ROLLING                                                                                    \
    "coord x, y, z, s\n"                                                                           \
    "L = (x'^2 + y'^2 + z'^2)/2*(1 + x^2) + s'^2/2 - z\n"                                          \
    "nonholonomic z'^2 = x'^2 + y'^2*cos(s)\n"                                                     \
    "constraint x*y = s\n"                                                                         \
    "nonholonomic s' - y*x' + t*x = sin(z)\n"                                                      \
    "start x = 1, z = 0.2, x' = 0.3, y' = sin(0.2), s' = sin(0.2), z' = sqrt(0.09 + sin(0.2)^2)\n"

/* A spherical joint between a body on poses and a body on SO(3) x R^3 that rolls. */
#define JOINTS                                                                                     \
    "param J = diag(2, 3, 4), a = [0.3, -0.2, 0.5], b = [0, 0.4, 0.1]\n"                           \
    "pose R, x, W, V\nrotation S, U\ncoord y[3]\n"                                                 \
    "L = dot(W, J*W)/2 + dot(V, V) + dot(U, J*U)/2 + dot(y', y')/2 - x[3]*S[1][2]\n"               \
    "constraint x + R*a = y + S*b\n"                                                               \
    "nonholonomic y[1]' = dot(S*U, e2)*(1 + R[1][3])\n"                                            \
    "nonholonomic y[2]' + dot(U, a) = V[2]*x[1]\n"                                                 \
    "start R = expm([-0.4, 0.9, 0.2]), S = expm([0.7, 0.1, -0.2]), x = [0.5, -0.3, 0.2],\n"        \
    "  y = [0.5, -0.3, 0.2] + expm([-0.4, 0.9, 0.2])*a - expm([0.7, 0.1, -0.2])*b\n"

static const char *const models[] = {LINKAGE, ROLLING, JOINTS};
enum { MODELS = sizeof models / sizeof *models };

enum { NUMBERS = 64 };

/* A point that violates the constraints; rotations as they start. */
static void choose_point(const struct noe_model *model, noe_real *q, noe_real *v) {
    const struct noe_system *system = model->system;
    const int count = system->factors ? 3 + 9 + 9 + 3 : system->n;
    for (int k = 0; k < count; k++) {
        const bool is_rotation = system->factors && (k < 9 || (k >= 12 && k < 21));
        q[k] = is_rotation ? model->q[k] : (noe_real)0.4 + (noe_real)0.11 * k;
    }
    for (int k = 0; k < NUMBERS; k++) v[k] = (noe_real)-0.7 + (noe_real)0.17 * k;
}

/* Measured: 3.2e-12, 3.2e-12 and 1.7e-11. */
static void constraint_derivatives_match_differences(void **state) {
    (void)state;
    for (int i = 0; i < 2 * MODELS; i++) {
        struct noe_model *model = model_text_open(models[i / 2], i % 2);
        const struct noe_system *system = model->system;
        struct derivative_check differences = {0};
        noe_real q[NUMBERS], v[NUMBERS];
        choose_point(model, q, v);
        assert_int_equal(derivative_check(&differences, system, 0.3, q, v, NULL), NOE_OK);
        assert_true(differences.gradient_error < 7e-12);
        assert_true(differences.hessian_error < 7e-12);
        assert_true(differences.constraint_error < 3.5e-11);
        noe_model_free(model);
    }
}

/* Multiplier k acts along row k of psi_v. Checked by values, without finite differences. */
static void reactions_satisfy_dalemberts_principle(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(ROLLING, false);
    const struct noe_system *system = model->system;
    noe_real q[NUMBERS], v[NUMBERS] = {0}, free[4], w[4], c[10], d[24] = {0};
    assert_int_equal(system->nholonomic, 1);
    assert_int_equal(system->nnonholonomic, 2);
    choose_point(model, q, v);
    v[4] = v[5] = v[6] = 0;
    system->force(system, 0.3, q, v, free);
    v[4] = 2, v[5] = -3, v[6] = 5; /* x y - s, then z'^2 - .., then s' - .. */
    system->force(system, 0.3, q, v, w);
    const noe_real x = q[0], y = q[1];
    assert_true(noe_abs(w[0] - free[0] - (-2 * y - 3 * -2 * v[0] + 5 * -y)) < 1e-14);
    assert_true(noe_abs(w[1] - free[1] - (-2 * x - 3 * -2 * v[1] * noe_cos(q[3]))) < 1e-14);
    assert_true(noe_abs(w[2] - free[2] - -3 * 2 * v[2]) < 1e-14);
    assert_true(noe_abs(w[3] - free[3] - (2 + 5)) < 1e-14);
    system->constraints_second(system, 0.3, q, v, c, d);
    assert_true(noe_abs(c[0] - (x * y - q[3])) < 1e-15);
    assert_true(noe_abs(c[1] - (v[0] * y + x * v[1] - v[3])) < 1e-15);
    assert_true(noe_abs(c[6] - x) < 1e-15); /* the time derivative of t*x */
    noe_model_free(model);
}

/* Compiled and interpreted functions give the same bits for all multipliers. */
static void compiled_and_interpreted_agree(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        struct noe_model *model[2];
        noe_real q[NUMBERS], v[NUMBERS], result[2][4 * NUMBERS];
        for (int k = 0; k < 2; k++) {
            model[k] = model_text_open(models[i], k == 1);
            const struct noe_system *system = model[k]->system;
            choose_point(model[k], q, v);
            memset(result[k], 0, sizeof result[k]);
            system->constraints_second(system, 0.3, q, v, result[k], result[k] + NUMBERS);
            system->force(system, 0.3, q, v, result[k] + 3 * NUMBERS);
            assert_true(2 * system->nzc <= 2 * NUMBERS && system->n <= NUMBERS);
        }
        assert_memory_equal(result[0], result[1], sizeof result[0]);
        noe_model_free(model[0]);
        noe_model_free(model[1]);
    }
}

/* A chain of N links: each constraint depends on its two ends only. */
static void pattern_is_exact(void **state) {
    (void)state;
    struct noe_model *model = model_text_open("coord x[4][2]\n"
                                              "L = sum(i = 1..4, dot(x[i]', x[i]')/2)\n"
                                              "constraint dot(x[1], x[1]) = 1\n"
                                              "nonholonomic x[4][2]' = x[3][1]\n"
                                              "constraint norm(x[4] - x[3]) = 1\n"
                                              "start x[1] = [1, 0], x[3] = [0, 2], x[4] = [0, 3],"
                                              " x[2] = [1, 1]\n",
                                              false);
    const struct noe_system *system = model->system;
    static const int row[] = {0, 0, 1, 1, 1, 1, 2, 2}, col[] = {0, 1, 4, 5, 6, 7, 4, 7};
    assert_int_equal(system->nzc, 8);
    for (int e = 0; e < 8; e++) {
        assert_int_equal(system->crow[e], row[e]);
        assert_int_equal(system->ccol[e], col[e]);
    }
    assert_int_equal(system->traits & NOE_SEPARABLE, NOE_SEPARABLE);
    assert_int_equal(system->traits & NOE_AUTONOMOUS, NOE_AUTONOMOUS);
    assert_int_equal(system->traits & NOE_UNFORCED, NOE_UNFORCED);
    assert_non_null(system->gradient);
    noe_model_free(model);
}

/* Equations for all values of their indices, in the order of the values. */
static void indexed_equations_are_expanded(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open("param n = 4\ncoord x[n][2]\nL = sum(i = 1..n, dot(x[i]', x[i]')/2)\n"
                        "constraint norm(x[i] - x[i-1]) = i for i = 2..n\n"
                        "nonholonomic x[i]' = j*x[i+j]' for i = 1..2, j = 1..i\n"
                        "start x = [[0, 0], [2, 0], [5, 0], [9, 0]]\n",
                        true);
    const struct noe_system *system = model->system;
    noe_real q[8] = {0}, v[8], c[12];
    assert_int_equal(system->nholonomic, 3);
    assert_int_equal(system->nnonholonomic, 6);
    for (int i = 0; i < 8; i++) {
        q[i] = i * i;
        v[i] = 1 + i;
    }
    system->constraints(system, 0, q, v, c);
    for (int i = 1; i < 4; i++) {
        const noe_real a = q[2 * i] - q[2 * i - 2], b = q[2 * i + 1] - q[2 * i - 1];
        assert_true(noe_abs(c[i - 1] - (noe_sqrt(a * a + b * b) - (i + 1))) < 1e-14);
    }
    static const int pair[3][3] = {{0, 1, 1}, {1, 2, 1}, {1, 3, 2}}; /* i, i + j and j, from 0 */
    for (int k = 0; k < 6; k++) {
        const int *at = pair[k / 2], part = k % 2;
        assert_true(c[6 + k] == v[2 * at[0] + part] - at[2] * v[2 * at[1] + part]);
        assert_int_equal(model->constraint[3 + k].component, k + 1);
    }
    noe_model_free(model);
}

/* The number of independent rows of a joint is the number of degrees of freedom it removes. Its
 * residual is zero at a configuration that satisfies it. */
static void joints_have_independent_rows(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int rows;
    } joint[] = {
        {"constraint spherical(R, x, a, S, y, b) = 0\n", 3},
        {"constraint distance(R, x, a, S, y, [1, 0, 0] + b) = norm(e1)\n", 1},
        {"constraint revolute(R, x, a, u, S, y, b, transpose(T)*u) = 0\n", 5},
        {"constraint fixed(R, x, a, S*transpose(T), y, T*b) = 0\n", 6},
    };
    for (size_t i = 0; i < sizeof joint / sizeof *joint; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "param a = [0.3, -0.2, 0.5], b = [0, 0.4, 0.1], u = [1, 2, -0.1]\n"
                 "param T = expm([0.2, -0.4, 0.9]), A = expm([0.3, 0.2, 0.1])\n"
                 "pose R, x, W, V\npose S, y, U, Y\n"
                 "L = dot(W, W)/2 + dot(V, V)/2 + dot(U, U)/2 + dot(Y, Y)/2\n%s"
                 "start R = A, S = A*T, x = [1, 2, 3], y = [1, 2, 3] + A*a - A*T*b\n",
                 joint[i].text);
        struct noe_model *model = model_text_open(text, true);
        struct constraint_rank independence;
        assert_int_equal(model->nconstraints, joint[i].rows);
        assert_int_equal(constraint_rank_find(&independence, model, 0, NULL), NOE_OK);
        assert_int_equal(independence.rank, joint[i].rows);
        assert_true(independence.residual < 1e-15);
        constraint_rank_clear(&independence);
        noe_model_free(model);
    }
}

/* A row that is the sum of two others. The statements are not in the system's order. */
static void redundant_statements_are_named(void **state) {
    (void)state;
    struct noe_model *model = model_text_open("coord x, y, z\nL = x'^2 + y'^2 + z'^2\n"
                                              "nonholonomic x' + z' = 0\n"
                                              "constraint x + y = 0\n"
                                              "constraint x^3 - y - 2*x = 0\n"
                                              "constraint y = z\n",
                                              true);
    struct constraint_rank independence;
    assert_int_equal(constraint_rank_find(&independence, model, 0, NULL), NOE_OK);
    assert_int_equal(independence.rank, 3);
    for (int i = 0; i < 4; i++) assert_int_equal(independence.is_redundant[i], i == 3);
    assert_int_equal(model->constraint[0].row, 3);
    assert_int_equal(model->constraint[3].row, 2);
    constraint_rank_clear(&independence);
    noe_model_free(model);
}

/* Observed multipliers are numbered in the order of the statements. */
static void multipliers_can_be_observed(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open("pose R, x, W, V\ncoord y[2], s\n"
                        "L = dot(W, W)/2 + dot(V, V)/2 + dot(y', y')/2 + s'^2\n"
                        "nonholonomic y[1]' = 2*W[3]\n"
                        "constraint R*e1 + x = [1 + y[2], 0, 0]\n"
                        "observe first = multiplier(1), second = multiplier(2)\n"
                        "observe f = reaction(x), m = reaction(R), reaction = reaction(y)\n"
                        "observe twice = 2*reaction, none = reaction(s), part = reaction(y[1])\n",
                        false);
    const struct noe_system *system = model->system;
    noe_real v[13] = {0}, values[32], w[9], free[9];
    v[9] = 2, v[10] = -3, v[11] = 5, v[12] = 7; /* x, y and z of the constraint, the first one */
    system->quantities(system, 0, model->q, v, values);
    assert_true(values[0] == 7 && values[1] == 2);
    system->force(system, 0, model->q, v, w);
    v[9] = v[10] = v[11] = v[12] = 0;
    system->force(system, 0, model->q, v, free);
    for (int i = 0; i < 3; i++) {
        assert_true(values[2 + i] == w[3 + i] - free[3 + i]);
        assert_true(values[5 + i] == w[i] - free[i]);
    }
    assert_true(values[8] == 7 && values[9] == 2); /* phi_v = 1, -g_q = 1 */
    assert_true(values[10] == 14 && values[11] == 4 && values[12] == 0 && values[13] == 7);
    noe_model_free(model);
}

/* --- Start values. */

#define PENDULUM "coord x[2]\nL = dot(x', x')/2\nconstraint dot(x, x) = 4\n"
#define SKATE                                                                                      \
    "coord x[2], a\nL = dot(x', x')/2 + a'^2\nnonholonomic [0, x[1]'*sin(a)] = [x[2]'*cos(a), "    \
    "x[2]']\n"
#define HINGE                                                                                      \
    "rotation R, W\nrotation S, U\nL = dot(W, W)/2 + dot(U, U)/2\n"                                \
    "constraint R*e1 = S*e1\n"

static const struct {
    const char *text;
    int line, column;
    const char *message;
} broken[] = {
    {PENDULUM, 3, 12, "the start breaks this constraint: left side minus right side is -4"},
    {PENDULUM "start x = [0, 2.5]\n", 3, 12,
     "the start breaks this constraint: left side minus right side is 2.25"},
    {PENDULUM "start x = [0, 2], x' = [1, 0.5]\n", 3, 12,
     "the start velocity breaks this constraint: the rate of left side minus right side is 2 "
     "(the positions meet it; the velocities must be tangent to it)"},
    {SKATE "start x' = [1, 0.1]\n", 3, 14,
     "the start breaks component 1 of this constraint: left side minus right side is -0.1"},
    {HINGE "start S = expm([0, 0, 0.1])\n", 4, 12,
     "the start breaks component 2 of this constraint: left side minus right side is -0.0998334"},
    {"coord x, y\nL = x'^2 + y'^2\nconstraint x = cos(t)\nconstraint y = 0\n"
     "from 1\nstart x = cos(1)\n",
     3, 12,
     "the start velocity breaks this constraint: the rate of left side minus right side is "
     "0.841471 (the positions meet it; the velocities must be tangent to it)"},
    {"coord x\nL = x'^2\nconstraint 1/x = 1\n", 3, 12,
     "the start breaks this constraint: left side minus right side is inf"},
};

static void starts_that_violate_constraints_are_rejected(void **state) {
    (void)state;
    const struct noe_model_settings settings = {.interpret = true};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct noe_model *model = NULL;
        struct noe_error error = {0};
        assert_int_equal(noe_model_open_text(&model, "test.noe", broken[i].text, &settings, &error),
                         NOE_BAD_INPUT);
        assert_string_equal(error.text, broken[i].message);
        assert_int_equal(error.line, broken[i].line);
        assert_int_equal(error.column, broken[i].column);
    }
}

static noe_real largest_residual(const struct noe_model *model) {
    const struct noe_system *system = model->system;
    noe_real c[NUMBERS], largest = 0;
    system->constraints(system, model->run.from, model->q, model->v, c);
    for (int k = 0; k < 2 * system->nholonomic + system->nnonholonomic; k++)
        largest = noe_max(largest, noe_abs(c[k]));
    return largest;
}

/* The correction is minimal in the metric of the mass: along M^-1 g_q^T. */
static void small_violations_are_corrected_with_a_notice(void **state) {
    (void)state;
    struct noe_model *model = model_text_open("coord x, y\nL = x'^2/2 + 4*y'^2/2 + x'*y'\n"
                                              "constraint x^2 + 2*y^2 = 3\n"
                                              "start x = 1 + 3e-9, y = 1, x' = 2, y' = -1 + 1e-9\n",
                                              false);
    assert_int_equal(model->nnotes, 2);
    assert_string_equal(model->note[0].text,
                        "the start misses this constraint by 6e-09: the nearest positions that "
                        "meet all constraints are used");
    assert_int_equal(model->note[0].line, 3);
    assert_int_equal(model->note[1].column, 12);
    assert_true(largest_residual(model) < 2e-15);
    const noe_real dx = model->q[0] - (1 + (noe_real)3e-9), dy = model->q[1] - 1;
    assert_true(noe_abs(2 * (dx + dy) - (dx + 4 * dy)) < 1e-6 * noe_abs(dx)); /* M d = (1, 2) y */
    noe_model_free(model);

    model = model_text_open(
        "pose R, x, W, V\nrotation S, U\nL = dot(W, W)/2 + dot(V, V) + dot(U, U)/2\n"
        "constraint x + R*[0.1, 0.2, 0.3] = S*e3\nconstraint dot(R*e1, S*e2) = 0\n"
        "nonholonomic dot(W, U) + V[1] = 1.2\n"
        "start x = [-0.1, -0.2, 0.7 + 1e-9], W = [0, 0, 1], U = [0, 0, 1], V = [0.2, -0.1 - "
        "1e-9, 0]\n",
        true);
    assert_true(model->nnotes == 1 || model->nnotes == 2);
    assert_true(largest_residual(model) < 1e-14);
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraint_derivatives_match_differences),
        cmocka_unit_test(reactions_satisfy_dalemberts_principle),
        cmocka_unit_test(compiled_and_interpreted_agree),
        cmocka_unit_test(pattern_is_exact),
        cmocka_unit_test(indexed_equations_are_expanded),
        cmocka_unit_test(joints_have_independent_rows),
        cmocka_unit_test(redundant_statements_are_named),
        cmocka_unit_test(multipliers_can_be_observed),
        cmocka_unit_test(starts_that_violate_constraints_are_rejected),
        cmocka_unit_test(small_violations_are_corrected_with_a_notice),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
