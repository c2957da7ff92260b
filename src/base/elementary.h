/* Constants and elementary functions of the number type, under one name in every precision.
 * Compiled models call these functions. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_ELEMENTARY_H
#define BASE_ELEMENTARY_H

#include <math.h>

#include "noether_system.h"

#ifdef NOE_QUAD
#define NOE_REAL_NAME  "quad"
#define NOE_EPSILON    1.92592994438723585305597794258492732e-34Q
#define NOE_DIGITS     36 /* significant decimals that identify a number */
#define NOE_MATH(name) name##q
__float128 acosq(__float128), asinq(__float128), atanq(__float128), cosq(__float128),
    coshq(__float128), expq(__float128), fabsq(__float128), floorq(__float128), logq(__float128),
    sinq(__float128), sinhq(__float128), sqrtq(__float128), tanq(__float128), tanhq(__float128);
__float128 atan2q(__float128, __float128), powq(__float128, __float128);
#else
#define NOE_REAL_NAME  "double"
#define NOE_EPSILON    2.220446049250313e-16
#define NOE_DIGITS     17
#define NOE_MATH(name) name
#endif

#ifndef NOE_LANES /* else base/lane_functions.h defines the functions */
static inline noe_real noe_acos(noe_real x) { return NOE_MATH(acos)(x); }
static inline noe_real noe_asin(noe_real x) { return NOE_MATH(asin)(x); }
static inline noe_real noe_atan(noe_real x) { return NOE_MATH(atan)(x); }
static inline noe_real noe_cos(noe_real x) { return NOE_MATH(cos)(x); }
static inline noe_real noe_cosh(noe_real x) { return NOE_MATH(cosh)(x); }
static inline noe_real noe_exp(noe_real x) { return NOE_MATH(exp)(x); }
static inline noe_real noe_log(noe_real x) { return NOE_MATH(log)(x); }
static inline noe_real noe_sin(noe_real x) { return NOE_MATH(sin)(x); }
static inline noe_real noe_sinh(noe_real x) { return NOE_MATH(sinh)(x); }
static inline noe_real noe_sqrt(noe_real x) { return NOE_MATH(sqrt)(x); }
static inline noe_real noe_tan(noe_real x) { return NOE_MATH(tan)(x); }
static inline noe_real noe_tanh(noe_real x) { return NOE_MATH(tanh)(x); }
static inline noe_real noe_abs(noe_real x) { return NOE_MATH(fabs)(x); }
static inline noe_real noe_floor(noe_real x) { return NOE_MATH(floor)(x); }
static inline noe_real noe_atan2(noe_real y, noe_real x) { return NOE_MATH(atan2)(y, x); }
static inline noe_real noe_pow(noe_real x, noe_real y) { return NOE_MATH(pow)(x, y); }

/* The smaller and the larger of two numbers; NaN in either argument gives NaN. */
static inline noe_real noe_min(noe_real x, noe_real y) { return x <= y ? x : y <= x ? y : x + y; }
static inline noe_real noe_max(noe_real x, noe_real y) { return x >= y ? x : y >= x ? y : x + y; }

/* Derivative of abs, and the step function that derivatives of min and max need (1 for x >= 0). */
static inline noe_real noe_sign(noe_real x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
static inline noe_real noe_step_at(noe_real x) { return x >= 0 ? 1 : x < 0 ? 0 : x; }
#endif

#endif
