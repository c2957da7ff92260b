/* Matrices A(x) = f I + g x^ + k x x^T on three-space, where x^ y = x cross y and f, g, k are
 * functions of t = x.x, with their derivatives in x. Rotations, the tangents of retractions and
 * their inverses are all of this form, so that each derivative stands here once. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_HAT_MATRIX_H
#define SPACES_HAT_MATRIX_H

#include "spaces/vec3.h"

enum { HAT_MATRIX_ORDERS = 4 };

/* f, g, k and their derivatives with respect to t, first to third. */
struct hat_matrix {
    real f[HAT_MATRIX_ORDERS], g[HAT_MATRIX_ORDERS], k[HAT_MATRIX_ORDERS];
};

/* A(x)^T = A(-x). */
static inline struct hat_matrix hat_matrix_transposed(struct hat_matrix A) {
    for (int i = 0; i < HAT_MATRIX_ORDERS; i++) A.g[i] = -A.g[i];
    return A;
}

/* z = f y + g x cross y + k (x.y) x, with the coefficients' derivatives of the given order. */
static inline void hat_matrix_combine(real *restrict z, const struct hat_matrix *A, int order,
                                      const real *x, const real *y) {
    const real along = A->k[order] * vec3_dot(x, y);
    vec3_cross(z, x, y);
    for (int i = 0; i < 3; i++) z[i] = A->f[order] * y[i] + A->g[order] * z[i] + along * x[i];
}

/* z = A(x) y. */
static inline void hat_matrix_apply(real *restrict z, const struct hat_matrix *A, const real *x,
                                    const real *y) {
    hat_matrix_combine(z, A, 0, x, y);
}

/* M += factor A(x), with the coefficients' derivatives of the given order. */
static inline void hat_matrix_add(real *M, real factor, const struct hat_matrix *A, int order,
                                  const real *x) {
    vec3_add_identity(M, factor * A->f[order]);
    vec3_add_hat(M, factor * A->g[order], x);
    vec3_add_outer(M, factor * A->k[order], x, x);
}

/* M += A(x). */
static inline void hat_matrix_add_matrix(real *M, const struct hat_matrix *A, const real *x) {
    hat_matrix_add(M, real_broadcast(1), A, 0, x);
}

/* M += D_v A(x), the derivative in the direction v. */
static inline void hat_matrix_add_along(real *M, const struct hat_matrix *A, const real *x,
                                        const real *v) {
    hat_matrix_add(M, 2 * vec3_dot(x, v), A, 1, x);
    vec3_add_hat(M, A->g[0], v);
    vec3_add_symmetric(M, A->k[0], x, v);
}

/* M += d(A(x) y)/dx. */
static inline void hat_matrix_add_slope(real *M, const struct hat_matrix *A, const real *x,
                                        const real *y) {
    real z[3];
    hat_matrix_combine(z, A, 1, x, y);
    vec3_add_outer(M, real_broadcast(2), z, x);
    vec3_add_hat(M, -A->g[0], y);
    vec3_add_outer(M, A->k[0], x, y);
    vec3_add_identity(M, A->k[0] * vec3_dot(x, y));
}

/* M += D_v d(A(x) y)/dx. */
static inline void hat_matrix_add_slope_along(real *M, const struct hat_matrix *A, const real *x,
                                              const real *y, const real *v) {
    const real quadratic_remainder = 2 * vec3_dot(x, v); /* D_v t */
    const real xy = vec3_dot(x, y), vy = vec3_dot(v, y);
    real z[3], Dz[3], vxy[3];
    hat_matrix_combine(z, A, 1, x, y);
    hat_matrix_combine(Dz, A, 2, x, y);
    vec3_cross(vxy, v, y);
    for (int i = 0; i < 3; i++)
        Dz[i] = quadratic_remainder * Dz[i] + A->g[1] * vxy[i] + A->k[1] * (vy * x[i] + xy * v[i]);
    vec3_add_outer(M, real_broadcast(2), Dz, x);
    vec3_add_outer(M, real_broadcast(2), z, v);
    vec3_add_hat(M, -quadratic_remainder * A->g[1], y);
    vec3_add_outer(M, quadratic_remainder * A->k[1], x, y);
    vec3_add_outer(M, A->k[0], v, y);
    vec3_add_identity(M, quadratic_remainder * A->k[1] * xy + A->k[0] * vy);
}

/* m.A(x) y = f m.y + g x.e + k (m.x)(y.x) with e = y cross m, and the terms of its derivatives. */
struct hat_matrix_form {
    real product, twist, square; /* m.y, x.e, (m.x)(y.x) */
    real e[3], q[3];             /* gradients of the last two */
};

static inline struct hat_matrix_form hat_matrix_form(const real *x, const real *y, const real *m) {
    const real mx = vec3_dot(m, x), yx = vec3_dot(y, x);
    struct hat_matrix_form s = {.product = vec3_dot(m, y), .square = mx * yx};
    vec3_cross(s.e, y, m);
    s.twist = vec3_dot(x, s.e);
    for (int i = 0; i < 3; i++) s.q[i] = m[i] * yx + y[i] * mx;
    return s;
}

static inline real hat_matrix_form_sum(const struct hat_matrix *A, int order,
                                       const struct hat_matrix_form *s) {
    return A->f[order] * s->product + A->g[order] * s->twist + A->k[order] * s->square;
}

/* H += second derivative of m.A(x) y in x. */
static inline void hat_matrix_add_hessian(real *H, const struct hat_matrix *A, const real *x,
                                          const real *y, const real *m) {
    const struct hat_matrix_form s = hat_matrix_form(x, y, m);
    const real second = hat_matrix_form_sum(A, 2, &s);
    real z[3];
    for (int i = 0; i < 3; i++) z[i] = 2 * (second * x[i] + A->g[1] * s.e[i] + A->k[1] * s.q[i]);
    vec3_add_identity(H, 2 * hat_matrix_form_sum(A, 1, &s));
    vec3_add_symmetric(H, real_broadcast(1), x, z);
    vec3_add_symmetric(H, A->k[0], m, y);
}

/* H += D_v of that second derivative. */
static inline void hat_matrix_add_hessian_along(real *H, const struct hat_matrix *A, const real *x,
                                                const real *y, const real *m, const real *v) {
    const struct hat_matrix_form s = hat_matrix_form(x, y, m);
    const real quadratic_remainder = 2 * vec3_dot(x, v), ev = vec3_dot(s.e, v),
               qv = vec3_dot(s.q, v);
    const real mv = vec3_dot(m, v), yv = vec3_dot(y, v), second = hat_matrix_form_sum(A, 2, &s);
    const real Dfirst = quadratic_remainder * second + A->g[1] * ev + A->k[1] * qv;
    const real Dsecond =
        quadratic_remainder * hat_matrix_form_sum(A, 3, &s) + A->g[2] * ev + A->k[2] * qv;
    real z[3], Dz[3];
    for (int i = 0; i < 3; i++) {
        z[i] = 2 * (second * x[i] + A->g[1] * s.e[i] + A->k[1] * s.q[i]);
        Dz[i] = 2 * (Dsecond * x[i] + second * v[i] + quadratic_remainder * A->g[2] * s.e[i] +
                     quadratic_remainder * A->k[2] * s.q[i] + A->k[1] * (m[i] * yv + y[i] * mv));
    }
    vec3_add_identity(H, 2 * Dfirst);
    vec3_add_symmetric(H, real_broadcast(1), v, z);
    vec3_add_symmetric(H, real_broadcast(1), x, Dz);
    vec3_add_symmetric(H, quadratic_remainder * A->k[1], m, y);
}

#endif
