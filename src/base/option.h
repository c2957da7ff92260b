/* The options of a method as they are written: "key=value key=value". */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include "base/status.h"

enum { OPTION_WORD = 64 };

/* Splits off the next word of "name key=value, key = value"; '=' is a word of its own. */
const char *option_word(const char *text, char word[OPTION_WORD]);
/* The rows of a table, which may be NULL. */
int option_count(const struct noe_option *options);
/* Index of `word` among words separated by spaces, or -1. */
int option_index(const char *words, const char *word);
/* Fills `value` with the usual values of the table, then with those that `text` states; `method` is
 * named where it is wrong. */
enum noe_status option_read(const char *method, const struct noe_option *options, const char *text,
                            noe_scalar *value, struct noe_error *error);

#endif
