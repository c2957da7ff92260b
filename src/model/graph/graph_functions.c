/* Table of elementary functions with their derivatives, one row each. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/graph/graph.h"

#define UNARY(name, call, by_x)                                                                    \
    { name, #call, 1, false, {by_x, NULL}, call, NULL }
#define BINARY(name, call, associates, by_x, by_y)                                                 \
    { name, #call, 2, associates, {by_x, by_y}, NULL, call }

/* The derivative of x^y in x is y x^(y-1), and 0 for y = 0, also at x = 0 where x^(-1) is infinite:
 * y - sign(y)^2 is y - 1 for every other y. */
const struct graph_function graph_functions[] = {
    UNARY("sin", noe_sin, "cos(x)"),
    UNARY("cos", noe_cos, "-sin(x)"),
    UNARY("tan", noe_tan, "1 + tan(x)^2"),
    UNARY("asin", noe_asin, "1/sqrt(1 - x^2)"),
    UNARY("acos", noe_acos, "-1/sqrt(1 - x^2)"),
    UNARY("atan", noe_atan, "1/(1 + x^2)"),
    BINARY("atan2", noe_atan2, false, "y/(x^2 + y^2)", "-x/(x^2 + y^2)"),
    UNARY("sinh", noe_sinh, "cosh(x)"),
    UNARY("cosh", noe_cosh, "sinh(x)"),
    UNARY("tanh", noe_tanh, "1 - tanh(x)^2"),
    UNARY("exp", noe_exp, "exp(x)"),
    UNARY("log", noe_log, "1/x"),
    UNARY("sqrt", noe_sqrt, "0.5/sqrt(x)"),
    UNARY("abs", noe_abs, "sign(x)"),
    BINARY("min", noe_min, true, "step_at(y - x)", "1 - step_at(y - x)"),
    BINARY("max", noe_max, true, "step_at(x - y)", "1 - step_at(x - y)"),
    BINARY(NULL, noe_pow, false, "y*x^(y - sign(y)^2)", "log(x)*x^y"),
    UNARY(NULL, noe_sign, "0"),
    UNARY(NULL, noe_step_at, "0"),
};
const int graph_function_count = (int)(sizeof graph_functions / sizeof *graph_functions);

int graph_function_find(const char *name) {
    for (int f = 0; f < graph_function_count; f++)
        if (graph_functions[f].name && strcmp(graph_functions[f].name, name) == 0) return f;
    return -1;
}

real graph_function_value(int f, real x, real y) {
    const struct graph_function *function = &graph_functions[f];
    return function->unary ? function->unary(x) : function->binary(x, y);
}
