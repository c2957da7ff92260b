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

/* Largest magnitude among n numbers; NaN if one of them is not finite. */
static inline real real_norm(size_t n, const real *x) {
    real largest = 0, poison = 0; /* 0 x is 0, or NaN; no branch depends on the numbers */
    for (size_t i = 0; i < n; i++) {
        const real size = noe_abs(x[i]);
        largest = size > largest ? size : largest;
        poison += 0 * x[i];
    }
    return largest + poison;
}

/* Writes x with enough digits to read it back exactly; returns the length. `size` >= 48. */
int real_print(char *text, size_t size, real x);
/* Writes the shortest decimal that reads back as x; returns the length. `size` >= 48. */
int real_print_shortest(char *text, size_t size, real x);
/* Reads a number like strtod. */
real real_read(const char *text, char **end);

#endif
