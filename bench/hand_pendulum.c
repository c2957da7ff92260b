/* The double pendulum by hand: implicit midpoint rule and Gauss' collocation. */
/* SPDX-License-Identifier: MIT */
#include "forces.h"
#include "hand.h"

enum { A = PENDULUM_A, B = PENDULUM_B, C = PENDULUM_C, ITERATIONS_MAX = 50 };

static void momentum(const double *q, const double *v, double *p) {
    const double c = C * cos(q[0] - q[1]);
    p[0] = A * v[0] + c * v[1];
    p[1] = B * v[1] + c * v[0];
}

static void finish(struct run *run, const double *q, const double *p, long evaluations) {
    const double c = C * cos(q[0] - q[1]), inverse = 1 / (A * B - c * c);
    run->q[0] = q[0];
    run->q[1] = q[1];
    run->v[0] = inverse * (B * p[0] - c * p[1]);
    run->v[1] = inverse * (A * p[1] - c * p[0]);
    run->evaluations = evaluations;
}

/* --- Midpoint: L_v(Q,V) - p - h/2 L_q(Q,V) = 0 with Q = q + h/2 V. */

/* One Newton correction of V by Cramer's rule. Returns its size relative to V. */
static inline double correct(const double *q, const double *p, double h, double *V) {
    const double Q[2] = {q[0] + h / 2 * V[0], q[1] + h / 2 * V[1]};
    const double s = C * sin(Q[0] - Q[1]), c = C * cos(Q[0] - Q[1]);
    const double coupling = V[0] * V[1] * s, bend = V[0] * V[1] * c;
    const double w0 = -coupling - PENDULUM_E * sin(Q[0]), w1 = coupling - PENDULUM_F * sin(Q[1]);
    const double r0 = A * V[0] + c * V[1] - p[0] - h / 2 * w0;
    const double r1 = B * V[1] + c * V[0] - p[1] - h / 2 * w1;
    const double skew = h / 2 * s * (V[0] + V[1]);
    const double a = A + h * h / 4 * (bend + PENDULUM_E * cos(Q[0]));
    const double b = c - h * h / 4 * bend + skew;
    const double d = c - h * h / 4 * bend - skew;
    const double e = B + h * h / 4 * (bend + PENDULUM_F * cos(Q[1]));
    const double inverse = 1 / (a * e - b * d);
    const double d0 = inverse * (e * r0 - b * r1), d1 = inverse * (a * r1 - d * r0);
    V[0] -= d0;
    V[1] -= d1;
    return (fabs(d0) + fabs(d1)) / (fabs(V[0]) + fabs(V[1]));
}

/* Newton from a quadratic extrapolation until the correction is below 1e-8, which quadratic
 * convergence squares; then p1 = p + h L_q follows from the residual: p1 = 2 L_v(Q,V) - p. */
static void pendulum_midpoint(const struct problem *problem, struct run *run) {
    const double h = run->step;
    double q[2] = {problem->q[0], problem->q[1]}, v[2] = {problem->v[0], problem->v[1]}, p[2];
    double last[2][2] = {{v[0], v[1]}, {v[0], v[1]}};
    long evaluations = 0;
    momentum(q, v, p);
    for (long k = 0; k < run->steps; k++) {
        const double old[2] = {v[0], v[1]};
        for (int i = 0; i < 2; i++) {
            v[i] = 3 * v[i] - 3 * last[0][i] + last[1][i];
            last[1][i] = last[0][i];
            last[0][i] = old[i];
        }
        for (int i = 0; i < ITERATIONS_MAX; i++) {
            evaluations++;
            if (correct(q, p, h, v) < 1e-8) break;
        }
        const double c = C * cos(q[0] - q[1] + h / 2 * (v[0] - v[1]));
        p[0] = 2 * (A * v[0] + c * v[1]) - p[0];
        p[1] = 2 * (B * v[1] + c * v[0]) - p[1];
        q[0] += h * v[0];
        q[1] += h * v[1];
    }
    finish(run, q, p, evaluations);
}

/* --- Gauss on q' = M^-1 p, p' = L_q, by fixed-point iteration on the slopes. */

static inline void slopes(const double *q, const double *p, double *f) {
    const double s = C * sin(q[0] - q[1]), c = C * cos(q[0] - q[1]), inverse = 1 / (A * B - c * c);
    f[0] = inverse * (B * p[0] - c * p[1]);
    f[1] = inverse * (A * p[1] - c * p[0]);
    f[2] = -f[0] * f[1] * s - PENDULUM_E * sin(q[0]);
    f[3] = f[0] * f[1] * s - PENDULUM_F * sin(q[1]);
}

static double iterate(const struct hand_gauss *gauss, const double *z, double h, double (*G)[4],
                      double (*F)[4]) {
    double change = 0;
    for (int i = 0; i < HAND_STAGES; i++) {
        double Z[4] = {0};
        for (int j = 0; j < HAND_STAGES; j++)
            for (int k = 0; k < 4; k++) Z[k] += gauss->a[i][j] * G[j][k];
        for (int k = 0; k < 4; k++) Z[k] = z[k] + h * Z[k];
        slopes(Z, Z + 2, F[i]);
        for (int k = 0; k < 4; k++) change = hand_larger(change, fabs(F[i][k] - G[i][k]));
    }
    return change;
}

static void advance(const struct hand_gauss *gauss, double h, double *z, double (*F)[4],
                    double (*G)[4]) {
    for (int k = 0; k < 4; k++) {
        double sum = 0;
        for (int j = 0; j < HAND_STAGES; j++) sum += gauss->b[j] * F[j][k];
        z[k] += h * sum;
    }
    for (int i = 0; i < HAND_STAGES; i++) {
        for (int k = 0; k < 4; k++) G[i][k] = 0;
        for (int j = 0; j < HAND_STAGES; j++)
            for (int k = 0; k < 4; k++) G[i][k] += gauss->guess[i][j] * F[j][k];
    }
}

/* Iterates until the change stops shrinking: round-off. */
static void pendulum_gauss(const struct problem *problem, struct run *run) {
    struct hand_gauss gauss;
    double z[4] = {problem->q[0], problem->q[1]}, F[HAND_STAGES][4], G[HAND_STAGES][4];
    long evaluations = 0;
    hand_gauss(&gauss);
    momentum(z, problem->v, z + 2);
    for (int i = 0; i < HAND_STAGES; i++) slopes(z, z + 2, G[i]);
    for (long k = 0; k < run->steps; k++) {
        double last = HUGE_VAL;
        for (int i = 0; i < ITERATIONS_MAX; i++) {
            const double change = iterate(&gauss, z, run->step, G, F);
            evaluations += HAND_STAGES;
            if (change == 0 || change >= last) break;
            last = change;
            for (int s = 0; s < HAND_STAGES; s++)
                for (int m = 0; m < 4; m++) G[s][m] = F[s][m];
        }
        advance(&gauss, run->step, z, F, G);
    }
    finish(run, z, z + 2, evaluations);
}

#define SOLVER(name, title) const struct solver hand_##name = {"by hand", title, .loop = name}
SOLVER(pendulum_midpoint, "midpoint");
SOLVER(pendulum_gauss, "gauss stages=8");
