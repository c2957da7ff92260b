/* Matrices A(x) = f I + g x^ + k x x^T on three-space, where x^ y = x cross y and f, g, k are
 * functions of t = x.x, with their derivatives in x. Rotations, the tangents of retractions and
 * their inverses are all of this form, so that each derivative stands here once. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_AXIAL_H
#define SPACES_AXIAL_H

#include "spaces/vec3.h"

enum { AXIAL_ORDERS = 4 };

/* f, g, k and their derivatives with respect to t, first to third. */
struct axial {
    real f[AXIAL_ORDERS], g[AXIAL_ORDERS], k[AXIAL_ORDERS];
};

/* A(x)^T = A(-x). */
static inline struct axial axial_transposed(struct axial A) {
    for (int i = 0; i < AXIAL_ORDERS; i++) A.g[i] = -A.g[i];
    return A;
}

/* z = f y + g x cross y + k (x.y) x, with the coefficients' derivatives of the given order. */
static inline void axial_combine(real *restrict z, const struct axial *A, int order, const real *x,
                                 const real *y) {
    const real along = A->k[order] * three_dot(x, y);
    three_cross(z, x, y);
    for (int i = 0; i < 3; i++) z[i] = A->f[order] * y[i] + A->g[order] * z[i] + along * x[i];
}

/* z = A(x) y. */
static inline void axial_apply(real *restrict z, const struct axial *A, const real *x,
                               const real *y) {
    axial_combine(z, A, 0, x, y);
}

/* M += factor A(x), with the coefficients' derivatives of the given order. */
static inline void axial_add(real *M, real factor, const struct axial *A, int order,
                             const real *x) {
    three_add_identity(M, factor * A->f[order]);
    three_add_hat(M, factor * A->g[order], x);
    three_add_outer(M, factor * A->k[order], x, x);
}

/* M += A(x). */
static inline void axial_add_matrix(real *M, const struct axial *A, const real *x) {
    axial_add(M, real_of(1), A, 0, x);
}

/* M += D_v A(x), the derivative in the direction v. */
static inline void axial_add_along(real *M, const struct axial *A, const real *x, const real *v) {
    axial_add(M, 2 * three_dot(x, v), A, 1, x);
    three_add_hat(M, A->g[0], v);
    three_add_symmetric(M, A->k[0], x, v);
}

/* M += d(A(x) y)/dx. */
static inline void axial_add_slope(real *M, const struct axial *A, const real *x, const real *y) {
    real z[3];
    axial_combine(z, A, 1, x, y);
    three_add_outer(M, real_of(2), z, x);
    three_add_hat(M, -A->g[0], y);
    three_add_outer(M, A->k[0], x, y);
    three_add_identity(M, A->k[0] * three_dot(x, y));
}

/* M += D_v d(A(x) y)/dx. */
static inline void axial_add_slope_along(real *M, const struct axial *A, const real *x,
                                         const real *y, const real *v) {
    const real bend = 2 * three_dot(x, v); /* D_v t */
    const real xy = three_dot(x, y), vy = three_dot(v, y);
    real z[3], Dz[3], vxy[3];
    axial_combine(z, A, 1, x, y);
    axial_combine(Dz, A, 2, x, y);
    three_cross(vxy, v, y);
    for (int i = 0; i < 3; i++)
        Dz[i] = bend * Dz[i] + A->g[1] * vxy[i] + A->k[1] * (vy * x[i] + xy * v[i]);
    three_add_outer(M, real_of(2), Dz, x);
    three_add_outer(M, real_of(2), z, v);
    three_add_hat(M, -bend * A->g[1], y);
    three_add_outer(M, bend * A->k[1], x, y);
    three_add_outer(M, A->k[0], v, y);
    three_add_identity(M, bend * A->k[1] * xy + A->k[0] * vy);
}

/* m.A(x) y = f m.y + g x.e + k (m.x)(y.x) with e = y cross m: what its derivatives are made of. */
struct axial_form {
    real product, twist, square; /* m.y, x.e, (m.x)(y.x) */
    real e[3], q[3];             /* gradients of the last two */
};

static inline struct axial_form axial_form(const real *x, const real *y, const real *m) {
    const real mx = three_dot(m, x), yx = three_dot(y, x);
    struct axial_form s = {.product = three_dot(m, y), .square = mx * yx};
    three_cross(s.e, y, m);
    s.twist = three_dot(x, s.e);
    for (int i = 0; i < 3; i++) s.q[i] = m[i] * yx + y[i] * mx;
    return s;
}

static inline real axial_form_sum(const struct axial *A, int order, const struct axial_form *s) {
    return A->f[order] * s->product + A->g[order] * s->twist + A->k[order] * s->square;
}

/* H += second derivative of m.A(x) y in x. */
static inline void axial_add_hessian(real *H, const struct axial *A, const real *x, const real *y,
                                     const real *m) {
    const struct axial_form s = axial_form(x, y, m);
    const real second = axial_form_sum(A, 2, &s);
    real z[3];
    for (int i = 0; i < 3; i++) z[i] = 2 * (second * x[i] + A->g[1] * s.e[i] + A->k[1] * s.q[i]);
    three_add_identity(H, 2 * axial_form_sum(A, 1, &s));
    three_add_symmetric(H, real_of(1), x, z);
    three_add_symmetric(H, A->k[0], m, y);
}

/* H += D_v of that second derivative. */
static inline void axial_add_hessian_along(real *H, const struct axial *A, const real *x,
                                           const real *y, const real *m, const real *v) {
    const struct axial_form s = axial_form(x, y, m);
    const real bend = 2 * three_dot(x, v), ev = three_dot(s.e, v), qv = three_dot(s.q, v);
    const real mv = three_dot(m, v), yv = three_dot(y, v), second = axial_form_sum(A, 2, &s);
    const real Dfirst = bend * second + A->g[1] * ev + A->k[1] * qv;
    const real Dsecond = bend * axial_form_sum(A, 3, &s) + A->g[2] * ev + A->k[2] * qv;
    real z[3], Dz[3];
    for (int i = 0; i < 3; i++) {
        z[i] = 2 * (second * x[i] + A->g[1] * s.e[i] + A->k[1] * s.q[i]);
        Dz[i] = 2 * (Dsecond * x[i] + second * v[i] + bend * A->g[2] * s.e[i] +
                     bend * A->k[2] * s.q[i] + A->k[1] * (m[i] * yv + y[i] * mv));
    }
    three_add_identity(H, 2 * Dfirst);
    three_add_symmetric(H, real_of(1), v, z);
    three_add_symmetric(H, real_of(1), x, Dz);
    three_add_symmetric(H, bend * A->k[1], m, y);
}

#endif
