/* A model file, read and elaborated: expressions as nodes of one graph, numbers evaluated. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_DEFINITION_H
#define MODEL_DEFINITION_H

#include "base/status.h"
#include "model/circuit.h"
#include "model/control/control_definition.h"
#include "model/ensemble_definition.h"
#include "model/graph/graph.h"

/* A parameter: rows x cols numbers, from `first` on in the list of numbers. A vector of m has
 * rows m, cols 1 and rank 1; a scalar has rank 0. */
struct definition_parameter {
    char *name;
    int rank, rows, cols, first;
    int line, column;
};

/* A named quantity to record: rows x cols nodes, row by row. */
struct definition_quantity {
    char *name;
    enum noe_quantity_kind kind;
    int rank, rows, cols;
    int *node;
    enum noe_tangent tangent;
    int exponent; /* as in struct noe_quantity */
};

/* An equation that ends a run or is a section's: left side minus right side. */
struct definition_event {
    char *text;
    int node;
    int rate;   /* in time, where it does not depend on velocities, else the number 0 */
    char *name; /* of a section; NULL: the run ends there */
    enum noe_event_direction direction;
    int nrecords;
    struct definition_quantity *record;
};

/* A Brownian motion and how it kicks the momenta: n nodes, one for each direction. */
struct definition_noise {
    char *name;
    int *node;
};

struct definition {
    char *title; /* NULL: none */
    struct graph graph;

    int nparameters, nnumbers;
    struct definition_parameter *parameter;
    real *number;

    int ncoordinates;
    struct noe_coordinate *coordinate; /* names owned here */
    int n, np;                         /* numbers of a velocity and of a point */
    int nfactors;
    struct noe_factor *factor;
    bool has_groups; /* a factor is not R^n */

    bool is_objective; /* something is to be minimised, and there is no Lagrangian */
    int lagrangian;    /* node */
    int *force;        /* n nodes, or NULL if no force was stated */
    int nnoises;
    struct definition_noise *noise;
    struct circuit circuit; /* without branches: none is stated */
    int nholonomic, nnonholonomic;
    struct noe_constraint *constraint; /* in the order of the statements */
    int *residual;                     /* of each: the node of left side minus right side */
    int nequations;
    char **equation; /* the texts of the statements */
    int nquantities;
    struct definition_quantity *quantity;
    int nevents, nrecorded; /* numbers recorded at sections, of all of them */
    struct definition_event *crossing;

    struct control_definition *horizon;     /* NULL: no control, nothing to minimise */
    struct ensemble_definition *population; /* NULL: no ensemble */

    real *q, *v;            /* start values, np and n; behind v zeros for the multipliers */
    real from, until, step; /* NaN: not stated, except from: 0 */
    long sample;            /* 0: not stated */
    char *method;           /* "name key=value ...", numbers in full digits; NULL: not stated */
    int method_line, method_column, step_line, step_column;

    int nnotes;
    struct noe_error *note; /* what is doubtful but not wrong */
};

/* Reads `text` (a whole file). On failure `error` has line, column and words, nothing is left. */
enum noe_status definition_read(struct definition **model, const char *text, size_t length,
                                int nsets, const char *const *sets, struct noe_error *error);
void definition_free(struct definition *model);
/* The number of constraints, and the multiplier of a row of the system as a node. */
static inline int definition_constraints(const struct definition *model) {
    return model->nholonomic + model->nnonholonomic;
}
int definition_multiplier(struct definition *model, int row);
/* Adds a note; false when memory ran out. */
bool definition_note(struct definition *model, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A scalar expression in the parameters alone. */
enum noe_status definition_number(const struct definition *model, const char *text, real *value,
                                  struct noe_error *error);
/* "name key=value ..." with expressions in the parameters, written out as in definition.method.
 */
enum noe_status definition_method(const struct definition *model, const char *text, size_t size,
                                  char *method, struct noe_error *error);

#endif
