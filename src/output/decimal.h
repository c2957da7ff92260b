/* The shortest decimals, fast where numbers have an ordinary size. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_DECIMAL_H
#define OUTPUT_DECIMAL_H

#include "base/real.h"

/* The same text as real_print_shortest writes; returns the length. `size` >= 48. */
int decimal_print(char *text, size_t size, real x);

#endif
