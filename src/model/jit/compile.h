/* Runs the system's C compiler. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_COMPILE_H
#define MODEL_JIT_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the compiler: NOETHER_CC if it is set, otherwise cc, gcc or clang from PATH.
 * On failure writes the reason to `note`. */
bool compile_find(size_t size, char *path, size_t note_size, char *note);

/* Compiler options, separated by blanks, for a source of `bytes` bytes. They are part of the cache
 * key. */
const char *compile_options(size_t bytes, bool has_vectors);

/* Compiler options of a specialised stepper, which is a whole program in one file. Automatic
 * vectorisation pays for loops of explicit steps and for lanes, but slows implicit steps of a
 * single run. */
const char *compile_stepper_options(bool use_vectors);

struct compile_file {
    const char *compiler;
    const char *options, *libraries; /* separated by blanks; libraries may be NULL */
    const char *source, *object;     /* paths */
    const volatile int *interrupt;   /* nonzero: kill the compiler; may be NULL */
};

/* Compiles `source` to the shared object `object`, without a shell and within NOETHER_CC_TIMEOUT
 * seconds. On failure writes the reason to `note`. */
bool compile_file(const struct compile_file *file, size_t note_size, char *note);

#endif
