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
    vec3_zero(g);
    vec3_add_identity(g, real_broadcast(1));
}

static void so3_retract(int size, int tau, noe_real *g1, const noe_real *g0, const noe_real *x) {
    real K[9], D[9];
    (void)size;
    so3_change(tau, K, x);
    vec3_multiply(D, g0, K);
    for (int i = 0; i < 9; i++) g1[i] = g0[i] + D[i];
}

static void so3_advance(int size, int tau, noe_real *g1, noe_real *carry1, const noe_real *g0,
                        const noe_real *carry0, const noe_real *x) {
    (void)size;
    so3_matrix_advance(tau, g1, carry1, g0, carry0, x);
}

static void so3_difference(int size, int tau, noe_real *x, const noe_real *g0, const noe_real *g1) {
    real R[9];
    (void)size;
    vec3_zero(R);
    for (int i = 0; i < 3; i++) vec3_add_outer(R, real_broadcast(1), g0 + 3 * i, g1 + 3 * i);
    const mask is_inside = so3_vector_of(tau, x, R);
    for (int i = 0; i < 3; i++) x[i] = real_select(is_inside, x[i], real_broadcast(NAN));
}

static const struct noe_frame so3_frame[] = {SO3_FRAME};

const struct noe_space noe_space_so3 = {
    .name = "so3",
    .summary = "rotations of three-space, as matrices",
    .plural = "rotations",
    .retractions = NOE_HAS_CAY | NOE_HAS_EXP | NOE_HAS_CHORD | NOE_HAS_SKEW,
    .kind.algebra = NOE_ALGEBRA_SO3,
    .kind.has_adjoint_cay = true,
    .kind.is_rotation = true,
    .point = 9,
    .tangent = 3,
    .nframe = 18,
    .frame = so3_frame,
    .identity = so3_identity,
    .retract = so3_retract,
    .advance = so3_advance,
    .difference = so3_difference,
    .maps.dtau = so3_dtau,
    .maps.dtau_inverse = so3_dtau_inverse,
    .maps.dtau_derivative = so3_dtau_derivative,
    .maps.dtau_dual_derivative = so3_dtau_dual_derivative,
    .maps.dtau_inverse_derivative = so3_dtau_inverse_derivative,
    .maps.dtau_inverse_dual_derivative = so3_dtau_inverse_dual_derivative,
    .maps.dtau_hessian = so3_dtau_hessian,
    .maps.adjoint = so3_adjoint,
    .maps.coadjoint_change = so3_coadjoint_change,
    .maps.poisson = so3_poisson,
    .maps.retraction_load = so3_load,
    .maps.defect = so3_defect,
    .maps.project = so3_project,
};
