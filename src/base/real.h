/* `real`, the number type of all numerical code, and what the language lacks for it. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "noether_real.h"

typedef noe_real real;
typedef noe_scalar scalar; /* one number, also where `real` has lanes */

/* What a comparison of reals gives: true or false, lane by lane. They join by & and |. */
#if defined NOE_LANES && NOE_LANES > 1
typedef long truth __attribute__((vector_size(NOE_LANES * sizeof(long))));
static inline truth truth_not(truth m) { return ~m; }
static inline real real_select(truth m, real yes, real no) {
    return (real)((m & (truth)yes) | (~m & (truth)no));
}
static inline bool truth_any(truth m) {
    long any = 0;
    for (int i = 0; i < NOE_LANES; i++) any |= m[i];
    return any != 0;
}
static inline bool truth_all(truth m) { return !truth_any(~m); }
typedef truth lane_int; /* an integer of each lane */
static inline lane_int lane_int_of(long i) { return (lane_int){0} + i; }
static inline lane_int lane_int_select(truth m, lane_int yes, lane_int no) {
    return (m & yes) | (~m & no);
}
static inline truth truth_of(bool is_true) { return (truth){0} - (long)is_true; }
#else
typedef bool truth;
static inline truth truth_not(truth m) { return !m; }
static inline real real_select(truth m, real yes, real no) { return m ? yes : no; }
static inline bool truth_any(truth m) { return m; }
static inline bool truth_all(truth m) { return m; }
typedef int lane_int;
static inline lane_int lane_int_of(int i) { return i; }
static inline lane_int lane_int_select(truth m, lane_int yes, lane_int no) { return m ? yes : no; }
static inline truth truth_of(bool is_true) { return is_true; }
#endif

/* x in every lane. */
static inline real real_of(scalar x) { return (real){0} + x; }
/* False for NaN and for infinities. */
static inline truth real_is_finite(real x) { return x - x == 0; }
/* The larger of two numbers; the second if one is not a number. */
static inline real real_larger(real x, real y) { return real_select(x > y, x, y); }

/* Largest magnitude among n numbers; NaN if one of them is not finite. */
static inline real real_norm(size_t n, const real *x) {
    real largest = {0}, poison = {0}; /* 0 x is 0, or NaN; no branch depends on the numbers */
    for (size_t i = 0; i < n; i++) {
        largest = real_larger(noe_abs(x[i]), largest);
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
