/* The expression graph: sharing, simplification, derivatives against finite differences. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "model/codegen/vectorise/program_pairs.h"
#include "model/definition.h"
#include "model/graph/graph.h"

enum { POINTS = 3 };

/* The leaves x, y, z and their values. */
struct space {
    struct graph graph;
    int x, y, z;
    real q[POINTS], v[POINTS], parameter[1];
    real *values;
    int room;
};

static int setup(void **state) {
    struct space *s = calloc(1, sizeof *s);
    graph_init(&s->graph);
    s->x = graph_leaf(&s->graph, GRAPH_POINT, 0);
    s->y = graph_leaf(&s->graph, GRAPH_POINT, 1);
    s->z = graph_leaf(&s->graph, GRAPH_POINT, 2);
    *state = s;
    return 0;
}

static int teardown(void **state) {
    struct space *s = *state;
    graph_clear(&s->graph);
    free(s->values);
    free(s);
    return 0;
}

static real value(struct space *s, int node) {
    if (s->room < s->graph.count) {
        s->room = 2 * s->graph.count;
        s->values = realloc(s->values, (size_t)s->room * sizeof *s->values);
    }
    return graph_value(&s->graph, node, s->parameter, 0.3, s->q, s->v, s->values);
}

static int number(struct space *s, real c) { return graph_number(&s->graph, c); }

/* |a - b| relative to their size, at least 1. */
static real deviation(real a, real b) {
    const real size = noe_abs(a) > 1 ? noe_abs(a) : 1;
    return noe_abs(a - b) / size;
}

static void equal_nodes_are_shared(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    const int product = graph_mul(g, s->x, s->y);
    assert_int_equal(product, graph_mul(g, s->y, s->x));
    assert_int_equal(graph_add(g, product, s->z), graph_add(g, s->z, product));
    const int f = graph_function_find("sin"), max = graph_function_find("max");
    assert_int_equal(graph_call(g, f, product, -1), graph_call(g, f, product, -1));
    assert_int_equal(graph_call(g, max, s->x, s->y), graph_call(g, max, s->y, s->x));
    assert_int_not_equal(graph_sub(g, s->x, s->y), graph_sub(g, s->y, s->x));
    const int count = g->count;
    graph_mul(g, s->x, s->y);
    assert_int_equal(g->count, count);
    assert_int_equal(number(s, 0.1), number(s, 0.1));
    assert_int_not_equal(number(s, 0.0), number(s, -0.0));
}

static void children_precede_parents(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    int node = s->x;
    for (int i = 0; i < 2000; i++)
        node = graph_add(g, graph_mul(g, node, s->y), graph_number(g, i + 0.5));
    int gradient[POINTS];
    graph_gradient(g, node, GRAPH_POINT, POINTS, gradient);
    for (int i = 0; i < g->count; i++) {
        if (g->node[i].op < GRAPH_ADD) continue;
        assert_true(g->node[i].a < i);
        if (g->node[i].op < GRAPH_NEG) assert_true(g->node[i].b < i);
    }
}

static void simple_forms_simplify(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    const int x = s->x, y = s->y, zero = number(s, 0), one = number(s, 1), two = number(s, 2);
    const int root = graph_call(g, graph_function_find("sqrt"), x, -1);
    const int pairs[][2] = {
        {graph_add(g, x, zero), x},
        {graph_add(g, zero, x), x},
        {graph_sub(g, x, zero), x},
        {graph_sub(g, zero, x), graph_neg(g, x)},
        {graph_sub(g, x, x), zero},
        {graph_mul(g, x, one), x},
        {graph_mul(g, zero, x), zero},
        {graph_mul(g, x, number(s, -1)), graph_neg(g, x)},
        {graph_div(g, x, one), x},
        {graph_div(g, zero, x), zero},
        {graph_div(g, x, x), one},
        {graph_div(g, x, two), graph_mul(g, number(s, 0.5), x)},
        {graph_neg(g, graph_neg(g, x)), x},
        {graph_neg(g, graph_sub(g, x, y)), graph_sub(g, y, x)},
        {graph_add(g, x, graph_neg(g, y)), graph_sub(g, x, y)},
        {graph_sub(g, x, graph_neg(g, y)), graph_add(g, x, y)},
        {graph_mul(g, graph_neg(g, x), y), graph_neg(g, graph_mul(g, x, y))},
        {graph_mul(g, graph_neg(g, x), graph_neg(g, y)), graph_mul(g, x, y)},
        {graph_add(g, x, x), graph_mul(g, two, x)},
        {graph_mul(g, x, x), graph_power(g, x, 2)},
        {graph_mul(g, graph_power(g, x, 2), graph_power(g, x, 3)), graph_power(g, x, 5)},
        {graph_power(g, graph_power(g, x, 2), 3), graph_power(g, x, 6)},
        {graph_div(g, graph_power(g, x, 3), x), graph_power(g, x, 2)},
        {graph_power(g, x, -2), graph_div(g, one, graph_power(g, x, 2))},
        {graph_power(g, x, 0), one},
        {graph_power(g, x, 1), x},
        {graph_mul(g, two, graph_mul(g, number(s, 3), x)), graph_mul(g, number(s, 6), x)},
        {graph_mul(g, x, graph_div(g, one, y)), graph_div(g, x, y)},
        {graph_pow(g, x, number(s, 0.5)), root},
        {graph_pow(g, x, number(s, -0.5)), graph_div(g, one, root)},
        {graph_pow(g, x, number(s, 1.5)), graph_mul(g, x, root)},
        {graph_mul(g, root, root), x},
        {graph_add(g, two, one), number(s, 3)},
        {graph_call(g, graph_function_find("exp"), zero, -1), one},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1]) fail_msg("form %zu is not simplified", i);
}

/* Factors that would overflow or lose precision if moved stay in place. */
static void large_factors_are_not_moved(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    const int large = number(s, 1e200), small = number(s, 1e-200);
    s->q[0] = 1e-150;
    const int node = graph_mul(g, large, graph_mul(g, large, s->x));
    assert_true(value(s, node) == 1e200 * (1e200 * s->q[0]));
    s->q[0] = 1e-50;
    const int ratio = graph_div(g, graph_mul(g, small, s->x), small);
    assert_true(value(s, ratio) > 0);
    int sum = graph_mul(g, number(s, -1e200), s->x);
    for (int i = 0; i < 4; i++) sum = graph_add(g, s->y, graph_neg(g, sum));
    s->q[0] = 1e-200, s->q[1] = 0;
    assert_true(value(s, sum) == -(1e200 * s->q[0]));
}

static void dependence_is_tracked(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    const int t = graph_leaf(g, GRAPH_TIME, 0), v = graph_leaf(g, GRAPH_VELOCITY, 1);
    const int m = graph_leaf(g, GRAPH_PARAMETER, 0);
    assert_int_equal(graph_depends(g, m), 0);
    assert_int_equal(graph_depends(g, graph_mul(g, m, t)), 1);
    assert_int_equal(graph_depends(g, graph_mul(g, m, s->x)), 2);
    assert_int_equal(graph_depends(g, graph_mul(g, v, graph_mul(g, t, s->x))), 7);
    int index[POINTS];
    const int sum = graph_add(g, graph_mul(g, s->z, s->z), graph_add(g, s->x, s->z));
    assert_int_equal(graph_leaves(g, graph_mul(g, v, sum), GRAPH_POINT, index), 2);
    assert_true(index[0] == 0 && index[1] == 2);
    assert_int_equal(graph_leaves(g, graph_mul(g, v, s->x), GRAPH_VELOCITY, index), 1);
    assert_int_equal(index[0], 1);
    assert_int_equal(graph_derivative(g, graph_mul(g, t, s->x), GRAPH_TIME, 0), s->x);
    assert_true(graph_is_number(g, graph_derivative(g, s->x, GRAPH_POINT, 1), 0));
}

/* The step of central differences that balances truncation and round-off error, and the error of
 * the result. */
static real difference_step(void) { return noe_pow(NOE_EPSILON, (real)1 / 3); }

/* Derivative of `node` with respect to component i of the point, by finite differences. */
static real difference(struct space *s, int node, int i) {
    const real h = difference_step(), at = s->q[i];
    s->q[i] = at + h;
    const real after = value(s, node);
    s->q[i] = at - h;
    const real before = value(s, node);
    s->q[i] = at;
    return (after - before) / (2 * h);
}

/* Max deviation of the gradient from finite differences, in units of the step squared. Forward
 * and reverse mode must agree to round-off (measured: 16 units). */
static real gradient_error(struct space *s, int node) {
    int gradient[POINTS];
    real worst = 0;
    graph_gradient(&s->graph, node, GRAPH_POINT, POINTS, gradient);
    for (int i = 0; i < POINTS; i++) {
        const int forward = graph_derivative(&s->graph, node, GRAPH_POINT, i);
        const real exact = value(s, gradient[i]);
        const real error = deviation(exact, difference(s, node, i));
        assert_true(deviation(exact, value(s, forward)) <= 32 * NOE_EPSILON);
        if (!(error <= worst)) worst = error;
    }
    return worst / (difference_step() * difference_step());
}

/* Every row of the table, at three points in the domains of all functions. Measured: 5.6. */
static void functions_have_their_derivatives(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    const real points[][2] = {{0.3, 0.7}, {0.85, 0.2}, {0.55, 0.41}};
    for (int f = 0; f < graph_function_count; f++)
        for (int k = 0; k < 3; k++) {
            const int two = graph_functions[f].arity == 2 ? s->y : -1;
            s->q[0] = points[k][0], s->q[1] = points[k][1];
            const real error = gradient_error(s, graph_call(g, f, s->x, two));
            if (!(error < 11))
                fail_msg("%s: derivative off by %g steps squared", graph_functions[f].c_name,
                         (double)error);
        }
}

/* Negative arguments, which test signs and branches. */
static void functions_of_negative_arguments(void **state) {
    struct space *s = *state;
    const char *names[] = {"abs", "atan2", "min", "max", "sinh", "tan", "asin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int f = graph_function_find(names[i]);
        const int y = graph_functions[f].arity == 2 ? s->y : -1;
        s->q[0] = -0.4, s->q[1] = -0.9;
        const real error = gradient_error(s, graph_call(&s->graph, f, s->x, y));
        assert_true(error < 11);
    }
}

static void constant_exponents_need_no_logarithm(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    const int before = g->count;
    const int power = graph_pow(g, s->x, number(s, 2.7));
    const int slope = graph_derivative(g, power, GRAPH_POINT, 0);
    for (int i = before; i < g->count; i++)
        assert_false(g->node[i].op == GRAPH_CALL &&
                     strcmp(graph_functions[g->node[i].f].c_name, "noe_log") == 0);
    s->q[0] = 1.3;
    assert_true(deviation(value(s, slope), 2.7 * noe_pow(1.3, 1.7)) < 1e-15);
    const int both = graph_pow(g, s->x, s->y);
    s->q[1] = 0.8;
    assert_true(gradient_error(s, both) < 11);
}

/* --- Random expressions, evaluated in C and in the graph. */

static unsigned seed;
static unsigned draw(unsigned n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static real q_now[POINTS];

/* Builds a node together with its value; the forms stay inside the domains of the functions. */
static int random_node(struct space *s, int depth, real *at) {
    struct graph *g = &s->graph;
    real a, b;
    if (depth == 0 || draw(8) == 0) {
        const int i = (int)draw(5);
        *at = i < POINTS ? q_now[i] : i == 3 ? (real)(int)draw(7) - 3 : 0.25 * (real)draw(16);
        return i < POINTS ? graph_leaf(g, GRAPH_POINT, i) : graph_number(g, *at);
    }
    const int x = random_node(s, depth - 1, &a);
    const int one = graph_number(g, 1), two = graph_number(g, 2);
    const int positive = graph_add(g, one, graph_mul(g, x, x)); /* 1 + x^2 */
    switch (draw(14)) {
    case 0: *at = -a; return graph_neg(g, x);
    case 1: *at = noe_sin(a); return graph_call(g, graph_function_find("sin"), x, -1);
    case 2: *at = noe_cos(a); return graph_call(g, graph_function_find("cos"), x, -1);
    case 3: *at = noe_tanh(a); return graph_call(g, graph_function_find("tanh"), x, -1);
    case 4: *at = noe_sqrt(1 + a * a); return graph_pow(g, positive, graph_number(g, 0.5));
    case 5:
        *at = noe_log(1 + a * a);
        return graph_call(g, graph_function_find("log"), positive, -1);
    case 6: *at = 1 / (1 + a * a); return graph_power(g, positive, -1);
    case 7: *at = noe_pow(1 + a * a, -1.5); return graph_pow(g, positive, graph_number(g, -1.5));
    case 8: *at = a * a; return graph_mul(g, x, x);
    default: break;
    }
    const int y = random_node(s, depth - 1, &b);
    switch (draw(6)) {
    case 0: *at = a - b; return graph_sub(g, x, y);
    case 1: *at = a * b; return graph_mul(g, x, y);
    case 2: *at = b / (1 + a * a); return graph_div(g, y, positive);
    case 3:
        *at = noe_atan2(1 + a * a, b);
        return graph_call(g, graph_function_find("atan2"), positive, y);
    case 4: *at = 2 * a + b / 2; return graph_add(g, graph_mul(g, two, x), graph_div(g, y, two));
    default: *at = a + b; return graph_add(g, x, y);
    }
}

static real largest_slope(struct space *s, const int *gradient) {
    real largest = 0;
    for (int i = 0; i < POINTS; i++) {
        const real slope = noe_abs(value(s, gradient[i]));
        if (!(slope <= largest)) largest = slope;
    }
    return largest;
}

/* Values, gradients and second derivatives of 2000 expressions. Measured: 4 units of round-off, 82
 * and 1960 steps squared. */
static void random_expressions(void **state) {
    struct space *s = *state;
    int compared = 0;
    for (unsigned round = 0; round < 2000; round++) {
        seed = round * 7919u + 17;
        for (int i = 0; i < POINTS; i++) s->q[i] = q_now[i] = 0.1 * (real)draw(19) - 0.8;
        real expected;
        const int node = random_node(s, 5, &expected);
        const real off = deviation(expected, value(s, node)) / NOE_EPSILON;
        if (!(off <= 8)) fail_msg("round %u: value off by %g", round, (double)off);
        int gradient[POINTS];
        graph_gradient(&s->graph, node, GRAPH_POINT, POINTS, gradient);
        if (largest_slope(s, gradient) > 30) continue; /* small terms are not resolved */
        const real first = gradient_error(s, node);
        if (!(first < 165)) fail_msg("round %u: gradient off by %g", round, (double)first);
        for (int i = 0; i < POINTS; i++) {
            const real second = gradient_error(s, gradient[i]);
            if (!(second < 4000)) fail_msg("round %u: second off by %g", round, (double)second);
        }
        compared++;
    }
    assert_true(compared > 1900);
}

static struct definition *read_text(const char *text) {
    struct definition *model;
    struct noe_error error = {.status = NOE_OK};
    if (definition_read(&model, text, strlen(text), 0, NULL, &error) != NOE_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    return model;
}

/* Node counts grow linearly, each gradient entry depends on its neighbours only, and the
 * recursion depth does not grow with the length of the sum. */
static void long_sums_stay_cheap(void **state) {
    (void)state;
    enum { N = 100000 };
    const clock_t begin = clock();
    struct definition *model =
        read_text("param n = 100000, k = 2.5\ncoord q[n]\n"
                  "L = sum(i = 1..n, q[i]'^2/2) - sum(i = 1..n-1, k/2*(q[i+1] - q[i])^2)\n");
    int *gradient = malloc(N * sizeof *gradient);
    int *index = malloc(N * sizeof *index);
    assert_int_equal(model->n, N);
    const int before = model->graph.count;
    graph_gradient(&model->graph, model->lagrangian, GRAPH_POINT, N, gradient);
    assert_true(before < 12 * N);
    assert_true(model->graph.count - before < 6 * N);
    assert_int_equal(graph_leaves(&model->graph, gradient[500], GRAPH_POINT, index), 3);
    for (int i = 0; i < 3; i++) assert_int_equal(index[i], 499 + i);
    for (int i = 0; i < N; i++) graph_derivative(&model->graph, gradient[i], GRAPH_POINT, i);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5); /* measured: 0.5 */
    assert_false(model->graph.failed);
    free(gradient);
    free(index);
    definition_free(model);
}

/* Values of deep one-sided sums are computed without recursion too. */
static int count_op(const struct program *program, const struct graph *g, enum graph_op op) {
    int count = 0;
    for (int i = 0; i < program->nsteps; i++) count += g->node[program->step[i]].op == op;
    return count;
}

/* c |x|^-1 to c |x|^-7: gradient and second derivatives from one square root and one division. */
static void powers_of_a_distance_share_their_root(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    const int two = number(s, 2), c = graph_leaf(g, GRAPH_PARAMETER, 0);
    const int square = graph_add(g, graph_pow(g, s->x, two), graph_pow(g, s->y, two));
    s->parameter[0] = 1.7, s->q[0] = 0.6, s->q[1] = -1.1;
    for (int exponent = -1; exponent >= -3; exponent -= 2) {
        const int power = graph_pow(g, square, number(s, (real)exponent / 2));
        const int root = graph_mul(g, c, power);
        struct program_output output[4];
        int gradient[POINTS];
        graph_gradient(g, root, GRAPH_POINT, POINTS, gradient);
        for (int k = 0; k < 2; k++) {
            output[k] = (struct program_output){gradient[k], 0, k};
            output[2 + k] =
                (struct program_output){graph_derivative(g, gradient[0], GRAPH_POINT, k), 1, k};
        }
        struct program program;
        assert_int_equal(program_make(&program, g, 4, output, NULL), NOE_OK);
        assert_int_equal(count_op(&program, g, GRAPH_DIV), 1);
        assert_int_equal(count_op(&program, g, GRAPH_CALL), 1);
        program_clear(&program);
        assert_true(gradient_error(s, root) < 11);
        assert_true(gradient_error(s, gradient[0]) < 11);
    }
}

/* Every half-integer exponent: value, reciprocal, products and quotients of two, and derivative. */
static void half_integer_powers_combine(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    s->q[0] = 1.3;
    for (int m = -21; m <= 21; m++) {
        const int x = graph_pow(g, s->x, number(s, (real)m / 2));
        const real wanted = noe_pow(1.3, (real)m / 2);
        assert_true(deviation(value(s, x), wanted) < 2e-15);
        const int slope = graph_derivative(g, x, GRAPH_POINT, 0);
        assert_true(deviation(value(s, slope), m * noe_pow(1.3, (real)m / 2 - 1) / 2) < 4e-15);
        for (int n = -21; n <= 21; n++) {
            const int y = graph_pow(g, s->x, number(s, (real)n / 2));
            assert_int_equal(graph_mul(g, x, y), graph_pow(g, s->x, number(s, (real)(m + n) / 2)));
            assert_int_equal(graph_div(g, x, y), graph_pow(g, s->x, number(s, (real)(m - n) / 2)));
        }
    }
}

/* Divisions are scheduled in pairs where possible, and every operation follows its operands. */
static void slow_operations_are_scheduled_in_pairs(void **state) {
    struct space *s = *state;
    struct graph *g = &s->graph;
    struct program_output output[8];
    for (int k = 0; k < 8; k++) {
        const int sum = graph_add(g, s->x, number(s, k + 1));
        const int quotient = graph_div(g, s->y, sum);
        const int f = graph_function_find("sin");
        output[k] = (struct program_output){graph_call(g, f, quotient, -1), 0, k};
    }
    output[7].node = graph_div(g, s->z, output[0].node); /* depends on another quotient */
    struct program program;
    assert_int_equal(program_make(&program, g, 8, output, NULL), NOE_OK);
    bool leads[100], is_seen[1000] = {false};
    int pairs = 0;
    assert_int_equal(program_pairs(&program, g, leads), NOE_OK);
    for (int i = 0; i < program.nsteps; i++) {
        int child[2];
        const int node = program.step[i], count = program_children(&g->node[node], child);
        assert_int_equal(program.place[node], i);
        for (int k = 0; k < count; k++)
            assert_true(program.place[child[k]] < 0 || is_seen[child[k]]);
        is_seen[node] = true;
        pairs += leads[i];
        if (!leads[i]) continue;
        assert_int_equal(g->node[node].op, GRAPH_DIV);
        assert_int_equal(g->node[program.step[i + 1]].op, GRAPH_DIV);
        assert_false(leads[i + 1]);
        assert_int_not_equal(g->node[program.step[i + 1]].b, node);
    }
    assert_int_equal(pairs, 4);
    program_clear(&program);
}

static void deep_graphs_are_safe(void **state) {
    struct space *s = *state;
    int node = s->x;
    for (int i = 0; i < 300000; i++)
        node =
            graph_call(&s->graph, graph_function_find("sin"), graph_add(&s->graph, node, s->y), -1);
    s->q[0] = 0.1, s->q[1] = 1e-9;
    assert_true(real_is_finite(value(s, node)));
    int gradient[POINTS];
    graph_gradient(&s->graph, node, GRAPH_POINT, POINTS, gradient);
    assert_true(real_is_finite(value(s, gradient[0])));
}

int main(void) {
#define WITH_SPACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_SPACE(equal_nodes_are_shared),
        WITH_SPACE(children_precede_parents),
        WITH_SPACE(simple_forms_simplify),
        WITH_SPACE(large_factors_are_not_moved),
        WITH_SPACE(dependence_is_tracked),
        WITH_SPACE(functions_have_their_derivatives),
        WITH_SPACE(functions_of_negative_arguments),
        WITH_SPACE(constant_exponents_need_no_logarithm),
        WITH_SPACE(random_expressions),
        WITH_SPACE(long_sums_stay_cheap),
        WITH_SPACE(deep_graphs_are_safe),
        WITH_SPACE(powers_of_a_distance_share_their_root),
        WITH_SPACE(half_integer_powers_combine),
        WITH_SPACE(slow_operations_are_scheduled_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
