/* The interface between a compiled model and the library; only generated code and its loader use
 * it. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_MODEL_ABI_H
#define MODEL_CODEGEN_MODEL_ABI_H

#include "base/elementary.h"
#include "noether_system.h"

/* The storage class of a model's functions in the file of a stepper. */
#ifndef NOE_INLINE
#define NOE_INLINE static inline
#endif

/* The shared object of a compiled model exports it as `noe_model_code`. The system has sizes and
 * callbacks; the loader adds names, patterns and parameters. */
#define NOE_MODEL_ABI 9
struct noe_model_code {
    int abi, real_bytes; /* NOE_MODEL_ABI and sizeof(noe_real) of the compilation */
    struct noe_system system;
};

#endif
