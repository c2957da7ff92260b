/* JSON writer: appends values to a text in memory. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_JSON_WRITER_H
#define OUTPUT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"

enum { JSON_DEPTH = 32 };

/* The fields are private. In all functions `key` is the name of the member inside an object, and
 * NULL inside an array or at the top level. */
struct json {
    char *text;
    size_t length, room;
    int depth;
    char closer[JSON_DEPTH];    /* '}' or ']' */
    bool has_item[JSON_DEPTH];  /* an item was written at this depth */
    bool has_lines[JSON_DEPTH]; /* items stand on separate lines */
    bool failed;
};

void json_init(struct json *json);
void json_clear(struct json *json);
/* The text so far, with a final newline when all is closed. NULL if memory ran out. */
const char *json_text(struct json *json);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
/* Closes the innermost object or array. */
void json_end(struct json *json);

/* NaN and infinities become null. */
void json_real(struct json *json, const char *key, real x);
void json_integer(struct json *json, const char *key, long long x);
void json_bool(struct json *json, const char *key, bool x);
void json_null(struct json *json, const char *key);
/* NULL becomes null; bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *text);
/* An array of n numbers, and a row-major matrix as an array of rows. */
void json_vector(struct json *json, const char *key, int n, const real *x);
void json_matrix(struct json *json, const char *key, int rows, int cols, const real *x);

#endif
