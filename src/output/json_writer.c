/* JSON writer: appends values to a text in memory. */
/* SPDX-License-Identifier: MIT */
#include "output/json_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/utf8.h"

void json_init(struct json *json) { memset(json, 0, sizeof *json); }

void json_clear(struct json *json) {
    free(json->text);
    json_init(json);
}

static void put(struct json *json, const char *text, size_t length) {
    if (json->failed) return;
    if (json->length + length + 1 > json->room) {
        const size_t room = 2 * (json->length + length) + 256;
        char *grown = realloc(json->text, room);
        if (!grown) {
            json->failed = true;
            return;
        }
        json->text = grown;
        json->room = room;
    }
    memcpy(json->text + json->length, text, length);
    json->length += length;
    json->text[json->length] = 0;
}

static void put_word(struct json *json, const char *word) { put(json, word, strlen(word)); }

static void put_line(struct json *json) {
    put_word(json, "\n");
    for (int i = 0; i < json->depth; i++) put_word(json, "  ");
}

static void put_quoted(struct json *json, const char *text) {
    put_word(json, "\"");
    for (const char *s = text; *s;) {
        const size_t length = utf8_length(s);
        const unsigned char byte = (unsigned char)*s;
        char escape[8] = {'\\', *s, 0};
        const char *named = strchr("\nn\tt\rr\bb\ff", *s); /* pairs of byte and escape letter */
        if (length == 0) {
            put_word(json, "\\ufffd");
        } else if (byte == '"' || byte == '\\') {
            put_word(json, escape);
        } else if (byte < 0x20 && named) {
            escape[1] = named[1];
            put_word(json, escape);
        } else if (byte < 0x20 || byte == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", byte);
            put_word(json, escape);
        } else {
            put(json, s, length);
        }
        s += length ? length : 1;
    }
    put_word(json, "\"");
}

/* Writes the comma, line break and key before a value. */
static void begin(struct json *json, const char *key, bool on_own_line) {
    if (json->depth > 0) {
        const int level = json->depth - 1;
        if (json->has_item[level]) put_word(json, ",");
        if (key || on_own_line) {
            put_line(json);
            json->has_lines[level] = true;
        } else if (json->has_item[level]) {
            put_word(json, " ");
        }
        json->has_item[level] = true;
    }
    if (key) {
        put_quoted(json, key);
        put_word(json, ": ");
    }
}

static void open_level(struct json *json, const char *bracket, char closer) {
    put_word(json, bracket);
    if (json->depth == JSON_DEPTH) {
        json->failed = true;
        return;
    }
    json->closer[json->depth] = closer;
    json->has_item[json->depth] = json->has_lines[json->depth] = false;
    json->depth++;
}

void json_object(struct json *json, const char *key) {
    begin(json, key, true);
    open_level(json, "{", '}');
}

void json_array(struct json *json, const char *key) {
    begin(json, key, false);
    open_level(json, "[", ']');
}

void json_end(struct json *json) {
    if (json->depth == 0) {
        json->failed = true;
        return;
    }
    json->depth--;
    if (json->has_lines[json->depth]) put_line(json);
    put(json, &json->closer[json->depth], 1);
}

const char *json_text(struct json *json) {
    if (json->depth == 0 && json->length > 0 && json->text[json->length - 1] != '\n')
        put_word(json, "\n");
    return json->failed ? NULL : json->text;
}

void json_real(struct json *json, const char *key, real x) {
    char text[64] = "null";
    if (real_is_finite(x)) real_print(text, sizeof text, x);
    begin(json, key, false);
    put_word(json, text);
}

void json_integer(struct json *json, const char *key, long long x) {
    char text[32];
    snprintf(text, sizeof text, "%lld", x);
    begin(json, key, false);
    put_word(json, text);
}

void json_bool(struct json *json, const char *key, bool x) {
    begin(json, key, false);
    put_word(json, x ? "true" : "false");
}

void json_null(struct json *json, const char *key) {
    begin(json, key, false);
    put_word(json, "null");
}

void json_string(struct json *json, const char *key, const char *text) {
    if (!text) {
        json_null(json, key);
        return;
    }
    begin(json, key, false);
    put_quoted(json, text);
}

void json_vector(struct json *json, const char *key, int n, const real *x) {
    json_array(json, key);
    for (int i = 0; i < n; i++) json_real(json, NULL, x[i]);
    json_end(json);
}

void json_matrix(struct json *json, const char *key, int rows, int cols, const real *x) {
    json_array(json, key);
    for (int i = 0; i < rows; i++) json_vector(json, NULL, cols, x + (size_t)i * (size_t)cols);
    json_end(json);
}
