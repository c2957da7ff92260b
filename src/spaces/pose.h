/* Rigid poses g = (R, p) and their retractions.
 *
 * A point is R row by row, then p in space; a tangent is (w, v): body angular velocity, then body
 * linear velocity, g' = g (w^, v), that is R' = R w^, p' = R v. A momentum is (pi, gamma) in the
 * same order. With (w, v) the increment of a step,
 *     tau(w, v) = (tau(w), K(w) v),    tau(-x) = tau(x)^-1,
 *     exp: K = T(w)^T,    cay: K = (I - w^/2)^-1,
 * the Cayley map being that of the 4 x 4 matrices. The exponential on poses is the one on rotations
 * in dual numbers w + e v, e^2 = 0, and so are its tangent and all derivatives. Limits are those of
 * the rotation. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_POSE_H
#define SPACES_POSE_H

#include "spaces/rotation.h"

enum { POSE_TANGENT = 6, POSE_POINT = 12 };

/* M (6 x 6) from its four 3 x 3 blocks; NULL is zero. */
static inline void pose_blocks(real *M, const real *A, const real *B, const real *C,
                               const real *D) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            M[6 * i + j] = A[3 * i + j];
            M[6 * i + 3 + j] = B ? B[3 * i + j] : real_of(0);
            M[6 * (3 + i) + j] = C ? C[3 * i + j] : real_of(0);
            M[6 * (3 + i) + 3 + j] = D ? D[3 * i + j] : real_of(0);
        }
}

/* (I - w^/2)^-1 as a function of t = w.w. */
static inline struct axial pose_cay_arm(real t) {
    const real k = 4 / (4 + t);
    return (struct axial){.f = {k}, .g = {k / 2}, .k = {k / 4}};
}

/* y = K(w) v. */
static inline void pose_arm(int kind, real *y, const real *w, const real *v) {
    const real t = three_dot(w, w);
    const struct axial K =
        kind == ROTATION_EXP ? axial_transposed(rotation_tangent_exp(t)) : pose_cay_arm(t);
    axial_apply(y, &K, w, v);
}

/* v with y = K(w) v. */
static inline void pose_arm_inverse(int kind, real *v, const real *w, const real *y) {
    if (kind == ROTATION_EXP) {
        const struct axial A = axial_transposed(rotation_inverse_exp(three_dot(w, w)));
        axial_apply(v, &A, w, y);
        return;
    }
    three_cross(v, w, y);
    for (int i = 0; i < 3; i++) v[i] = y[i] - v[i] / 2;
}

/* M = Ad of the pose (R, p): (w, v) -> (R w, R v + p cross R w). */
static inline void pose_adjoint(real *M, const real *R, const real *p) {
    real hat[9], pR[9];
    three_zero(hat);
    three_add_hat(hat, real_of(1), p);
    three_multiply(pR, hat, R);
    pose_blocks(M, R, NULL, pR, R);
}

/* What the Cayley map's derivatives are made of: a = K v, b = K m2, and the matrices K = K(w),
 * K^T = K(-w), da/dw = -K a^/2. */
struct pose_cay {
    real K[9], Kt[9], a[3];
};

static inline struct pose_cay pose_cay(const real *x) {
    struct pose_cay at;
    const struct axial K = pose_cay_arm(three_dot(x, x)), Kt = axial_transposed(K);
    three_zero(at.K);
    three_zero(at.Kt);
    axial_add_matrix(at.K, &K, x);
    axial_add_matrix(at.Kt, &Kt, x);
    three_apply(at.a, at.K, x + 3);
    return at;
}

/* M = factor A y^. */
static inline void pose_times_hat(real *M, real factor, const real *A, const real *y) {
    real hat[9];
    three_zero(hat);
    three_add_hat(hat, factor, y);
    three_multiply(M, A, hat);
}

/* T, the left trivialised tangent. Cayley: T y = (T y1, K^T (y2 + y1 cross a/2)). */
static inline void pose_tangent(int kind, real *M, const real *x) {
    const struct axial T = rotation_tangent(kind, three_dot(x, x));
    real A[9], C[9];
    three_zero(A);
    axial_add_matrix(A, &T, x);
    if (kind == ROTATION_EXP) {
        three_zero(C);
        axial_add_along(C, &T, x, x + 3);
        pose_blocks(M, A, NULL, C, A);
        return;
    }
    const struct pose_cay at = pose_cay(x);
    pose_times_hat(C, real_of(-0.5), at.Kt, at.a);
    pose_blocks(M, A, NULL, C, at.Kt);
}

/* T^-1. Cayley: T^-1 y = (T^-1 y1, (I + w^/2)(y2 + v cross y1/2)). */
static inline void pose_inverse(int kind, real *M, const real *x) {
    const struct axial T = rotation_inverse(kind, three_dot(x, x));
    real A[9], C[9], D[9];
    three_zero(A);
    axial_add_matrix(A, &T, x);
    if (kind == ROTATION_EXP) {
        three_zero(C);
        axial_add_along(C, &T, x, x + 3);
        pose_blocks(M, A, NULL, C, A);
        return;
    }
    three_zero(D);
    three_add_identity(D, real_of(1));
    three_add_hat(D, real_of(0.5), x);
    pose_times_hat(C, real_of(0.5), D, x + 3);
    pose_blocks(M, A, NULL, C, D);
}

/* The derivative of A(x) y in x, for A the extension of an axial matrix to dual numbers. */
static inline void pose_dual_slope(real *M, const struct axial *A, const real *x, const real *y) {
    real B[9], C[9];
    three_zero(B);
    three_zero(C);
    axial_add_slope(B, A, x, y);
    axial_add_slope_along(C, A, x, y, x + 3);
    axial_add_slope(C, A, x, y + 3);
    pose_blocks(M, B, NULL, C, B);
}

/* The derivative of A(x)^T m in x, for the same A. */
static inline void pose_dual_slope_transposed(real *M, const struct axial *A, const real *x,
                                              const real *m) {
    const struct axial At = axial_transposed(*A);
    real B[9], C[9];
    three_zero(B);
    three_zero(C);
    axial_add_slope(B, &At, x, m + 3);
    axial_add_slope_along(C, &At, x, m + 3, x + 3);
    axial_add_slope(C, &At, x, m);
    pose_blocks(M, C, B, B, NULL);
}

/* d(T y)/dx. Cayley, with U = K^T (y2 + y1 cross a/2): dU/dw = K^T (U^ - y1^ K a^/2)/2,
 * dU/dv = K^T y1^ K/2. */
static inline void pose_slope(int kind, real *M, const real *x, const real *y) {
    const struct axial T = rotation_tangent(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_dual_slope(M, &T, x, y);
        return;
    }
    const struct pose_cay at = pose_cay(x);
    real A[9], C[9], D[9], arm[3], U[3], yK[9], hat[9];
    three_cross(arm, y, at.a);
    for (int i = 0; i < 3; i++) arm[i] = y[3 + i] + arm[i] / 2;
    three_apply(U, at.Kt, arm);
    three_zero(A);
    axial_add_slope(A, &T, x, y);
    three_zero(hat);
    three_add_hat(hat, real_of(0.5), y);
    three_multiply(yK, hat, at.K);
    three_multiply(D, at.Kt, yK);
    pose_times_hat(hat, real_of(-0.5), yK, at.a);
    three_add_hat(hat, real_of(0.5), U);
    three_multiply(C, at.Kt, hat);
    pose_blocks(M, A, NULL, C, D);
}

/* d(T^T m)/dx. Cayley: T^T m = (T^T m1 + a cross b/2, b) with b = K m2. */
static inline void pose_slope_transposed(int kind, real *M, const real *x, const real *m) {
    const struct axial T = rotation_tangent(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_dual_slope_transposed(M, &T, x, m);
        return;
    }
    const struct pose_cay at = pose_cay(x);
    const struct axial Tt = axial_transposed(T);
    real A[9], B[9], Aw[9], Bw[9], b[3], hat[9], product[9];
    three_apply(b, at.K, m + 3);
    pose_times_hat(Aw, real_of(-0.5), at.K, at.a);
    pose_times_hat(Bw, real_of(-0.5), at.K, b);
    three_zero(A);
    axial_add_slope(A, &Tt, x, m);
    three_zero(hat);
    three_add_hat(hat, real_of(0.5), at.a);
    three_multiply(product, hat, Bw);
    for (int i = 0; i < 9; i++) A[i] += product[i];
    three_zero(hat);
    three_add_hat(hat, real_of(-0.5), b);
    three_multiply(product, hat, Aw);
    for (int i = 0; i < 9; i++) A[i] += product[i];
    three_multiply(B, hat, at.K);
    pose_blocks(M, A, B, Bw, NULL);
}

/* d(T^-1 y)/dx. */
static inline void pose_inverse_slope(int kind, real *M, const real *x, const real *y) {
    const struct axial T = rotation_inverse(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_dual_slope(M, &T, x, y);
        return;
    }
    real A[9], C[9], D[9], half[9], arm[3];
    three_zero(A);
    axial_add_slope(A, &T, x, y);
    three_cross(arm, x + 3, y);
    for (int i = 0; i < 3; i++) arm[i] = y[3 + i] + arm[i] / 2;
    three_zero(C);
    three_add_hat(C, real_of(-0.5), arm);
    three_zero(half);
    three_add_identity(half, real_of(1));
    three_add_hat(half, real_of(0.5), x);
    pose_times_hat(D, real_of(-0.5), half, y);
    pose_blocks(M, A, NULL, C, D);
}

/* d(T^-T m)/dx. Cayley: T^-T m = (T^-T m1 - v cross n/2, n) with n = m2 - w cross m2/2. */
static inline void pose_inverse_slope_transposed(int kind, real *M, const real *x, const real *m) {
    const struct axial T = rotation_inverse(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_dual_slope_transposed(M, &T, x, m);
        return;
    }
    const struct axial Tt = axial_transposed(T);
    real A[9], B[9], C[9], n[3], hat[9], product[9];
    three_cross(n, x, m + 3);
    for (int i = 0; i < 3; i++) n[i] = m[3 + i] - n[i] / 2;
    three_zero(C);
    three_add_hat(C, real_of(0.5), m + 3);
    three_zero(B);
    three_add_hat(B, real_of(0.5), n);
    three_zero(hat);
    three_add_hat(hat, real_of(-0.5), x + 3);
    three_multiply(product, hat, C);
    three_zero(A);
    axial_add_slope(A, &Tt, x, m);
    for (int i = 0; i < 9; i++) A[i] += product[i];
    pose_blocks(M, A, B, C, NULL);
}

/* The exponential's second derivative of m.T y. */
static inline void pose_exp_hessian(real *M, const struct axial *T, const real *x, const real *y,
                                    const real *m) {
    real A[9], B[9];
    three_zero(A);
    three_zero(B);
    axial_add_hessian(A, T, x, y, m);
    axial_add_hessian(A, T, x, y + 3, m + 3);
    axial_add_hessian_along(A, T, x, y, m + 3, x + 3);
    axial_add_hessian(B, T, x, y, m + 3);
    pose_blocks(M, A, B, B, NULL);
}

/* Second derivative of m.T y in x. Cayley: m.T y = m1.T y1 + b.y2 + b.(y1 cross a)/2, where
 * da = K (dw cross a/2 + dv), db = K (dw cross b)/2, d'da = K (d'w cross da + dw cross d'a)/2. */
static inline void pose_hessian(int kind, real *M, const real *x, const real *y, const real *m) {
    const struct axial T = rotation_tangent(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_exp_hessian(M, &T, x, y, m);
        return;
    }
    const struct pose_cay at = pose_cay(x);
    real A[9], B[9], Bt[9], Aw[9], Bw[9], b[3], arm[3], U[3], d[3], V[3], hat[9], P[9], Q[9];
    three_apply(b, at.K, m + 3);
    pose_times_hat(Aw, real_of(-0.5), at.K, at.a);
    pose_times_hat(Bw, real_of(-0.5), at.K, b);
    three_cross(arm, y, at.a);
    for (int i = 0; i < 3; i++) arm[i] = y[3 + i] + arm[i] / 2;
    three_apply(U, at.Kt, arm);
    three_cross(d, b, y);
    three_apply(V, at.Kt, d); /* twice K^T (b cross y1)/2 */

    three_zero(A);
    axial_add_hessian(A, &T, x, y, m);
    three_zero(hat);
    three_add_hat(hat, real_of(-0.5), U);
    three_multiply(P, hat, Bw);
    three_add_both(A, real_of(1), P);
    three_zero(hat);
    three_add_hat(hat, real_of(-0.25), V);
    three_multiply(P, hat, Aw);
    three_add_both(A, real_of(1), P);
    three_multiply(B, hat, at.K);

    three_zero(hat);
    three_add_hat(hat, real_of(0.5), y);
    three_multiply(P, hat, Aw);
    three_multiply(Q, hat, at.K);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            real first = real_of(0), second = real_of(0);
            for (int l = 0; l < 3; l++) {
                first += Bw[3 * l + i] * P[3 * l + j];
                second += Bw[3 * l + i] * Q[3 * l + j];
            }
            hat[3 * i + j] = first;
            B[3 * i + j] += second;
        }
    three_add_both(A, real_of(1), hat);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) Bt[3 * i + j] = B[3 * j + i];
    pose_blocks(M, A, B, Bt, NULL);
}

#endif
