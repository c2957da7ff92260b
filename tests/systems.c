/* Systems written by hand, with their exact first and second derivatives. */
/* SPDX-License-Identifier: MIT */
#include "systems.h"
#include "base/elementary.h"

#include <stddef.h>

typedef noe_real real;
#define ARGUMENTS const struct noe_system *s, real t, const real *q, const real *v
#define UNUSED    (void)s, (void)t, (void)q, (void)v

/* d holds the blocks p_v, p_q, w_v, w_q of a system with two degrees of freedom: block k, row i,
 * column j. */
#define AT(k, i, j) d[4 * (k) + 2 * (i) + (j)]

static real henon_lagrangian(ARGUMENTS) {
    UNUSED;
    return (v[0] * v[0] + v[1] * v[1]) / 2 - (q[0] * q[0] + q[1] * q[1]) / 2 - q[0] * q[0] * q[1] +
           q[1] * q[1] * q[1] / 3;
}

static void henon_force(ARGUMENTS, real *w) {
    UNUSED;
    w[0] = -q[0] - 2 * q[0] * q[1];
    w[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
}

static void henon_first(ARGUMENTS, real *p, real *w) {
    henon_force(s, t, q, v, w);
    p[0] = v[0];
    p[1] = v[1];
}

static void henon_second(ARGUMENTS, real *p, real *w, real *d) {
    henon_first(s, t, q, v, p, w);
    for (int i = 0; i < 16; i++) d[i] = 0;
    AT(0, 0, 0) = AT(0, 1, 1) = 1;
    AT(3, 0, 0) = -1 - 2 * q[1];
    AT(3, 0, 1) = AT(3, 1, 0) = -2 * q[0];
    AT(3, 1, 1) = -1 + 2 * q[1];
}

const struct noe_system henon_heiles = {
    .name = "Henon-Heiles",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED,
    .lagrangian = henon_lagrangian,
    .force = henon_force,
    .first = henon_first,
    .second = henon_second,
};

/* L = v0^2 + v1^2/2 + v0 v1 cos(q0-q1) + g (2 cos q0 + cos q1) */
static const double gravity = 9.81;

static real pendulum_lagrangian(ARGUMENTS) {
    UNUSED;
    return v[0] * v[0] + v[1] * v[1] / 2 + v[0] * v[1] * noe_cos(q[0] - q[1]) +
           gravity * (2 * noe_cos(q[0]) + noe_cos(q[1]));
}

static void pendulum_first(ARGUMENTS, real *p, real *w) {
    UNUSED;
    const real sine = noe_sin(q[0] - q[1]), cosine = noe_cos(q[0] - q[1]);
    const real coupling = v[0] * v[1] * sine;
    p[0] = 2 * v[0] + v[1] * cosine;
    p[1] = v[1] + v[0] * cosine;
    w[0] = -coupling - 2 * gravity * noe_sin(q[0]);
    w[1] = coupling - gravity * noe_sin(q[1]);
}

static void pendulum_second(ARGUMENTS, real *p, real *w, real *d) {
    UNUSED;
    const real sine = noe_sin(q[0] - q[1]), cosine = noe_cos(q[0] - q[1]);
    const real coupling = v[0] * v[1] * sine, bend = v[0] * v[1] * cosine;
    p[0] = 2 * v[0] + v[1] * cosine;
    p[1] = v[1] + v[0] * cosine;
    w[0] = -coupling - 2 * gravity * noe_sin(q[0]);
    w[1] = coupling - gravity * noe_sin(q[1]);
    AT(0, 0, 0) = 2;
    AT(0, 1, 1) = 1;
    AT(0, 0, 1) = AT(0, 1, 0) = cosine;
    AT(1, 0, 0) = -v[1] * sine;
    AT(1, 0, 1) = v[1] * sine;
    AT(1, 1, 0) = -v[0] * sine;
    AT(1, 1, 1) = v[0] * sine;
    AT(2, 0, 0) = -v[1] * sine;
    AT(2, 0, 1) = -v[0] * sine;
    AT(2, 1, 0) = v[1] * sine;
    AT(2, 1, 1) = v[0] * sine;
    AT(3, 0, 0) = -bend - 2 * gravity * noe_cos(q[0]);
    AT(3, 0, 1) = AT(3, 1, 0) = bend;
    AT(3, 1, 1) = -bend - gravity * noe_cos(q[1]);
}

const struct noe_system double_pendulum = {
    .name = "double pendulum",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC | NOE_AUTONOMOUS | NOE_UNFORCED,
    .lagrangian = pendulum_lagrangian,
    .first = pendulum_first,
    .second = pendulum_second,
};

/* f0 = 3 sin(2t) - v0/5, f1 = -v1 |v1|^2/50 */
static void driven_add(real t, const real *v, real *w) {
    w[0] += 3 * noe_sin(2 * t) - v[0] / 5;
    w[1] -= v[1] * v[1] * v[1] / 50;
}

static void driven_first(ARGUMENTS, real *p, real *w) {
    pendulum_first(s, t, q, v, p, w);
    driven_add(t, v, w);
}

static void driven_second(ARGUMENTS, real *p, real *w, real *d) {
    pendulum_second(s, t, q, v, p, w, d);
    driven_add(t, v, w);
    AT(2, 0, 0) -= 0.2;
    AT(2, 1, 1) -= 3 * v[1] * v[1] / 50;
}

static void driven_gradient(ARGUMENTS, real *gradient) {
    real p[2];
    pendulum_first(s, t, q, v, p, gradient);
    gradient[2] = 0;
}

const struct noe_system driven_pendulum = {
    .name = "driven double pendulum",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC,
    .lagrangian = pendulum_lagrangian,
    .first = driven_first,
    .second = driven_second,
    .gradient = driven_gradient,
};

static real kepler_lagrangian(ARGUMENTS) {
    UNUSED;
    return (v[0] * v[0] + v[1] * v[1]) / 2 + 1 / noe_sqrt(q[0] * q[0] + q[1] * q[1]);
}

static void kepler_force(ARGUMENTS, real *w) {
    UNUSED;
    const real r2 = q[0] * q[0] + q[1] * q[1], cube = r2 * noe_sqrt(r2);
    w[0] = -q[0] / cube;
    w[1] = -q[1] / cube;
}

static void kepler_first(ARGUMENTS, real *p, real *w) {
    kepler_force(s, t, q, v, w);
    p[0] = v[0];
    p[1] = v[1];
}

static void kepler_second(ARGUMENTS, real *p, real *w, real *d) {
    const real r2 = q[0] * q[0] + q[1] * q[1], r5 = r2 * r2 * noe_sqrt(r2);
    kepler_first(s, t, q, v, p, w);
    for (int i = 0; i < 16; i++) d[i] = 0;
    AT(0, 0, 0) = AT(0, 1, 1) = 1;
    AT(3, 0, 0) = (3 * q[0] * q[0] - r2) / r5;
    AT(3, 0, 1) = AT(3, 1, 0) = 3 * q[0] * q[1] / r5;
    AT(3, 1, 1) = (3 * q[1] * q[1] - r2) / r5;
}

const struct noe_system kepler = {
    .name = "Kepler",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED,
    .lagrangian = kepler_lagrangian,
    .force = kepler_force,
    .first = kepler_first,
    .second = kepler_second,
};

static real sombrero_lagrangian(ARGUMENTS) {
    UNUSED;
    const real r2 = q[0] * q[0] + q[1] * q[1];
    return (v[0] * v[0] + v[1] * v[1]) / 2 - (r2 * r2 - r2) / 2;
}

static void sombrero_force(ARGUMENTS, real *w) {
    UNUSED;
    const real pull = 1 - 2 * (q[0] * q[0] + q[1] * q[1]);
    w[0] = pull * q[0];
    w[1] = pull * q[1];
}

static void sombrero_first(ARGUMENTS, real *p, real *w) {
    sombrero_force(s, t, q, v, w);
    p[0] = v[0];
    p[1] = v[1];
}

static void sombrero_second(ARGUMENTS, real *p, real *w, real *d) {
    const real pull = 1 - 2 * (q[0] * q[0] + q[1] * q[1]);
    sombrero_first(s, t, q, v, p, w);
    for (int i = 0; i < 16; i++) d[i] = 0;
    AT(0, 0, 0) = AT(0, 1, 1) = 1;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) AT(3, i, k) = (i == k ? pull : 0) - 4 * q[i] * q[k];
}

const struct noe_system sombrero = {
    .name = "sombrero",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED,
    .lagrangian = sombrero_lagrangian,
    .force = sombrero_force,
    .first = sombrero_first,
    .second = sombrero_second,
};

/* With r2 = |q|^2, e = |v|^2, j = x v_y - y v_x: L = (1+r2) e/2 + r2 j/2 - r2^2/4. */
static real magnet_lagrangian(ARGUMENTS) {
    UNUSED;
    const real r2 = q[0] * q[0] + q[1] * q[1], e = v[0] * v[0] + v[1] * v[1];
    return (1 + r2) * e / 2 + r2 * (q[0] * v[1] - q[1] * v[0]) / 2 - r2 * r2 / 4;
}

static void magnet_first(ARGUMENTS, real *p, real *w) {
    UNUSED;
    const real r2 = q[0] * q[0] + q[1] * q[1], e = v[0] * v[0] + v[1] * v[1];
    const real j = q[0] * v[1] - q[1] * v[0];
    p[0] = (1 + r2) * v[0] - r2 * q[1] / 2;
    p[1] = (1 + r2) * v[1] + r2 * q[0] / 2;
    w[0] = q[0] * (e + j - r2) + r2 * v[1] / 2;
    w[1] = q[1] * (e + j - r2) - r2 * v[0] / 2;
}

static void magnet_second(ARGUMENTS, real *p, real *w, real *d) {
    const real x = q[0], y = q[1], r2 = x * x + y * y, e = v[0] * v[0] + v[1] * v[1];
    const real sum = e + x * v[1] - y * v[0] - r2;
    magnet_first(s, t, q, v, p, w);
    AT(0, 0, 0) = AT(0, 1, 1) = 1 + r2;
    AT(0, 0, 1) = AT(0, 1, 0) = 0;
    AT(1, 0, 0) = 2 * x * v[0] - x * y;
    AT(1, 0, 1) = 2 * y * v[0] - y * y - r2 / 2;
    AT(1, 1, 0) = 2 * x * v[1] + x * x + r2 / 2;
    AT(1, 1, 1) = 2 * y * v[1] + x * y;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) AT(2, i, k) = AT(1, k, i);
    AT(3, 0, 0) = sum + x * (v[1] - 2 * x) + x * v[1];
    AT(3, 0, 1) = x * (-v[0] - 2 * y) + y * v[1];
    AT(3, 1, 0) = y * (v[1] - 2 * x) - x * v[0];
    AT(3, 1, 1) = sum + y * (-v[0] - 2 * y) - y * v[0];
}

const struct noe_system magnet = {
    .name = "magnet",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC | NOE_AUTONOMOUS | NOE_UNFORCED,
    .lagrangian = magnet_lagrangian,
    .first = magnet_first,
    .second = magnet_second,
};

/* L = sum_i c_i (x_i y_i' - y_i x_i')/2 - log|r_1 - r_2|, with c = (1, 2), q = (x1, y1, x2, y2). */
static const double strength[2] = {1, 2};

static real vortex_lagrangian(ARGUMENTS) {
    UNUSED;
    const real a = q[0] - q[2], b = q[1] - q[3];
    real sum = -noe_log(a * a + b * b) / 2;
    for (int i = 0; i < 2; i++)
        sum += strength[i] * (q[2 * i] * v[2 * i + 1] - q[2 * i + 1] * v[2 * i]) / 2;
    return sum;
}

static void vortex_first(ARGUMENTS, real *p, real *w) {
    UNUSED;
    const real a = q[0] - q[2], b = q[1] - q[3], r2 = a * a + b * b;
    for (int i = 0; i < 2; i++) {
        const real half = strength[i] / 2;
        p[2 * i] = -half * q[2 * i + 1];
        p[2 * i + 1] = half * q[2 * i];
        w[2 * i] = half * v[2 * i + 1] - (i ? -a : a) / r2;
        w[2 * i + 1] = -half * v[2 * i] - (i ? -b : b) / r2;
    }
}

static void vortex_second(ARGUMENTS, real *p, real *w, real *d) {
    const real a = q[0] - q[2], b = q[1] - q[3], r2 = a * a + b * b, r4 = r2 * r2;
    const real hessian[2][2] = {{(b * b - a * a) / r4, -2 * a * b / r4},
                                {-2 * a * b / r4, (a * a - b * b) / r4}};
    real *pq = d + 16, *wv = d + 32, *wq = d + 48;
    vortex_first(s, t, q, v, p, w);
    for (int i = 0; i < 64; i++) d[i] = 0;
    for (int i = 0; i < 2; i++) {
        const real half = strength[i] / 2;
        const int x = 2 * i, y = 2 * i + 1;
        pq[4 * x + y] = wv[4 * y + x] = -half;
        pq[4 * y + x] = wv[4 * x + y] = half;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            wq[4 * i + j] = (i / 2 == j / 2 ? -1 : 1) * hessian[i % 2][j % 2];
}

const struct noe_system vortices = {
    .name = "point vortices",
    .n = 4,
    .nz = 16,
    .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_LINEAR | NOE_AUTONOMOUS | NOE_UNFORCED,
    .lagrangian = vortex_lagrangian,
    .first = vortex_first,
    .second = vortex_second,
};
