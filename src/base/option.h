/* Options of a method in text form: "key=value key=value". */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include "base/status.h"

enum { OPTION_WORD = 64 };

/* Reads the next word of "name key=value, key = value" and returns the rest. '=' is a word of its
 * own. */
const char *option_word(const char *text, char word[OPTION_WORD]);
/* Number of rows of a table, which may be NULL. */
int option_count(const struct noe_option *options);
/* Index of `word` among words separated by spaces, or -1. */
int option_index(const char *words, const char *word);
/* Fills `value` with the defaults of the table, then with the values stated in `text`. Error
 * messages name `method`. */
enum noe_status option_read(const char *method, const struct noe_option *options, const char *text,
                            noe_scalar *value, struct noe_error *error);

#endif
