/* A loaded model with all that belongs to it. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/equations/equations.h"
#include "model/jit/model_code.h"

struct model {
    struct noe_model public; /* what callers see; first, so that one address serves for both */
    struct noe_system system;
    struct definition *source;
    struct equations blocks;
    struct code code;
    void *wide; /* the object with the callbacks for several points, or NULL */
    int nvalues;
    int nprepared;
    real *parameters; /* and the numbers prepared from them */
    char **parameter_name;
    struct noe_quantity *quantity;
    struct noe_event *crossing;
    struct noe_quantity *record; /* of all sections */
    struct noe_circuit circuit;
    char *title, *path, *text;
    int nsets; /* what was set from outside, for members that are read again */
    char **sets;
};

/* A model that only states what to minimise has no equations of motion. */
enum noe_status model_check_dynamics(const struct model *model, struct noe_error *error);

#endif
