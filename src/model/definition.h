/* Definition of a model: the result of elaborating a model file. Expressions are nodes of one
 * graph, numbers are evaluated. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_DEFINITION_H
#define MODEL_DEFINITION_H

#include "base/status.h"
#include "model/circuit.h"
#include "model/control/control_definition.h"
#include "model/ensemble_definition.h"
#include "model/graph/graph.h"
#include "noether_model.h"

/* A parameter: rows x cols elements, whose numbers begin at index `first` in the list of numbers. A
 * vector of length m has rows m, cols 1 and rank 1. A scalar has rank 0. */
struct definition_parameter {
    char *name;
    int rank, rows, cols, first;
    bool is_diagonal; /* diag(...), or a list of them: only diagonals have numbers, the rest is 0 */
    int line, column;
};

/* Index of the number of an element in row-major order, or -1 if it is a zero of a diagonal matrix.
 */
static inline int definition_element(const struct definition_parameter *parameter, int element) {
    const int size = parameter->rank == 3 ? 3 : parameter->cols; /* rows of one matrix */
    const int row = element / size, col = element % size;
    if (!parameter->is_diagonal) return parameter->first + element;
    return row % size == col ? parameter->first + row : -1;
}

/* A named quantity to record: rows x cols nodes in row-major order. */
struct definition_quantity {
    char *name;
    enum noe_quantity_kind kind;
    int rank, rows, cols;
    int *node;
    enum noe_tangent tangent;
    int exponent; /* as in struct noe_quantity */
};

/* An event function: left side minus right side of an equation that ends the run or defines a
 * section. */
struct definition_event {
    char *text;
    int node;
    int rate;   /* time derivative if independent of velocities, else the constant 0 */
    char *name; /* name of the section; NULL: the event ends the run */
    enum noe_event_direction direction;
    int nrecords;
    struct definition_quantity *record;
};

/* A Brownian motion and its coefficients in the momentum equations: n nodes, one for each
 * direction. */
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
    int n, np;                         /* components of a velocity and of a point */
    int nfactors;
    struct noe_factor *factor;
    bool has_groups; /* a factor is not R^n */

    bool is_objective; /* an objective is minimised, and there is no Lagrangian */
    int lagrangian;    /* node */
    int *force;        /* n nodes, or NULL if no force was stated */
    int nnoises;
    struct definition_noise *noise;
    struct circuit circuit; /* without branches: no circuit is stated */
    int nholonomic, nnonholonomic;
    struct noe_constraint *constraint; /* in the order of the statements */
    int *residual;                     /* by constraint: the node of left side minus right side */
    int nequations;
    char **equation; /* texts of the statements */
    int nquantities;
    struct definition_quantity *quantity;
    int nevents, nrecorded; /* values recorded at all sections together */
    struct definition_event *event;

    struct control_definition *control;   /* NULL: no control, nothing to minimise */
    struct ensemble_definition *ensemble; /* NULL: no ensemble */

    real *q, *v; /* start values, np and n components; zeros for the multipliers follow v */
    real from, until, step; /* NaN: not stated; `from` is then 0 */
    long sample;            /* 0: not stated */
    char *method;           /* "name key=value ...", numbers in full digits; NULL: not stated */
    int method_line, method_column, step_line, step_column;

    int nnotes;
    struct noe_error *note; /* warnings */
};

/* Reads the text of a whole file. On failure `error` has line, column and message, and *model is
 * NULL. */
enum noe_status definition_read(struct definition **model, const char *text, size_t length,
                                int nsets, const char *const *sets, struct noe_error *error);
void definition_free(struct definition *model);
/* Number of constraints, and the node of a row's Lagrange multiplier. */
static inline int definition_constraints(const struct definition *model) {
    return model->nholonomic + model->nnonholonomic;
}
int definition_multiplier(struct definition *model, int row);
/* Adds a warning. False if memory ran out. */
bool definition_note(struct definition *model, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Evaluates a scalar expression in the parameters. */
enum noe_status definition_number(const struct definition *model, const char *text, real *value,
                                  struct noe_error *error);
/* Elaborates "name key=value ..." with expressions in the parameters, and writes it in the form of
 * definition.method. */
enum noe_status definition_method(const struct definition *model, const char *text, size_t size,
                                  char *method, struct noe_error *error);

#endif
