/* The model language: every rule, every statement. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/definition.h"

#define PLAIN "coord q\nL = q'^2/2\n"

static struct definition *read_with(const char *text, int nsets, const char *const *sets) {
    struct definition *model;
    struct noe_error error = {.status = NOE_OK};
    if (definition_read(&model, text, strlen(text), nsets, sets, &error) != NOE_OK)
        fail_msg("%d:%d: %s\nin: %s", error.line, error.column, error.text, text);
    return model;
}

static struct definition *read_text(const char *text) { return read_with(text, 0, NULL); }

/* The value of node `node` at t = 0.25, q[i] = 1.5 + i, v[i] = -0.5 + i. */
static real node_value(const struct definition *model, int node) {
    real *q = calloc((size_t)model->n, sizeof *q), *v = calloc((size_t)model->n, sizeof *v);
    real *values = calloc((size_t)model->graph.count, sizeof *values);
    for (int i = 0; i < model->n; i++) q[i] = 1.5 + i, v[i] = -0.5 + i;
    const real value = graph_value(&model->graph, node, model->number, 0.25, q, v, values);
    free(q);
    free(v);
    free(values);
    return value;
}

static bool is_near(real found, real expected) {
    const real size = noe_abs(expected) > 1 ? noe_abs(expected) : 1;
    return noe_abs(found - expected) <= 1e-14 * size;
}

static const struct {
    const char *text;
    double value;
} numbers[] = {
    {"1", 1},
    {"0.5", 0.5},
    {".5", 0.5},
    {"5.", 5},
    {"1e-3", 1e-3},
    {"1E+3", 1000},
    {"0x10", 16},
    {"0x1.8p1", 3},
    {"010", 10},
    {"-2^2", -4},
    {"2^-1", 0.5},
    {"2^3^2", 512},
    {"-2^-2", -0.25},
    {"2^-1^2", 0.5},
    {"a/b*c", 8. / 4 * 3},
    {"a - b - c", 1},
    {"a - (b - c)", 7},
    {"a/b/c", 8. / 12},
    {"2*-3", -6},
    {"2 - -3", 5},
    {"+2", 2},
    {"--2", 2},
    {"1 + 2*3", 7},
    {"(1 + 2)*3", 9},
    {"2*3^2", 18},
    {"4^0.5", 2},
    {"8^(1/3)", 2},
    {"pi", 3.14159265358979323846},
    {"sin(0.3)", 0.29552020666133957511},
    {"cos(0.3)", 0.95533648912560601964},
    {"tan(0.3)", 0.30933624960962323304},
    {"asin(0.3)", 0.30469265401539750797},
    {"acos(0.3)", 1.26610367277949911126},
    {"atan(0.3)", 0.29145679447786709199},
    {"atan2(1, -1)", 2.35619449019234492885},
    {"sinh(0.3)", 0.30452029344714261896},
    {"cosh(0.3)", 1.04533851412886048530},
    {"tanh(0.3)", 0.29131261245159090582},
    {"exp(0.3)", 1.34985880757600310398},
    {"log(0.3)", -1.20397280432593599262},
    {"sqrt(2)", 1.41421356237309504880},
    {"abs(-2)", 2},
    {"min(1, 2)", 1},
    {"max(1, 2)", 2},
    {"min(3, 1, 2)", 1},
    {"max(3, 1, 5, 2)", 5},
    {"dot([1, 2, 3], [4, 5, 6])", 32},
    {"cross([1, 2, 3], [4, 5, 6])[1]", -3},
    {"cross([1, 2, 3], [4, 5, 6])[2]", 6},
    {"cross([1, 2, 3], [4, 5, 6])[3]", -3},
    {"norm([3, 4])", 5},
    {"transpose([[1, 2], [3, 4]])[1][2]", 3},
    {"trace([[1, 2], [3, 4]])", 5},
    {"det([[2]])", 2},
    {"det([[1, 2], [3, 4]])", -2},
    {"det([[2, 0, 1], [1, 3, 2], [0, 1, 4]])", 21},
    {"det([[1, 2, 0, 1], [0, 1, 3, 0], [2, 0, 1, 1], [1, 1, 0, 2]])", 16},
    {"diag(1, 2, 3)[3][3]", 3},
    {"diag(1, 2, 3)[1][3]", 0},
    {"diag([4, 5])[2][2]", 5},
    {"(hat([1, 2, 3])*[4, 5, 6])[1]", -3},
    {"(hat([1, 2, 3])*[4, 5, 6])[2]", 6},
    {"(hat([1, 2, 3])*[4, 5, 6])[3]", -3},
    {"expm([0, 0, pi/2])[2][1]", 1},
    {"expm([0, 0, pi/2])[1][2]", -1},
    {"expm([0, 0, 0])[1][1]", 1},
    {"expm([1e-9, 0, 0])[3][2]", 1e-9},
    {"det(expm([0.3, -0.4, 1.2]))", 1},
    {"trace(transpose(expm([0.3, -0.4, 1.2]))*expm([0.3, -0.4, 1.2]))", 3},
    {"trace(expm([0.3, -0.4, 1.2]))", 1 + 2 * 0.26749882862458740699}, /* cos(1.3) */
    {"trace(I)", 3},
    {"e1[1] + e2[2] + e3[3] + e1[2]", 3},
    {"(A*[1, 2])[2]", 11},
    {"(A*A)[2][1]", 15},
    {"(2*A)[2][2]", 8},
    {"(A/2)[2][2]", 2},
    {"(A - transpose(A))[1][2]", -1},
    {"(-A)[1][1]", -1},
    {"A[2][1]", 3},
    {"dot(A[2], [1, 1])", 7},
    {"v[3]", 30},
    {"(v/10)[2]", 2},
    {"[v, v][2][3]", 30},
    {"v[1 + 1]", 20},
    {"v[c - 1]", 20},
    {"sum(i = 1..4, i)", 10},
    {"sum(i = 1..3, v[i])", 60},
    {"sum(i = 1..3, j = 1..i, 10*i + j)", 10 + 40 + 90 + 1 + 3 + 6},
    {"sum(i = 2..3, j = 1..i-1, i*j)", 2 + 3 + 6},
    {"sum(i = 1..0, i)", 0},
    {"sum(i = 3..1, 1/0)", 0},
    {"sum(i = 1..2, sum(j = 1..2, i*j))", 9},
    {"sum(i = 1..2, sum(i = 1..3, i))", 12},
    {"sum(i = 1..3, i*[1, 2])[2]", 12},
    {"sum(i = 1..3, sum(j = 1..i-1, [i, j]))[1]", 2 + 3 + 3},
    {"sum(a = 1..2, a)", 3},
    {"sum(i = -1..1, i^2)", 2},
};

static void numbers_have_their_values(void **state) {
    (void)state;
    struct definition *model = read_text("param a = 8, b = 4, c = 3, A = [[1, 2], [3, 4]]\n"
                                         "param v = [10, 20, 30]\n" PLAIN);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        real value;
        struct noe_error error = {.status = NOE_OK};
        if (definition_number(model, numbers[i].text, &value, &error) != NOE_OK)
            fail_msg("%s: %s", numbers[i].text, error.text);
        if (!is_near(value, numbers[i].value))
            fail_msg("%s is %.17g", numbers[i].text, (double)value);
    }
    definition_free(model);
}

/* The expressions at run time: subexpressions of parameters become parameters. */
static void expressions_have_the_same_values_as_numbers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "param a = 8, b = 4, c = 3, A = [[1, 2], [3, 4]]\nparam v = [10, 20, 30]\n" PLAIN
                 "observe f = %s\n",
                 numbers[i].text);
        struct definition *model = read_text(text);
        if (!is_near(node_value(model, model->quantity[0].node[0]), numbers[i].value))
            fail_msg("%s differs", numbers[i].text);
        definition_free(model);
    }
}

/* q = 1.5, x = (2.5, 3.5), y = ((4.5, 5.5), (6.5, 7.5)); velocities -0.5, (0.5, 1.5), ... */
static const struct {
    const char *text;
    double value;
} motions[] = {
    {"q", 1.5},
    {"q'", -0.5},
    {"t", 0.25},
    {"x[2]", 3.5},
    {"x[2]'", 1.5},
    {"x'[2]", 1.5},
    {"y[2][1]", 6.5},
    {"y[2][1]'", 4.5},
    {"y'[2][1]", 4.5},
    {"y[2]'[1]", 4.5},
    {"dot(x, x')", 2.5 * 0.5 + 3.5 * 1.5},
    {"dot(y[1], y[2]')", 4.5 * 4.5 + 5.5 * 5.5},
    {"trace(y)", 4.5 + 7.5},
    {"(y*x)[1]", 4.5 * 2.5 + 5.5 * 3.5},
    {"q^2", 2.25},
    {"q^-2", 1 / 2.25},
    {"q^n", 3.375},
    {"q^(n/2)", 1.8371173070873836},
    {"q^q", 1.8371173070873836},
    {"2^q", 2.8284271247461903},
    {"q^0", 1},
    {"m*q", 3.75},
    {"k + one", 2.5 + 1},
    {"sum(i = 1..2, x[i]*i)", 9.5},
    {"sum(i = 1..2, y[i])[2]", 13},
    {"det(expm([q, 0.1, x[1]]))", 1},
    {"L", 0.5 * 0.25},
    {"earlier + 1", 3.5},
    {"max(q, x[1])", 2.5},
    {"x[1] - x[1]", 0},
    {"(q + t)*(q - t)", 2.25 - 0.0625},
};

static void expressions_of_the_state_have_their_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "param n = 3, m = 2.5, one = 1\ncoord q, x[2], y[2][2]\nlet k = m*1\n"
                 "L = q'^2/2\nobserve earlier = x[1], f = %s\n",
                 motions[i].text);
        struct definition *model = read_text(text);
        const real value = node_value(model, model->quantity[1].node[0]);
        if (!is_near(value, motions[i].value))
            fail_msg("%s is %.17g", motions[i].text, (double)value);
        definition_free(model);
    }
}

static void lines_continue(void **state) {
    (void)state;
    struct definition *model = read_text(
        "\xef\xbb\xbf# a comment\r\n\r\nparam a = [1, # one\r\n   2,\r\n\r\n  3], b =\r\n 4\r\n"
        "  coord q   # of the particle\r\n"
        "L = q'^2/2 -\r\n  q^2\r\n\r\n  # between\r\n  + b*q\r\n  * 2\r\n"
        "observe f = (q\r\n  - 1)\r\n\r\n");
    assert_int_equal(model->nnumbers, 4);
    assert_true(is_near(node_value(model, model->lagrangian), 0.125 - 2.25 + 4 * 1.5 * 2));
    assert_true(is_near(node_value(model, model->quantity[0].node[0]), 0.5));
    definition_free(model);
}

static void a_file_without_last_newline_is_complete(void **state) {
    (void)state;
    struct definition *model = read_text(PLAIN "until 40");
    assert_true(model->until == 40);
    assert_true(model->from == 0 && model->step != model->step && model->sample == 0);
    assert_null(model->title);
    assert_null(model->method);
    assert_null(model->force);
    definition_free(model);
}

static void parameters_depend_on_earlier_parameters(void **state) {
    (void)state;
    const char *text = "param a = 2, b = a^2\nparam J = diag(a, b, 1), w = J*[1, 1, 1]\n"
                       "coord q\nL = b*q'^2/2\nstep b/100\n";
    struct definition *model = read_text(text);
    assert_int_equal(model->nparameters, 4);
    assert_int_equal(model->nnumbers, 1 + 1 + 3 + 3); /* zeros of diag are no parameters */
    assert_string_equal(model->parameter[2].name, "J");
    assert_int_equal(model->parameter[2].rank, 2);
    assert_int_equal(model->parameter[2].rows * 10 + model->parameter[2].cols, 33);
    assert_int_equal(model->parameter[3].first, 5);
    assert_true(model->number[6] == 4 && model->step == (real)4 / 100);
    assert_int_equal(model->step_line * 100 + model->step_column, 506);
    definition_free(model);

    const char *sets[] = {"a=1", "a = 3", "w=[7,8]"};
    model = read_with(text, 3, sets);
    assert_true(model->number[1] == 9 && model->number[2] == 3 && model->number[3] == 9);
    assert_int_equal(model->nnumbers, 7);
    assert_true(model->number[6] == 8 && model->step == (real)9 / 100);
    definition_free(model);
}

/* All numbers of a parameter are leaves, whatever their values, so that a run may set others. The
 * zeros of `diag` in an expression are constants. */
static void parameters_are_leaves(void **state) {
    (void)state;
    struct definition *model =
        read_text("param J = diag(2, 1, 0), k = [1, 0, 1]\nlet K = diag(k)\ncoord x[3]\n"
                  "L = dot(x', J*x')/2 + dot(x, K*x)\n");
    int index[3];
    assert_int_equal(graph_leaves(&model->graph, model->lagrangian, GRAPH_VELOCITY, index), 3);
    int leaves = 0;
    for (int i = 0; i < model->graph.count; i++)
        leaves += model->graph.node[i].op == GRAPH_PARAMETER;
    assert_int_equal(leaves, 3 + 3);
    definition_free(model);
}

static void coordinates_have_shapes(void **state) {
    (void)state;
    struct definition *model = read_text("param n = 4\ncoord q, x[3], y[n + 2][n/2]\nL = q'^2\n");
    const struct noe_coordinate *c = model->coordinate;
    const struct noe_array_layout place[] = {{0, 1, 1, 0, 1}, {1, 3, 1, 1, 1}, {2, 6, 2, 4, 2}};
    assert_int_equal(model->ncoordinates, 3);
    assert_int_equal(model->n, 1 + 3 + 12);
    assert_string_equal(c[2].name, "y");
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(&c[i].point, &place[i], sizeof place[i]);
        assert_memory_equal(&c[i].tangent, &place[i], sizeof place[i]);
    }
    definition_free(model);
}

static void start_values_follow_the_coordinates(void **state) {
    (void)state;
    struct definition *model =
        read_text("param a = 3\ncoord q, x[3], y[2][3], z[2][2]\nL = q'^2\nlet twice = 2*a\n"
                  "start x = [1, 2, a], y[2] = [0, 0, 1], y[2]' = [0, 1, 0], q' = twice\n"
                  "start y'[1][3] = 5, z = [[1, 2], [3, 4]], z[2][1]' = -1\n");
    const real q[] = {0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4};
    const real v[] = {6, 0, 0, 0, 0, 0, 5, 0, 1, 0, 0, 0, -1, 0};
    assert_int_equal(model->n, 14);
    for (int i = 0; i < 14; i++) assert_true(model->q[i] == q[i] && model->v[i] == v[i]);
    definition_free(model);
}

static void forces_add_up(void **state) {
    (void)state;
    struct definition *model =
        read_text("coord q, x[2], y[2][2]\nL = q'^2\nforce q = sin(t)\nforce q = -q'\n"
                  "force x = [q, 2]\nforce x[1] = 3\nforce y[2] = [4, t]\n"
                  "force y = [[1, 0], [0, 0]]\n");
    const double expected[] = {0.24740395925452293 + 0.5, 4.5, 2, 1, 0, 4, 0.25};
    for (int i = 0; i < model->n; i++)
        assert_true(is_near(node_value(model, model->force[i]), expected[i]));
    definition_free(model);
}

static void quantities_have_shapes(void **state) {
    (void)state;
    struct definition *model =
        read_text("coord q, x[2]\nL = q'^2\nobserve a = q\ninvariant b = x, c = [x, 2*x]\n");
    assert_int_equal(model->nquantities, 3);
    const struct definition_quantity *quantity = model->quantity;
    assert_true(quantity[0].kind == NOE_OBSERVE && quantity[1].kind == NOE_INVARIANT);
    assert_string_equal(quantity[2].name, "c");
    assert_true(quantity[0].rank == 0 && quantity[1].rank == 1 && quantity[1].rows == 2);
    assert_true(quantity[2].rank == 2 && quantity[2].rows == 2 && quantity[2].cols == 2);
    assert_true(is_near(node_value(model, quantity[2].node[3]), 7));
    definition_free(model);
}

static void statements_may_stand_in_any_order(void **state) {
    (void)state;
    struct definition *model = read_text("step T/10\nstart q = a\nL = k*q'^2\nlet k = a/2\n"
                                         "coord q\nparam a = 2, T = 5\nuntil T\nfrom 1\n"
                                         "sample every a*5\nmodel \"Ünïcode\"\n");
    assert_true(model->step == 0.5 && model->q[0] == 2 && model->until == 5 && model->from == 1);
    assert_int_equal(model->sample, 10);
    assert_string_equal(model->title, "Ünïcode");
    definition_free(model);
}

/* Keywords of statements may be names in the model. */
static void keywords_may_be_names(void **state) {
    (void)state;
    struct definition *model =
        read_text("param step = 2, every = 3,\n  seed = 4\ncoord node, final\n"
                  "L = node'^2/2 + final'^2 - step*\n  seed\nstep step\nsample every every\n");
    assert_true(model->step == 2 && model->sample == 3);
    assert_true(is_near(node_value(model, model->lagrangian), 0.125 + 0.25 - 8));
    definition_free(model);
}

/* The examples of docs/language.md. */

static void double_well(void **state) {
    (void)state;
    struct definition *model = read_text("model \"Particle in a double well\"\n"
                                         "param m = 1\ncoord q\n"
                                         "L = m/2*q'^2 - (q^4 - q^2)/2\n"
                                         "start q = 0.74, q' = 0\nmethod midpoint\n"
                                         "step 0.01\nuntil 40\n");
    assert_string_equal(model->title, "Particle in a double well");
    const double q = 1.5, v = -0.5;
    assert_true(
        is_near(node_value(model, model->lagrangian), v * v / 2 - (q * q * q * q - q * q) / 2));
    int slope;
    graph_gradient(&model->graph, model->lagrangian, GRAPH_POINT, 1, &slope);
    assert_true(is_near(node_value(model, slope), -(4 * q * q * q - 2 * q) / 2));
    graph_gradient(&model->graph, model->lagrangian, GRAPH_VELOCITY, 1, &slope);
    assert_true(model->graph.node[slope].op == GRAPH_MUL); /* p = m v */
    assert_true(model->q[0] == real_read("0.74", NULL) && model->v[0] == 0);
    assert_true(model->step == real_read("0.01", NULL) && model->until == 40);
    assert_string_equal(model->method, "midpoint");
    definition_free(model);
}

static void cart_pendulum(void **state) {
    (void)state;
    struct definition *model =
        read_text("model \"Pendulum on a cart, driven\"\n"
                  "param mp = 1, mc = 0.5, l = 0.1, g = 9.81\n"
                  "param m = mp + mc, J = mp*l^2, T = 2*pi*sqrt(l/g), fhat = mp*g/5\n"
                  "coord alpha, x\n"
                  "L = J/2*alpha'^2 - mp*l*alpha'*x'*sin(alpha) + m/2*x'^2 - mp*g*l*sin(alpha)\n"
                  "force x = fhat*sin(2*pi*t/T)\nstart alpha = -pi/2\nmethod midpoint\n"
                  "step T/100\nuntil 4*T\n");
    const double s = 0.99749498660405443, T = 0.6343739849219413; /* sin(1.5), 2 pi sqrt(l/g) */
    assert_true(is_near(node_value(model, model->lagrangian),
                        0.01 / 2 * 0.25 - 0.1 * -0.25 * s + 1.5 / 2 * 0.25 - 0.981 * s));
    assert_true(graph_is_number(&model->graph, model->force[0], 0));
    assert_true(is_near(node_value(model, model->force[1]), 1.962 * sin(1.5707963267948966 / T)));
    assert_true(is_near(model->q[0], -1.5707963267948966) && model->q[1] == 0);
    assert_true(is_near(model->step, T / 100) && is_near(model->until, 4 * T));
    definition_free(model);
}

static void outer_solar_system(void **state) {
    (void)state;
    struct definition *model =
        read_text("model \"Outer solar system\"          # AU, days, solar masses\n"
                  "param n = 6, G = 2.95912208286e-4, mass = [1.00000597682, 9.54786104043e-4, "
                  "2.85583733151e-4,\n   4.37273164546e-5, 5.17759138449e-5, 7.69230769231e-9]\n"
                  "coord x[6][3]\n"
                  "L = sum(i = 1..n, mass[i]/2*dot(x[i]', x[i]'))\n"
                  "  + sum(i = 2..n, j = 1..i-1, G*mass[i]*mass[j]/norm(x[i] - x[j]))\n");
    const double mass[] = {1.00000597682,    9.54786104043e-4, 2.85583733151e-4,
                           4.37273164546e-5, 5.17759138449e-5, 7.69230769231e-9};
    double expected = 0;
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 3; k++) {
            const double v = -0.5 + 3 * i + k;
            expected += mass[i] / 2 * v * v;
        }
        for (int j = 0; j < i; j++)
            expected += 2.95912208286e-4 * mass[i] * mass[j] / (3 * (i - j) * sqrt(3));
    }
    assert_int_equal(model->n, 18);
    assert_true(is_near(node_value(model, model->lagrangian), expected));
    int gradient[18];
    int index[18];
    graph_gradient(&model->graph, model->lagrangian, GRAPH_VELOCITY, 18, gradient);
    assert_int_equal(graph_leaves(&model->graph, gradient[4], GRAPH_VELOCITY, index), 1);
    assert_int_equal(index[0], 4);
    assert_int_equal(graph_depends(&model->graph, gradient[4]), 4);
    definition_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_their_values),
        cmocka_unit_test(expressions_have_the_same_values_as_numbers),
        cmocka_unit_test(expressions_of_the_state_have_their_values),
        cmocka_unit_test(lines_continue),
        cmocka_unit_test(a_file_without_last_newline_is_complete),
        cmocka_unit_test(parameters_depend_on_earlier_parameters),
        cmocka_unit_test(parameters_are_leaves),
        cmocka_unit_test(coordinates_have_shapes),
        cmocka_unit_test(start_values_follow_the_coordinates),
        cmocka_unit_test(forces_add_up),
        cmocka_unit_test(quantities_have_shapes),
        cmocka_unit_test(statements_may_stand_in_any_order),
        cmocka_unit_test(keywords_may_be_names),
        cmocka_unit_test(double_well),
        cmocka_unit_test(cart_pendulum),
        cmocka_unit_test(outer_solar_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
