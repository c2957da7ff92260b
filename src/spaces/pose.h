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

/* Ad of tau(x): (w, v) -> (R w, R v + p cross R w) with tau(x) = (R, p). */
static inline void pose_adjoint(int kind, real *Ad, const real *x) {
    real R[9], p[3], pR[9];
    rotation_matrix(kind, R, x);
    pose_arm(kind, p, x, x + 3);
    three_hat_times(pR, real_of(1), p, R);
    pose_blocks(Ad, R, NULL, pR, R);
}

/* dm = Ad^T m - m, Ad^T (pi, gamma) = (R^T (pi + gamma cross p), R^T gamma). */
static inline void pose_coadjoint_change(int kind, real *dm, const real *x, const real *m) {
    real K[9], p[3], turn[3], about[3], d[6];
    rotation_change(kind, K, x);
    pose_arm(kind, p, x, x + 3);
    three_cross(turn, m + 3, p);
    for (int i = 0; i < 3; i++) about[i] = m[i] + turn[i];
    three_apply_transposed(d, K, about);
    three_apply_transposed(d + 3, K, m + 3);
    for (int i = 0; i < 3; i++) dm[i] = turn[i] + d[i];
    for (int i = 3; i < 6; i++) dm[i] = d[i];
}

/* B x = ad_x^T m, ad_(w,v)^T (pi, gamma) = (pi cross w + gamma cross v, gamma cross w). */
static inline void pose_poisson(real *B, const real *m) {
    real pi[9], gamma[9];
    three_zero(pi);
    three_zero(gamma);
    three_add_hat(pi, real_of(1), m);
    three_add_hat(gamma, real_of(1), m + 3);
    pose_blocks(B, pi, gamma, gamma, NULL);
}

/* The derivatives of the exponential, for A the extension of an axial matrix to dual numbers:
 * A itself, (A y)', (A^T m)' and (m.A y)''. */
static inline void pose_exp_matrix(real *M, const struct axial *A, const real *x) {
    real B[9], C[9];
    three_zero(B);
    three_zero(C);
    axial_add_matrix(B, A, x);
    axial_add_along(C, A, x, x + 3);
    pose_blocks(M, B, NULL, C, B);
}

static inline void pose_exp_slope(real *M, const struct axial *A, const real *x, const real *y) {
    real B[9], C[9];
    three_zero(B);
    three_zero(C);
    axial_add_slope(B, A, x, y);
    axial_add_slope_along(C, A, x, y, x + 3);
    axial_add_slope(C, A, x, y + 3);
    pose_blocks(M, B, NULL, C, B);
}

static inline void pose_exp_dual_slope(real *M, const struct axial *A, const real *x,
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

static inline void pose_exp_hessian(real *M, const struct axial *A, const real *x, const real *y,
                                    const real *m) {
    real B[9], C[9];
    three_zero(B);
    three_zero(C);
    axial_add_hessian(C, A, x, y, m);
    axial_add_hessian(C, A, x, y + 3, m + 3);
    axial_add_hessian_along(C, A, x, y, m + 3, x + 3);
    axial_add_hessian(B, A, x, y, m + 3);
    pose_blocks(M, C, B, B, NULL);
}

/* The Cayley map: K = (I - w^/2)^-1, its transpose, and a = K v. Then dK = K dw^ K/2,
 * da = K (dw cross a/2 + dv), so that da/dw = -K a^/2. */
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

/* U = K^T (y2 + y1 cross a/2), the linear part of T y. */
static inline void pose_cay_linear(real *U, const struct pose_cay *at, const real *y) {
    real sum[3];
    three_cross(sum, y, at->a);
    for (int i = 0; i < 3; i++) sum[i] = y[3 + i] + sum[i] / 2;
    three_apply(U, at->Kt, sum);
}

/* T. Cayley: T y = (T y1, U). */
static inline void pose_dtau(int kind, real *M, const real *x) {
    const struct axial T = rotation_tangent(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_exp_matrix(M, &T, x);
        return;
    }
    const struct pose_cay at = pose_cay(x);
    real A[9], C[9];
    three_zero(A);
    axial_add_matrix(A, &T, x);
    three_times_hat(C, real_of(-0.5), at.Kt, at.a);
    pose_blocks(M, A, NULL, C, at.Kt);
}

/* T^-1. Cayley: T^-1 y = (T^-1 y1, (I + w^/2)(y2 + v cross y1/2)). */
static inline void pose_dtau_inverse(int kind, real *M, const real *x) {
    const struct axial T = rotation_inverse(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_exp_matrix(M, &T, x);
        return;
    }
    real A[9], C[9], D[9];
    three_zero(A);
    axial_add_matrix(A, &T, x);
    three_zero(D);
    three_add_identity(D, real_of(1));
    three_add_hat(D, real_of(0.5), x);
    three_times_hat(C, real_of(0.5), D, x + 3);
    pose_blocks(M, A, NULL, C, D);
}

/* (T y)'. Cayley: dU/dw = K^T (U^ - y1^ K a^/2)/2, dU/dv = K^T y1^ K/2. */
static inline void pose_dtau_slope(int kind, real *M, const real *x, const real *y) {
    const struct axial T = rotation_tangent(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_exp_slope(M, &T, x, y);
        return;
    }
    const struct pose_cay at = pose_cay(x);
    real A[9], C[9], D[9], U[3], yK[9], inner[9];
    three_zero(A);
    axial_add_slope(A, &T, x, y);
    pose_cay_linear(U, &at, y);
    three_hat_times(yK, real_of(0.5), y, at.K);
    three_multiply(D, at.Kt, yK);
    three_times_hat(inner, real_of(-0.5), yK, at.a);
    three_add_hat(inner, real_of(0.5), U);
    three_multiply(C, at.Kt, inner);
    pose_blocks(M, A, NULL, C, D);
}

/* (T^T m)'. Cayley: T^T m = (T^T m1 + a cross b/2, b) with b = K m2. */
static inline void pose_dtau_dual_slope(int kind, real *M, const real *x, const real *m) {
    const struct axial T = rotation_tangent(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_exp_dual_slope(M, &T, x, m);
        return;
    }
    const struct pose_cay at = pose_cay(x);
    const struct axial Tt = axial_transposed(T);
    real A[9], B[9], da[9], db[9], b[3], first[9], second[9];
    three_apply(b, at.K, m + 3);
    three_times_hat(da, real_of(-0.5), at.K, at.a);
    three_times_hat(db, real_of(-0.5), at.K, b);
    three_hat_times(first, real_of(0.5), at.a, db);
    three_hat_times(second, real_of(-0.5), b, da);
    three_zero(A);
    axial_add_slope(A, &Tt, x, m);
    for (int i = 0; i < 9; i++) A[i] += first[i] + second[i];
    three_hat_times(B, real_of(-0.5), b, at.K);
    pose_blocks(M, A, B, db, NULL);
}

/* (T^-1 y)'. */
static inline void pose_dtau_inverse_slope(int kind, real *M, const real *x, const real *y) {
    const struct axial T = rotation_inverse(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_exp_slope(M, &T, x, y);
        return;
    }
    real A[9], C[9], D[9], half[9], sum[3];
    three_zero(A);
    axial_add_slope(A, &T, x, y);
    three_cross(sum, x + 3, y);
    for (int i = 0; i < 3; i++) sum[i] = y[3 + i] + sum[i] / 2;
    three_zero(C);
    three_add_hat(C, real_of(-0.5), sum);
    three_zero(half);
    three_add_identity(half, real_of(1));
    three_add_hat(half, real_of(0.5), x);
    three_times_hat(D, real_of(-0.5), half, y);
    pose_blocks(M, A, NULL, C, D);
}

/* (T^-T m)'. Cayley: T^-T m = (T^-T m1 - v cross n/2, n) with n = m2 - w cross m2/2. */
static inline void pose_dtau_inverse_dual_slope(int kind, real *M, const real *x, const real *m) {
    const struct axial T = rotation_inverse(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_exp_dual_slope(M, &T, x, m);
        return;
    }
    const struct axial Tt = axial_transposed(T);
    real A[9], B[9], C[9], n[3], product[9];
    three_cross(n, x, m + 3);
    for (int i = 0; i < 3; i++) n[i] = m[3 + i] - n[i] / 2;
    three_zero(C);
    three_add_hat(C, real_of(0.5), m + 3);
    three_zero(B);
    three_add_hat(B, real_of(0.5), n);
    three_hat_times(product, real_of(-0.5), x + 3, C);
    three_zero(A);
    axial_add_slope(A, &Tt, x, m);
    for (int i = 0; i < 9; i++) A[i] += product[i];
    pose_blocks(M, A, B, C, NULL);
}

/* (m.T y)''. Cayley: m.T y = m1.T y1 + b.y2 + b.(y1 cross a)/2. The second variations of a and b
 * are K (dw cross d'a + d'w cross da)/2 and the same of b; with G = (db/dw)^T y1^/2 - V^/4,
 * V = K^T (b cross y1), the blocks are P + P^T, P = G da/dw - U^ (db/dw)/2, and G K. */
static inline void pose_dtau_hessian(int kind, real *M, const real *x, const real *y,
                                     const real *m) {
    const struct axial T = rotation_tangent(kind, three_dot(x, x));
    if (kind == ROTATION_EXP) {
        pose_exp_hessian(M, &T, x, y, m);
        return;
    }
    const struct pose_cay at = pose_cay(x);
    real A[9], B[9], Bt[9], da[9], db[9], dbt[9], b[3], U[3], V[3], by[3], G[9], P[9], Q[9];
    three_apply(b, at.K, m + 3);
    three_times_hat(da, real_of(-0.5), at.K, at.a);
    three_times_hat(db, real_of(-0.5), at.K, b);
    three_hat_times(dbt, real_of(0.5), b, at.Kt);
    pose_cay_linear(U, &at, y);
    three_cross(by, b, y);
    three_apply(V, at.Kt, by);
    three_times_hat(G, real_of(0.5), dbt, y);
    three_add_hat(G, real_of(-0.25), V);
    three_multiply(P, G, da);
    three_hat_times(Q, real_of(-0.5), U, db);
    three_zero(A);
    axial_add_hessian(A, &T, x, y, m);
    three_add_both(A, real_of(1), P);
    three_add_both(A, real_of(1), Q);
    three_multiply(B, G, at.K);
    for (int i = 0; i < 9; i++) Bt[i] = B[3 * (i % 3) + i / 3];
    pose_blocks(M, A, B, Bt, NULL);
}

#endif
