/* C text of a model's functions: for the compiler at run time, and for export. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_H
#define MODEL_CODEGEN_EMIT_H

#include "model/codegen/emit_plan.h"
#include "model/codegen/system_functions.h"
#include "model/codegen/writer.h"

/* How the text is spelled; everything else is common to both uses. */
struct emit_style {
    const char *real, *suffix; /* number type; what follows a constant */
    const char *of;            /* makes a `real` of one number; NULL: it is one */
    const char *storage;       /* before a function */
    const char *part_storage;  /* before a part of a function that was split */
    const char *prefix;        /* of the functions' names */
    const char *power_prefix;  /* of the names of the functions for integer powers */
    const char *parameters;    /* the array of parameters */
    const char *parameter;     /* their type; if not `real`, each is one number */
    const char *time;          /* the time, in an expression: t, or t[0] where t is an array */
    const char *fill;          /* memset by the name it has there; NULL: loops instead */
    bool has_system;           /* is a system the first argument? */
    bool has_comments;
    bool has_loops;          /* over steps that are alike, where they pay */
    bool has_vectors;        /* are functions of several numbers called in them? */
    bool has_half_powers;    /* is there a function half_power? */
    bool skips_zeros;        /* of second derivatives: their array is zero at first */
    struct emit_options may; /* pairs are two_quotients and two_roots, twins the function sincos */
    const char *function_prefix;    /* of the names of elementary functions */
    const char *(*function)(int f); /* the name of one; NULL: the prefix and its own */
};

/* A program as a C function that looks like `routine`; does nothing for one without outputs. */
enum noe_status emit_program(struct writer *out, const struct emit_style *style,
                             const struct graph *graph, const struct program *program,
                             const struct routine *routine);
/* One routine as a C function; does nothing for a routine without outputs. */
enum noe_status emit_routine(struct writer *out, const struct emit_style *style,
                             const struct system_functions *routines, int routine);

#endif
