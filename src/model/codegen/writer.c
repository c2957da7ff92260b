/* String buffer that grows while text is appended. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/writer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void writer_clear(struct writer *writer) {
    free(writer->text);
    *writer = (struct writer){0};
}

static bool reserve(struct writer *writer, size_t more) {
    if (writer->failed) return false;
    const size_t needed = writer->length + more + 1;
    if (needed <= writer->room) return true;
    const size_t room = needed + needed / 2 + 256;
    char *text = realloc(writer->text, room);
    if (!text) {
        writer->failed = true;
        return false;
    }
    writer->text = text;
    writer->room = room;
    return true;
}

void writer_bytes(struct writer *writer, const char *bytes, size_t count) {
    if (!reserve(writer, count)) return;
    memcpy(writer->text + writer->length, bytes, count);
    writer->length += count;
    writer->text[writer->length] = 0;
}

void writer_put(struct writer *writer, const char *text) {
    writer_bytes(writer, text, strlen(text));
}

void writer_print(struct writer *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(writer, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(writer->text + writer->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    writer->length += (size_t)length;
}

void writer_number(struct writer *writer, real value, const char *suffix) {
    if (!real_is_finite(value)) {
        writer_put(writer, value != value ? "NAN" : value > 0 ? "INFINITY" : "-INFINITY");
        return;
    }
    char text[64];
    real_print_shortest(text, sizeof text, value);
    bool is_floating = false;
    for (char *c = text; *c; c++) {
        if (isdigit((unsigned char)*c) || *c == '-' || *c == '+') continue;
        if (*c != 'e') *c = '.'; /* the caller's locale may write another decimal sign */
        is_floating = true;
    }
    writer_print(writer, "%s%s%s", text, is_floating ? "" : ".0", suffix);
}
