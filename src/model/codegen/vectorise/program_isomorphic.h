/* Isomorphic-subexpression detection: groups steps with the same operation on isomorphic operands,
 * so that they can be emitted as loops. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_PROGRAM_ISOMORPHIC_H
#define MODEL_CODEGEN_VECTORISE_PROGRAM_ISOMORPHIC_H

#include "model/codegen/program.h"

enum { PROGRAM_ISOMORPHIC_MIN = 8 }; /* lanes of the widest SIMD vectors */

/* Location of the value of a node. */
enum program_place { AT_NOTHING, AT_NUMBER, AT_PARAMETER, AT_TIME, AT_POINT, AT_VELOCITY, AT_STEP };
struct program_where {
    enum program_place place;
    int index; /* node of a constant, index of a step, else index in the array */
};
struct program_where program_isomorphic_where(const struct program *program,
                                              const struct graph *graph, int node);

/* A set of isomorphic steps, none of which depends on another. */
struct program_class {
    int first, count; /* range in program_isomorphic.step */
    bool is_call;     /* evaluated by a vector function */
};

struct program_isomorphic {
    int nclasses;
    struct program_class *class; /* in topological order */
    int *step;                   /* sorted by class */
    int *class_of;               /* by step */
};

/* Partitions the steps of a program into classes. `is_vector` marks by node the calls that use
 * vector functions. NULL: none. */
enum noe_status program_isomorphic_make(struct program_isomorphic *isomorphic,
                                        const struct program *program, const struct graph *graph,
                                        const bool *is_vector);
void program_isomorphic_clear(struct program_isomorphic *isomorphic);

#endif
