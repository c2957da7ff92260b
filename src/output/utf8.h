/* Validation of UTF-8, for writers that must not emit invalid text, and text for a terminal. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_UTF8_H
#define OUTPUT_UTF8_H

#include <stddef.h>

/* Length in bytes of the character at `text`, which is null-terminated; 0 if it is invalid (RFC
 * 3629). */
size_t utf8_length(const char *text);
/* Replaces by question marks every byte of an invalid character and every control character except
 * line ends and tabs, so that no text of a file or a path can control a terminal. */
void utf8_make_printable(char *text);

#endif
