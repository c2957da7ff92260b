/* The functions of a system as programs over the model's graph. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ROUTINES_H
#define MODEL_ROUTINES_H

#include "model/equations/equations.h"
#include "model/codegen/program.h"

/* Those up to PREPARE are the functions of struct noe_model_code, in its order. */
enum {
    LAGRANGIAN,
    FORCE,
    FIRST,
    MOMENTUM,
    SECOND,
    GRADIENT,
    QUANTITIES,
    CROSSINGS,
    CROSSING_RATES,
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
extern const struct routine routines_list[ROUTINE_COUNT];

struct routines {
    const struct graph *graph;
    int n, nz, nparameters, nprepared, nvalues, ncrossings, nrecorded;
    int nholonomic, nnonholonomic, nzc, nnoises;
    int *prepared; /* by node: where it stands behind the parameters, or -1; NULL: none does */
    struct program program[ROUTINE_COUNT];
};

/* With `prepares`, what depends on parameters alone is left to the routine PREPARE, whose results
 * stand behind the parameters; the others read it there. */
enum noe_status routines_make(struct routines *routines, const struct source_model *model,
                              const struct blocks *blocks, bool prepares);
void routines_clear(struct routines *routines);

#endif
