/* Rigid poses g = (R, p) and their retractions.
 *
 * A point is R row by row, then p in space; a tangent is (w, v): body angular velocity, then body
 * linear velocity, g' = g (w^, v), that is R' = R w^, p' = R v. A momentum is (pi, gamma) in the
 * same order. With (w, v) the increment of a step,
 *     tau(w, v) = (tau(w), K(w) v),    tau(-x) = tau(x)^-1,
 *     exp: K = T(w)^T,    others: K = (I + tau(w))/2.
 * The Cayley map is that of the 4 x 4 matrices. The exponential on poses is the one on rotations in
 * dual numbers w + e v, e^2 = 0, and so are its tangent and all derivatives. For the others
 *     T y = (T y1, K^T y2 + (T y1) cross v/2),    T^T m = (T^T (m1 + v cross m2/2), K m2),
 *     T^-1 y = (T^-1 y1, D (y2 - y1 cross v/2)),  T^-T m = (T^-T m1 - v cross d/2, d), d = D^T m2,
 * with T of the rotation on the right and D = K^-T = I + w^/(2 a1). Limits are those of the
 * rotation.
 *
 * One more, `shift`, moves the position with the old rotation: (tau(w), v) with tau = new. There
 * tau(-x) is not tau(x)^-1, and what holds for the others does not: T y = (T y1, tau(w)^T y2), and
 * what else it has is se3_shift_dual. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_SE3_RETRACTION_H
#define SPACES_SE3_RETRACTION_H

#include "base/compensated_sum.h"
#include "spaces/so3_retraction.h"

enum { POSE_TANGENT = 6, POSE_POINT = 12 };

/* M (6 x 6) from its four 3 x 3 blocks; NULL is zero. */
static inline void se3_blocks(real *M, const real *A, const real *B, const real *C, const real *D) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            M[6 * i + j] = A[3 * i + j];
            M[6 * i + 3 + j] = B ? B[3 * i + j] : real_broadcast(0);
            M[6 * (3 + i) + j] = C ? C[3 * i + j] : real_broadcast(0);
            M[6 * (3 + i) + 3 + j] = D ? D[3 * i + j] : real_broadcast(0);
        }
}

/* K = (I + tau)/2 from the tangent T of tau; tau = (1 - c2 t) I + c1 w^ + c2 w w^T. */
static inline struct hat_matrix se3_half(const struct hat_matrix *T, real t) {
    struct hat_matrix K;
    for (int i = 0; i < HAT_MATRIX_ORDERS; i++) {
        const real below = i ? (scalar)i * T->g[i - 1] : real_broadcast(2);
        K.f[i] = (below + t * T->g[i]) / 2;
        K.g[i] = T->f[i] / 2;
        K.k[i] = -T->g[i] / 2;
    }
    return K;
}

/* D = K^-T, with its first derivative. */
static inline struct hat_matrix se3_half_inverse(int kind, real t) {
    const struct hat_matrix T = so3_inverse(kind, t);
    const real g = 1 / (2 * T.f[0]);
    return (struct hat_matrix){.f = {real_broadcast(1)}, .g = {g, -2 * g * g * T.f[1]}};
}

/* y = K(w) v. */
static inline void se3_arm(int kind, real *y, const real *w, const real *v) {
    const real t = vec3_dot(w, w);
    const struct hat_matrix T = so3_tangent(kind, t);
    const struct hat_matrix K = kind == SO3_EXP     ? hat_matrix_transposed(T)
                                : kind == SE3_SHIFT ? (struct hat_matrix){.f = {real_broadcast(1)}}
                                                    : se3_half(&T, t);
    hat_matrix_apply(y, &K, w, v);
}

/* Solves y = K(w) v for v. */
static inline void se3_arm_inverse(int kind, real *v, const real *w, const real *y) {
    const real t = vec3_dot(w, w);
    const struct hat_matrix A =
        hat_matrix_transposed(kind == SO3_EXP ? so3_inverse_exp(t) : se3_half_inverse(kind, t));
    hat_matrix_apply(v, &A, w, y);
}

/* Ad of tau(x): (w, v) -> (R w, R v + p cross R w) with tau(x) = (R, p). */
static inline void se3_adjoint(int kind, real *Ad, const real *x) {
    real R[9], p[3], pR[9];
    so3_matrix(kind, R, x);
    se3_arm(kind, p, x, x + 3);
    vec3_hat_times(pR, real_broadcast(1), p, R);
    se3_blocks(Ad, R, NULL, pR, R);
}

/* dm = Ad^T m - m, Ad^T (pi, gamma) = (R^T (pi + gamma cross p), R^T gamma). */
static inline void se3_coadjoint_change(int kind, real *dm, const real *x, const real *m) {
    real K[9], p[3], turn[3], about[3], d[6];
    so3_change(kind, K, x);
    se3_arm(kind, p, x, x + 3);
    vec3_cross(turn, m + 3, p);
    for (int i = 0; i < 3; i++) about[i] = m[i] + turn[i];
    vec3_apply_transposed(d, K, about);
    vec3_apply_transposed(d + 3, K, m + 3);
    for (int i = 0; i < 3; i++) dm[i] = turn[i] + d[i];
    for (int i = 3; i < 6; i++) dm[i] = d[i];
}

/* B x = ad_x^T m, ad_(w,v)^T (pi, gamma) = (pi cross w + gamma cross v, gamma cross w). */
static inline void se3_poisson(real *B, const real *m) {
    real pi[9], gamma[9];
    vec3_zero(pi);
    vec3_zero(gamma);
    vec3_add_hat(pi, real_broadcast(1), m);
    vec3_add_hat(gamma, real_broadcast(1), m + 3);
    se3_blocks(B, pi, gamma, gamma, NULL);
}

/* m <- y with y - ad_x^T y/2 = m. */
static inline void se3_half_turn(real *m, const real *x) {
    real turned[3];
    so3_half_turn(m + 3, x);
    vec3_cross(turned, x + 3, m + 3);
    for (int i = 0; i < 3; i++) m[i] -= turned[i] / 2;
    so3_half_turn(m, x);
}

/* dm = (1 - A)^-1 2A m with A m = ad_y^T m: Cayley's map of 2A less 1. For y = (a, b), m = (pi, g)
 * and Y c = a cross c dg = f (Y^2 - Y) g,    s = (2g + dg) cross b,    dpi = s + f (Y^2 - Y) (pi +
 * s/2), with f = 2/(1 + a.a). dm is neither of the others. */
REAL_INLINE void se3_cayley_change(real *restrict dm, const real *y, const real *m) {
    const real f = 2 / (1 + vec3_dot(y, y));
    real once[3], twice[3], sum[3], s[3];
    so3_cayley_change(dm + 3, y, m + 3);
    for (int i = 0; i < 3; i++) sum[i] = 2 * m[3 + i] + dm[3 + i];
    vec3_cross(s, sum, y + 3);
    for (int i = 0; i < 3; i++) sum[i] = m[i] + 0.5 * s[i];
    vec3_cross(once, y, sum);
    vec3_cross(twice, y, once);
    for (int i = 0; i < 3; i++) dm[i] = s[i] + f * (twice[i] - once[i]);
}

/* The derivatives of the exponential, for A the extension of an axial matrix to dual numbers:
 * A itself, (A y)', (A^T m)' and (m.A y)''. */
static inline void se3_exp_matrix(real *M, const struct hat_matrix *A, const real *x) {
    real B[9], C[9];
    vec3_zero(B);
    vec3_zero(C);
    hat_matrix_add_matrix(B, A, x);
    hat_matrix_add_along(C, A, x, x + 3);
    se3_blocks(M, B, NULL, C, B);
}

static inline void se3_exp_derivative(real *M, const struct hat_matrix *A, const real *x,
                                      const real *y) {
    real B[9], C[9];
    vec3_zero(B);
    vec3_zero(C);
    hat_matrix_add_slope(B, A, x, y);
    hat_matrix_add_slope_along(C, A, x, y, x + 3);
    hat_matrix_add_slope(C, A, x, y + 3);
    se3_blocks(M, B, NULL, C, B);
}

static inline void se3_exp_dual_derivative(real *M, const struct hat_matrix *A, const real *x,
                                           const real *m) {
    const struct hat_matrix At = hat_matrix_transposed(*A);
    real B[9], C[9];
    vec3_zero(B);
    vec3_zero(C);
    hat_matrix_add_slope(B, &At, x, m + 3);
    hat_matrix_add_slope_along(C, &At, x, m + 3, x + 3);
    hat_matrix_add_slope(C, &At, x, m);
    se3_blocks(M, C, B, B, NULL);
}

static inline void se3_exp_hessian(real *M, const struct hat_matrix *A, const real *x,
                                   const real *y, const real *m) {
    real B[9], C[9];
    vec3_zero(B);
    vec3_zero(C);
    hat_matrix_add_hessian(C, A, x, y, m);
    hat_matrix_add_hessian(C, A, x, y + 3, m + 3);
    hat_matrix_add_hessian_along(C, A, x, y, m + 3, x + 3);
    hat_matrix_add_hessian(B, A, x, y, m + 3);
    se3_blocks(M, C, B, B, NULL);
}

/* T. */
static inline void se3_dtau(int kind, real *M, const real *x) {
    const real t = vec3_dot(x, x);
    const struct hat_matrix T = so3_tangent(kind, t);
    if (kind == SO3_EXP) {
        se3_exp_matrix(M, &T, x);
        return;
    }
    const struct hat_matrix Kt = hat_matrix_transposed(se3_half(&T, t));
    real A[9], C[9], D[9];
    vec3_zero(A);
    hat_matrix_add_matrix(A, &T, x);
    if (kind == SE3_SHIFT) {
        const real back[3] = {-x[0], -x[1], -x[2]};
        so3_matrix(kind, D, back);
        se3_blocks(M, A, NULL, NULL, D);
        return;
    }
    vec3_hat_times(C, real_broadcast(-0.5), x + 3, A);
    vec3_zero(D);
    hat_matrix_add_matrix(D, &Kt, x);
    se3_blocks(M, A, NULL, C, D);
}

/* T^-1. */
static inline void se3_dtau_inverse(int kind, real *M, const real *x) {
    const real t = vec3_dot(x, x);
    const struct hat_matrix T = so3_inverse(kind, t);
    if (kind == SO3_EXP) {
        se3_exp_matrix(M, &T, x);
        return;
    }
    const struct hat_matrix back = se3_half_inverse(kind, t);
    real A[9], C[9], D[9];
    vec3_zero(A);
    hat_matrix_add_matrix(A, &T, x);
    vec3_zero(D);
    hat_matrix_add_matrix(D, &back, x);
    vec3_times_hat(C, real_broadcast(0.5), D, x + 3);
    se3_blocks(M, A, NULL, C, D);
}

/* (T y)'. */
static inline void se3_dtau_derivative(int kind, real *M, const real *x, const real *y) {
    const real t = vec3_dot(x, x);
    const struct hat_matrix T = so3_tangent(kind, t);
    if (kind == SO3_EXP) {
        se3_exp_derivative(M, &T, x, y);
        return;
    }
    const struct hat_matrix Kt = hat_matrix_transposed(se3_half(&T, t));
    real A[9], C[9], D[9], turned[3];
    vec3_zero(A);
    hat_matrix_add_slope(A, &T, x, y);
    vec3_hat_times(C, real_broadcast(-0.5), x + 3, A);
    hat_matrix_add_slope(C, &Kt, x, y + 3);
    hat_matrix_apply(turned, &T, x, y);
    vec3_zero(D);
    vec3_add_hat(D, real_broadcast(0.5), turned);
    se3_blocks(M, A, NULL, C, D);
}

/* m1 + v cross m2/2. */
static inline void se3_half_moment(real *c, const real *v, const real *m) {
    vec3_cross(c, v, m + 3);
    for (int i = 0; i < 3; i++) c[i] = m[i] + c[i] / 2;
}

/* (T^T m)'. */
static inline void se3_dtau_dual_derivative(int kind, real *M, const real *x, const real *m) {
    const real t = vec3_dot(x, x);
    const struct hat_matrix T = so3_tangent(kind, t);
    if (kind == SO3_EXP) {
        se3_exp_dual_derivative(M, &T, x, m);
        return;
    }
    const struct hat_matrix Tt = hat_matrix_transposed(T), K = se3_half(&T, t);
    real A[9], B[9], C[9], dual[9], c[3];
    se3_half_moment(c, x + 3, m);
    vec3_zero(A);
    hat_matrix_add_slope(A, &Tt, x, c);
    vec3_zero(dual);
    hat_matrix_add_matrix(dual, &Tt, x);
    vec3_times_hat(B, real_broadcast(-0.5), dual, m + 3);
    vec3_zero(C);
    hat_matrix_add_slope(C, &K, x, m + 3);
    se3_blocks(M, A, B, C, NULL);
}

/* (T^-1 y)'. */
static inline void se3_dtau_inverse_derivative(int kind, real *M, const real *x, const real *y) {
    const real t = vec3_dot(x, x);
    const struct hat_matrix T = so3_inverse(kind, t);
    if (kind == SO3_EXP) {
        se3_exp_derivative(M, &T, x, y);
        return;
    }
    const struct hat_matrix back = se3_half_inverse(kind, t);
    real A[9], C[9], D[9], inverse[9], rest[3];
    vec3_zero(A);
    hat_matrix_add_slope(A, &T, x, y);
    vec3_cross(rest, x + 3, y);
    for (int i = 0; i < 3; i++) rest[i] = y[3 + i] + rest[i] / 2;
    vec3_zero(C);
    hat_matrix_add_slope(C, &back, x, rest);
    vec3_zero(inverse);
    hat_matrix_add_matrix(inverse, &back, x);
    vec3_times_hat(D, real_broadcast(-0.5), inverse, y);
    se3_blocks(M, A, NULL, C, D);
}

/* (T^-T m)'. */
static inline void se3_dtau_inverse_dual_derivative(int kind, real *M, const real *x,
                                                    const real *m) {
    const real t = vec3_dot(x, x);
    const struct hat_matrix T = so3_inverse(kind, t);
    if (kind == SO3_EXP) {
        se3_exp_dual_derivative(M, &T, x, m);
        return;
    }
    const struct hat_matrix Tt = hat_matrix_transposed(T),
                            back = hat_matrix_transposed(se3_half_inverse(kind, t));
    real A[9], B[9], C[9], d[3];
    hat_matrix_apply(d, &back, x, m + 3);
    vec3_zero(C);
    hat_matrix_add_slope(C, &back, x, m + 3);
    vec3_hat_times(A, real_broadcast(-0.5), x + 3, C);
    hat_matrix_add_slope(A, &Tt, x, m);
    vec3_zero(B);
    vec3_add_hat(B, real_broadcast(0.5), d);
    se3_blocks(M, A, B, C, NULL);
}

/* (m.T y)'' with m.T y = (m1 + v cross m2/2).T y1 + m2.K^T y2. */
static inline void se3_dtau_hessian(int kind, real *M, const real *x, const real *y,
                                    const real *m) {
    const real t = vec3_dot(x, x);
    const struct hat_matrix T = so3_tangent(kind, t);
    if (kind == SO3_EXP) {
        se3_exp_hessian(M, &T, x, y, m);
        return;
    }
    const struct hat_matrix Kt = hat_matrix_transposed(se3_half(&T, t));
    real A[9], B[9], C[9], slope[9], c[3];
    se3_half_moment(c, x + 3, m);
    vec3_zero(A);
    hat_matrix_add_hessian(A, &T, x, y, c);
    hat_matrix_add_hessian(A, &Kt, x, y + 3, m + 3);
    vec3_zero(slope);
    hat_matrix_add_slope(slope, &T, x, y);
    vec3_hat_times(C, real_broadcast(0.5), m + 3, slope);
    for (int i = 0; i < 9; i++) B[i] = C[3 * (i % 3) + i / 3];
    se3_blocks(M, A, B, C, NULL);
}

/* y = T_R^T m of `shift`, T_R = Ad_tau(x) T the right trivialised tangent: T_R^T m = (T(w) (m1 + m2
 * cross v), m2). Unless `slope` is NULL, also its derivative by x. */
static inline void se3_shift_dual(real *y, real *slope, const real *x, const real *m) {
    const struct hat_matrix T = so3_tangent_chord(vec3_dot(x, x));
    real A[9], B[9], dual[9], c[3];
    vec3_cross(c, m + 3, x + 3);
    for (int i = 0; i < 3; i++) c[i] += m[i];
    hat_matrix_apply(y, &T, x, c);
    for (int i = 3; i < 6; i++) y[i] = m[i];
    if (!slope) return;
    vec3_zero(A);
    hat_matrix_add_slope(A, &T, x, c);
    vec3_zero(dual);
    hat_matrix_add_matrix(dual, &T, x);
    vec3_times_hat(B, real_broadcast(1), dual, m + 3);
    se3_blocks(slope, A, B, NULL, NULL);
}

/* Points, as struct noe_space has them. */
static inline void se3_identity(int size, real *g) {
    (void)size;
    vec3_zero(g);
    vec3_add_identity(g, real_broadcast(1));
    for (int i = 9; i < POSE_POINT; i++) g[i] = real_broadcast(0);
}

static inline void se3_retract(int size, int tau, real *g1, const real *g0, const real *x) {
    real K[9], D[9], arm[3], shift[3];
    (void)size;
    so3_change(tau, K, x);
    se3_arm(tau, arm, x, x + 3);
    vec3_multiply(D, g0, K);
    vec3_apply(shift, g0, arm);
    for (int i = 0; i < 9; i++) g1[i] = g0[i] + D[i];
    for (int i = 0; i < 3; i++) g1[9 + i] = g0[9 + i] + shift[i];
}

/* The rotation as so3_matrix_advance, the position as a sum in space. */
static inline void se3_advance(int size, int tau, real *g1, real *carry1, const real *g0,
                               const real *carry0, const real *x) {
    real arm[3], shift[3];
    (void)size;
    se3_arm(tau, arm, x, x + 3);
    vec3_apply(shift, g0, arm);
    so3_matrix_advance(tau, g1, carry1, g0, carry0, x);
    compensated_add(3, g1 + 9, carry1 + 3, g0 + 9, carry0 + 3, shift);
}

static inline void se3_difference(int size, int tau, real *x, const real *g0, const real *g1) {
    real R[9], away[3], arm[3], w[3];
    (void)size;
    vec3_zero(R);
    for (int i = 0; i < 3; i++) vec3_add_outer(R, real_broadcast(1), g0 + 3 * i, g1 + 3 * i);
    const mask is_inside = so3_vector_of(tau, w, R);
    for (int i = 0; i < 3; i++) away[i] = g1[9 + i] - g0[9 + i];
    vec3_apply_transposed(arm, g0, away);
    for (int i = 0; i < 3; i++) x[i] = real_select(is_inside, w[i], real_broadcast(NAN));
    se3_arm_inverse(tau, x + 3, x, arm);
}

#endif
