/* Shared objects compiled from text at run time. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_SHARED_OBJECT_H
#define MODEL_JIT_SHARED_OBJECT_H

#include <stdbool.h>

#include "model/codegen/writer.h"
#include "model/jit/simd_target.h"

enum { OBJECT_OPTIONS = 384 };

struct object {
    const struct writer *text;
    char options[OBJECT_OPTIONS];  /* compiler options, separated by blanks */
    const char *libraries;         /* linker options; NULL: default libraries only */
    const char *const *symbols;    /* symbols that it must define, NULL at the end; may be NULL */
    const char *directory;         /* cache directory; NULL: the user's */
    const volatile int *interrupt; /* nonzero: kill a running compiler; may be NULL */
    bool is_cached;                /* output: it was found in the cache */
};

/* Sets options and libraries: `base`, and those of the SIMD target `lanes` unless it is NULL. */
void object_set_options(struct object *object, const char *base, const struct simd_target *lanes);

/* Loads the object from the cache, or compiles and loads it. On failure returns NULL and writes the
 * reason to `note`. */
void *object_load(struct object *object, size_t note_size, char *note);

#endif
