/* Rigid bodies by hand: the pendulum in space by its Lie group integrators. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "hand.h"
#include "hand_body.h"

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
        rotate(back, half, body.p);
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
            rotate(back, body.p, m);
            rotate(back, body.R + 6, Q + 6);
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
            if (change < 1e-13 * size) break; /* the contraction reduces the rest */
        }
        const double back[3] = {-f[0], -f[1], -f[2]}, full[3] = {f[0], f[1], f[2]};
        for (int i = 0; i < 3; i++) m[i] += h * M[i];
        rotate(back, m, body.p);
        turn_rows(body.R, full);
        turn_rows(body.R, full);
    }
    body_finish(&body, run, evaluations);
}

/* --- A body without forces, J = diag(2, 3, 4). */

static const double I[3] = {2, 3, 4};

static struct body free_start(const struct problem *problem) {
    struct body body = body_start(problem);
    for (int i = 0; i < 3; i++) body.p[i] = I[i] * problem->v[i];
    return body;
}

static void free_finish(const struct body *body, struct run *run) {
    for (int i = 0; i < 3; i++) {
        run->q[i] = body->R[i];
        run->v[i] = body->p[i] / I[i];
    }
    run->evaluations = run->steps;
}

/* The midpoint rule's momentum after half a step: Q = p + (h/2) Q x I^-1 Q. */
static void half_step(const double *p, double h, double *Q) {
    for (int i = 0; i < 3; i++) Q[i] = p[i];
    for (int pass = 0; pass < ITERATIONS_MAX; pass++) {
        const double v[3] = {Q[0] / I[0], Q[1] / I[1], Q[2] / I[2]};
        double c[3];
        cross(Q, v, c);
        for (int i = 0; i < 3; i++) Q[i] = p[i] + h / 2 * c[i];
    }
}

/* Q' = cay(-h v) Q, p1 = 2 Q' - p, g' = g cay(h v) half a step ahead of the state. */
static void free_flv(const struct problem *problem, struct run *run) {
    const double h = run->step, inverse[3] = {h / 2 / I[0], h / 2 / I[1], h / 2 / I[2]};
    struct body body = free_start(problem);
    double Q[3], f[3], back[3];
    half_step(body.p, h, Q);
    for (int i = 0; i < 3; i++) f[i] = inverse[i] * body.p[i] / 2;
    turn_rows(body.R, f);
    for (int i = 0; i < 3; i++) body.p[i] = 2 * Q[i] - body.p[i];
    for (long k = 1; k < run->steps; k++) {
        for (int i = 0; i < 3; i++) {
            f[i] = inverse[i] * body.p[i];
            back[i] = -f[i];
        }
        rotate(back, Q, Q);
        turn_rows(body.R, f);
        for (int i = 0; i < 3; i++) body.p[i] = 2 * Q[i] - body.p[i];
    }
    for (int i = 0; i < 3; i++) f[i] = inverse[i] * body.p[i] / 2;
    turn_rows(body.R, f);
    free_finish(&body, run);
}

/* One Newton correction of I v - (h/2) I v x v = c; its size relative to v. */
static inline double correct_tln(const double *c, double h, double *v) {
    const double P[3] = {I[0] * v[0], I[1] * v[1], I[2] * v[2]};
    double r[3], A[3][3], n0[3], n1[3], n2[3], size = 0, all = 0;
    cross(P, v, r);
    for (int i = 0; i < 3; i++) r[i] = P[i] - h / 2 * r[i] - c[i];
    const double a = h / 2;
    A[0][0] = I[0], A[0][1] = a * (P[2] - v[2] * I[1]), A[0][2] = a * (v[1] * I[2] - P[1]);
    A[1][0] = a * (v[2] * I[0] - P[2]), A[1][1] = I[1], A[1][2] = a * (P[0] - v[0] * I[2]);
    A[2][0] = a * (P[1] - v[1] * I[0]), A[2][1] = a * (v[0] * I[1] - P[0]), A[2][2] = I[2];
    cross(A[1], A[2], n0);
    cross(A[2], A[0], n1);
    cross(A[0], A[1], n2);
    const double inverse = 1 / dot(A[0], n0);
    for (int i = 0; i < 3; i++) {
        const double d = inverse * (n0[i] * r[0] + n1[i] * r[1] + n2[i] * r[2]);
        v[i] -= d;
        size += fabs(d);
        all += fabs(v[i]);
    }
    return size / all;
}

static void free_tln(const struct problem *problem, struct run *run) {
    const double h = run->step;
    struct body body = free_start(problem);
    double v[3], last[2][3], c[3], f[3];
    for (int i = 0; i < 3; i++) v[i] = last[0][i] = last[1][i] = problem->v[i];
    for (long k = 0; k < run->steps; k++) {
        const double old[3] = {v[0], v[1], v[2]};
        cross(body.p, v, c);
        for (int i = 0; i < 3; i++) c[i] = body.p[i] + h / 2 * c[i];
        extrapolate(v, last);
        for (int i = 0; i < ITERATIONS_MAX; i++)
            if (correct_tln(c, h, v) < 1e-8) break;
        for (int i = 0; i < 3; i++) {
            body.p[i] = I[i] * v[i];
            f[i] = h / 4 * (old[i] + v[i]);
        }
        turn_rows(body.R, f);
    }
    free_finish(&body, run);
}

/* R' = R v^, p' = p x v. */
static inline void rates(const struct body *body, struct body *rate) {
    const double v[3] = {body->p[0] / I[0], body->p[1] / I[1], body->p[2] / I[2]};
    for (int i = 0; i < 9; i += 3) cross(body->R + i, v, rate->R + i);
    cross(body->p, v, rate->p);
}

static inline struct body moved(const struct body *body, double h, const struct body *rate) {
    struct body to;
    for (int i = 0; i < 9; i++) to.R[i] = body->R[i] + h * rate->R[i];
    for (int i = 0; i < 3; i++) to.p[i] = body->p[i] + h * rate->p[i];
    return to;
}

/* R <- R (3 I - R^T R)/2: on the group up to the square of the defect. */
static inline void project(double *R) {
    double G[3][3], S[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            G[i][j] =
                (i == j ? 1.5 : 0) - (R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j]) / 2;
    for (int i = 0; i < 9; i++) S[i] = R[i];
    for (int i = 0; i < 9; i++) R[i] = dot(S + i / 3 * 3, G[i % 3]);
}

static void free_rk4(const struct problem *problem, struct run *run) {
    const double h = run->step;
    struct body body = free_start(problem), k1, k2, k3, k4, at;
    for (long k = 0; k < run->steps; k++) {
        rates(&body, &k1);
        at = moved(&body, h / 2, &k1);
        rates(&at, &k2);
        at = moved(&body, h / 2, &k2);
        rates(&at, &k3);
        at = moved(&body, h, &k3);
        rates(&at, &k4);
        for (int i = 0; i < 9; i++)
            body.R[i] += h / 6 * (k1.R[i] + 2 * (k2.R[i] + k3.R[i]) + k4.R[i]);
        for (int i = 0; i < 3; i++)
            body.p[i] += h / 6 * (k1.p[i] + 2 * (k2.p[i] + k3.p[i]) + k4.p[i]);
        project(body.R);
    }
    free_finish(&body, run);
}

#define SOLVER(name, title) const struct solver hand_##name = {"by hand", title, .loop = name}
SOLVER(body_lgvi, "lgvi");
SOLVER(body_midpoint, "midpoint");
SOLVER(free_flv, "flv");
SOLVER(free_tln, "tln");
SOLVER(free_rk4, "rk4");
