/* Options of a method in text form: "key=value key=value". */
/* SPDX-License-Identifier: MIT */
#include "base/option.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/real.h"

const char *option_word(const char *text, char word[OPTION_WORD]) {
    size_t length = 0;
    while (isspace((unsigned char)*text) || *text == ',') text++;
    if (*text == '=') {
        word[length++] = *text++;
    } else {
        while (*text && !isspace((unsigned char)*text) && *text != ',' && *text != '=') {
            if (length + 1 < OPTION_WORD) word[length++] = *text;
            text++;
        }
    }
    word[length] = '\0';
    return text;
}

int option_count(const struct noe_option *options) {
    int count = 0;
    while (options && options[count].name) count++;
    return count;
}

int option_index(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (int index = 0; *words; index++) {
        const size_t here = strcspn(words, " ");
        if (here == length && strncmp(words, word, length) == 0) return index;
        words += here;
        while (*words == ' ') words++;
    }
    return -1;
}

/* Earlier spellings of keys and words, which stay valid. */
static const struct alias {
    const char *old, *now;
} aliases[] = {{"convention", "momentum"}, {"thesis", "stage"},  {"anchored", "hold"},
               {"gap", "defect"},          {"cap", "max_ratio"}, {"new", "chord"}};

/* The present spelling of a key or word. */
static const char *present(const char *word) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].old, word) == 0) return aliases[i].now;
    return word;
}

static int find_key(const struct noe_option *options, const char *key) {
    int index = 0;
    while (options && options[index].name && strcmp(options[index].name, key) != 0) index++;
    return index;
}

static enum noe_status unknown(const char *method, const struct noe_option *options,
                               const char *key, struct noe_error *error) {
    const char *names[NOE_OPTIONS_MAX];
    const int count = option_count(options);
    char list[200] = "";
    for (int i = 0; i < count; i++) {
        names[i] = options[i].name;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = status_nearest(key, count, names);
    if (near)
        return status_set(error, NOE_BAD_INPUT, "%s has no option '%s' (did you mean '%s'?)",
                          method, key, near);
    return status_set(error, NOE_BAD_INPUT, "%s has no option '%s'; it has %s", method, key,
                      count ? list : "none");
}

static enum noe_status set(const char *method, const struct noe_option *option, const char *word,
                           noe_scalar *number, struct noe_error *error) {
    if (option->kind == NOE_WORD) {
        int value = option_index(option->words, word);
        if (value < 0) value = option_index(option->words, present(word));
        if (value < 0)
            return status_set(error, NOE_BAD_INPUT, "%s: %s must be one of: %s; found '%s'", method,
                              option->name, option->words, word);
        *number = value;
        return NOE_OK;
    }
    char *end = NULL;
    const real value = real_read(word, &end);
    if (end == word || *end)
        return status_set(error, NOE_BAD_INPUT, "%s: %s must be a number, found '%s'", method,
                          option->name, word);
    if (option->kind == NOE_INTEGER && value != noe_floor(value))
        return status_set(error, NOE_BAD_INPUT, "%s: %s must be an integer, found %s", method,
                          option->name, word);
    if (!(value >= option->min && value <= option->max))
        return status_set(error, NOE_BAD_INPUT, "%s: %s must be within %g .. %g, found %s", method,
                          option->name, option->min, option->max, word);
    *number = value;
    return NOE_OK;
}

enum noe_status option_read(const char *method, const struct noe_option *options, const char *text,
                            noe_scalar *value, struct noe_error *error) {
    char key[OPTION_WORD], equals[OPTION_WORD], word[OPTION_WORD];
    const int count = option_count(options);
    for (int i = 0; i < count; i++) value[i] = options[i].default_value;
    for (;;) {
        text = option_word(text, key);
        if (!key[0]) return NOE_OK;
        text = option_word(option_word(text, equals), word);
        if (strcmp(equals, "=") != 0 || !word[0])
            return status_set(error, NOE_BAD_INPUT, "%s: expected key = value, found '%s'", method,
                              key);
        int index = find_key(options, key);
        if (index == count) index = find_key(options, present(key));
        if (index == count) return unknown(method, options, key, error);
        const enum noe_status status = set(method, &options[index], word, &value[index], error);
        if (status != NOE_OK) return status;
    }
}
