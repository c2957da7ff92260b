/* SO(3): rotations, as matrices.
 *
 * A point is R row by row, body to space; a tangent is the body angular velocity, R' = R s^. A
 * matrix and not a unit quaternion: models read R, so that its entries and their derivatives cost
 * nothing, and a start or a result is what a person writes. Its longer product and its repair cost
 * less than the products of a quaternion in every entry and derivative of a potential. Inside
 * kernels of many steps it is a quaternion: spaces/group_accumulator.h. */
/* SPDX-License-Identifier: MIT */
#include "noether.h"
#include "spaces/so3_retraction.h"

static void so3_identity(int size, noe_real *g) {
    (void)size;
    three_zero(g);
    three_add_identity(g, real_of(1));
}

static void so3_retract(int size, int tau, noe_real *g1, const noe_real *g0, const noe_real *x) {
    real K[9], D[9];
    (void)size;
    rotation_change(tau, K, x);
    three_multiply(D, g0, K);
    for (int i = 0; i < 9; i++) g1[i] = g0[i] + D[i];
}

static void so3_advance(int size, int tau, noe_real *g1, noe_real *carry1, const noe_real *g0,
                        const noe_real *carry0, const noe_real *x) {
    (void)size;
    rotation_advance(tau, g1, carry1, g0, carry0, x);
}

static void so3_difference(int size, int tau, noe_real *x, const noe_real *g0, const noe_real *g1) {
    real R[9];
    (void)size;
    three_zero(R);
    for (int i = 0; i < 3; i++) three_add_outer(R, real_of(1), g0 + 3 * i, g1 + 3 * i);
    const truth is_inside = rotation_vector_of(tau, x, R);
    for (int i = 0; i < 3; i++) x[i] = real_select(is_inside, x[i], real_of(NAN));
}

static const struct noe_frame so3_frame[] = {ROTATION_FRAME};

const struct noe_space noe_space_so3 = {
    .name = "so3",
    .summary = "rotations of three-space, as matrices",
    .nretractions = 4,
    .point = 9,
    .tangent = 3,
    .nframe = 18,
    .frame = so3_frame,
    .identity = so3_identity,
    .retract = so3_retract,
    .advance = so3_advance,
    .difference = so3_difference,
    .dtau = rotation_dtau,
    .dtau_inverse = rotation_dtau_inverse,
    .dtau_slope = rotation_dtau_slope,
    .dtau_dual_slope = rotation_dtau_dual_slope,
    .dtau_inverse_slope = rotation_dtau_inverse_slope,
    .dtau_inverse_dual_slope = rotation_dtau_inverse_dual_slope,
    .dtau_hessian = rotation_dtau_hessian,
    .adjoint = rotation_adjoint,
    .coadjoint_change = rotation_coadjoint_change,
    .poisson = rotation_poisson,
    .reach = rotation_reach,
    .defect = rotation_defect,
    .project = rotation_project,
};
