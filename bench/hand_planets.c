/* The outer solar system by hand: Verlet, its composition of order 4, and Gauss' collocation. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "forces.h"
#include "hand.h"

enum { N = 3 * BODIES, ITERATIONS_MAX = 50 };
#define SUZUKI 0.41449077179437573714

struct bodies {
    double q[N], v[N], a[N];
};

static void start(struct bodies *z, const struct problem *problem) {
    memcpy(z->q, problem->q, sizeof z->q);
    memcpy(z->v, problem->v, sizeof z->v);
    forces_planets(z->q, z->a);
}

static void finish(struct run *run, const struct bodies *z, long evaluations) {
    memcpy(run->q, z->q, sizeof z->q);
    memcpy(run->v, z->v, sizeof z->v);
    run->evaluations = evaluations;
}

static inline void kick_and_drift(struct bodies *z, double kick, double drift) {
    for (int i = 0; i < N; i++) {
        z->v[i] += kick * z->a[i];
        z->q[i] += drift * z->v[i];
    }
    forces_planets(z->q, z->a);
}

static inline void kick(struct bodies *z, double h) {
    for (int i = 0; i < N; i++) z->v[i] += h * z->a[i];
}

static void planets_verlet(const struct problem *problem, struct run *run) {
    const double h = run->step;
    struct bodies z;
    start(&z, problem);
    for (long k = 0; k < run->steps; k++) {
        kick_and_drift(&z, h / 2, h);
        kick(&z, h / 2);
    }
    finish(run, &z, run->steps);
}

static void planets_order4(const struct problem *problem, struct run *run) {
    const double h = run->step, g = SUZUKI * h, m = h - 4 * g;
    struct bodies z;
    start(&z, problem);
    for (long k = 0; k < run->steps; k++) {
        kick_and_drift(&z, g / 2, g);
        kick_and_drift(&z, g, g);
        kick_and_drift(&z, (g + m) / 2, m);
        kick_and_drift(&z, (g + m) / 2, g);
        kick_and_drift(&z, g, g);
        kick(&z, g / 2);
    }
    finish(run, &z, 5 * run->steps);
}

/* --- Gauss: Q_i = q + c_i h v + h^2 sum_j (A A)_ij a(Q_j), by fixed-point iteration. */

/* F = the forces at the stages that the forces G imply; returns the largest change. */
static double iterate(const struct hand_gauss *gauss, const struct bodies *z, double h,
                      double (*G)[N], double (*F)[N]) {
    double change = 0;
    for (int i = 0; i < HAND_STAGES; i++) {
        double Q[N];
        for (int k = 0; k < N; k++) Q[k] = 0;
        for (int j = 0; j < HAND_STAGES; j++)
            for (int k = 0; k < N; k++) Q[k] += gauss->a2[i][j] * G[j][k];
        for (int k = 0; k < N; k++) Q[k] = z->q[k] + h * (gauss->c[i] * z->v[k] + h * Q[k]);
        forces_planets(Q, F[i]);
        for (int k = 0; k < N; k++) change = hand_larger(change, fabs(F[i][k] - G[i][k]));
    }
    return change;
}

static void advance(const struct hand_gauss *gauss, struct bodies *z, double h, double (*F)[N]) {
    for (int k = 0; k < N; k++) {
        double dq = 0, dv = 0;
        for (int j = 0; j < HAND_STAGES; j++) {
            dq += gauss->ba[j] * F[j][k];
            dv += gauss->b[j] * F[j][k];
        }
        z->q[k] += h * (z->v[k] + h * dq);
        z->v[k] += h * dv;
    }
}

static void extrapolate(const struct hand_gauss *gauss, double (*F)[N], double (*G)[N]) {
    for (int i = 0; i < HAND_STAGES; i++) {
        for (int k = 0; k < N; k++) G[i][k] = 0;
        for (int j = 0; j < HAND_STAGES; j++)
            for (int k = 0; k < N; k++) G[i][k] += gauss->guess[i][j] * F[j][k];
    }
}

/* Iterates until the change stops shrinking: round-off. */
static void planets_gauss(const struct problem *problem, struct run *run) {
    struct hand_gauss gauss;
    struct bodies z;
    double F[HAND_STAGES][N], G[HAND_STAGES][N];
    long evaluations = 0;
    hand_gauss(&gauss);
    start(&z, problem);
    for (int i = 0; i < HAND_STAGES; i++) memcpy(G[i], z.a, sizeof z.a);
    for (long step = 0; step < run->steps; step++) {
        double last = HUGE_VAL;
        for (int i = 0; i < ITERATIONS_MAX; i++) {
            const double change = iterate(&gauss, &z, run->step, G, F);
            evaluations += HAND_STAGES;
            if (change == 0 || change >= last) break;
            last = change;
            memcpy(G, F, sizeof F);
        }
        advance(&gauss, &z, run->step, F);
        extrapolate(&gauss, F, G);
    }
    finish(run, &z, evaluations);
}

#define SOLVER(name, title) const struct solver hand_##name = {"by hand", title, .loop = name}
SOLVER(planets_verlet, "verlet");
SOLVER(planets_order4, "splitting order=4");
SOLVER(planets_gauss, "gauss stages=8");
