/* The problems of the benchmarks: model texts, start values, accelerations. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "forces.h"

#define ARGUMENTS int n, const double *q, const double *v
#define UNUSED    (void)n, (void)v

/* --- Oscillators. */

static void oscillator(ARGUMENTS, double *a) {
    UNUSED;
    forces_oscillator(q, a);
}

static void oscillator_derivative(ARGUMENTS, double *aq, double *av) {
    UNUSED, (void)q, (void)av;
    aq[0] = -1;
}

const struct problem problem_oscillator = {
    .name = "oscillator",
    .model = "coord q\n"
             "L = q'^2/2 - q^2/2\n",
    .n = 1,
    .q = (const double[]){1},
    .v = (const double[]){0},
    .is_separable = true,
    .acceleration = oscillator,
    .derivative = oscillator_derivative,
};

/* Only the library and loops by hand solve it. */
const struct problem problem_double_well = {
    .name = "double well",
    .model = "coord q\n"
             "L = q'^2/2 - (q^4 - q^2)/2\n",
    .n = 1,
    .q = (const double[]){0.74},
    .v = (const double[]){0},
    .is_separable = true,
};

static void henon_heiles(ARGUMENTS, double *a) {
    UNUSED;
    forces_henon_heiles(q, a);
}

static void henon_heiles_derivative(ARGUMENTS, double *aq, double *av) {
    UNUSED, (void)av;
    aq[0] = -1 - 2 * q[1];
    aq[1] = aq[2] = -2 * q[0];
    aq[3] = -1 + 2 * q[1];
}

const struct problem problem_henon_heiles = {
    .name = "henon-heiles",
    .model = "coord x, y\n"
             "L = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\n",
    .n = 2,
    .q = (const double[]){0, 0.2587703282931232},
    .v = (const double[]){-0.2525875586263492, -0.2178423952983717},
    .is_separable = true,
    .acceleration = henon_heiles,
    .derivative = henon_heiles_derivative,
};

/* --- Outer solar system. */

static void planets(ARGUMENTS, double *a) {
    UNUSED;
    forces_planets(q, a);
}

/* With d = x_i - x_j: d a_i/d x_j = G m_j (1/r^3 - 3 d d^T/r^5), and minus that on the diagonal. */
static void planets_derivative(ARGUMENTS, double *aq, double *av) {
    UNUSED, (void)av;
    for (int i = 0; i < 9 * BODIES * BODIES; i++) aq[i] = 0;
    for (int i = 0; i < BODIES; i++) {
        for (int j = 0; j < BODIES; j++) {
            if (i == j) continue;
            const double *x = q + 3 * i, *y = q + 3 * j;
            const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            const double f = forces_gravity[j] / (r2 * sqrt(r2));
            for (int k = 0; k < 9; k++) {
                const double value = f * ((k % 4 == 0) - 3 * d[k / 3] * d[k % 3] / r2);
                double *row = aq + (3 * i + k / 3) * 3 * BODIES + k % 3;
                row[3 * j] += value;
                row[3 * i] -= value;
            }
        }
    }
}

const struct problem problem_planets = {
    .name = "planets",
    .model = "param n = 6, G = 2.95912208286e-4\n"
             "param mass = [1.00000597682, 9.54786104043e-4, 2.85583733151e-4,\n"
             "              4.37273164546e-5, 5.17759138449e-5, 1/1.3e8]\n"
             "coord x[6][3]\n"
             "L = sum(i = 1..n, mass[i]/2*dot(x[i]', x[i]'))\n"
             "  + sum(i = 2..n, j = 1..i-1, G*mass[i]*mass[j]/norm(x[i] - x[j]))\n",
    .n = 3 * BODIES,
    .q = (const double[]){0, 0, 0, -3.5023653, -3.8169847, -1.5507963, 9.0755314, -3.0458353,
                          -1.6483708, 8.3101420, -16.2901086, -7.2521278, 11.4707666, -25.7294829,
                          -10.8169456, -15.5387357, -25.2225594, -3.1902382},
    .v = (const double[]){0, 0, 0, 0.00565429, -0.00412490, -0.00190589, 0.00168318, 0.00483525,
                          0.00192462, 0.00354178, 0.00137102, 0.00055029, 0.00288930, 0.00114527,
                          0.00039677, 0.00276725, -0.00170702, -0.00136504},
    .is_separable = true,
    .acceleration = planets,
    .derivative = planets_derivative,
};

/* --- Double pendulum. */

static void pendulum(ARGUMENTS, double *a) {
    (void)n;
    forces_pendulum(q, v, a);
}

/* M a = w differentiated: M a_x = w_x - M_x a. */
static void pendulum_derivative(ARGUMENTS, double *aq, double *av) {
    const double s = PENDULUM_C * sin(q[0] - q[1]), c = PENDULUM_C * cos(q[0] - q[1]);
    const double inverse = 1 / (PENDULUM_A * PENDULUM_B - c * c);
    double a[2];
    pendulum(n, q, v, a);
    const double bend0 = -c * v[1] * v[1] + s * a[1], bend1 = c * v[0] * v[0] + s * a[0];
    const double w[4][2] = {{bend0 - PENDULUM_E * cos(q[0]), bend1},
                            {-bend0, -bend1 - PENDULUM_F * cos(q[1])},
                            {0, 2 * s * v[0]},
                            {-2 * s * v[1], 0}};
    for (int j = 0; j < 4; j++) {
        double *column = (j < 2 ? aq : av) + j % 2;
        column[0] = (PENDULUM_B * w[j][0] - c * w[j][1]) * inverse;
        column[2] = (PENDULUM_A * w[j][1] - c * w[j][0]) * inverse;
    }
}

const struct problem problem_pendulum = {
    .name = "pendulum",
    .model = "param l = [2, 3], m = [1, 2], g = 9.80665\n"
             "coord theta[2]\n"
             "let c = cos(theta[1] - theta[2])\n"
             "L = (m[1] + m[2])/2*l[1]^2*theta[1]'^2 + m[2]/2*l[2]^2*theta[2]'^2\n"
             "  + m[2]*l[1]*l[2]*theta[1]'*theta[2]'*c\n"
             "  + (m[1] + m[2])*g*l[1]*cos(theta[1]) + m[2]*g*l[2]*cos(theta[2])\n",
    .n = 2,
    .q = (const double[]){0.78539816339744828, 1.5707963267948966},
    .v = (const double[]){0, 0.39269908169872414},
    .acceleration = pendulum,
    .derivative = pendulum_derivative,
};

/* --- A pendulum in space: a rigid body that hangs from a point. */

const struct problem problem_body = {
    .name = "body",
    .model = "param J = diag(1, 2.8, 2), g = 9.81\n"
             "rotation R, W\n"
             "L = dot(W, J*W)/2 + g*dot(e3, R*e3)\n",
    .n = 3,
    .q = (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1},
    .v = (const double[]){0.5, -0.5, 0.4},
    .is_separable = true,
};

const struct problem problem_free_body = {
    .name = "free body",
    .model = "param J = diag(2, 3, 4)\n"
             "rotation R, W\n"
             "L = dot(W, J*W)/2\n",
    .n = 3,
    .q = (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1},
    .v = (const double[]){1, 0.5, -0.8},
    .is_separable = true,
};

/* --- Chain. */

static void chain_acceleration(ARGUMENTS, double *a) {
    (void)v;
    forces_chain(n, q, a);
}

static void chain_derivative(ARGUMENTS, double *aq, double *av) {
    (void)v, (void)av;
    for (int i = 0; i < n; i++) {
        aq[3 * i] = i > 0 ? CHAIN_SPRING : 0;
        aq[3 * i + 2] = i + 1 < n ? CHAIN_SPRING : 0;
        aq[3 * i + 1] = -aq[3 * i] - aq[3 * i + 2] - CHAIN_GRAVITY * cos(q[i]);
    }
}

static const char chain_model[] =
    "param n = %d, k = 4, g = 0.25\n"
    "coord phi[%d]\n"
    "L = sum(i = 1..n, phi[i]'^2/2 + g*cos(phi[i])) - sum(i = 2..n, k/2*(phi[i] - phi[i-1])^2)\n";

struct problem *problem_chain(int n) {
    struct problem *chain = malloc(sizeof *chain);
    double *q = malloc(2 * (size_t)n * sizeof *q), *v = q + n;
    char *model;
    if (!chain || !q || asprintf(&model, chain_model, n, n) < 0) abort();
    for (int i = 0; i < n; i++) {
        q[i] = sin(0.1 * i);
        v[i] = 0.5 * cos(0.3 * i);
    }
    *chain = (struct problem){
        .name = "chain",
        .model = model,
        .n = n,
        .q = q,
        .v = v,
        .is_separable = true,
        .is_chain = true,
        .acceleration = chain_acceleration,
        .derivative = chain_derivative,
    };
    return chain;
}

void problem_chain_free(struct problem *chain) {
    free((void *)chain->model);
    free((void *)chain->q);
    free(chain);
}
