/* Tangent map of the midpoint rule with holonomic constraints. */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/midpoint_constrained.h"

/* dp += (w_q with the multipliers - w_q without) s = -multipliers.g_qq s, at (t, q, v). */
static void add_curvature(const struct noe_interval *interval, const struct middle_joint *joint,
                          real t, const real *q, const real *v, const real *multipliers,
                          const real *s, real *dp) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    const int n = joint->n;
    const size_t nz = (size_t)system->nz;
    for (int k = 0; k < n; k++) joint->v[k] = v[k];
    system->second(self, t, q, joint->v, joint->P, joint->W, joint->free);
    for (int a = 0; a < joint->m; a++) joint->v[n + a] = multipliers[a];
    system->second(self, t, q, joint->v, joint->P, joint->W, joint->D);
    for (int a = 0; a < joint->m; a++) joint->v[n + a] = real_broadcast(0);
    for (size_t e = 3 * nz; e < 4 * nz; e++) joint->D[e] -= joint->free[e];
    pattern_add_product(system, real_broadcast(1), joint->D + 3 * nz, s, dp);
}

/* Writes the variation of the momentum after the constraint force, dp - u.g_qq s at fixed u, into
 * the tangent vector of a step without constraints. */
static void vary_start(const struct noe_interval *interval, const struct middle_joint *joint,
                       const real *dz) {
    const int n = joint->n;
    for (int k = 0; k < 2 * n; k++) joint->dz[k] = dz[k];
    add_curvature(interval, joint, interval->t, interval->from->q, joint->v, joint->u, dz,
                  joint->dz + n);
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

/* The projection of (s, dp) at the end: with p_v dv + g_q^T dmu = dp - mu.g_qq s - p_q s and
 * g_q dv = -psi_q s, dp becomes p_v dv + p_q s. */
static void project_tangent(struct noe_interval *interval, const struct middle_joint *joint,
                            real *dz1) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct multipliers *at = interval->multipliers;
    const struct noe_state *to = interval->to;
    const int n = joint->n, m = joint->m;
    real *s = dz1, *dp = dz1 + n;
    multipliers_project(interval, interval->t1, to->q, to->p, joint->end_v, NULL);
    add_curvature(interval, joint, interval->t1, to->q, joint->end_v, joint->mu, s, dp);
    pattern_add_product(system, real_broadcast(-1), at->D + system->nz, s, dp);
    for (int k = 0; k < n; k++) at->x[k] = dp[k];
    for (int a = 0; a < m; a++) at->x[n + a] = real_broadcast(0);
    for (int e = 0; e < system->nzc; e++)
        at->x[n + constraint_row(system, e)] -=
            at->d[system->nzc + e] * s[constraint_col(system, e)];
    linear_solve(&at->linear, n + m, at->x);
    small_zero(n, dp);
    pattern_add_product(system, real_broadcast(1), at->D, at->x, dp);
    pattern_add_product(system, real_broadcast(1), at->D + system->nz, s, dp);
}

/* As without constraints, from the momentum after the constraint force to that before the reaction
 * at the end, p^- = p + g_q^T mu; then its projection. */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct middle_joint joint = middle_joint(interval);
    const struct noe_system *system = interval_problem(interval)->system;
    real *p = interval->to->p, *kept = joint.kept;
    vary_start(interval, &joint, dz);
    constraint_jacobian_push(system, joint.constraint_jacobian,
                             constraint_jacobian_all(joint.constraint_jacobian), real_broadcast(1),
                             joint.start, du + joint.n, joint.dz + joint.n);
    for (int k = 0; k < joint.n; k++) kept[k] = p[k];
    for (int e = 0; e < system->nzc; e++)
        p[constraint_col(system, e)] += joint.d[e] * joint.mu[constraint_row(system, e)];
    midpoint_tangent.update(interval, joint.dz, du, dz1);
    for (int k = 0; k < joint.n; k++) p[k] = kept[k];
    project_tangent(interval, &joint, dz1);
}

const struct scheme_tangent midpoint_constrained_tangent = {residual_tangent, update_tangent};
