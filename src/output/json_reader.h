/* Reading JSON where it stands: values are pointers into a text that ends with 0. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_JSON_READER_H
#define OUTPUT_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"

/* An item of an array or a member of an object; {0} stands before the first. */
struct json_item {
    const char *value;
    const char *key; /* without its quotes, escapes as they stand; NULL in an array */
    size_t key_length;
};

/* Moves to the next item of an array or object; false after the last and where the text is no
 * JSON. */
bool json_step(const char *container, struct json_item *item);
/* The value of a member, NULL if there is none. */
const char *json_member(const char *object, const char *key, size_t length);
/* The item of an array numbered from 0, from the end if negative; NULL if there is none. */
const char *json_item(const char *array, long index);

bool json_is_array(const char *value);
/* false: not a number (null becomes NaN, and true). */
bool json_number(const char *value, real *x);
/* A copy of a string without its escapes; free() it. NULL: not a string, or no memory. */
char *json_copy(const char *value);
/* The first byte after a value; NULL where the text is no JSON. */
const char *json_after(const char *value);

#endif
