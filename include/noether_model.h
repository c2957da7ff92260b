/* Models: systems stated in text, which the library differentiates and compiles. docs/language.md
 * describes the language. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_MODEL_H
#define NOETHER_MODEL_H

#include "noether.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The layout of a coordinate in q or in v: a scalar (rank 0; rows 1, cols 1), a vector of m
 * (1; m, 1), a matrix or m vectors of k (2; m, k), m matrices 3x3 (3; m, 9). Rows or matrices begin
 * `stride` numbers apart. */
struct noe_array_layout {
    int rank, rows, cols;
    int first, stride;
};

/* A declared coordinate; a rotation is one, a pose two. Momenta and forces have the layout of
 * velocities. */
struct noe_coordinate {
    const char *name;
    const char *velocity; /* its name; NULL: the coordinate's name with a prime */
    struct noe_array_layout point, tangent;
    int line, column; /* position of the declaration */
};

/* One equation of a stated constraint; a vector constraint has one per component. */
struct noe_constraint {
    const char *text; /* as stated: "dot(x, x) = 1" */
    int line, column; /* position of the statement */
    int component;    /* from 1; 0: the constraint is one equation */
    bool is_holonomic;
    int row; /* in the system, which has holonomic constraints first */
};

/* The graph of a stated circuit: branch b leads from node from[b] to node to[b], and its charge is
 * the sum of loop[b * nmeshes + k], which is 1, -1 or 0, times that of mesh k. */
struct noe_circuit {
    int nnodes, nbranches, nmeshes;
    const char *const *node, *const *branch; /* names */
    const int *from, *to;
    const int *loop;
};

struct noe_model_settings {
    int nsets;
    const char *const *sets;       /* "name=expression", overriding parameters */
    bool interpret;                /* do not compile */
    const char *cache;             /* directory of compiled models; NULL: the user's cache */
    const volatile int *interrupt; /* if not 0, reading and compiling stop; may be NULL */
};

/* The run that the file states. */
struct noe_model_run {
    noe_real from, until, step;
    long sample;        /* 0: not stated */
    const char *method; /* "name key=value ...", NULL: not stated */
    int method_line, method_column, step_line, step_column;
};

enum noe_model_code_kind { NOE_COMPILED, NOE_CACHED, NOE_INTERPRETED };

/* The origin of the model's callbacks. */
struct noe_model_code_info {
    enum noe_model_code_kind kind;
    const char *note; /* reason why the model is interpreted or not cached; else NULL */
    size_t bytes;     /* size of the generated C */
    bool has_vectors; /* elementary functions are evaluated by SIMD instructions */
};

/* A loaded model; read-only. Numbers that the file does not state are NaN. */
struct noe_model {
    const char *title, *path, *text;
    const struct noe_system *system;
    int ncoordinates;
    const struct noe_coordinate *coordinate;
    int nconstraints;                        /* equations, and so multipliers */
    const struct noe_constraint *constraint; /* in the order of the statements */
    const struct noe_circuit *circuit;       /* NULL: none is stated */
    const noe_real *q, *v;                   /* start values; behind v zeros for the multipliers */
    struct noe_model_run run;
    int nnotes;
    const struct noe_error *note; /* warnings, each with line and column */
    struct noe_model_code_info code;
};

/* Reads, differentiates and loads the model in the file `path`. Free with noe_model_free. */
enum noe_status noe_model_open(struct noe_model **model, const char *path,
                               const struct noe_model_settings *settings, struct noe_error *error);
/* Reads the model from text; `name` takes the place of the file's name. */
enum noe_status noe_model_open_text(struct noe_model **model, const char *name, const char *text,
                                    const struct noe_model_settings *settings,
                                    struct noe_error *error);
void noe_model_free(struct noe_model *model);
/* The index of a parameter, for noe_work_set_parameter, or -1. Its name is "k", or "m[2]" for an
 * element of a vector; system->parameter lists all names, and system->parameters all values. */
int noe_model_parameter_index(const struct noe_model *model, const char *name);
/* The index of the first value of a quantity in the values of an observation, or -1. Its shape is
 * that of the row in system->quantity. */
int noe_model_quantity_index(const struct noe_model *model, const char *name);
/* The model as self-contained C99 that needs only libm; free() the result. */
enum noe_status noe_model_export(const struct noe_model *model, char **c_text,
                                 struct noe_error *error);

/* Compiles a stepper for this problem, whose system must be the model's: the method's source with
 * constant sizes and the model's functions inline. Steps give the same bits as without it. On
 * failure the problem is unchanged and usable. */
enum noe_status noe_problem_specialise(struct noe_problem *problem, const struct noe_model *model,
                                       const struct noe_model_settings *settings,
                                       struct noe_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
