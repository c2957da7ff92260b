/* Lists of expressions as functions, compiled where there is a compiler, else interpreted. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_FORMULAS_H
#define MODEL_FORMULAS_H

#include "base/status.h"
#include "model/codegen/program.h"

enum { FORMULAS_MAX = 8 };

typedef void formula(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                     noe_real *values);

struct formulas {
    const struct graph *graph; /* must outlive them */
    int count;
    struct program program[FORMULAS_MAX];
    formula *function[FORMULAS_MAX]; /* NULL: interpreted */
    void *handle;
    real *scratch;
    char note[240]; /* why they are interpreted; empty otherwise */
};

/* Function i writes the values of size[i] nodes. */
enum noe_status formulas_make(struct formulas *formulas, const struct graph *graph, int count,
                              const int *size, const int *const *node,
                              const struct noe_model_settings *settings);
void formulas_clear(struct formulas *formulas);

/* Not for several threads at once. */
void formulas_run(const struct formulas *formulas, int which, const real *parameters, real t,
                  const real *q, const real *v, real *values);

#endif
