/* C text of a model's functions: for the compiler at run time, and for export. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EMIT_H
#define MODEL_EMIT_H

#include "model/routines.h"
#include "model/writer.h"

/* How the text is spelled; everything else is common to both uses. */
struct emit_style {
    const char *real, *suffix; /* number type; what follows a constant */
    const char *storage;       /* before a function */
    const char *part_storage;  /* before a part of a function that was split */
    const char *prefix;        /* of the functions' names */
    const char *parameters;    /* the array of parameters */
    bool has_system;           /* is a system the first argument? */
    bool has_comments;
    const char *(*function)(int f);
};

/* One routine as a C function; does nothing for a routine without outputs. */
enum noe_status emit_routine(struct writer *out, const struct emit_style *style,
                             const struct routines *routines, int routine);

#endif
