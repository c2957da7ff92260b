/* Rigid bodies by hand: the pendulum in space by its Lie group integrators. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "hand.h"

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
static inline void turn(const double *f, const double *x, double *y) {
    const double c = 2 / (1 + dot(f, f));
    double a[3], b[3];
    cross(f, x, a);
    cross(f, a, b);
    for (int i = 0; i < 3; i++) y[i] = x[i] + c * (a[i] + b[i]);
}

/* R <- R F: each row r becomes F^T r. */
static inline void turn_rows(double *R, const double *f) {
    const double back[3] = {-f[0], -f[1], -f[2]};
    for (int i = 0; i < 3; i++) turn(back, R + 3 * i, R + 3 * i);
}

/* The guess by quadratic extrapolation; `last` are the two values before x. */
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

struct body {
    double R[9], p[3];
};

static struct body body_start(const struct problem *problem) {
    struct body body;
    for (int i = 0; i < 9; i++) body.R[i] = problem->q[i];
    for (int i = 0; i < 3; i++) body.p[i] = J[i] * problem->v[i];
    return body;
}

static void body_finish(const struct body *body, struct run *run, long evaluations) {
    for (int i = 0; i < 3; i++) {
        run->q[i] = body->R[i];
        run->v[i] = body->p[i] / J[i];
    }
    run->evaluations = evaluations;
}

static void body_lgvi(const struct problem *problem, struct run *run) {
    const double h = run->step;
    struct body body = body_start(problem);
    double f[3], last[2][3], M[3], half[3], g[3];
    long evaluations = 0;
    torque(body.R, M);
    for (int i = 0; i < 3; i++) f[i] = last[0][i] = last[1][i] = h / 2 * problem->v[i];
    for (long k = 0; k < run->steps; k++) {
        for (int i = 0; i < 3; i++) {
            half[i] = body.p[i] + h / 2 * M[i];
            g[i] = h * half[i];
        }
        extrapolate(f, last);
        for (int i = 0; i < ITERATIONS_MAX; i++)
            if (correct(g, f) < 1e-8) break;
        const double back[3] = {-f[0], -f[1], -f[2]};
        turn(back, half, body.p);
        turn_rows(body.R, f);
        torque(body.R, M);
        evaluations++;
        for (int i = 0; i < 3; i++) body.p[i] += h / 2 * M[i];
    }
    body_finish(&body, run, evaluations);
}

/* The symmetric rule with the force in the middle: with x = hV/2, F = cay(x), Q = R F, m = F^T p,
 *     (1 + x.x/4) J V = m + (h/2) M(Q) - (h/4) x x M(Q),    R1 = Q F,    p1 = F^T (m + h M(Q)),
 * which contracts by h |V|. */
static void body_midpoint(const struct problem *problem, struct run *run) {
    const double h = run->step;
    struct body body = body_start(problem);
    double V[3], last[2][3], M[3], m[3], f[3], Q[9];
    long evaluations = 0;
    for (int i = 0; i < 3; i++) V[i] = last[0][i] = last[1][i] = problem->v[i];
    for (long k = 0; k < run->steps; k++) {
        extrapolate(V, last);
        for (int iteration = 0; iteration < ITERATIONS_MAX; iteration++) {
            double change = 0, size = 0, c[3];
            for (int i = 0; i < 3; i++) f[i] = h / 4 * V[i];
            for (int i = 0; i < 9; i++) Q[i] = body.R[i];
            const double back[3] = {-f[0], -f[1], -f[2]};
            turn(back, body.p, m);
            turn(back, body.R + 6, Q + 6);
            torque(Q, M);
            cross(f, M, c);
            const double scale = 1 / (1 + dot(f, f));
            for (int i = 0; i < 3; i++) {
                const double next = scale * (m[i] + h / 2 * (M[i] - c[i])) / J[i];
                change += fabs(next - V[i]);
                size += fabs(next);
                V[i] = next;
            }
            evaluations++;
            if (change < 1e-13 * size) break; /* what is left is smaller by the contraction */
        }
        const double back[3] = {-f[0], -f[1], -f[2]}, full[3] = {f[0], f[1], f[2]};
        for (int i = 0; i < 3; i++) m[i] += h * M[i];
        turn(back, m, body.p);
        turn_rows(body.R, full);
        turn_rows(body.R, full);
    }
    body_finish(&body, run, evaluations);
}

#define SOLVER(name, title) const struct solver hand_##name = {"by hand", title, .loop = name}
SOLVER(body_lgvi, "lgvi");
SOLVER(body_midpoint, "midpoint");
