/* Elementary functions of several numbers at once in the functions of one model. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_VECTORS_H
#define MODEL_VECTORS_H

#include "model/jit/simd_target.h"
#include "model/codegen/system_functions.h"

/* Which nodes of the model's graph are functions that are evaluated for several numbers at once: of
 * those that take long, where PROGRAM_ALIKE_MIN or more in all functions of the model are alike and
 * the machine has the library for it. A node has the same bits in every function of the model.
 * Writes an array by node, to be freed, or NULL if there are none. */
enum noe_status vectors_find(const struct routines *routines, const struct lanes *lanes,
                             bool **is_vector);

/* Such a function for one number, with the same bits: what interpretation calls. */
union vectors_single {
    double (*unary)(double);
    double (*binary)(double, double);
};
union vectors_single vectors_single(const struct lanes *lanes, int f);

#endif
