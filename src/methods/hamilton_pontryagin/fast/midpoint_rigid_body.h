/* The equation of the midpoint rule of one rigid body with the Cayley map.
 *
 * If L = V.MV/2 - U(t,g) on rotations, the residual of midpoint.c in the frame of the start, with y
 * = hV/4, Q = g cay(2y) and P = MV, is
 *     r = (1 - y.y) P + 2 (y.P) y + 2 y cross P - (h/2) (W + y cross W) - p = 0,    W = W(Q),
 * a polynomial apart from W. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_FAST_MIDPOINT_RIGID_BODY_H
#define METHODS_HAMILTON_PONTRYAGIN_FAST_MIDPOINT_RIGID_BODY_H

#include "mechanics/rigid_body.h"

/* The equation of a step. */
struct midpoint_turn {
    struct noe_interval *interval;
    real h, t; /* t is the time of the midpoint */
    struct rigid_body_mass mass;
    real p[3], q[4]; /* state at the start; q is the quaternion of g, of any norm */
};

/* W at the midpoint of a step with velocity V and, if they are not NULL, its derivative D by Q and
 * the potential U. */
REAL_INLINE void midpoint_turn_force(const struct midpoint_turn *turn, const real *V, real *W,
                                     real *D, real *U) {
    const struct noe_problem *problem = interval_problem(turn->interval);
    const struct noe_system *system = problem->system, *self = turn->interval->problem->system;
    const real x[3] = {0.5 * turn->h * V[0], 0.5 * turn->h * V[1], 0.5 * turn->h * V[2]};
    real q[4], R[9], P[3], blocks[4 * 9];
    turn->interval->evaluations++;
    group_accumulator_change(SO3_CAY, q, turn->q, x);
    for (int i = 0; i < 4; i++) q[i] += turn->q[i];
    so3_along_quaternion(R, q, 2 / group_accumulator_square(q));
    if (U) *U = rigid_body_potential(turn->interval, turn->t, R);
    if (!D) {
        interval_force(system, self, turn->t, R, V, P, W);
        return;
    }
    for (int e = 0; e < 4 * 9; e++)
        blocks[e] = real_broadcast(0); /* the model does not write zeros */
    interval_second(system, self, turn->t, R, V, P, W, blocks);
    lie_product_gather(problem->internals->lie_product, problem->internals->lie_product->block, 9,
                       blocks + 3 * system->nz, D);
}

/* A = M + 2 y^ M. */
REAL_INLINE void midpoint_turn_twist(const struct midpoint_turn *turn, const real *y, real *A) {
    const real *M = turn->mass.M, z[3] = {2 * y[0], 2 * y[1], 2 * y[2]};
    if (!turn->mass.is_diagonal) {
        vec3_hat_times(A, real_broadcast(1), z, M);
        for (int e = 0; e < 9; e++) A[e] += M[e];
        return;
    }
    A[0] = M[0];
    A[1] = -z[2] * M[4];
    A[2] = z[1] * M[8];
    A[3] = z[2] * M[0];
    A[4] = M[4];
    A[5] = -z[0] * M[8];
    A[6] = -z[1] * M[0];
    A[7] = z[0] * M[4];
    A[8] = M[8];
}

/* J = (1 - y.y) M + 2 y^ M + (h/2) ((y.P) I + 2 y P^T - P y^T - P^) + (h^2/8) W^
 *     - (h^2/4)/(1 + y.y) (I + y^) D (I - y^). */
REAL_INLINE void midpoint_turn_slope(const struct midpoint_turn *turn, const real *y, const real *P,
                                     const real *W, const real *D, real *J) {
    const real half = 0.5 * turn->h, yy = vec3_dot(y, y), along = half * vec3_dot(y, P);
    const real scale = half * half / (1 + yy);
    real E[9], F[9], bent[3];
    midpoint_turn_twist(turn, y, J);
    vec3_times_hat(E, real_broadcast(-1), D, y);
    for (int e = 0; e < 9; e++) E[e] += D[e];
    vec3_hat_times(F, real_broadcast(1), y, E);
    for (int i = 0; i < 3; i++) {
        bent[i] = half * (half * 0.5 * W[i] - P[i]);
        for (int j = 0; j < 3; j++) {
            const int e = 3 * i + j;
            J[e] += half * (2 * y[i] * P[j] - P[i] * y[j]) - scale * (E[e] + F[e]);
            if (rigid_body_mass_has(&turn->mass, i, j)) J[e] -= yy * turn->mass.M[e];
        }
    }
    vec3_add_identity(J, along);
    vec3_add_hat(J, real_broadcast(1), bent);
}

/* r and, if J is not NULL, J, for the force W. */
REAL_INLINE void midpoint_turn_equation(const struct midpoint_turn *turn, const real *V,
                                        const real *W, const real *D, real *r, real *J) {
    const real quarter = 0.25 * turn->h, half = 0.5 * turn->h;
    const real y[3] = {quarter * V[0], quarter * V[1], quarter * V[2]};
    real P[3], twice[3], yP[3], yW[3];
    rigid_body_momentum(&turn->mass, V, P);
    for (int i = 0; i < 3; i++) twice[i] = 2 * y[i];
    vec3_cross(yP, twice, P);
    vec3_cross(yW, y, W);
    const real less = vec3_dot(y, y), along = vec3_dot(twice, P);
    for (int i = 0; i < 3; i++)
        r[i] = (P[i] - turn->p[i]) + (yP[i] + along * y[i] - less * P[i]) - half * (W[i] + yW[i]);
    if (J) midpoint_turn_slope(turn, y, P, W, D, J);
}

REAL_INLINE void midpoint_turn_residual(const void *self, int n, const real *V, real *r, real *J) {
    const struct midpoint_turn *turn = self;
    real W[3], D[9];
    (void)n;
    midpoint_turn_force(turn, V, W, J ? D : NULL, NULL);
    midpoint_turn_equation(turn, V, W, D, r, J);
}

static const struct small_newton_equation midpoint_turn_newton = {.residual =
                                                                      midpoint_turn_residual};

/* p1 = p + (Ad* - 1) p + hW + (Ad* - 1)(m + hW), Ad* = cay(x)^T, x = hV/2; k is the number of the
 * step. */
REAL_INLINE void midpoint_turn_end(const struct midpoint_turn *turn, const struct noe_space *space,
                                   long k, const real *V, const real *W, struct rigid_body *body) {
    real x[3], dp[3], after[3], back[3];
    for (int i = 0; i < 3; i++) x[i] = 0.5 * turn->h * V[i];
    so3_coadjoint_change(SO3_CAY, dp, x, body->p);
    for (int i = 0; i < 3; i++) {
        dp[i] += turn->h * W[i];
        after[i] = body->p[i] + dp[i];
    }
    so3_coadjoint_change(SO3_CAY, back, x, after);
    for (int i = 0; i < 3; i++) dp[i] += back[i];
    compensated_add(3, body->p, body->carry, body->p, body->carry, dp);
    group_accumulator_retract(space, SO3_CAY, &body->g, x, 2 * k);
    group_accumulator_retract(space, SO3_CAY, &body->g, x, 2 * k + 1);
}

/* True if the body is a single rotation with Cayley's map and L = V.MV/2 - U. */
bool midpoint_is_rigid_body(const struct noe_problem *problem);

#endif
