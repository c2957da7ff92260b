/* The shortest decimals. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_DECIMAL_H
#define OUTPUT_DECIMAL_H

#include "base/real.h"

enum { DECIMAL_BYTES = 48 };

/* Writes the shortest decimal that reads back as x, of several the one nearest to x; of NaN, `nan`.
 * `text` has room for DECIMAL_BYTES, all of which may be written. Returns the length. */
int decimal_print(char *text, real x);

#endif
