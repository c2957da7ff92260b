/* String buffer that grows while text is appended. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_WRITER_H
#define MODEL_CODEGEN_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"

struct writer {
    char *text; /* ends with a zero byte; NULL before the first write */
    size_t length, room;
    bool failed; /* memory ran out, and later writes do nothing */
};

void writer_clear(struct writer *writer);
void writer_put(struct writer *writer, const char *text);
void writer_bytes(struct writer *writer, const char *bytes, size_t count);
void writer_print(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes a number as a C constant of full precision. It has type double unless `suffix` changes
 * that. */
void writer_number(struct writer *writer, real value, const char *suffix);

#endif
