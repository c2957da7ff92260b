/* The functions of a system as programs over the model's graph. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_SYSTEM_FUNCTIONS_H
#define MODEL_CODEGEN_SYSTEM_FUNCTIONS_H

#include "model/codegen/program.h"
#include "model/equations/equations.h"

/* Those up to PREPARE are callbacks of struct noe_system under the same names. */
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
    const char *array[ROUTINE_ARRAYS]; /* names of the outputs, in order; NULL after the last */
    bool returns;                      /* its one number is returned, not written */
    const char *summary;
};
extern const struct routine system_functions_list[ROUTINE_COUNT];

struct system_functions {
    const struct graph *graph;
    int n, nz, nparameters, nprepared, nvalues, nevents, nrecorded;
    int nholonomic, nnonholonomic, nzc, nnoises;
    int *prepared; /* by node: where it stands behind the parameters, or -1; NULL: none does */
    struct program program[ROUTINE_COUNT];
};

/* With `prepares`, what depends on parameters alone is left to the routine PREPARE, whose results
 * stand behind the parameters; the others read it there. */
enum noe_status system_functions_make(struct system_functions *routines,
                                      const struct definition *model,
                                      const struct equations *blocks, bool prepares);
void system_functions_clear(struct system_functions *routines);

#endif
