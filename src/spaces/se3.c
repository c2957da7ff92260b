/* SE(3): rigid poses. A point is R row by row, then the position in space; a tangent is the body
 * angular velocity, then the body linear velocity; a momentum likewise. */
/* SPDX-License-Identifier: MIT */
#include "noether.h"
#include "spaces/se3_retraction.h"

/* The position moves with R v. */
static const struct noe_frame se3_frame[] = {
    SO3_FRAME,     {9, 3, 0, 1},  {9, 4, 1, 1},  {9, 5, 2, 1},  {10, 3, 3, 1},
    {10, 4, 4, 1}, {10, 5, 5, 1}, {11, 3, 6, 1}, {11, 4, 7, 1}, {11, 5, 8, 1},
};

const struct noe_space noe_space_se3 = {
    .name = "se3",
    .summary = "rigid poses: rotation and position",
    .plural = "poses",
    .retractions = NOE_HAS_CAY | NOE_HAS_EXP | NOE_HAS_CHORD | NOE_HAS_SKEW,
    .kind.algebra = NOE_ALGEBRA_SE3,
    .point = POSE_POINT,
    .tangent = POSE_TANGENT,
    .nframe = 27,
    .frame = se3_frame,
    .identity = se3_identity,
    .retract = se3_retract,
    .advance = se3_advance,
    .difference = se3_difference,
    .maps.dtau = se3_dtau,
    .maps.dtau_inverse = se3_dtau_inverse,
    .maps.dtau_derivative = se3_dtau_derivative,
    .maps.dtau_dual_derivative = se3_dtau_dual_derivative,
    .maps.dtau_inverse_derivative = se3_dtau_inverse_derivative,
    .maps.dtau_inverse_dual_derivative = se3_dtau_inverse_dual_derivative,
    .maps.dtau_hessian = se3_dtau_hessian,
    .maps.adjoint = se3_adjoint,
    .maps.coadjoint_change = se3_coadjoint_change,
    .maps.poisson = se3_poisson,
    .maps.retraction_load = so3_load,
    .maps.defect = so3_defect,
    .maps.project = so3_project,
    .maps.shift_dual = se3_shift_dual,
};
