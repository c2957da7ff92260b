/* Steps of a program that are alike: one operation on operands that are alike. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_PROGRAM_ISOMORPHIC_H
#define MODEL_CODEGEN_VECTORISE_PROGRAM_ISOMORPHIC_H

#include "model/codegen/program.h"

enum { PROGRAM_ISOMORPHIC_MIN = 8 }; /* as many as the widest vectors have numbers */

/* Where the value of a node stands. */
enum program_place { AT_NOTHING, AT_NUMBER, AT_PARAMETER, AT_TIME, AT_POINT, AT_VELOCITY, AT_STEP };
struct program_where {
    enum program_place place;
    int index; /* of the number its node, of the step the step, else in the array */
};
struct program_where program_isomorphic_where(const struct program *program,
                                              const struct graph *graph, int node);

/* A set of steps of which none needs another. */
struct program_class {
    int first, count; /* in program_isomorphic.step */
    bool is_call;     /* a function that is evaluated for several numbers at once */
};

struct program_isomorphic {
    int nclasses;
    struct program_class *class; /* those that a class needs stand before it */
    int *step;                   /* class by class */
    int *class_of;               /* by step */
};

/* Deals the steps of a program out to classes. `is_vector` says by node which functions are
 * evaluated for several numbers at once; NULL: none. */
enum noe_status program_isomorphic_make(struct program_isomorphic *alike,
                                        const struct program *program, const struct graph *graph,
                                        const bool *is_vector);
void program_isomorphic_clear(struct program_isomorphic *alike);

#endif
