/* Elementary functions of several numbers at once in the functions of one model. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_VECTOR_FUNCTIONS_H
#define MODEL_CODEGEN_VECTORISE_VECTOR_FUNCTIONS_H

#include "model/codegen/system_functions.h"
#include "model/jit/simd_target.h"

/* Which nodes of the model's graph are functions that are evaluated for several numbers at once: of
 * those that take long, where PROGRAM_ISOMORPHIC_MIN or more in all functions of the model are
 * alike and the machine has the library for it. A node has the same bits in every function of the
 * model. Writes an array by node, to be freed, or NULL if there are none. */
enum noe_status vector_functions_find(const struct system_functions *routines,
                                      const struct simd_target *lanes, bool **is_vector);

/* Such a function for one number, with the same bits: what interpretation calls. */
union vector_functions_single {
    double (*unary)(double);
    double (*binary)(double, double);
};
union vector_functions_single vector_functions_single(const struct simd_target *lanes, int f);

#endif
