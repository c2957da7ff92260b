/* A model's functions, ready to call: compiled and loaded, or interpreted. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_MODEL_CODE_H
#define MODEL_JIT_MODEL_CODE_H

#include "base/status.h"
#include "model/codegen/interpret.h"
#include "model/codegen/system_functions.h"

enum { CODE_NOTE = 480 };

struct code {
    const struct noe_system *functions; /* sizes and callbacks only */
    enum noe_model_code_kind kind;
    char note[CODE_NOTE]; /* why it is interpreted or not cached; empty otherwise */
    size_t bytes;         /* of C, if any was written */
    bool has_vectors;     /* does it call functions of several numbers? see vectors.h */
    void *handle;
    struct interpret *interpret;
};

/* Compiles or finds the routines, or interprets them where that cannot be. */
enum noe_status code_make(struct code *code, const struct system_functions *routines,
                          const struct noe_model_settings *settings, struct noe_error *error);
void code_clear(struct code *code);

#endif
