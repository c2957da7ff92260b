/* Shortest decimal representation of numbers. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_DECIMAL_H
#define OUTPUT_DECIMAL_H

#include "base/real.h"

enum { DECIMAL_BYTES = 48 };

/* Writes the shortest decimal that reads back as x, and the one nearest to x if there are several.
 * NaN gives `nan`. `text` has room for DECIMAL_BYTES, all of which may be written. Returns the
 * length. */
int decimal_print(char *text, real x);

#endif
