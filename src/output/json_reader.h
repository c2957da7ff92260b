/* In-place JSON reader. Values are pointers into a null-terminated text. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_JSON_READER_H
#define OUTPUT_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"

/* An item of an array or a member of an object. Initialise with {0} before the first. */
struct json_item {
    const char *value;
    const char *key; /* without quotes, escape sequences not replaced; NULL in an array */
    size_t key_length;
};

/* Moves to the next item of an array or object. False after the last, or if the text is not valid
 * JSON. */
bool json_step(const char *container, struct json_item *item);
/* The value of a member; NULL if there is none. */
const char *json_member(const char *object, const char *key, size_t length);
/* The item `index` of an array, from 0, or from the end if negative; NULL if there is none. */
const char *json_item(const char *array, long index);

bool json_is_array(const char *value);
/* Reads a number; null gives NaN. False if the value is neither. */
bool json_number(const char *value, real *x);
/* A copy of a string with escape sequences replaced; free() it. NULL if the value is not a string
 * or memory runs out. */
char *json_copy(const char *value);
/* The first byte after a value; NULL if the text is not valid JSON. */
const char *json_after(const char *value);

#endif
