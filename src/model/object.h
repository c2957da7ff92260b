/* Shared objects made from text at run time. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_OBJECT_H
#define MODEL_OBJECT_H

#include "model/lanes.h"
#include "model/writer.h"

enum { OBJECT_OPTIONS = 384 };

struct object {
    const struct writer *text;
    char options[OBJECT_OPTIONS]; /* of the compiler, in words */
    const char *libraries;        /* the linker's words; NULL: none but the usual */
    const char *directory;        /* of the cache; NULL: the user's */
};

/* Sets options and libraries: `base` alone, or with what makes use of `lanes`. */
void object_set_options(struct object *object, const char *base, const struct lanes *lanes);

/* Finds it compiled or compiles it, and loads it. On failure returns NULL and writes why to `note`.
 */
void *object_load(const struct object *object, size_t note_size, char *note);

#endif
