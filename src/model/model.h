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

/* Computes the system->nprepared numbers behind the system->nparameters given ones, so that a copy
 * of the model's system can read them in place of its own. */
void model_prepare(const struct noe_model *model, noe_real *parameters);
/* Evaluates a scalar expression in the model's parameters. */
enum noe_status model_number(const struct noe_model *model, const char *expression, noe_real *value,
                             struct noe_error *error);
/* Normalises "name key=value ..." whose values may be expressions in the parameters. */
enum noe_status model_method(const struct noe_model *model, const char *text, size_t size,
                             char *method, struct noe_error *error);
/* Fails for a model that states only an objective, because it has no equations of motion. */
enum noe_status model_check_dynamics(const struct model *model, struct noe_error *error);

#endif
