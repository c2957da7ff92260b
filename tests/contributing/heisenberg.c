/* The Heisenberg group.
 *
 * A point is the matrix (1 x z; 0 1 y; 0 0 1) row by row, a tangent (a, b, c) the matrix
 * (0 a c; 0 0 b; 0 0 0). The bracket [v, v'] = (0, 0, a b' - b a') is the only one, since longer
 * brackets vanish. So the exponential is 1 + X + X^2/2 and equals the Cayley map, and T, Ad and
 * their derivatives are linear. For L = (a^2 + b^2 + m c^2)/2 the momentum B = m c is conserved,
 * and (a, b) rotates at the rate B like the velocity of a charge in a magnetic field. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "noether.h"
#include "spaces/vec3.h"

enum { HEISENBERG_X = 1, HEISENBERG_Z = 2, HEISENBERG_Y = 5 }; /* indices in a point */

/* The unit matrix with (first, second) at the start of its last row. */
static void heisenberg_lower(real *M, real first, real second) {
    vec3_zero(M);
    vec3_add_identity(M, real_broadcast(1));
    M[6] = first;
    M[7] = second;
}

static void heisenberg_identity(int size, noe_real *g) {
    (void)size;
    vec3_zero(g);
    vec3_add_identity(g, real_broadcast(1));
}

/* (x, y, z) of a point, and the point of (x, y, z). */
static void heisenberg_read(real *xyz, const real *g) {
    xyz[0] = g[HEISENBERG_X];
    xyz[1] = g[HEISENBERG_Y];
    xyz[2] = g[HEISENBERG_Z];
}

static void heisenberg_write(real *g, const real *xyz) {
    heisenberg_identity(1, g);
    g[HEISENBERG_X] = xyz[0];
    g[HEISENBERG_Y] = xyz[1];
    g[HEISENBERG_Z] = xyz[2];
}

/* g exp(v) = (x + a, y + b, z + c + (x + a/2) b). */
static void heisenberg_advance(int size, int tau, noe_real *g1, noe_real *carry1,
                               const noe_real *g0, const noe_real *carry0, const noe_real *v) {
    real xyz[3], d[3] = {v[0], v[1], v[2] + (g0[HEISENBERG_X] + v[0] / 2) * v[1]};
    (void)size, (void)tau;
    heisenberg_read(xyz, g0);
    compensated_add(3, xyz, carry1, xyz, carry0, d);
    heisenberg_write(g1, xyz);
}

static void heisenberg_retract(int size, int tau, noe_real *g1, const noe_real *g0,
                               const noe_real *v) {
    real carry[3] = {real_broadcast(0), real_broadcast(0), real_broadcast(0)};
    heisenberg_advance(size, tau, g1, carry, g0, carry, v);
}

static void heisenberg_difference(int size, int tau, noe_real *v, const noe_real *g0,
                                  const noe_real *g1) {
    real from[3], to[3];
    (void)size, (void)tau;
    heisenberg_read(from, g0);
    heisenberg_read(to, g1);
    v[0] = to[0] - from[0];
    v[1] = to[1] - from[1];
    v[2] = to[2] - from[2] - (from[0] + v[0] / 2) * v[1];
}

/* T(x) y = y - [x, y]/2. */
static void heisenberg_dtau(int tau, noe_real *T, const noe_real *x) {
    (void)tau;
    heisenberg_lower(T, x[1] / 2, -x[0] / 2);
}

static void heisenberg_dtau_inverse(int tau, noe_real *T_inverse, const noe_real *x) {
    (void)tau;
    heisenberg_lower(T_inverse, -x[1] / 2, x[0] / 2);
}

static void heisenberg_dtau_derivative(int tau, noe_real *slope, const noe_real *x,
                                       const noe_real *y) {
    (void)tau, (void)x;
    vec3_zero(slope);
    slope[6] = -y[1] / 2;
    slope[7] = y[0] / 2;
}

static void heisenberg_dtau_dual_derivative(int tau, noe_real *slope, const noe_real *x,
                                            const noe_real *m) {
    (void)tau, (void)x;
    vec3_zero(slope);
    slope[1] = m[2] / 2;
    slope[3] = -m[2] / 2;
}

static void heisenberg_dtau_inverse_derivative(int tau, noe_real *slope, const noe_real *x,
                                               const noe_real *y) {
    const real minus[3] = {-y[0], -y[1], -y[2]};
    heisenberg_dtau_derivative(tau, slope, x, minus);
}

static void heisenberg_dtau_inverse_dual_derivative(int tau, noe_real *slope, const noe_real *x,
                                                    const noe_real *m) {
    const real minus[3] = {-m[0], -m[1], -m[2]};
    heisenberg_dtau_dual_derivative(tau, slope, x, minus);
}

static void heisenberg_dtau_hessian(int tau, noe_real *hessian, const noe_real *x,
                                    const noe_real *y, const noe_real *m) {
    (void)tau, (void)x, (void)y, (void)m;
    vec3_zero(hessian);
}

/* Ad_exp(x) y = y + [x, y]. */
static void heisenberg_adjoint(int tau, noe_real *Ad, const noe_real *x) {
    (void)tau;
    heisenberg_lower(Ad, -x[1], x[0]);
}

static void heisenberg_coadjoint_change(int tau, noe_real *dm, const noe_real *x,
                                        const noe_real *m) {
    const real B = m[2], a = x[0], b = x[1];
    (void)tau;
    dm[0] = -b * B;
    dm[1] = a * B;
    dm[2] = real_broadcast(0);
}

static void heisenberg_poisson(noe_real *B, const noe_real *m) {
    vec3_zero(B);
    B[1] = -m[2];
    B[3] = m[2];
}

/* Every increment is allowed. */
static noe_real heisenberg_load(int tau, const noe_real *x) {
    (void)tau, (void)x;
    return real_broadcast(0);
}

static noe_real heisenberg_defect(const noe_real *g) {
    const real off[6] = {g[0] - 1, g[4] - 1, g[8] - 1, g[3], g[6], g[7]};
    return real_norm(6, off);
}

static void heisenberg_project(noe_real *g) {
    real xyz[3];
    heisenberg_read(xyz, g);
    heisenberg_write(g, xyz);
}

/* x' = a, y' = b, z' = c + x b, where the ones of the diagonal are the constants. */
static const struct noe_frame heisenberg_frame[] = {
    {HEISENBERG_X, 0, 0, 1},
    {HEISENBERG_Y, 1, 4, 1},
    {HEISENBERG_Z, 2, 0, 1},
    {HEISENBERG_Z, 1, HEISENBERG_X, 1},
};

const struct noe_space noe_space_heisenberg = {
    .name = "heisenberg",
    .summary = "upper triangular matrices with a unit diagonal",
    .plural = "elements of the Heisenberg group",
    .group = "heisenberg",
    .retractions = NOE_HAS_CAY | NOE_HAS_EXP,
    .point = 9,
    .tangent = 3,
    .nframe = 4,
    .frame = heisenberg_frame,
    .identity = heisenberg_identity,
    .retract = heisenberg_retract,
    .advance = heisenberg_advance,
    .difference = heisenberg_difference,
    .maps.dtau = heisenberg_dtau,
    .maps.dtau_inverse = heisenberg_dtau_inverse,
    .maps.dtau_derivative = heisenberg_dtau_derivative,
    .maps.dtau_dual_derivative = heisenberg_dtau_dual_derivative,
    .maps.dtau_inverse_derivative = heisenberg_dtau_inverse_derivative,
    .maps.dtau_inverse_dual_derivative = heisenberg_dtau_inverse_dual_derivative,
    .maps.dtau_hessian = heisenberg_dtau_hessian,
    .maps.adjoint = heisenberg_adjoint,
    .maps.coadjoint_change = heisenberg_coadjoint_change,
    .maps.poisson = heisenberg_poisson,
    .maps.retraction_load = heisenberg_load,
    .maps.defect = heisenberg_defect,
    .maps.project = heisenberg_project,
};
