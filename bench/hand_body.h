/* A pendulum in space by hand: shared parts of the loops over its rotations. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HAND_BODY_H
#define BENCH_HAND_BODY_H

#include <math.h>

enum { ITERATIONS_MAX = 50 };

/* J = diag(1, 2.8, 2), U = -g e3.R e3. */
static const double J[3] = {1, 2.8, 2}, gravity = 9.81;

static inline void cross(const double *x, const double *y, double *z) {
    z[0] = x[1] * y[2] - x[2] * y[1];
    z[1] = x[2] * y[0] - x[0] * y[2];
    z[2] = x[0] * y[1] - x[1] * y[0];
}

static inline double dot(const double *x, const double *y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* g e3 x R^T e3, from the last row of R. */
static inline void torque(const double *R, double *M) {
    M[0] = -gravity * R[7];
    M[1] = gravity * R[6];
    M[2] = 0;
}

/* F = (I + f^)(I - f^)^-1: y = F x is x + 2 (f x x + f x (f x x))/(1 + f.f). */
static inline void rotate(const double *f, const double *x, double *y) {
    const double c = 2 / (1 + dot(f, f));
    double a[3], b[3];
    cross(f, x, a);
    cross(f, a, b);
    for (int i = 0; i < 3; i++) y[i] = x[i] + c * (a[i] + b[i]);
}

/* R <- R F: each row r becomes F^T r. */
static inline void turn_rows(double *R, const double *f) {
    const double back[3] = {-f[0], -f[1], -f[2]};
    for (int i = 0; i < 3; i++) rotate(back, R + 3 * i, R + 3 * i);
}

/* The guess by quadratic extrapolation; `last` holds the two values before x. */
static inline void extrapolate(double *x, double last[2][3]) {
    for (int i = 0; i < 3; i++) {
        const double old = x[i];
        x[i] = 3 * old - 3 * last[0][i] + last[1][i];
        last[1][i] = last[0][i];
        last[0][i] = old;
    }
}

/* One Newton correction of g + g x f + (g.f) f - 2 J f = 0 by Cramer's rule; its size relative to
 * f. */
static inline double correct(const double *g, double *f) {
    const double s = dot(g, f);
    double c[3], r[3], A[3][3];
    cross(g, f, c);
    for (int i = 0; i < 3; i++) {
        r[i] = g[i] + c[i] + s * f[i] - 2 * J[i] * f[i];
        for (int j = 0; j < 3; j++) A[i][j] = f[i] * g[j];
        A[i][i] += s - 2 * J[i];
    }
    A[0][1] -= g[2], A[0][2] += g[1], A[1][0] += g[2];
    A[1][2] -= g[0], A[2][0] -= g[1], A[2][1] += g[0];
    double n0[3], n1[3], n2[3];
    cross(A[1], A[2], n0);
    cross(A[2], A[0], n1);
    cross(A[0], A[1], n2);
    const double inverse = 1 / dot(A[0], n0);
    double size = 0, all = 0;
    for (int i = 0; i < 3; i++) {
        const double d = inverse * (n0[i] * r[0] + n1[i] * r[1] + n2[i] * r[2]);
        f[i] -= d;
        size += fabs(d);
        all += fabs(f[i]);
    }
    return size / all;
}

#endif
