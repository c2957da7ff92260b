/* Validation of UTF-8, for writers that must not emit invalid text. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_UTF8_H
#define OUTPUT_UTF8_H

#include <stddef.h>

/* Length in bytes of the character at `text`, which is null-terminated; 0 if it is invalid (RFC
 * 3629). */
size_t utf8_length(const char *text);

#endif
