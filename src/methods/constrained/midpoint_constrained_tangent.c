/* Tangent map of the midpoint rule with holonomic constraints. */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/midpoint_constrained.h"

/* Writes the variation of the momentum after the constraint force, dp - h lambda.g_qq s at fixed h
 * lambda, into the tangent vector of a step without constraints. It is the part of w_q that depends
 * on the multipliers. */
static void vary_start(const struct noe_interval *interval, const struct middle_joint *joint,
                       const real *dz) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    const struct noe_state *from = interval->from;
    const int n = joint->n;
    const size_t nz = (size_t)system->nz;
    system->second(self, interval->t, from->q, joint->v, joint->P, joint->W, joint->free);
    for (int a = 0; a < joint->m; a++) joint->v[n + a] = interval->to->multipliers[a];
    system->second(self, interval->t, from->q, joint->v, joint->P, joint->W, joint->D);
    for (int a = 0; a < joint->m; a++) joint->v[n + a] = real_broadcast(0);
    for (size_t e = 3 * nz; e < 4 * nz; e++) joint->D[e] -= joint->free[e];
    for (int k = 0; k < 2 * n; k++) joint->dz[k] = dz[k];
    pattern_add_product(system, interval->h, joint->D + 3 * nz, dz, joint->dz + n);
}

/* R as without constraints. d(g/h) = g_q s_1/h, where s_1 is the variation of the end at fixed V.
 */
static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct middle_joint joint = middle_joint(interval);
    const struct midpoint_view at = midpoint_view(interval);
    const struct noe_system *system = at.system;
    real *s = joint.P, *still = joint.W;
    vary_start(interval, &joint, dz);
    midpoint_tangent.residual(interval, joint.dz, r);
    small_zero(at.n, still);
    lie_product_point_tangent(at.lie_product, at.tau, at.x, still, dz, s);
    lie_product_point_tangent(at.lie_product, at.tau, at.x, still, s, s);
    for (int a = 0; a < joint.m; a++) r[at.n + a] = real_broadcast(0);
    for (int e = 0; e < system->nzc; e++)
        r[at.n + constraint_row(system, e)] += joint.d[e] * s[constraint_col(system, e)] / at.h;
}

/* As without constraints, from the momentum after the constraint force. */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct middle_joint joint = middle_joint(interval);
    vary_start(interval, &joint, dz);
    constraint_jacobian_push(interval_problem(interval)->system, joint.constraint_jacobian,
                             constraint_jacobian_all(joint.constraint_jacobian), real_broadcast(1),
                             joint.start, du + joint.n, joint.dz + joint.n);
    midpoint_tangent.update(interval, joint.dz, du, dz1);
}

const struct scheme_tangent midpoint_constrained_tangent = {residual_tangent, update_tangent};
