/* Elementary functions of several numbers at once in the functions of one model. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_VECTORS_H
#define MODEL_VECTORS_H

#include "model/lanes.h"
#include "model/routines.h"

/* Does a function of the model call elementary functions for several numbers at once? So it does
 * where PROGRAM_ALIKE_MIN calls are alike and the machine has the library for it. */
enum noe_status vectors_find(const struct routines *routines, const struct lanes *lanes,
                             bool *has_vectors);

/* Such a function for one number, with the same bits: what interpretation calls. The sine and the
 * cosine of one argument are made together and have bits of their own. */
struct vectors_two {
    double sine, cosine;
};
struct vectors_single {
    double (*unary)(double);
    double (*binary)(double, double);
    struct vectors_two (*both)(double);
    bool is_cosine; /* of both */
};
/* Function f; with `has_twin` the sine or cosine as made together. */
struct vectors_single vectors_single(const struct lanes *lanes, int f, bool has_twin);
real vectors_value(const struct vectors_single *single, real x, real y);

#endif
