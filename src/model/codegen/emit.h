/* Code generation: C source text of a model's functions, for compilation at run time and for
 * export. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_H
#define MODEL_CODEGEN_EMIT_H

#include "model/codegen/emit_plan.h"
#include "model/codegen/system_functions.h"
#include "model/codegen/writer.h"

/* Spelling of the generated text, which differs between the two uses. */
struct emit_style {
    const char *real, *suffix; /* number type; suffix of constants */
    const char *broadcast;     /* function from a scalar to `real`; NULL: `real` is a scalar */
    const char *storage;       /* storage class of a function */
    const char *part_storage;  /* storage class of one part of a split function */
    const char *prefix;        /* prefix of function names */
    const char *power_prefix;  /* prefix of the names of integer power functions */
    const char *parameters;    /* expression for the array of parameters */
    const char *parameter;     /* type of a parameter; a scalar if it differs from `real` */
    const char *time;          /* expression for the time: t, or t[0] if t is an array */
    const char *fill;          /* name of memset; NULL: zero by loops */
    bool has_system;           /* the first argument is a struct noe_system */
    bool has_comments;
    bool has_half_powers;           /* the function half_power is available */
    bool skips_zeros;               /* the caller zeroes the array of second derivatives */
    struct emit_options options;    /* operations that the text may combine */
    const char *function_prefix;    /* prefix of the names of elementary functions */
    const char *(*function)(int f); /* name of elementary function f; NULL: prefix and C name */
};

/* Emits a program as a C function with the signature of `routine`. Emits nothing if it has no
 * outputs. */
enum noe_status emit_program(struct writer *out, const struct emit_style *style,
                             const struct graph *graph, const struct program *program,
                             const struct routine *routine);
/* Emits one routine as a C function. Emits nothing if it has no outputs. */
enum noe_status emit_routine(struct writer *out, const struct emit_style *style,
                             const struct system_functions *routines, int routine);

#endif
