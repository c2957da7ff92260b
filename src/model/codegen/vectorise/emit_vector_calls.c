/* C text of vector calls: elementary functions applied to arrays, 8 elements at a time. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/emit_vector_calls.h"

/* The last 8 elements may overlap the previous 8, because every lane is independent. An array of
 * fewer than 8 elements is padded with copies of its first. */
const char emit_vector_calls_functions[] =
    "\nstatic inline noe_wide vector_load(int n, const double *x)\n"
    "{\n"
    "    noe_wide r;\n"
    "    double padded[8];\n"
    "    for (int k = 0; n < 8 && k < 8; k++) padded[k] = x[k < n ? k : 0];\n"
    "    __builtin_memcpy(&r, n < 8 ? padded : x, sizeof r);\n"
    "    return r;\n"
    "}\n"
    "static inline void vector_store(int n, noe_wide r, double *y)\n"
    "{\n"
    "    if (n >= 8) __builtin_memcpy(y, &r, sizeof r);\n"
    "    for (int k = 0; n < 8 && k < n; k++) y[k] = r[k];\n"
    "}\n"
    "#define VECTOR_CALL(name, parameters, ...) \\\n"
    "    static __attribute__((noinline)) void vector_##name(int n, parameters double *to) \\\n"
    "    { \\\n"
    "        for (int k = 0; k < n; k += 8) { \\\n"
    "            const int i = k + 8 <= n || n < 8 ? k : n - 8; \\\n"
    "            vector_store(n, wide_##name(__VA_ARGS__), to + i); \\\n"
    "        } \\\n"
    "    }\n"
    "#define VECTOR_PARAMETER(x) const double *x,\n"
    "#define VECTOR_UNARY(name) VECTOR_CALL(name, VECTOR_PARAMETER(x), vector_load(n, x + i))\n"
    "#define VECTOR_BINARY(name) VECTOR_CALL(name, VECTOR_PARAMETER(x) VECTOR_PARAMETER(y), \\\n"
    "    vector_load(n, x + i), vector_load(n, y + i))\n"
    "VECTOR_UNARY(acos) VECTOR_UNARY(asin) VECTOR_UNARY(atan) VECTOR_UNARY(cos) "
    "VECTOR_UNARY(cosh)\n"
    "VECTOR_UNARY(exp) VECTOR_UNARY(log) VECTOR_UNARY(sin) VECTOR_UNARY(sinh) VECTOR_UNARY(tan)\n"
    "VECTOR_UNARY(tanh) VECTOR_BINARY(atan2) VECTOR_BINARY(pow)\n";
