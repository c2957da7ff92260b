/* Lanes: several numbers side by side and their elementary functions. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_LANE_FUNCTIONS_H
#define BASE_LANE_FUNCTIONS_H

#include "base/elementary.h"

/* If NOE_LANES is defined, noe_real has that many lanes and its functions are noe_sin, ....
 * Otherwise a type of 8 lanes, noe_wide, exists beside noe_real, and its functions are wide_sin,
 * .... Both are the functions of base/elementary.h, NaN included.
 *
 * They come from SLEEF, in its deterministic forms: the result of a lane depends only on its own
 * arguments and on whether the processor fuses multiplication and addition, not on the width.
 * Errors are at most 1 unit in the last place (sqrt, abs, floor: exactly rounded). Results close to
 * the largest number may overflow: pow in its last bits, sinh and cosh beyond 709. NOE_LANES_LIBM
 * takes the C library's functions, one lane after the other. */
#ifdef NOE_LANES
#define LANES_WIDTH      NOE_LANES
#define LANES_NAME(name) noe_##name
typedef noe_real lanes_real;
#else
typedef noe_scalar noe_wide __attribute__((vector_size(8 * sizeof(noe_scalar))));
#define LANES_WIDTH      8
#define LANES_NAME(name) wide_##name
typedef noe_wide lanes_real;
#endif

#if LANES_WIDTH > 1
typedef long lanes_mask __attribute__((vector_size(LANES_WIDTH * sizeof(long))));
static inline lanes_real lanes_select(lanes_mask m, lanes_real yes, lanes_real no) {
    return (lanes_real)((m & (lanes_mask)yes) | (~m & (lanes_mask)no));
}
#else
typedef int lanes_mask;
static inline lanes_real lanes_select(lanes_mask m, lanes_real yes, lanes_real no) {
    return m ? yes : no;
}
#endif

/* x in every lane. Subtracting 0, unlike adding it, keeps the sign of 0. */
static inline lanes_real LANES_NAME(of)(noe_scalar x) { return x - (lanes_real){0}; }

/* --- Functions that a library has for `lanes_piece`s, of which lanes_real is one or more. */

#if defined NOE_LANES_LIBM
typedef noe_scalar lanes_piece;
#define LANES_FUNCTION(name) name
#elif defined __AVX512F__ && defined __FMA__ && LANES_WIDTH % 8 == 0
typedef noe_scalar lanes_piece __attribute__((vector_size(64)));
#define LANES_FUNCTION(name) Sleef_finz_##name##d8_u10avx512f
#elif defined __AVX2__ && defined __FMA__ && LANES_WIDTH % 4 == 0
typedef noe_scalar lanes_piece __attribute__((vector_size(32)));
#define LANES_FUNCTION(name) Sleef_finz_##name##d4_u10avx2
#elif defined __FMA__
typedef noe_scalar lanes_piece;
#define LANES_FUNCTION(name) Sleef_finz_##name##d1_u10purecfma
#elif LANES_WIDTH % 2 == 0
typedef noe_scalar lanes_piece __attribute__((vector_size(16)));
#define LANES_FUNCTION(name) Sleef_cinz_##name##d2_u10sse2
#else
typedef noe_scalar lanes_piece;
#define LANES_FUNCTION(name) Sleef_cinz_##name##d1_u10purec
#endif

/* The function `name` from `function`, which is for one `piece`; the optimiser removes the loop. */
#define LANES_UNARY(name, piece, function)                                                         \
    static inline lanes_real LANES_NAME(name)(lanes_real x) {                                      \
        enum { COUNT = sizeof(lanes_real) / sizeof(piece) };                                       \
        union {                                                                                    \
            lanes_real all;                                                                        \
            piece part[COUNT];                                                                     \
        } from = {x}, to;                                                                          \
        for (int i = 0; i < COUNT; i++) to.part[i] = function(from.part[i]);                       \
        return to.all;                                                                             \
    }
#define LANES_BINARY(name, piece, function)                                                        \
    static inline lanes_real LANES_NAME(name)(lanes_real x, lanes_real y) {                        \
        enum { COUNT = sizeof(lanes_real) / sizeof(piece) };                                       \
        union {                                                                                    \
            lanes_real all;                                                                        \
            piece part[COUNT];                                                                     \
        } from = {x}, by = {y}, to;                                                                \
        for (int i = 0; i < COUNT; i++) to.part[i] = function(from.part[i], by.part[i]);           \
        return to.all;                                                                             \
    }
#define LANES_UNARY_CALL(name)                                                                     \
    lanes_piece LANES_FUNCTION(name)(lanes_piece) __attribute__((const));                          \
    LANES_UNARY(name, lanes_piece, LANES_FUNCTION(name))
#define LANES_BINARY_CALL(name)                                                                    \
    lanes_piece LANES_FUNCTION(name)(lanes_piece, lanes_piece) __attribute__((const));             \
    LANES_BINARY(name, lanes_piece, LANES_FUNCTION(name))

LANES_UNARY_CALL(acos)
LANES_UNARY_CALL(asin)
LANES_UNARY_CALL(atan)
LANES_UNARY_CALL(cos)
LANES_UNARY_CALL(cosh)
LANES_UNARY_CALL(exp)
LANES_UNARY_CALL(log)
LANES_UNARY_CALL(sin)
LANES_UNARY_CALL(sinh)
LANES_UNARY_CALL(tan)
LANES_UNARY_CALL(tanh)
LANES_BINARY_CALL(atan2)
LANES_BINARY_CALL(pow)

/* Sine and cosine of one argument, faster than two calls. Each may differ from the single function
 * in its last place. */
#ifdef NOE_LANES_LIBM
static inline void LANES_NAME(sincos)(lanes_real x, lanes_real *sine, lanes_real *cosine) {
    *sine = LANES_NAME(sin)(x);
    *cosine = LANES_NAME(cos)(x);
}
#else
struct lanes_two {
    lanes_piece sine, cosine;
};
struct lanes_two LANES_FUNCTION(sincos)(lanes_piece);
static inline void LANES_NAME(sincos)(lanes_real x, lanes_real *sine, lanes_real *cosine) {
    enum { COUNT = sizeof(lanes_real) / sizeof(lanes_piece) };
    union {
        lanes_real all;
        lanes_piece part[COUNT];
    } from = {x}, s, c;
    for (int i = 0; i < COUNT; i++) {
        const struct lanes_two two = LANES_FUNCTION(sincos)(from.part[i]);
        s.part[i] = two.sine;
        c.part[i] = two.cosine;
    }
    *sine = s.all;
    *cosine = c.all;
}
#endif

/* --- Functions that processors have. */

LANES_UNARY(sqrt, noe_scalar, sqrt)
LANES_UNARY(floor, noe_scalar, floor)

/* x y + z, rounded once if the processor fuses multiplication and addition, else twice. */
#ifndef __FMA__
#define LANES_FUSE(x, y, z) ((x) * (y) + (z))
typedef lanes_real lanes_fused;
#elif defined __clang__ /* which has other names for them, and joins lanes by itself */
#define LANES_FUSE __builtin_fma
typedef noe_scalar lanes_fused;
#elif defined __AVX512F__ && LANES_WIDTH % 8 == 0
#define LANES_FUSE(x, y, z) __builtin_ia32_vfmaddpd512_mask(x, y, z, -1, 4)
typedef noe_scalar lanes_fused __attribute__((vector_size(64)));
#elif LANES_WIDTH % 4 == 0
#define LANES_FUSE __builtin_ia32_vfmaddpd256
typedef noe_scalar lanes_fused __attribute__((vector_size(32)));
#elif LANES_WIDTH % 2 == 0
#define LANES_FUSE __builtin_ia32_vfmaddpd
typedef noe_scalar lanes_fused __attribute__((vector_size(16)));
#else
#define LANES_FUSE __builtin_fma
typedef noe_scalar lanes_fused;
#endif
static inline lanes_real LANES_NAME(join)(lanes_real x, lanes_real y, lanes_real z) {
    enum { COUNT = sizeof(lanes_real) / sizeof(lanes_fused) };
    union {
        lanes_real all;
        lanes_fused part[COUNT];
    } from = {x}, by = {y}, to = {z};
    for (int i = 0; i < COUNT; i++) to.part[i] = LANES_FUSE(from.part[i], by.part[i], to.part[i]);
    return to.all;
}

/* The sign is the first bit; lane by lane, numbers would go through memory. */
static inline lanes_real LANES_NAME(abs)(lanes_real x) {
#if LANES_WIDTH > 1
    return (lanes_real)((lanes_mask)x & 0x7fffffffffffffff);
#else
    return fabs(x);
#endif
}

/* --- Powers with exponents in halves, -7 <= halves <= 1: x^(halves/2), a constant of the text. */

static inline lanes_real lanes_root_and_quotient(lanes_real x, int halves) {
    lanes_real power = halves % 2 ? LANES_NAME(sqrt)(x) : x;
    if (halves == 1) return power;
    if (halves == -1) return 1 / power;
    if (halves % 2 == 0) {
        for (int h = halves; h < -2; h += 2) power *= x;
        return 1 / power;
    }
    const lanes_real inverse = 1 / x;
    for (int h = halves; h < 0; h += 2) power *= inverse;
    return power;
}

#if defined __AVX512DQ__ && defined __AVX512VL__ && defined __FMA__
#if LANES_WIDTH == 8
typedef lanes_real lanes_packed;
#define LANES_MASKED(name) __builtin_ia32_##name##512_mask
#elif LANES_WIDTH == 4
typedef lanes_real lanes_packed;
#define LANES_MASKED(name) __builtin_ia32_##name##256_mask
#else
typedef noe_scalar lanes_packed __attribute__((vector_size(16)));
#define LANES_MASKED(name) __builtin_ia32_##name##128_mask
#endif
#if LANES_WIDTH == 1
static inline lanes_packed lanes_pack(lanes_real x) { return (lanes_packed){x, x}; }
static inline lanes_real lanes_unpack(lanes_packed x) { return x[0]; }
#else
static inline lanes_packed lanes_pack(lanes_real x) { return x; }
static inline lanes_real lanes_unpack(lanes_packed x) { return x; }
#endif

/* x^(-1/2) with an error of less than 2^-14. */
static inline lanes_real lanes_seed(lanes_real x) {
    return lanes_unpack(LANES_MASKED(rsqrt14pd)(lanes_pack(x), lanes_pack(x), -1));
}

/* True if a number is not positive and normal. */
static inline int lanes_any_odd(lanes_real x) {
    return LANES_MASKED(fpclasspd)(lanes_pack(x), 0xff, -1) != 0;
}

/* With y near x^(-1/2) and e = 1 - x y^2, |e| < 2^-13, x^(-k/2) is y^k (1 - e)^(-k/2), or
 *     y^k (1 + e (c1 + e (c2 + e (c3 + e c4)))),    c_j = (k/2 + j - 1 over j),
 * in much less time than a root and a division take. For k = 3, of which there may be many, e^4 is
 * b e^2 to within 2^-54.5. y has 17 bits, so that y^2 and y^3 are exact. Errors are at most 0.51
 * units in the last place for x^(1/2), x^(-1/2) and 1/x, 2.5 for x^(-3/2) and 3 for the others; by
 * root and division they would be 3.5 for x^(-3/2) and 6 for x^(-7/2). y, and with it the last
 * bits, is the processor's.
 *
 * Where y^2 or y^k is out of range, k = 3, 5, 7 give what root and division give, infinity of
 * either sign for the least x, but NaN for 0 and infinity; the others have it by those. */
static inline __attribute__((always_inline)) lanes_real LANES_NAME(half_power)(lanes_real x,
                                                                               int halves) {
    const int k = halves == 1 ? 1 : -halves;
    const noe_scalar c1 = k / 2., c2 = c1 * (k + 2) / 4, c3 = c2 * (k + 4) / 6,
                     c4 = c3 * (k + 6) / 8, b = 0x1.a8p-27; /* 2 (2^(1/2) - 1) 2^-26 */
    const lanes_real one = LANES_NAME(of)(1), y = lanes_seed(x), y2 = y * y;
    const lanes_real e = LANES_NAME(join)(-x, y2, one);
    lanes_real series = LANES_NAME(of)(c3);
    if (k != 3) series = LANES_NAME(join)(e, LANES_NAME(of)(c4), series);
    series = LANES_NAME(join)(e, series, LANES_NAME(of)(k == 3 ? c2 + b * c4 : c2));
    series = LANES_NAME(join)(e, series, LANES_NAME(of)(c1));
    lanes_real yk = k % 2 ? y : y2;
    for (int j = k; j > 2; j -= 2) yk *= y2;
    if (k > 1 && k % 2) return LANES_NAME(abs)(yk * LANES_NAME(join)(e, series, one));
    lanes_real power = LANES_NAME(join)(yk * e, series, yk);
    if (halves == 1) { /* u = x x^(-1/2), and Newton's step to x = u^2 */
        const lanes_real u = x * power;
        power = LANES_NAME(join)(LANES_NAME(join)(-u, u, x), 0.5 * power, u);
    }
    const lanes_real farthest = k == 1 ? y2 : yk;
    if (__builtin_expect(!lanes_any_odd(farthest), 1)) return power;
    const lanes_mask is_normal = (farthest >= 0x1p-1022) & (farthest <= 0x1.fffffffffffffp1023);
    return lanes_select(is_normal, power, lanes_root_and_quotient(x, halves));
}
#else
static inline lanes_real LANES_NAME(half_power)(lanes_real x, int halves) {
    return lanes_root_and_quotient(x, halves);
}
#endif

/* --- Choices. */

static inline lanes_real LANES_NAME(min)(lanes_real x, lanes_real y) {
    return lanes_select(x <= y, x, lanes_select(y <= x, y, x + y));
}
static inline lanes_real LANES_NAME(max)(lanes_real x, lanes_real y) {
    return lanes_select(x >= y, x, lanes_select(y >= x, y, x + y));
}
static inline lanes_real LANES_NAME(sign)(lanes_real x) {
    const lanes_real one = LANES_NAME(of)(1);
    return lanes_select(x > 0, one, lanes_select(x < 0, -one, x));
}
static inline lanes_real LANES_NAME(step_at)(lanes_real x) {
    const lanes_real zero = {0}, one = LANES_NAME(of)(1);
    return lanes_select(x >= 0, one, lanes_select(x < 0, zero, x));
}

#endif
