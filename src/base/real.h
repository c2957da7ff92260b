/* `real`, the number type of all numerical code, and what the language lacks for it. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "noether_real.h"

typedef noe_real real;

/* False for NaN and for infinities. */
static inline bool real_is_finite(real x) { return x - x == 0; }

/* Largest magnitude among n numbers; NaN if one of them is NaN. */
static inline real real_norm(size_t n, const real *x) {
    real largest = 0;
    for (size_t i = 0; i < n; i++) {
        const real a = noe_abs(x[i]);
        if (!(a <= largest)) largest = a;
        if (a != a) return a;
    }
    return largest;
}

/* Writes x with enough digits to read it back exactly; returns the length. `size` >= 48. */
int real_print(char *text, size_t size, real x);
/* Writes the shortest decimal that reads back as x; returns the length. `size` >= 48. */
int real_print_shortest(char *text, size_t size, real x);
/* Reads a number like strtod. */
real real_read(const char *text, char **end);

#endif
