/* The system's C compiler: finding it and running it on one file. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_COMPILE_H
#define MODEL_JIT_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the compiler: NOETHER_CC if it is set, else cc, gcc or clang from PATH. On
 * failure writes why to `note`. */
bool compile_find(size_t size, char *path, size_t note_size, char *note);

/* The options for a source of `bytes` bytes, in words: part of what identifies a compiled file. */
const char *compile_options(size_t bytes, bool has_vectors);

/* The options for a specialised stepper, whose whole program is one file. Loops of explicit steps
 * and decisions by lanes gain by the compiler's vectors; implicit steps of one run lose. */
const char *compile_stepper_options(bool use_vectors);

struct compile_file {
    const char *compiler;
    const char *options, *libraries; /* words; libraries NULL: none but the usual */
    const char *source, *object;     /* paths */
    const volatile int *interrupt;   /* not 0: the compiler is ended; may be NULL */
};

/* Compiles `source` to the shared object `object`, without a shell and within NOETHER_CC_TIMEOUT
 * seconds. On failure writes why to `note`. */
bool compile_file(const struct compile_file *file, size_t note_size, char *note);

#endif
