/* SE(3): rigid poses. A point is R row by row, then the position in space; a tangent is the body
 * angular velocity, then the body linear velocity; a momentum likewise. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "noether.h"
#include "spaces/se3_retraction.h"

static void se3_identity(int size, noe_real *g) {
    (void)size;
    vec3_zero(g);
    vec3_add_identity(g, real_broadcast(1));
    for (int i = 9; i < POSE_POINT; i++) g[i] = real_broadcast(0);
}

static void se3_retract(int size, int tau, noe_real *g1, const noe_real *g0, const noe_real *x) {
    real K[9], D[9], arm[3], shift[3];
    (void)size;
    so3_change(tau, K, x);
    se3_arm(tau, arm, x, x + 3);
    vec3_multiply(D, g0, K);
    vec3_apply(shift, g0, arm);
    for (int i = 0; i < 9; i++) g1[i] = g0[i] + D[i];
    for (int i = 0; i < 3; i++) g1[9 + i] = g0[9 + i] + shift[i];
}

/* The rotation as so3_matrix_advance, the position as a sum in space. */
static void se3_advance(int size, int tau, noe_real *g1, noe_real *carry1, const noe_real *g0,
                        const noe_real *carry0, const noe_real *x) {
    real arm[3], shift[3];
    (void)size;
    se3_arm(tau, arm, x, x + 3);
    vec3_apply(shift, g0, arm);
    so3_matrix_advance(tau, g1, carry1, g0, carry0, x);
    compensated_add(3, g1 + 9, carry1 + 3, g0 + 9, carry0 + 3, shift);
}

static void se3_difference(int size, int tau, noe_real *x, const noe_real *g0, const noe_real *g1) {
    real R[9], away[3], arm[3], w[3];
    (void)size;
    vec3_zero(R);
    for (int i = 0; i < 3; i++) vec3_add_outer(R, real_broadcast(1), g0 + 3 * i, g1 + 3 * i);
    const mask is_inside = so3_vector_of(tau, w, R);
    for (int i = 0; i < 3; i++) away[i] = g1[9 + i] - g0[9 + i];
    vec3_apply_transposed(arm, g0, away);
    for (int i = 0; i < 3; i++) x[i] = real_select(is_inside, w[i], real_broadcast(NAN));
    se3_arm_inverse(tau, x + 3, x, arm);
}

/* The position moves with R v. */
static const struct noe_frame se3_frame[] = {
    SO3_FRAME,     {9, 3, 0, 1},  {9, 4, 1, 1},  {9, 5, 2, 1},  {10, 3, 3, 1},
    {10, 4, 4, 1}, {10, 5, 5, 1}, {11, 3, 6, 1}, {11, 4, 7, 1}, {11, 5, 8, 1},
};

const struct noe_space noe_space_se3 = {
    .name = "se3",
    .summary = "rigid poses: rotation and position",
    .nretractions = 4,
    .point = POSE_POINT,
    .tangent = POSE_TANGENT,
    .nframe = 27,
    .frame = se3_frame,
    .identity = se3_identity,
    .retract = se3_retract,
    .advance = se3_advance,
    .difference = se3_difference,
    .dtau = se3_dtau,
    .dtau_inverse = se3_dtau_inverse,
    .dtau_derivative = se3_dtau_derivative,
    .dtau_dual_derivative = se3_dtau_dual_derivative,
    .dtau_inverse_derivative = se3_dtau_inverse_derivative,
    .dtau_inverse_dual_derivative = se3_dtau_inverse_dual_derivative,
    .dtau_hessian = se3_dtau_hessian,
    .adjoint = se3_adjoint,
    .coadjoint_change = se3_coadjoint_change,
    .poisson = se3_poisson,
    .retraction_load = so3_load,
    .defect = so3_defect,
    .project = so3_project,
};
