/* A loaded model with its definition, equations and code. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/equations/equations.h"
#include "model/jit/model_code.h"

struct model {
    struct noe_model public; /* first member, so that a pointer converts */
    struct noe_system system;
    struct definition *source;
    struct equations equations;
    struct code code;
    void *simd_object; /* handle of the shared object with the SIMD callbacks, or NULL */
    int nvalues;
    int nprepared;
    real *parameters; /* followed by the prepared values */
    char **parameter_name;
    struct noe_quantity *quantity;
    struct noe_event *event;
    struct noe_quantity *record; /* recorded quantities of all sections */
    struct noe_circuit circuit;
    char *title, *path, *text;
    int nsets; /* --set texts, for members that are read again */
    char **sets;
};

/* Fails for a model that states only an objective, because it has no equations of motion. */
enum noe_status model_check_dynamics(const struct model *model, struct noe_error *error);

#endif
