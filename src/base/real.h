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
#if defined __AVX512F__ && NOE_LANES == 8
    return __builtin_ia32_ptestmq512((long long __attribute__((vector_size(64))))m,
                                     (long long __attribute__((vector_size(64))))m, -1) != 0;
#elif defined __AVX__ && NOE_LANES == 4
    return !__builtin_ia32_ptestz256((long long __attribute__((vector_size(32))))m,
                                     (long long __attribute__((vector_size(32))))m);
#else
    long any = 0;
    for (int i = 0; i < NOE_LANES; i++) any |= m[i];
    return any != 0;
#endif
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

/* What follows goes through arrays four numbers at a time, none of which waits for another: a
 * maximum, and a sum of zeros, do not depend on the order. */
enum { REAL_WAYS = 4 };

/* Largest |x_i| weight_i among n numbers (NULL: all weights are one); NaN if an x_i is not finite.
 */
static inline real real_weighted_norm(size_t n, const real *x, const real *weight) {
    real largest[REAL_WAYS], poison[REAL_WAYS]; /* 0 x is 0, or NaN: no branch for the numbers */
    for (int k = 0; k < REAL_WAYS; k++) largest[k] = poison[k] = real_of(0);
    size_t i = 0;
    for (; i + REAL_WAYS <= n; i += REAL_WAYS) {
        for (int k = 0; k < REAL_WAYS; k++) {
            const real size = noe_abs(x[i + k]);
            largest[k] = real_larger(weight ? size * weight[i + k] : size, largest[k]);
        }
        for (int k = 0; k < REAL_WAYS; k++) poison[k] += 0 * x[i + k];
    }
    for (; i < n; i++) {
        const real size = noe_abs(x[i]);
        largest[0] = real_larger(weight ? size * weight[i] : size, largest[0]);
        poison[0] += 0 * x[i];
    }
    for (int k = 1; k < REAL_WAYS && n >= REAL_WAYS; k++) {
        largest[0] = real_larger(largest[k], largest[0]);
        poison[0] += poison[k];
    }
    return largest[0] + poison[0];
}

/* Largest magnitude among n numbers; NaN if one of them is not finite. */
static inline real real_norm(size_t n, const real *x) { return real_weighted_norm(n, x, NULL); }

/* Largest |x_i - y_i| among n numbers that are finite. */
static inline real real_distance(size_t n, const real *x, const real *y) {
    real largest[REAL_WAYS];
    for (int k = 0; k < REAL_WAYS; k++) largest[k] = real_of(0);
    size_t i = 0;
    for (; i + REAL_WAYS <= n; i += REAL_WAYS)
        for (int k = 0; k < REAL_WAYS; k++)
            largest[k] = real_larger(noe_abs(x[i + k] - y[i + k]), largest[k]);
    for (; i < n; i++) largest[0] = real_larger(noe_abs(x[i] - y[i]), largest[0]);
    for (int k = 1; k < REAL_WAYS && n >= REAL_WAYS; k++)
        largest[0] = real_larger(largest[k], largest[0]);
    return largest[0];
}

/* Are n numbers finite? */
static inline truth real_all_finite(size_t n, const real *x) {
    real sum[REAL_WAYS]; /* x - x is 0, or NaN where x is not finite */
    for (int k = 0; k < REAL_WAYS; k++) sum[k] = real_of(0);
    size_t i = 0;
    for (; i + REAL_WAYS <= n; i += REAL_WAYS)
        for (int k = 0; k < REAL_WAYS; k++) sum[k] += x[i + k] - x[i + k];
    for (; i < n; i++) sum[0] += x[i] - x[i];
    for (int k = 1; k < REAL_WAYS && n >= REAL_WAYS; k++) sum[0] += sum[k];
    return sum[0] == 0;
}

/* Writes x with enough digits to read it back exactly; returns the length. `size` >= 48. */
int real_print(char *text, size_t size, real x);
/* Writes the shortest decimal that reads back as x; returns the length. `size` >= 48. */
int real_print_shortest(char *text, size_t size, real x);
/* Reads a number like strtod. */
real real_read(const char *text, char **end);

#endif
