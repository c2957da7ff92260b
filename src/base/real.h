/* `real`, the number type of all numerical code, and what the language lacks for it. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "noether_real.h"

typedef noe_real real;
typedef noe_scalar scalar; /* one number, also where `real` has lanes */

/* Small functions that a stepper compiled for one problem must not call: its numbers stay in
 * registers. */
#ifdef NOE_SPECIALISED
#define REAL_INLINE static inline __attribute__((always_inline))
#else
#define REAL_INLINE static inline
#endif

/* Before a short loop over numbers that are to live in registers there: while an index runs over
 * an array, it stays in memory. */
#ifdef NOE_SPECIALISED
#define REAL_UNROLL _Pragma("GCC unroll 16")
#else
#define REAL_UNROLL
#endif

/* What a comparison of reals gives: true or false, lane by lane. They join by & and |. */
#if defined NOE_LANES && NOE_LANES > 1
typedef long mask __attribute__((vector_size(NOE_LANES * sizeof(long))));
static inline mask mask_not(mask m) { return ~m; }
static inline real real_select(mask m, real yes, real no) {
    return (real)((m & (mask)yes) | (~m & (mask)no));
}
static inline bool mask_any(mask m) {
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
static inline bool mask_all(mask m) { return !mask_any(~m); }
typedef mask lane_index; /* an integer of each lane */
static inline lane_index lane_index_broadcast(long i) { return (lane_index){0} + i; }
static inline lane_index lane_index_select(mask m, lane_index yes, lane_index no) {
    return (m & yes) | (~m & no);
}
static inline mask mask_broadcast(bool is_true) { return (mask){0} - (long)is_true; }
#else
typedef bool mask;
static inline mask mask_not(mask m) { return !m; }
static inline real real_select(mask m, real yes, real no) { return m ? yes : no; }
static inline bool mask_any(mask m) { return m; }
static inline bool mask_all(mask m) { return m; }
typedef int lane_index;
static inline lane_index lane_index_broadcast(int i) { return i; }
static inline lane_index lane_index_select(mask m, lane_index yes, lane_index no) {
    return m ? yes : no;
}
static inline mask mask_broadcast(bool is_true) { return is_true; }
#endif

/* How many numbers a real has, and one of them. */
#if defined NOE_LANES && NOE_LANES > 1
enum { REAL_LANES = NOE_LANES };
#define REAL_LANE(x, lane) ((x)[lane])
#else
enum { REAL_LANES = 1 };
#define REAL_LANE(x, lane) (*((void)(lane), &(x)))
#endif

/* x in every lane. Subtracting 0, unlike adding it, keeps the sign of 0. */
static inline real real_broadcast(scalar x) { return x - (real){0}; }
/* False for NaN and for infinities. */
static inline mask real_is_finite(real x) { return x - x == 0; }
/* The larger of two numbers; the second if one is not a number. */
static inline real real_max(real x, real y) { return real_select(x > y, x, y); }
/* The same by the processor's own maximum, which compilers do not see in it. It pays in long loops;
 * in short ones they keep fewer numbers in registers with it. */
static inline real real_maximum(real x, real y) {
#if defined __AVX512F__ && defined NOE_LANES && NOE_LANES == 8 && !defined __clang__
    return __builtin_ia32_maxpd512_mask(x, y, x, -1, 4);
#elif defined __AVX__ && defined NOE_LANES && NOE_LANES == 4 && !defined __clang__
    return __builtin_ia32_maxpd256(x, y);
#else
    return real_max(x, y);
#endif
}

/* What follows goes through arrays four numbers at a time, so that no more than a fourth of them
 * wait for each other: a maximum, and a sum of zeros, do not depend on the order. */

static inline real real_largest(real a, real b, real c, real d) {
    return real_max(real_max(a, b), real_max(c, d));
}

/* Largest |x_i| weight_i among n numbers; NaN if an x_i is not finite. */
static inline real real_weighted_norm(size_t n, const real *x, const real *weight) {
    real largest = {0}, poison = {0}; /* 0 x is 0, or NaN; no branch depends on the numbers */
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const real *y = x + i, *w = weight + i;
        const real next = real_largest(noe_abs(y[0]) * w[0], noe_abs(y[1]) * w[1],
                                       noe_abs(y[2]) * w[2], noe_abs(y[3]) * w[3]);
        largest = real_max(next, largest);
        poison += (0 * y[0] + 0 * y[1]) + (0 * y[2] + 0 * y[3]);
    }
    for (; i < n; i++) {
        largest = real_max(noe_abs(x[i]) * weight[i], largest);
        poison += 0 * x[i];
    }
    return largest + poison;
}

/* Largest magnitude among n numbers; NaN if one of them is not finite. */
static inline real real_norm(size_t n, const real *x) {
    real largest = {0}, poison = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const real *y = x + i;
        const real next = real_largest(noe_abs(y[0]), noe_abs(y[1]), noe_abs(y[2]), noe_abs(y[3]));
        largest = real_max(next, largest);
        poison += (0 * y[0] + 0 * y[1]) + (0 * y[2] + 0 * y[3]);
    }
    for (; i < n; i++) {
        largest = real_max(noe_abs(x[i]), largest);
        poison += 0 * x[i];
    }
    return largest + poison;
}

/* Largest |x_i - y_i| among n numbers that are finite. */
static inline real real_distance(size_t n, const real *x, const real *y) {
    real largest = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const real *u = x + i, *v = y + i;
        const real next = real_largest(noe_abs(u[0] - v[0]), noe_abs(u[1] - v[1]),
                                       noe_abs(u[2] - v[2]), noe_abs(u[3] - v[3]));
        largest = real_max(next, largest);
    }
    for (; i < n; i++) largest = real_max(noe_abs(x[i] - y[i]), largest);
    return largest;
}

/* Are n numbers finite? */
static inline mask real_all_finite(size_t n, const real *x) {
    real sum = {0}; /* x - x is 0, or NaN where x is not finite */
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const real *y = x + i;
        sum += ((y[0] - y[0]) + (y[1] - y[1])) + ((y[2] - y[2]) + (y[3] - y[3]));
    }
    for (; i < n; i++) sum += x[i] - x[i];
    return sum == 0;
}

/* Writes x with enough digits to read it back exactly; returns the length. `size` >= 48. */
int real_print(char *text, size_t size, real x);
/* Writes the shortest decimal that reads back as x; returns the length. `size` >= 48. */
int real_print_shortest(char *text, size_t size, real x);
/* Reads a number like strtod. */
real real_read(const char *text, char **end);

#endif
