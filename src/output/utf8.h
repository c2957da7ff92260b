/* Characters in UTF-8, for writers that must not pass on broken ones. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_UTF8_H
#define OUTPUT_UTF8_H

#include <stddef.h>

/* Bytes of the character at `text`, which ends with 0; 0 if they are no character (RFC 3629). */
size_t utf8_length(const char *text);

#endif
