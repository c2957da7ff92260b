/* Choice of the elementary function calls of a model that are evaluated by SIMD vector
 * functions. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_VECTOR_FUNCTIONS_H
#define MODEL_CODEGEN_VECTORISE_VECTOR_FUNCTIONS_H

#include "model/codegen/system_functions.h"
#include "model/jit/simd_target.h"

/* Marks the nodes of the model's graph that are evaluated by vector functions: slow functions of
 * which at least PROGRAM_ISOMORPHIC_MIN isomorphic calls occur in all functions of the model
 * together, if the machine has the library (SLEEF). A node has the same bits in every function of
 * the model. Writes an array by node, to be freed by the caller, or NULL if no node is marked. */
enum noe_status vector_functions_find(const struct system_functions *routines,
                                      const struct simd_target *lanes, bool **is_vector);

/* Scalar version of a vector function, with the same bits. The interpreter calls it. */
union vector_functions_single {
    double (*unary)(double);
    double (*binary)(double, double);
};
union vector_functions_single vector_functions_single(const struct simd_target *lanes, int f);

#endif
