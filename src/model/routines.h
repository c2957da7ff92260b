/* The functions of a system as programs over the model's graph. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ROUTINES_H
#define MODEL_ROUTINES_H

#include "model/blocks.h"
#include "model/program.h"

/* Those up to CROSSINGS are the callbacks of a system, in the order of struct noe_model_code. */
enum { LAGRANGIAN, FORCE, FIRST, MOMENTUM, SECOND, QUANTITIES, CROSSINGS, STAGE, ROUTINE_COUNT };
enum { CALLBACK_COUNT = STAGE };
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
    int n, nz, nparameters, nvalues, ncrossings;
    struct program program[ROUTINE_COUNT];
};

enum noe_status routines_make(struct routines *routines, const struct source_model *model,
                              const struct blocks *blocks);
void routines_clear(struct routines *routines);

#endif
