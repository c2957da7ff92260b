/* C text of vector calls: elementary functions applied to arrays, 8 elements at a time. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/emit_vector_calls.h"

/* The last 8 elements may overlap the previous 8, because every lane is independent. An array of
 * fewer than 8 elements is padded with copies of its first. */
const char emit_vector_calls_functions[] =
    "\nstatic inline noe_wide many_take(int n, const double *x)\n"
    "{\n"
    "    noe_wide r;\n"
    "    double few[8];\n"
    "    for (int k = 0; n < 8 && k < 8; k++) few[k] = x[k < n ? k : 0];\n"
    "    __builtin_memcpy(&r, n < 8 ? few : x, sizeof r);\n"
    "    return r;\n"
    "}\n"
    "static inline void many_put(int n, noe_wide r, double *y)\n"
    "{\n"
    "    if (n >= 8) __builtin_memcpy(y, &r, sizeof r);\n"
    "    for (int k = 0; n < 8 && k < n; k++) y[k] = r[k];\n"
    "}\n"
    "#define MANY(name, parameters, ...) \\\n"
    "    static __attribute__((noinline)) void many_##name(int n, parameters double *to) \\\n"
    "    { \\\n"
    "        for (int k = 0; k < n; k += 8) { \\\n"
    "            const int i = k + 8 <= n || n < 8 ? k : n - 8; \\\n"
    "            many_put(n, wide_##name(__VA_ARGS__), to + i); \\\n"
    "        } \\\n"
    "    }\n"
    "#define MANY_PARAMETER(x) const double *x,\n"
    "#define MANY_UNARY(name) MANY(name, MANY_PARAMETER(x), many_take(n, x + i))\n"
    "#define MANY_BINARY(name) MANY(name, MANY_PARAMETER(x) MANY_PARAMETER(y), \\\n"
    "    many_take(n, x + i), many_take(n, y + i))\n"
    "MANY_UNARY(acos) MANY_UNARY(asin) MANY_UNARY(atan) MANY_UNARY(cos) MANY_UNARY(cosh)\n"
    "MANY_UNARY(exp) MANY_UNARY(log) MANY_UNARY(sin) MANY_UNARY(sinh) MANY_UNARY(tan)\n"
    "MANY_UNARY(tanh) MANY_BINARY(atan2) MANY_BINARY(pow)\n";
