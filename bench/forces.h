/* Forces and their derivatives by hand, as plain C that a compiler can inline. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_FORCES_H
#define BENCH_FORCES_H

#include <math.h>

/* --- Harmonic oscillator, and Henon-Heiles: a = -grad (x^2+y^2)/2 + x^2 y - y^3/3. */

static inline void forces_oscillator(const double *q, double *a) { a[0] = -q[0]; }

static inline void forces_henon_heiles(const double *q, double *a) {
    a[0] = -q[0] - 2 * q[0] * q[1];
    a[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
}

/* --- Outer solar system: a_i = sum_j G m_j (x_j - x_i)/r^3. */

enum { BODIES = 6, PAIRS = BODIES * (BODIES - 1) / 2 };

/* G m: AU^3/day^2. */
static const double forces_gravity[BODIES] = {
    2.95912208286e-4 * 1.00000597682,    2.95912208286e-4 * 9.54786104043e-4,
    2.95912208286e-4 * 2.85583733151e-4, 2.95912208286e-4 * 4.37273164546e-5,
    2.95912208286e-4 * 5.17759138449e-5, 2.95912208286e-4 / 1.3e8,
};

/* All distances first, so that square roots and divisions, the slow part, are computed in pairs. */
static inline void forces_planets(const double *x, double *a) {
    double d[3][PAIRS], f[PAIRS];
    int pair = 0;
    for (int i = 1; i < BODIES; i++)
        for (int j = 0; j < i; j++, pair++)
            for (int k = 0; k < 3; k++) d[k][pair] = x[3 * i + k] - x[3 * j + k];
    for (pair = 0; pair < PAIRS; pair++) {
        const double r2 =
            d[0][pair] * d[0][pair] + d[1][pair] * d[1][pair] + d[2][pair] * d[2][pair];
        f[pair] = 1 / (r2 * sqrt(r2));
    }
    for (int i = 0; i < 3 * BODIES; i++) a[i] = 0;
    pair = 0;
    for (int i = 1; i < BODIES; i++) {
        for (int j = 0; j < i; j++, pair++) {
            const double on_i = forces_gravity[j] * f[pair], on_j = forces_gravity[i] * f[pair];
            for (int k = 0; k < 3; k++) {
                a[3 * i + k] -= on_i * d[k][pair];
                a[3 * j + k] += on_j * d[k][pair];
            }
        }
    }
}

/* --- Double pendulum: l = (2,3), m = (1,2).
 * L = A v0^2/2 + B v1^2/2 + C v0 v1 cos(q0-q1) + E cos q0 + F cos q1 */

enum { PENDULUM_A = 12, PENDULUM_B = 18, PENDULUM_C = 12 };
#define PENDULUM_E (3 * 9.80665 * 2)
#define PENDULUM_F (2 * 9.80665 * 3)

/* M v' = w with p' = L_q written out: v0 A + v1 C c = -C v1^2 s - E sin q0, and likewise. */
static inline void forces_pendulum(const double *q, const double *v, double *a) {
    const double s = sin(q[0] - q[1]), c = PENDULUM_C * cos(q[0] - q[1]);
    const double w0 = -PENDULUM_C * v[1] * v[1] * s - PENDULUM_E * sin(q[0]);
    const double w1 = PENDULUM_C * v[0] * v[0] * s - PENDULUM_F * sin(q[1]);
    const double inverse = 1 / (PENDULUM_A * PENDULUM_B - c * c);
    a[0] = (PENDULUM_B * w0 - c * w1) * inverse;
    a[1] = (PENDULUM_A * w1 - c * w0) * inverse;
}

/* p = L_v and w = L_q. */
static inline void forces_pendulum_first(const double *q, const double *v, double *p, double *w) {
    const double x = q[0] - q[1], c = PENDULUM_C * cos(x),
                 coupling = PENDULUM_C * sin(x) * v[0] * v[1];
    p[0] = PENDULUM_A * v[0] + c * v[1];
    p[1] = PENDULUM_B * v[1] + c * v[0];
    w[0] = -coupling - PENDULUM_E * sin(q[0]);
    w[1] = coupling - PENDULUM_F * sin(q[1]);
}

/* p, w and d = p_v, p_q, w_v, w_q, four components each. */
static inline void forces_pendulum_second(const double *q, const double *v, double *p, double *w,
                                          double *d) {
    const double x = q[0] - q[1], c = PENDULUM_C * cos(x), s = PENDULUM_C * sin(x);
    const double v0 = v[0], v1 = v[1], coupling = s * v0 * v1, bend = c * v0 * v1;
    const double s0 = sin(q[0]), c0 = cos(q[0]), s1 = sin(q[1]), c1 = cos(q[1]);
    p[0] = PENDULUM_A * v0 + c * v1;
    p[1] = PENDULUM_B * v1 + c * v0;
    w[0] = -coupling - PENDULUM_E * s0;
    w[1] = coupling - PENDULUM_F * s1;
    d[0] = PENDULUM_A;
    d[1] = d[2] = c;
    d[3] = PENDULUM_B;
    d[5] = d[10] = s * v1;
    d[4] = d[8] = -s * v1;
    d[7] = d[11] = s * v0;
    d[6] = d[9] = -s * v0;
    d[12] = -bend - PENDULUM_E * c0;
    d[13] = d[14] = bend;
    d[15] = -bend - PENDULUM_F * c1;
}

/* --- Chain of pendulums with torsion springs between neighbours; free ends. */

#define CHAIN_SPRING  4.0
#define CHAIN_GRAVITY 0.25

static inline void forces_chain(int n, const double *q, double *a) {
    double left = 0; /* torque of the spring on the left */
    for (int i = 0; i + 1 < n; i++) {
        const double right = CHAIN_SPRING * (q[i + 1] - q[i]);
        a[i] = right - left - CHAIN_GRAVITY * sin(q[i]);
        left = right;
    }
    a[n - 1] = -left - CHAIN_GRAVITY * sin(q[n - 1]);
}

#endif
