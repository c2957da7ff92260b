/* SE(2): poses in the plane.
 *
 * A point is the matrix (R p; 0 1) row by row, three by three; a tangent is (w, vx, vy), the
 * angular velocity and the velocity in the axes of the body. SE(2) is the subgroup of SE(3) that
 * leaves the plane z = 0 invariant: w rotates about the third axis, and v has no third component.
 * Every retraction of SE(3) maps its algebra into it, so each function here is the restriction of
 * that of SE(3). */
/* SPDX-License-Identifier: MIT */
#include "noether.h"
#include "spaces/se3_retraction.h"

enum { PLANE_POINT = 9, PLANE_TANGENT = 3 };

/* Positions of (w, vx, vy) in a tangent of SE(3). */
static const int plane_in_space[PLANE_TANGENT] = {2, 3, 4};

static void plane_lift(real *lifted, const real *x) {
    for (int i = 0; i < POSE_TANGENT; i++) lifted[i] = real_broadcast(0);
    for (int i = 0; i < PLANE_TANGENT; i++) lifted[plane_in_space[i]] = x[i];
}

static void plane_restrict(real *x, const real *lifted) {
    for (int i = 0; i < PLANE_TANGENT; i++) x[i] = lifted[plane_in_space[i]];
}

static void plane_restrict_matrix(real *M, const real *lifted) {
    for (int i = 0; i < PLANE_TANGENT; i++)
        for (int j = 0; j < PLANE_TANGENT; j++)
            M[i * PLANE_TANGENT + j] = lifted[plane_in_space[i] * POSE_TANGENT + plane_in_space[j]];
}

/* The pose (R, p) in space. */
static void plane_lift_point(real *lifted, const real *g) {
    vec3_zero(lifted);
    for (int i = 0; i < 2; i++) {
        lifted[3 * i] = g[3 * i];
        lifted[3 * i + 1] = g[3 * i + 1];
        lifted[9 + i] = g[3 * i + 2];
    }
    lifted[8] = real_broadcast(1);
    lifted[11] = real_broadcast(0);
}

static void plane_restrict_point(real *g, const real *lifted) {
    for (int i = 0; i < 2; i++) {
        g[3 * i] = lifted[3 * i];
        g[3 * i + 1] = lifted[3 * i + 1];
        g[3 * i + 2] = lifted[9 + i];
        g[6 + i] = real_broadcast(0);
    }
    g[8] = real_broadcast(1);
}

static void se2_identity(int size, noe_real *g) {
    (void)size;
    vec3_zero(g);
    vec3_add_identity(g, real_broadcast(1));
}

static void se2_retract(int size, int tau, noe_real *g1, const noe_real *g0, const noe_real *x) {
    real pose[POSE_POINT], lifted[POSE_TANGENT];
    plane_lift_point(pose, g0);
    plane_lift(lifted, x);
    se3_retract(size, tau, pose, pose, lifted);
    plane_restrict_point(g1, pose);
}

static void se2_advance(int size, int tau, noe_real *g1, noe_real *carry1, const noe_real *g0,
                        const noe_real *carry0, const noe_real *x) {
    real pose[POSE_POINT], carry[POSE_TANGENT], lifted[POSE_TANGENT];
    plane_lift_point(pose, g0);
    plane_lift(carry, carry0);
    plane_lift(lifted, x);
    se3_advance(size, tau, pose, carry, pose, carry, lifted);
    plane_restrict_point(g1, pose);
    plane_restrict(carry1, carry);
}

static void se2_difference(int size, int tau, noe_real *x, const noe_real *g0, const noe_real *g1) {
    real pose0[POSE_POINT], pose1[POSE_POINT], lifted[POSE_TANGENT];
    plane_lift_point(pose0, g0);
    plane_lift_point(pose1, g1);
    se3_difference(size, tau, lifted, pose0, pose1);
    plane_restrict(x, lifted);
}

static void se2_dtau(int tau, noe_real *T, const noe_real *x) {
    real M[POSE_TANGENT * POSE_TANGENT], lifted[POSE_TANGENT];
    plane_lift(lifted, x);
    se3_dtau(tau, M, lifted);
    plane_restrict_matrix(T, M);
}

static void se2_dtau_inverse(int tau, noe_real *T_inverse, const noe_real *x) {
    real M[POSE_TANGENT * POSE_TANGENT], lifted[POSE_TANGENT];
    plane_lift(lifted, x);
    se3_dtau_inverse(tau, M, lifted);
    plane_restrict_matrix(T_inverse, M);
}

/* A derivative in x of a product with y, or with a momentum. */
typedef void plane_slope(int tau, real *slope, const real *x, const real *y);

static void plane_restrict_slope(plane_slope *slope_of, int tau, real *slope, const real *x,
                                 const real *y) {
    real M[POSE_TANGENT * POSE_TANGENT], lifted_x[POSE_TANGENT], lifted_y[POSE_TANGENT];
    plane_lift(lifted_x, x);
    plane_lift(lifted_y, y);
    slope_of(tau, M, lifted_x, lifted_y);
    plane_restrict_matrix(slope, M);
}

static void se2_dtau_derivative(int tau, noe_real *slope, const noe_real *x, const noe_real *y) {
    plane_restrict_slope(se3_dtau_derivative, tau, slope, x, y);
}

static void se2_dtau_dual_derivative(int tau, noe_real *slope, const noe_real *x,
                                     const noe_real *m) {
    plane_restrict_slope(se3_dtau_dual_derivative, tau, slope, x, m);
}

static void se2_dtau_inverse_derivative(int tau, noe_real *slope, const noe_real *x,
                                        const noe_real *y) {
    plane_restrict_slope(se3_dtau_inverse_derivative, tau, slope, x, y);
}

static void se2_dtau_inverse_dual_derivative(int tau, noe_real *slope, const noe_real *x,
                                             const noe_real *m) {
    plane_restrict_slope(se3_dtau_inverse_dual_derivative, tau, slope, x, m);
}

static void se2_dtau_hessian(int tau, noe_real *hessian, const noe_real *x, const noe_real *y,
                             const noe_real *m) {
    real M[POSE_TANGENT * POSE_TANGENT], lifted_x[POSE_TANGENT], lifted_y[POSE_TANGENT],
        lifted_m[POSE_TANGENT];
    plane_lift(lifted_x, x);
    plane_lift(lifted_y, y);
    plane_lift(lifted_m, m);
    se3_dtau_hessian(tau, M, lifted_x, lifted_y, lifted_m);
    plane_restrict_matrix(hessian, M);
}

static void se2_adjoint(int tau, noe_real *Ad, const noe_real *x) {
    real M[POSE_TANGENT * POSE_TANGENT], lifted[POSE_TANGENT];
    plane_lift(lifted, x);
    se3_adjoint(tau, M, lifted);
    plane_restrict_matrix(Ad, M);
}

static void se2_coadjoint_change(int tau, noe_real *dm, const noe_real *x, const noe_real *m) {
    real change[POSE_TANGENT], lifted_x[POSE_TANGENT], lifted_m[POSE_TANGENT];
    plane_lift(lifted_x, x);
    plane_lift(lifted_m, m);
    se3_coadjoint_change(tau, change, lifted_x, lifted_m);
    plane_restrict(dm, change);
}

/* ad_(w,v)^T (pi, gamma) = (gamma_x v_y - gamma_y v_x, gamma_y w, -gamma_x w). */
static void se2_poisson(noe_real *B, const noe_real *m) {
    vec3_zero(B);
    B[1] = -m[2];
    B[2] = m[1];
    B[3] = m[2];
    B[6] = -m[1];
}

static noe_real se2_load(int tau, const noe_real *x) {
    real lifted[POSE_TANGENT];
    plane_lift(lifted, x);
    return so3_load(tau, lifted);
}

/* As on SE(3), and the difference of the last row from (0, 0, 1). */
static noe_real se2_defect(const noe_real *g) {
    const real row[3] = {g[6], g[7], g[8] - 1};
    real pose[POSE_POINT];
    plane_lift_point(pose, g);
    return so3_defect(pose) + real_norm(3, row);
}

static void se2_project(noe_real *g) {
    real pose[POSE_POINT];
    plane_lift_point(pose, g);
    so3_project(pose);
    plane_restrict_point(g, pose);
}

static void se2_shift_dual(noe_real *y, noe_real *slope, const noe_real *x, const noe_real *m) {
    real M[POSE_TANGENT * POSE_TANGENT], lifted_x[POSE_TANGENT], lifted_m[POSE_TANGENT],
        lifted_y[POSE_TANGENT];
    plane_lift(lifted_x, x);
    plane_lift(lifted_m, m);
    se3_shift_dual(lifted_y, slope ? M : NULL, lifted_x, lifted_m);
    plane_restrict(y, lifted_y);
    if (slope) plane_restrict_matrix(slope, M);
}

/* R' = R w J, p' = R v. */
static const struct noe_frame se2_frame[] = {
    {0, 0, 1, 1}, {1, 0, 0, -1}, {3, 0, 4, 1}, {4, 0, 3, -1},
    {2, 1, 0, 1}, {2, 2, 1, 1},  {5, 1, 3, 1}, {5, 2, 4, 1},
};

const struct noe_space noe_space_se2 = {
    .name = "se2",
    .summary = "poses in the plane, as matrices",
    .plural = "planar poses",
    .group = "se(2)",
    .retractions = NOE_HAS_CAY | NOE_HAS_EXP | NOE_HAS_CHORD | NOE_HAS_SKEW,
    .kind.has_adjoint_cay = true,
    .point = PLANE_POINT,
    .tangent = PLANE_TANGENT,
    .nframe = 8,
    .frame = se2_frame,
    .identity = se2_identity,
    .retract = se2_retract,
    .advance = se2_advance,
    .difference = se2_difference,
    .maps.dtau = se2_dtau,
    .maps.dtau_inverse = se2_dtau_inverse,
    .maps.dtau_derivative = se2_dtau_derivative,
    .maps.dtau_dual_derivative = se2_dtau_dual_derivative,
    .maps.dtau_inverse_derivative = se2_dtau_inverse_derivative,
    .maps.dtau_inverse_dual_derivative = se2_dtau_inverse_dual_derivative,
    .maps.dtau_hessian = se2_dtau_hessian,
    .maps.adjoint = se2_adjoint,
    .maps.coadjoint_change = se2_coadjoint_change,
    .maps.poisson = se2_poisson,
    .maps.retraction_load = se2_load,
    .maps.defect = se2_defect,
    .maps.project = se2_project,
    .maps.shift_dual = se2_shift_dual,
};
