/* Rotations of three-space and their retractions.
 *
 * With t = x.x every tau here is a turn about x,
 *     tau(x) = I + c1 x^ + c2 x^^2,   c1^2 = 2 c2 - c2^2 t,
 * or the unit quaternion (w, s x) with c1 = 2 w s, c2 = 2 s^2. So tau(-x) = tau(x)^-1, and the left
 * trivialised tangent, tau(x)^-1 D tau(x).y = (T(x) y)^, and its inverse are
 *     T = c1 I - c2 x^ + c3 x x^T,    c3 = (2 c2' + c2^2)/c1,
 *     T^-1 = a1 I + x^/2 + a3 x x^T,  a1 = c1/(2 c2),
 * with ' = d/dt (Bou-Rabee, 2007, 5.4). At -x they are their duals, and the right trivialised ones.
 *
 *          angle           c1              c2          c3           a1              a3       for
 *     exp  |x|             s1(t)           s2(t)       s3(t)        s0/s1 (t/4)     *        2 pi
 *     cay  2 atan(|x|/2)   4/(4+t)         2/(4+t)     0            1               1/4      any
 *     new  2 asin(|x|/2)   r               1/2         1/(4r)       r               0        2
 *     skew asin(|x|)       1               1/(1+r)     1/(r(1+r))   (1+r)/2         -c2/2    1
 *     half 4 atan(|x|/4)   16(16-t)/(16+t)^2  128/(16+t)^2  32/(16+t)^2  1-t/16     1/8      any
 *
 * r = sqrt(1-t/4) in new, sqrt(1-t) in skew; * = (s2-s3)/(4 s1) at t/4; the last column is the
 * limit of |x|. `half` is the Cayley map of the unit quaternions. `new` conserves the energy of the
 * free body; `skew` makes x the skew part of tau(x). Beyond their limit new and skew are NaN. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_SO3_RETRACTION_H
#define SPACES_SO3_RETRACTION_H

#include "spaces/hat_matrix.h"
#include "spaces/stumpff.h"

/* The first four in the order of NOE_RETRACTIONS. The last is `new`, and differs from it on poses:
 * spaces/se3_retraction.h. */
enum so3_retraction_kind { SO3_CAY, SO3_EXP, SO3_CHORD, SO3_SKEW, SO3_HALF, SE3_SHIFT };

static inline struct hat_matrix so3_tangent_cay(real t) {
    const real k = 2 / (4 + t), k2 = k * k;
    const struct hat_matrix T = {.f = {2 * k, -k2, k * k2, -1.5 * k2 * k2},
                                 .g = {-k, k2 / 2, -k * k2 / 2, 0.75 * k2 * k2}};
    return T;
}

static inline struct hat_matrix so3_tangent_exp(real t) {
    const struct stumpff s = stumpff(t), first = stumpff_derivative(&s),
                         second = stumpff_derivative(&first), third = stumpff_derivative(&second);
    const struct hat_matrix T = {.f = {s.s[1], first.s[1], second.s[1], third.s[1]},
                                 .g = {-s.s[2], -first.s[2], -second.s[2], -third.s[2]},
                                 .k = {s.s[3], first.s[3], second.s[3], third.s[3]}};
    return T;
}

static inline struct hat_matrix so3_tangent_chord(real t) {
    const real r = noe_sqrt(1 - t / 4), u = 1 / r, u2 = u * u;
    const struct hat_matrix T = {
        .f = {r, -u / 8, -u * u2 / 64, -3 * u * u2 * u2 / 512},
        .g = {real_broadcast(-0.5)},
        .k = {u / 4, u * u2 / 32, 3 * u * u2 * u2 / 256, 15 * u * u2 * u2 * u2 / 2048}};
    return T;
}

/* c2 (1+r) = 1 and c3 = c2/r, differentiated. */
static inline struct hat_matrix so3_tangent_skew(real t) {
    const real r = noe_sqrt(1 - t), u = 1 / r, u3 = u * u * u, u5 = u3 * u * u, u7 = u5 * u * u;
    const real r1 = -u / 2, r2 = -u3 / 4, r3 = -0.375 * u5;
    const real v1 = u3 / 2, v2 = 0.75 * u5, v3 = 1.875 * u7; /* derivatives of u */
    const real c = 1 / (1 + r), c1 = -(r1 * c) * c, c2 = -(r2 * c + 2 * r1 * c1) * c,
               c3 = -(r3 * c + 3 * r2 * c1 + 3 * r1 * c2) * c;
    const struct hat_matrix T = {.f = {real_broadcast(1)},
                                 .g = {-c, -c1, -c2, -c3},
                                 .k = {u * c, v1 * c + u * c1, v2 * c + 2 * v1 * c1 + u * c2,
                                       v3 * c + 3 * v2 * c1 + 3 * v1 * c2 + u * c3}};
    return T;
}

/* z = 1/(16+t): c1 = 512 z^2 - 16 z. */
static inline struct hat_matrix so3_tangent_half(real t) {
    const real z = 1 / (16 + t), z2 = z * z, z3 = z * z2, z4 = z2 * z2, z5 = z2 * z3;
    const struct hat_matrix T = {
        .f = {16 * (16 - t) * z2, 16 * z2 - 1024 * z3, 3072 * z4 - 32 * z3, 96 * z4 - 12288 * z5},
        .g = {-128 * z2, 256 * z3, -768 * z4, 3072 * z5},
        .k = {32 * z2, -64 * z3, 192 * z4, -768 * z5}};
    return T;
}

/* T, as a function of t. */
static inline struct hat_matrix so3_tangent(int kind, real t) {
    switch (kind) {
    case SO3_EXP: return so3_tangent_exp(t);
    case SO3_CHORD:
    case SE3_SHIFT: return so3_tangent_chord(t);
    case SO3_SKEW: return so3_tangent_skew(t);
    case SO3_HALF: return so3_tangent_half(t);
    default: return so3_tangent_cay(t);
    }
}

/* N/s for given derivatives of N and s up to the second. */
static inline void so3_quotient(real *a, const real *N, const real *s) {
    const real inverse = 1 / s[0];
    a[0] = N[0] * inverse;
    a[1] = (N[1] - a[0] * s[1]) * inverse;
    a[2] = (N[2] - 2 * a[1] * s[1] - a[0] * s[2]) * inverse;
}

static inline struct hat_matrix so3_inverse_exp(real t) {
    const struct stumpff s = stumpff(t / 4), first = stumpff_derivative(&s),
                         second = stumpff_derivative(&first);
    const real below[3] = {s.s[1], first.s[1] / 4, second.s[1] / 16};
    const real f[3] = {s.s[0], first.s[0] / 4, second.s[0] / 16};
    const real k[3] = {(s.s[2] - s.s[3]) / 4, (first.s[2] - first.s[3]) / 16,
                       (second.s[2] - second.s[3]) / 64};
    struct hat_matrix A = {.g = {real_broadcast(0.5)}};
    so3_quotient(A.f, f, below);
    so3_quotient(A.k, k, below);
    return A;
}

/* T^-1, as a function of t, with derivatives up to the second. */
static inline struct hat_matrix so3_inverse(int kind, real t) {
    struct hat_matrix A = {
        .f = {real_broadcast(1)}, .g = {real_broadcast(0.5)}, .k = {real_broadcast(0.25)}};
    if (kind == SO3_EXP) return so3_inverse_exp(t);
    if (kind == SO3_CHORD || kind == SE3_SHIFT) {
        const struct hat_matrix T = so3_tangent_chord(t);
        for (int i = 0; i < 3; i++) A.f[i] = T.f[i];
        A.k[0] = real_broadcast(0);
    }
    if (kind == SO3_SKEW) {
        const struct hat_matrix T = so3_tangent_skew(t);
        const real u = T.k[0] / -T.g[0]; /* 1/r */
        A.f[0] = (1 + 1 / u) / 2;
        A.f[1] = -u / 4;
        A.f[2] = -u * u * u / 8;
        for (int i = 0; i < 3; i++) A.k[i] = T.g[i] / 2;
    }
    if (kind == SO3_HALF) {
        A.f[0] = 1 - t / 16;
        A.f[1] = real_broadcast(-0.0625);
        A.k[0] = real_broadcast(0.125);
    }
    return A;
}

/* Matrices of the tangent and their derivatives, as struct noe_space has them. */
static inline void so3_dtau(int kind, real *T, const real *x) {
    const struct hat_matrix A = so3_tangent(kind, vec3_dot(x, x));
    vec3_zero(T);
    hat_matrix_add_matrix(T, &A, x);
}

static inline void so3_dtau_inverse(int kind, real *T_inverse, const real *x) {
    const struct hat_matrix A = so3_inverse(kind, vec3_dot(x, x));
    vec3_zero(T_inverse);
    hat_matrix_add_matrix(T_inverse, &A, x);
}

static inline void so3_dtau_derivative(int kind, real *slope, const real *x, const real *y) {
    const struct hat_matrix A = so3_tangent(kind, vec3_dot(x, x));
    vec3_zero(slope);
    hat_matrix_add_slope(slope, &A, x, y);
}

static inline void so3_dtau_dual_derivative(int kind, real *slope, const real *x, const real *m) {
    const struct hat_matrix A = hat_matrix_transposed(so3_tangent(kind, vec3_dot(x, x)));
    vec3_zero(slope);
    hat_matrix_add_slope(slope, &A, x, m);
}

static inline void so3_dtau_inverse_derivative(int kind, real *slope, const real *x,
                                               const real *y) {
    const struct hat_matrix A = so3_inverse(kind, vec3_dot(x, x));
    vec3_zero(slope);
    hat_matrix_add_slope(slope, &A, x, y);
}

static inline void so3_dtau_inverse_dual_derivative(int kind, real *slope, const real *x,
                                                    const real *m) {
    const struct hat_matrix A = hat_matrix_transposed(so3_inverse(kind, vec3_dot(x, x)));
    vec3_zero(slope);
    hat_matrix_add_slope(slope, &A, x, m);
}

static inline void so3_dtau_hessian(int kind, real *hessian, const real *x, const real *y,
                                    const real *m) {
    const struct hat_matrix A = so3_tangent(kind, vec3_dot(x, x));
    vec3_zero(hessian);
    hat_matrix_add_hessian(hessian, &A, x, y, m);
}

/* |x| beyond which there is no retraction; 0: no limit. */
static inline scalar so3_limit(int kind) {
    switch (kind) {
    case SO3_EXP: return STUMPFF_NUMBER(6.28318530717958647692528676655900577);
    case SO3_CHORD:
    case SE3_SHIFT: return 2;
    case SO3_SKEW: return 1;
    default: return 0;
    }
}

/* |x| in units of its limit: below 1 in the domain. */
static inline real so3_load(int kind, const real *x) {
    const scalar limit = so3_limit(kind);
    return limit > 0 ? noe_sqrt(vec3_dot(x, x)) / limit : 0 * x[0];
}

/* K = tau(x) - I, without cancellation. True if x is in the domain. */
static inline mask so3_change(int kind, real *K, const real *x) {
    const real t = vec3_dot(x, x);
    const struct hat_matrix T = so3_tangent(kind, t);
    const scalar limit = so3_limit(kind);
    const real c1 = T.f[0], c2 = -T.g[0];
    const real a = c1 * x[0], b = c1 * x[1], c = c1 * x[2];
    const real ab = c2 * x[0] * x[1], bc = c2 * x[1] * x[2], ca = c2 * x[2] * x[0];
    const real aa = c2 * x[0] * x[0], bb = c2 * x[1] * x[1], cc = c2 * x[2] * x[2];
    K[0] = -(bb + cc);
    K[1] = ab - c;
    K[2] = ca + b;
    K[3] = ab + c;
    K[4] = -(aa + cc);
    K[5] = bc - a;
    K[6] = ca - b;
    K[7] = bc + a;
    K[8] = -(aa + bb);
    return limit > 0 ? t < limit * limit : t == t;
}

/* R = tau(x). */
static inline mask so3_matrix(int kind, real *R, const real *x) {
    const mask is_inside = so3_change(kind, R, x);
    vec3_add_identity(R, real_broadcast(1));
    return is_inside;
}

/* Ad of tau(x) is tau(x). */
static inline void so3_adjoint(int kind, real *Ad, const real *x) { so3_matrix(kind, Ad, x); }

/* dm = cay(2y)^T m - m = f (y cross (y cross m) - y cross m) with f = 2/(1 + y.y). */
REAL_INLINE void so3_cayley_change(real *restrict dm, const real *y, const real *m) {
    const real late =
        2 / (1 + vec3_dot(y, y)); /* the division has a long latency, so its result is used last */
    real once[3], twice[3];
    vec3_cross(once, y, m);
    vec3_cross(twice, y, once);
    for (int i = 0; i < 3; i++) dm[i] = late * (twice[i] - once[i]);
}

/* dm = tau(x)^T m - m. */
REAL_INLINE void so3_coadjoint_change(int kind, real *dm, const real *x, const real *m) {
    const real old[3] = {m[0], m[1], m[2]}, y[3] = {x[0] / 2, x[1] / 2, x[2] / 2};
    real K[9];
    if (kind == SO3_CAY) {
        so3_cayley_change(dm, y, old);
        return;
    }
    so3_change(kind, K, x);
    vec3_apply_transposed(dm, K, old);
}

/* B x = m cross x = ad_x^T m. */
static inline void so3_poisson(real *B, const real *m) {
    vec3_zero(B);
    vec3_add_hat(B, real_broadcast(1), m);
}

/* m <- y with y - ad_x^T y/2 = m: y + x cross y/2 = m. */
static inline void so3_half_turn(real *m, const real *x) {
    const real scale = 1 / (1 + vec3_dot(x, x) / 4), along = vec3_dot(x, m) / 4;
    real turned[3];
    vec3_cross(turned, x, m);
    for (int i = 0; i < 3; i++) m[i] = scale * (m[i] - turned[i] / 2 + along * x[i]);
}

/* z = x y, quaternions; z is neither. */
REAL_INLINE void so3_quaternion_product(real *restrict z, const real *x, const real *y) {
    z[0] = x[0] * y[0] - x[1] * y[1] - x[2] * y[2] - x[3] * y[3];
    z[1] = x[0] * y[1] + x[1] * y[0] + x[2] * y[3] - x[3] * y[2];
    z[2] = x[0] * y[2] + x[2] * y[0] + x[3] * y[1] - x[1] * y[3];
    z[3] = x[0] * y[3] + x[3] * y[0] + x[1] * y[2] - x[2] * y[1];
}

/* q = tau(x) as a unit quaternion less 1: (w-1, s x) without cancellation. */
static inline mask so3_quaternion_change(int kind, real *q, const real *x) {
    const real t = vec3_dot(x, x);
    const scalar limit = so3_limit(kind);
    real s, w;
    if (kind == SO3_EXP) {
        const struct stumpff half = stumpff(t / 4);
        s = half.s[1] / 2;
        w = -t / 4 * half.s[2];
    } else if (kind == SO3_HALF) {
        s = 8 / (16 + t);
        w = -t * s / 4;
    } else {
        const real square = -so3_tangent(kind, t).g[0] / 2;
        s = noe_sqrt(square);
        w = -square * t / (1 + noe_sqrt(1 - square * t));
    }
    q[0] = w;
    for (int i = 0; i < 3; i++) q[1 + i] = s * x[i];
    return limit > 0 ? t < limit * limit : t == t;
}

/* q = tau(x) as a unit quaternion, real part first. */
static inline mask so3_quaternion(int kind, real *q, const real *x) {
    const mask is_inside = so3_quaternion_change(kind, q, x);
    q[0] += 1;
    return is_inside;
}

/* x with tau(x) = q, a unit quaternion. False if there is none. */
static inline mask so3_vector(int kind, real *x, const real *q) {
    const real w = q[0], square = vec3_dot(q + 1, q + 1);
    const mask is_tiny = square < 1e-60; /* the angle over its sine is then 1 */
    mask is_inside = square == square;
    real factor = real_broadcast(2); /* new */
    if (kind == SO3_CAY) {
        is_inside = w > 0;
        factor = 2 / w;
    } else if (kind == SO3_EXP) {
        const real sine = noe_sqrt(real_select(is_tiny, real_broadcast(1), square));
        factor = real_select(is_tiny, real_broadcast(2), 2 * noe_atan2(sine, w) / sine);
        is_inside = mask_not(is_tiny) | (w > 0);
    } else if (kind == SO3_CHORD) {
        is_inside = w > 0;
    } else if (kind == SO3_SKEW) {
        is_inside = w * w > 0.5;
        factor = 2 * w;
    } else {
        is_inside = w > -1;
        factor = 4 / (1 + w);
    }
    for (int i = 0; i < 3; i++) x[i] = factor * q[1 + i];
    return is_inside;
}

/* R = the rotation of a quaternion q of any norm, with two = 2/|q|^2, which is used last because a
 * division has a long latency. */
REAL_INLINE void so3_along_quaternion(real *R, const real *q, real two) {
    const real wa = q[0] * q[1], wb = q[0] * q[2], wc = q[0] * q[3];
    const real aa = q[1] * q[1], bb = q[2] * q[2], cc = q[3] * q[3];
    const real ab = q[1] * q[2], bc = q[2] * q[3], ca = q[3] * q[1];
    R[0] = 1 - two * (bb + cc);
    R[1] = two * (ab - wc);
    R[2] = two * (ca + wb);
    R[3] = two * (ab + wc);
    R[4] = 1 - two * (aa + cc);
    R[5] = two * (bc - wa);
    R[6] = two * (ca - wb);
    R[7] = two * (bc + wa);
    R[8] = 1 - two * (aa + bb);
}

/* R = the rotation of the unit quaternion q. */
static inline void so3_of_quaternion(real *R, const real *q) {
    so3_along_quaternion(R, q, real_broadcast(2));
}

/* q = the unit quaternion of the rotation R, with a real part that is not negative; from the
 * largest of its squares (Shepperd, 1978). */
static inline void so3_to_quaternion(real *q, const real *R) {
    const real trace = R[0] + R[4] + R[8];
    const real squares[4] = {1 + trace, 1 + 2 * R[0] - trace, 1 + 2 * R[4] - trace,
                             1 + 2 * R[8] - trace}; /* four times */
    const real a = R[7] - R[5], b = R[2] - R[6], c = R[3] - R[1];
    const real ab = R[1] + R[3], bc = R[5] + R[7], ca = R[2] + R[6];
    const real rows[4][4] = {{squares[0], a, b, c},
                             {a, squares[1], ab, ca},
                             {b, ab, squares[2], bc},
                             {c, ca, bc, squares[3]}}; /* each is 4 q_i q */
    real largest = squares[0];
    for (int j = 0; j < 4; j++) q[j] = rows[0][j];
    for (int i = 1; i < 4; i++) {
        const mask is_larger = squares[i] > largest;
        largest = real_select(is_larger, squares[i], largest);
        for (int j = 0; j < 4; j++) q[j] = real_select(is_larger, rows[i][j], q[j]);
    }
    const real scale = 0.5 / noe_sqrt(largest);
    const real factor = real_select(q[0] < 0, -scale, scale);
    for (int j = 0; j < 4; j++) q[j] *= factor;
}

/* x with tau(x) = R. False if there is none. */
static inline mask so3_vector_of(int kind, real *x, const real *R) {
    real q[4];
    so3_to_quaternion(q, R);
    return so3_vector(kind, x, q);
}

/* R1 = R0 tau(x). The exact element is the small rotation carry0 of space times R0, likewise carry1
 * and R1.
 *
 * Rounding moves a matrix off the group and along it. The error off the group is removed in the
 * next step: the first row of R0 is scaled, the second is made orthogonal to it and scaled, to
 * first order, and the third is their cross product. This multiplies R0 from the left, so it acts
 * on R0 tau(x) as well, and the defect stays at round-off level. The error along the group is
 * carried: the round-off of the sum R0 + R0 (tau - I) in the first two rows, as a rotation. So the
 * error of a step is that of tau - I, a fraction |x| of the rounding error of R. */
static inline void so3_matrix_advance(int kind, real *R1, real *carry1, const real *R0,
                                      const real *carry0, const real *x) {
    const real first = (1 - vec3_dot(R0, R0)) / 2, second = (1 - vec3_dot(R0 + 3, R0 + 3)) / 2,
               mixed = carry0[2] - vec3_dot(R0, R0 + 3);
    real K[9], D[6], R[9], lost[6];
    so3_change(kind, K, x);
    vec3_apply_transposed(D, K, R0);
    vec3_apply_transposed(D + 3, K, R0 + 3);
    for (int i = 0; i < 3; i++) {
        const real a = R0[i] + D[i], b = R0[3 + i] + D[3 + i], c = R0[6 + i];
        D[i] += first * a - carry0[2] * b + carry0[1] * c;
        D[3 + i] += mixed * a + second * b - carry0[0] * c;
        R[i] = R0[i] + D[i];
        R[3 + i] = R0[3 + i] + D[3 + i];
        lost[i] = D[i] - (R[i] - R0[i]);
        lost[3 + i] = D[3 + i] - (R[3 + i] - R0[3 + i]);
    }
    vec3_cross(R + 6, R, R + 3);
    carry1[0] = -vec3_dot(lost + 3, R + 6);
    carry1[1] = vec3_dot(lost, R + 6);
    carry1[2] = -vec3_dot(lost, R + 3);
    for (int i = 0; i < 9; i++) R1[i] = R[i];
}

/* Largest entry of R^T R - I; 2 or more for a reflection. */
static inline real so3_defect(const real *R) {
    real product[9], third[3];
    vec3_zero(product);
    for (int i = 0; i < 3; i++) vec3_add_outer(product, real_broadcast(1), R + 3 * i, R + 3 * i);
    vec3_add_identity(product, real_broadcast(-1));
    vec3_cross(third, R, R + 3);
    const real mirrored =
        real_select(vec3_dot(third, R + 6) > 0, real_broadcast(0), real_broadcast(2));
    return real_norm(9, product) + mirrored;
}

/* C = G + 3 G^2/2 if `is_large`, for a symmetric G; else C = G. */
REAL_INLINE void so3_polar(real *C, const real *G, mask is_large) {
    for (int i = 0; i < 9; i++) C[i] = G[i];
    if (!mask_any(is_large)) return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const real second = 1.5 * vec3_dot(G + 3 * i, G + 3 * j);
            C[3 * i + j] = real_select(is_large, G[3 * i + j] + second, G[3 * i + j]);
        }
}

/* The nearest rotation, for a defect well below 1: R <- R (I + G + 3 G^2/2), G = (I - R^T R)/2, the
 * series of the polar factor, which leaves a defect of the size of G^3. Repeats until that is below
 * round-off, and omits G^2 if it is. */
REAL_INLINE void so3_project(real *R) {
    const scalar unit = NOE_EPSILON / 16;
    mask is_going = mask_broadcast(true);
    for (int pass = 0; pass < 8 && mask_any(is_going); pass++) {
        real G[9], C[9], change[9];
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) {
                const real sum = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
                G[3 * i + j] = G[3 * j + i] = i == j ? 0.5 - 0.5 * sum : -0.5 * sum;
            }
        const real square = (G[0] * G[0] + G[4] * G[4] + G[8] * G[8]) +
                            2 * (G[1] * G[1] + G[2] * G[2] + G[5] * G[5]);
        is_going &= mask_not(square <= 64 * unit * unit);
        if (!mask_any(is_going)) return;
        so3_polar(C, G, mask_not(square <= unit));
        vec3_multiply(change, R, C);
        for (int i = 0; i < 9; i++) R[i] = real_select(is_going, R[i] + change[i], R[i]);
        is_going &= mask_not(square * square * square <= unit * unit);
    }
}

/* Rows of struct noe_frame: row i of R s^ is (row i of R) cross s. */
#define SO3_FRAME                                                                                  \
    {1, 0, 2, 1}, {2, 0, 1, -1}, {0, 1, 2, -1}, {2, 1, 0, 1}, {0, 2, 1, 1}, {1, 2, 0, -1},         \
        {4, 0, 5, 1}, {5, 0, 4, -1}, {3, 1, 5, -1}, {5, 1, 3, 1}, {3, 2, 4, 1}, {4, 2, 3, -1},     \
        {7, 0, 8, 1}, {8, 0, 7, -1}, {6, 1, 8, -1}, {8, 1, 6, 1}, {6, 2, 7, 1}, {                  \
        7, 2, 6, -1                                                                                \
    }

#endif
