/* Conversion of numbers from and to text. */
/* SPDX-License-Identifier: MIT */
#include "base/real.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef NOE_QUAD
#include <quadmath.h>

static int print_digits(char *text, size_t size, int digits, real x) {
    return quadmath_snprintf(text, size, "%.*Qg", digits, x);
}

real real_read(const char *text, char **end) { return strtoflt128(text, end); }
enum { FEWEST_DIGITS = 33 };
#else
static int print_digits(char *text, size_t size, int digits, real x) {
    return snprintf(text, size, "%.*g", digits, x);
}

real real_read(const char *text, char **end) { return strtod(text, end); }
enum { FEWEST_DIGITS = 15 };
#endif

int real_print(char *text, size_t size, real x) { return print_digits(text, size, NOE_DIGITS, x); }

int real_print_shortest(char *text, size_t size, real x) {
    int length = 0;
    for (int digits = FEWEST_DIGITS; digits <= NOE_DIGITS; digits++) {
        length = print_digits(text, size, digits, x);
        if (real_read(text, NULL) == x) break;
    }
    return length;
}
