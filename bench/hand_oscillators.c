/* Oscillators by hand: the state in registers, the force at the end of a step reused in the
 * next. */
/* SPDX-License-Identifier: MIT */
#include "hand.h"

/* Suzuki's composition of order 4: five Verlet steps of sizes g, g, 1-4g, g, g. */
#define SUZUKI 0.41449077179437573714

static void finish(struct run *run, int n, const double *q, const double *v, long evaluations) {
    for (int i = 0; i < n; i++) {
        run->q[i] = q[i];
        run->v[i] = v[i];
    }
    run->evaluations = evaluations;
}

/* --- Harmonic oscillator. */

static void oscillator_verlet(const struct problem *problem, struct run *run) {
    const double h = run->step;
    double x = problem->q[0], u = problem->v[0], f = -x;
    for (long k = 0; k < run->steps; k++) {
        u += h / 2 * f;
        x += h * u;
        f = -x;
        u += h / 2 * f;
    }
    finish(run, 1, &x, &u, run->steps);
}

static void oscillator_leapfrog(const struct problem *problem, struct run *run) {
    const double h = run->step;
    double x = problem->q[0], u = problem->v[0] - h / 2 * -x;
    for (long k = 0; k < run->steps; k++) {
        u += h * -x;
        x += h * u;
    }
    u += h / 2 * -x;
    finish(run, 1, &x, &u, run->steps);
}

static void oscillator_order4(const struct problem *problem, struct run *run) {
    const double h = run->step, g = SUZUKI * h, m = h - 4 * g;
    double x = problem->q[0], u = problem->v[0], f = -x;
    for (long k = 0; k < run->steps; k++) {
        u += g / 2 * f;
        x += g * u;
        u += g * -x;
        x += g * u;
        u += (g + m) / 2 * -x;
        x += m * u;
        u += (g + m) / 2 * -x;
        x += g * u;
        u += g * -x;
        x += g * u;
        f = -x;
        u += g / 2 * f;
    }
    finish(run, 1, &x, &u, 5 * run->steps);
}

/* --- Henon-Heiles. */

struct plane {
    double x, y, u, v;
};

static inline struct plane drift(struct plane z, double h) {
    return (struct plane){z.x + h * z.u, z.y + h * z.v, z.u, z.v};
}

static inline struct plane kick(struct plane z, double h) {
    z.u += h * (-z.x - 2 * z.x * z.y);
    z.v += h * (-z.y - z.x * z.x + z.y * z.y);
    return z;
}

static struct plane start(const struct problem *problem) {
    return (struct plane){problem->q[0], problem->q[1], problem->v[0], problem->v[1]};
}

static void finish_plane(struct run *run, struct plane z, long evaluations) {
    finish(run, 2, (const double[]){z.x, z.y}, (const double[]){z.u, z.v}, evaluations);
}

static void henon_heiles_verlet(const struct problem *problem, struct run *run) {
    const double h = run->step;
    struct plane z = start(problem);
    double fx = -z.x - 2 * z.x * z.y, fy = -z.y - z.x * z.x + z.y * z.y;
    for (long k = 0; k < run->steps; k++) {
        z.u += h / 2 * fx;
        z.v += h / 2 * fy;
        z = drift(z, h);
        fx = -z.x - 2 * z.x * z.y;
        fy = -z.y - z.x * z.x + z.y * z.y;
        z.u += h / 2 * fx;
        z.v += h / 2 * fy;
    }
    finish_plane(run, z, run->steps);
}

static void henon_heiles_leapfrog(const struct problem *problem, struct run *run) {
    const double h = run->step;
    struct plane z = kick(start(problem), -h / 2);
    for (long k = 0; k < run->steps; k++) z = drift(kick(z, h), h);
    finish_plane(run, kick(z, h / 2), run->steps);
}

static void henon_heiles_order4(const struct problem *problem, struct run *run) {
    const double h = run->step, g = SUZUKI * h, m = h - 4 * g;
    struct plane z = start(problem);
    double fx = -z.x - 2 * z.x * z.y, fy = -z.y - z.x * z.x + z.y * z.y;
    for (long k = 0; k < run->steps; k++) {
        z.u += g / 2 * fx;
        z.v += g / 2 * fy;
        z = drift(kick(drift(z, g), g), g);
        z = drift(kick(z, (g + m) / 2), m);
        z = drift(kick(z, (g + m) / 2), g);
        z = drift(kick(z, g), g);
        fx = -z.x - 2 * z.x * z.y;
        fy = -z.y - z.x * z.x + z.y * z.y;
        z.u += g / 2 * fx;
        z.v += g / 2 * fy;
    }
    finish_plane(run, z, 5 * run->steps);
}

#define SOLVER(name, title) const struct solver hand_##name = {"by hand", title, .loop = name}
SOLVER(oscillator_verlet, "verlet");
SOLVER(oscillator_leapfrog, "leapfrog");
SOLVER(oscillator_order4, "splitting order=4");
SOLVER(henon_heiles_verlet, "verlet");
SOLVER(henon_heiles_leapfrog, "leapfrog");
SOLVER(henon_heiles_order4, "splitting order=4");
