/* S^3: unit quaternions.
 *
 * A point is (w, x, y, z), real part first; a tangent is the body angular velocity s of the
 * rotation of q, q' = q (0, s)/2. So S^3 has the algebra, the momenta and, for the exponential, the
 * tangents of SO(3). Its Cayley map is that of the quaternions, (1-X)^-1 (1+X) with X = (0, x)/4,
 * which is rational and reaches every point but -1. */
/* SPDX-License-Identifier: MIT */
#include "noether.h"
#include "spaces/so3_retraction.h"

static int s3_kind(int tau) { return tau == SO3_EXP ? SO3_EXP : SO3_HALF; }

static real s3_square(const real *q) { return q[0] * q[0] + vec3_dot(q + 1, q + 1); }

static void s3_identity(int size, noe_real *g) {
    (void)size;
    for (int i = 0; i < 4; i++) g[i] = real_broadcast(i == 0);
}

static void s3_retract(int size, int tau, noe_real *g1, const noe_real *g0, const noe_real *x) {
    real K[4], D[4];
    (void)size;
    so3_quaternion_change(s3_kind(tau), K, x);
    so3_quaternion_product(D, g0, K);
    for (int i = 0; i < 4; i++) g1[i] = g0[i] + D[i];
}

/* As so3_matrix_advance: the norm of g0 is restored, and the round-off of the sum along the sphere
 * is carried as a small rotation of space. */
static void s3_advance(int size, int tau, noe_real *g1, noe_real *carry1, const noe_real *g0,
                       const noe_real *carry0, const noe_real *x) {
    const real stretch = (1 - s3_square(g0)) / 2;
    const real half[4] = {real_broadcast(0), carry0[0] / 2, carry0[1] / 2, carry0[2] / 2};
    real K[4], D[4], turned[4], q[4], lost[4], turn[4];
    (void)size;
    so3_quaternion_change(s3_kind(tau), K, x);
    so3_quaternion_product(D, g0, K);
    so3_quaternion_product(turned, half, g0);
    for (int i = 0; i < 4; i++) {
        D[i] += stretch * (g0[i] + D[i]) + turned[i];
        q[i] = g0[i] + D[i];
        lost[i] = D[i] - (q[i] - g0[i]);
    }
    const real inverse[4] = {q[0], -q[1], -q[2], -q[3]};
    so3_quaternion_product(turn, lost, inverse);
    for (int i = 0; i < 3; i++) carry1[i] = 2 * turn[1 + i];
    for (int i = 0; i < 4; i++) g1[i] = q[i];
}

static void s3_difference(int size, int tau, noe_real *x, const noe_real *g0, const noe_real *g1) {
    const real inverse[4] = {g0[0], -g0[1], -g0[2], -g0[3]};
    real q[4];
    (void)size;
    so3_quaternion_product(q, inverse, g1);
    const mask is_inside = so3_vector(s3_kind(tau), x, q);
    for (int i = 0; i < 3; i++) x[i] = real_select(is_inside, x[i], real_broadcast(NAN));
}

static void s3_dtau(int tau, noe_real *T, const noe_real *x) { so3_dtau(s3_kind(tau), T, x); }

static void s3_dtau_inverse(int tau, noe_real *T_inverse, const noe_real *x) {
    so3_dtau_inverse(s3_kind(tau), T_inverse, x);
}

static void s3_dtau_derivative(int tau, noe_real *slope, const noe_real *x, const noe_real *y) {
    so3_dtau_derivative(s3_kind(tau), slope, x, y);
}

static void s3_dtau_dual_derivative(int tau, noe_real *slope, const noe_real *x,
                                    const noe_real *m) {
    so3_dtau_dual_derivative(s3_kind(tau), slope, x, m);
}

static void s3_dtau_inverse_derivative(int tau, noe_real *slope, const noe_real *x,
                                       const noe_real *y) {
    so3_dtau_inverse_derivative(s3_kind(tau), slope, x, y);
}

static void s3_dtau_inverse_dual_derivative(int tau, noe_real *slope, const noe_real *x,
                                            const noe_real *m) {
    so3_dtau_inverse_dual_derivative(s3_kind(tau), slope, x, m);
}

static void s3_dtau_hessian(int tau, noe_real *hessian, const noe_real *x, const noe_real *y,
                            const noe_real *m) {
    so3_dtau_hessian(s3_kind(tau), hessian, x, y, m);
}

static void s3_adjoint(int tau, noe_real *Ad, const noe_real *x) {
    so3_adjoint(s3_kind(tau), Ad, x);
}

static void s3_coadjoint_change(int tau, noe_real *dm, const noe_real *x, const noe_real *m) {
    so3_coadjoint_change(s3_kind(tau), dm, x, m);
}

static noe_real s3_load(int tau, const noe_real *x) { return so3_load(s3_kind(tau), x); }

static noe_real s3_defect(const noe_real *g) { return noe_abs(s3_square(g) - 1); }

static void s3_project(noe_real *g) {
    const real inverse = 1 / noe_sqrt(s3_square(g));
    for (int i = 0; i < 4; i++) g[i] *= inverse;
}

static const struct noe_frame s3_frame[] = {
    {0, 0, 1, -0.5}, {0, 1, 2, -0.5}, {0, 2, 3, -0.5}, {1, 0, 0, 0.5},
    {1, 1, 3, -0.5}, {1, 2, 2, 0.5},  {2, 0, 3, 0.5},  {2, 1, 0, 0.5},
    {2, 2, 1, -0.5}, {3, 0, 2, -0.5}, {3, 1, 1, 0.5},  {3, 2, 0, 0.5},
};

const struct noe_space noe_space_s3 = {
    .name = "s3",
    .summary = "unit quaternions",
    .plural = "unit quaternions",
    .retractions = NOE_HAS_CAY | NOE_HAS_EXP,
    .kind.algebra = NOE_ALGEBRA_SO3,
    .point = 4,
    .tangent = 3,
    .nframe = 12,
    .frame = s3_frame,
    .identity = s3_identity,
    .retract = s3_retract,
    .advance = s3_advance,
    .difference = s3_difference,
    .maps.dtau = s3_dtau,
    .maps.dtau_inverse = s3_dtau_inverse,
    .maps.dtau_derivative = s3_dtau_derivative,
    .maps.dtau_dual_derivative = s3_dtau_dual_derivative,
    .maps.dtau_inverse_derivative = s3_dtau_inverse_derivative,
    .maps.dtau_inverse_dual_derivative = s3_dtau_inverse_dual_derivative,
    .maps.dtau_hessian = s3_dtau_hessian,
    .maps.adjoint = s3_adjoint,
    .maps.coadjoint_change = s3_coadjoint_change,
    .maps.poisson = so3_poisson,
    .maps.retraction_load = s3_load,
    .maps.defect = s3_defect,
    .maps.project = s3_project,
};
