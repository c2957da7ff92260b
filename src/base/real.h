/* `real`, the number type of all numerical code, with its masks, norms and conversions. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/elementary.h"

typedef noe_real real;
typedef noe_scalar scalar; /* a single number, even if `real` has lanes */

/* Marks small functions that must be inlined in a specialised stepper, so that their variables stay
 * in registers. */
#ifdef NOE_SPECIALISED
#define REAL_INLINE static inline __attribute__((always_inline))
#else
#define REAL_INLINE static inline
#endif

/* Stands before a short loop whose array must stay in registers: an array with a variable index is
 * kept in memory. */
#ifdef NOE_SPECIALISED
#define REAL_UNROLL _Pragma("GCC unroll 16")
#else
#define REAL_UNROLL
#endif

/* A SIMD mask, the result of comparing two reals: true or false in each lane. Masks combine by &
 * and |. */
#if defined NOE_LANES && NOE_LANES > 1
typedef long mask __attribute__((vector_size(NOE_LANES * sizeof(long))));
static inline mask mask_not(mask m) { return ~m; }
static inline real real_select(mask m, real yes, real no) {
    return (real)((m & (mask)yes) | (~m & (mask)no));
}
static inline bool mask_any(mask m) {
#if defined __AVX512F__ && NOE_LANES == 8 && !defined __clang__ /* which has no such name */
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
typedef mask lane_index; /* one integer per lane */
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

/* Number of SIMD lanes of a real, and the value of one lane. */
#if defined NOE_LANES && NOE_LANES > 1
enum { REAL_LANES = NOE_LANES };
#define REAL_LANE(x, lane) ((x)[lane])
#else
enum { REAL_LANES = 1 };
#define REAL_LANE(x, lane) (*((void)(lane), &(x)))
#endif

/* Broadcasts x to all lanes. Subtracting 0 keeps the sign of a zero; adding 0 does not. */
static inline real real_broadcast(scalar x) { return x - (real){0}; }
/* False for NaN and for infinities. */
static inline mask real_is_finite(real x) { return x - x == 0; }
/* The larger of x and y; y if either is NaN. */
static inline real real_max(real x, real y) { return real_select(x > y, x, y); }
/* real_max by the processor's maximum instruction, which compilers do not derive from the
 * selection. It is faster in long loops. In short loops it costs registers. */
static inline real real_maximum(real x, real y) {
#if defined __AVX512F__ && defined NOE_LANES && NOE_LANES == 8 && !defined __clang__
    return __builtin_ia32_maxpd512_mask(x, y, x, -1, 4);
#elif defined __AVX__ && defined NOE_LANES && NOE_LANES == 4 && !defined __clang__
    return __builtin_ia32_maxpd256(x, y);
#else
    return real_max(x, y);
#endif
}

/* The reductions below use four independent operations per iteration to shorten the dependency
 * chain. A maximum and a sum of zeros do not depend on the order. */

static inline real real_largest(real a, real b, real c, real d) {
    return real_max(real_max(a, b), real_max(c, d));
}

/* Weighted maximum norm, max |x_i| weight_i, of n components; NaN if an x_i is not finite. */
static inline real real_weighted_norm(size_t n, const real *x, const real *weight) {
    real largest = {0}, poison = {0}; /* 0 x is 0 or NaN, so no branch depends on the data */
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

/* Maximum norm of n components; NaN if one of them is not finite. */
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

/* Maximum norm of x - y, for n finite components. */
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

/* True if all n components are finite. */
static inline mask real_all_finite(size_t n, const real *x) {
    real sum = {0}; /* x - x is 0, or NaN if x is not finite */
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
