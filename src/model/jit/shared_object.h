/* Shared objects made from text at run time. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_SHARED_OBJECT_H
#define MODEL_JIT_SHARED_OBJECT_H

#include <stdbool.h>

#include "model/codegen/writer.h"
#include "model/jit/simd_target.h"

enum { OBJECT_OPTIONS = 384 };

struct object {
    const struct writer *text;
    char options[OBJECT_OPTIONS];  /* of the compiler, in words */
    const char *libraries;         /* the linker's words; NULL: none but the usual */
    const char *const *symbols;    /* that it must have, NULL at the end; may be NULL */
    const char *directory;         /* of the cache; NULL: the user's */
    const volatile int *interrupt; /* not 0: a compiler that runs is ended; may be NULL */
    bool is_cached;                /* out: it was compiled earlier */
};

/* Sets options and libraries: `base` alone, or with what makes use of `lanes`. */
void object_set_options(struct object *object, const char *base, const struct simd_target *lanes);

/* Finds it compiled or compiles it, and loads it. On failure returns NULL and writes why to `note`.
 */
void *object_load(struct object *object, size_t note_size, char *note);

#endif
