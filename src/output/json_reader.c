/* In-place JSON reader. It builds no tree, so that long arrays need no memory. */
/* SPDX-License-Identifier: MIT */
#include "output/json_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/* Position after the closing quote of the string at `at`. */
static const char *after_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : NULL;
}

const char *json_after(const char *value) {
    const char *at = skip_space(value);
    long depth = 0;
    do {
        at = skip_space(at);
        if (*at == '"')
            at = after_string(at);
        else if (*at == '{' || *at == '[')
            depth++, at++;
        else if (*at == '}' || *at == ']')
            depth--, at++;
        else if (*at == ',' || *at == ':')
            at++;
        else
            at += *at ? strcspn(at, " \t\r\n,:]}") : 0;
    } while (at && depth > 0 && *at);
    return depth == 0 ? at : NULL;
}

bool json_step(const char *container, struct json_item *item) {
    container = skip_space(container);
    const bool is_object = *container == '{';
    if (!is_object && *container != '[') return false;
    const char *at = item->value ? json_after(item->value) : container + 1;
    if (!at) return false;
    at = skip_space(at);
    if (item->value && *at == ',') at = skip_space(at + 1);
    if (*at == '}' || *at == ']' || !*at) return false;
    if (is_object) {
        const char *end = *at == '"' ? after_string(at) : NULL;
        if (!end) return false;
        item->key = at + 1;
        item->key_length = (size_t)(end - at) - 2;
        at = skip_space(end);
        if (*at++ != ':') return false;
    }
    item->value = skip_space(at);
    return true;
}

const char *json_member(const char *object, const char *key, size_t length) {
    struct json_item item = {0};
    while (json_step(object, &item))
        if (item.key && item.key_length == length && memcmp(item.key, key, length) == 0)
            return item.value;
    return NULL;
}

const char *json_item(const char *array, long index) {
    struct json_item item = {0};
    if (!json_is_array(array)) return NULL;
    if (index < 0)
        while (json_step(array, &item)) index++;
    if (index < 0) return NULL;
    item = (struct json_item){0};
    for (long i = 0; json_step(array, &item); i++)
        if (i == index) return item.value;
    return NULL;
}

bool json_is_array(const char *value) { return *skip_space(value) == '['; }

bool json_number(const char *value, real *x) {
    const char *at = skip_space(value);
    char *end;
    if (strncmp(at, "null", 4) == 0) {
        *x = (real)NAN;
        return true;
    }
    if (!strchr("-0123456789", *at) || !*at) return false;
    *x = real_read(at, &end);
    return end != at;
}

/* Writes the bytes of an escape sequence and returns the position after it. */
static const char *unescape(const char *at, char **out) {
    static const char pairs[] = "n\nt\tr\rb\bf\f";
    const char *found = strchr(pairs, *at);
    char digits[5] = "";
    if (*at != 'u') {
        *(*out)++ = found && (found - pairs) % 2 == 0 ? found[1] : *at;
        return at + 1;
    }
    strncat(digits, at + 1, 4);
    const unsigned long code = strtoul(digits, NULL, 16);
    if (code < 0x80) {
        *(*out)++ = (char)code;
    } else if (code < 0x800) {
        *(*out)++ = (char)(0xC0 | code >> 6);
        *(*out)++ = (char)(0x80 | (code & 0x3F));
    } else {
        *(*out)++ = (char)(0xE0 | code >> 12);
        *(*out)++ = (char)(0x80 | (code >> 6 & 0x3F));
        *(*out)++ = (char)(0x80 | (code & 0x3F));
    }
    return at + 1 + strlen(digits);
}

char *json_copy(const char *value) {
    const char *at = skip_space(value), *end = *at == '"' ? after_string(at) : NULL;
    char *copy = end ? malloc((size_t)(end - at)) : NULL, *out = copy;
    if (!copy) return NULL;
    for (at++; at < end - 1;)
        if (*at == '\\')
            at = unescape(at + 1, &out);
        else
            *out++ = *at++;
    *out = 0;
    return copy;
}
