/* Functions of a system (force, momentum, derivatives, ...) as programs over the model's graph. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_SYSTEM_FUNCTIONS_H
#define MODEL_CODEGEN_SYSTEM_FUNCTIONS_H

#include "model/codegen/program.h"
#include "model/equations/equations.h"

/* The entries up to PREPARE are the functions of struct noe_model_code, in its order. */
enum {
    LAGRANGIAN,
    FORCE,
    FIRST,
    MOMENTUM,
    SECOND,
    GRADIENT,
    QUANTITIES,
    EVENTS,
    EVENT_RATES,
    RECORDS,
    CONSTRAINTS,
    CONSTRAINTS_SECOND,
    NOISE,
    PREPARE,
    STAGE,
    ROUTINE_COUNT
};
enum { FUNCTION_COUNT = STAGE };
enum { ROUTINE_ARRAYS = 3 };

struct routine {
    const char *name;
    const char *array[ROUTINE_ARRAYS]; /* names of the output arrays; NULL after the last */
    bool returns;                      /* its one value is returned, not stored */
    const char *summary;
};
extern const struct routine system_functions_list[ROUTINE_COUNT];

struct system_functions {
    const struct graph *graph;
    int n, nz, nparameters, nprepared, nvalues, nevents, nrecorded;
    int nholonomic, nnonholonomic, nzc, nnoises;
    int *prepared; /* by node: index behind the parameters, or -1; NULL: nothing is prepared */
    struct program program[ROUTINE_COUNT];
};

/* With `prepares`, subexpressions of parameters alone are hoisted into the routine PREPARE. Its
 * results are stored behind the parameters, where the other routines read them. */
enum noe_status system_functions_make(struct system_functions *routines,
                                      const struct definition *model,
                                      const struct equations *equations, bool prepares);
void system_functions_clear(struct system_functions *routines);

#endif
