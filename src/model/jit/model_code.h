/* Callable functions of a model: compiled just in time and loaded, or interpreted. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_MODEL_CODE_H
#define MODEL_JIT_MODEL_CODE_H

#include "base/status.h"
#include "model/codegen/interpret.h"
#include "model/codegen/system_functions.h"
#include "noether_model.h"

enum { CODE_NOTE = 480 };

struct code {
    const struct noe_system *functions; /* sizes and callbacks only */
    enum noe_model_code_kind kind;
    char note[CODE_NOTE]; /* reason for interpretation or for no caching; empty otherwise */
    size_t bytes;         /* size of the C text, if any was written */
    bool has_vectors;     /* it calls vector functions (vector_functions.h) */
    void *handle;
    struct interpret *interpret;
};

/* Loads the routines from the cache or compiles them. If that fails, interprets them. */
enum noe_status code_make(struct code *code, const struct system_functions *routines,
                          const struct noe_model_settings *settings, struct noe_error *error);
void code_clear(struct code *code);

#endif
