/* Lists of expressions as callable functions: compiled just in time, or interpreted without a
 * compiler. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_COMPILED_EXPRESSIONS_H
#define MODEL_CODEGEN_COMPILED_EXPRESSIONS_H

#include "base/status.h"
#include "model/codegen/program.h"
#include "noether_model.h"

enum { COMPILED_EXPRESSIONS_MAX = 8 };

typedef void compiled_function(const struct noe_system *, noe_real t, const noe_real *q,
                               const noe_real *v, noe_real *values);

struct compiled_expressions {
    const struct graph *graph; /* must outlive this struct */
    int count;
    struct program program[COMPILED_EXPRESSIONS_MAX];
    compiled_function *function[COMPILED_EXPRESSIONS_MAX]; /* NULL: interpreted */
    void *handle;
    real *scratch;
    char note[240]; /* reason for interpretation; empty if compiled */
};

/* Function i writes the values of the size[i] nodes node[i]. */
enum noe_status compiled_expressions_make(struct compiled_expressions *expressions,
                                          const struct graph *graph, int count, const int *size,
                                          const int *const *node,
                                          const struct noe_model_settings *settings);
void compiled_expressions_clear(struct compiled_expressions *expressions);

/* Evaluates function `which`. Not thread-safe: interpreted functions share scratch memory. */
void compiled_expressions_run(const struct compiled_expressions *expressions, int which,
                              const real *parameters, real t, const real *q, const real *v,
                              real *values);

#endif
