/* Tangent map of Lobatto IIIA-IIIB methods with holonomic constraints. */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/lobatto_constrained.h"

/* Variation of the point of a stage with the start at fixed V: s = Ad_tau(-x) s_0. */
static const real *vary_point(const struct constrained_view *at, int i, const real *s0) {
    const struct prk_view *prk = &at->prk;
    const struct lie_product *lie_product = prk->groups.lie_product;
    if (!lie_product) return s0;
    lie_product_adjoint_back(lie_product, prk->tau, prk->groups.S, prk_stage(prk, i).x);
    lie_product_apply(lie_product, prk->late, prk->groups.S, s0);
    return prk->late;
}

/* r_a = factor times row a of A s for the holonomic rows, where A is on the sparsity pattern of the
 * constraints. */
static void vary_rows(const struct constrained_view *at, real factor, const real *A, const real *s,
                      real *r) {
    const struct noe_system *system = at->prk.system;
    for (int a = 0; a < at->plan.nholonomic; a++) r[a] = 0;
    for (int e = 0; e < system->nzc; e++)
        if (constraint_row(system, e) < at->plan.nholonomic)
            r[constraint_row(system, e)] += factor * A[e] * s[constraint_col(system, e)];
}

/* dS = p_q(s) dq - dp - h sum_j a_sj w_q(j) dq at the last node, on groups in the frame of the
 * start: Ad_tau(-x)^T p_q s - dp - h sum_j a_sj dN_j with the dN_j that prk_tangent.residual has
 * left. */
static void vary_node(const struct constrained_view *at, const real *dz, const real *s, real *r) {
    const struct prk_view *prk = &at->prk;
    const int n = prk->n, last = prk->s - 1;
    const struct coefficient *a = prk->tableau->a[last];
    const struct constrained_node node = constrained_node(at, last);
    real *dP = prk->x;
    for (int k = 0; k < n; k++) dP[k] = 0;
    pattern_add_product(prk->system, 1, node.stage.D + prk->system->nz, s, dP);
    if (prk->groups.lie_product) {
        lie_product_apply_transpose(prk->groups.lie_product, r, prk->groups.S, dP);
        for (int k = 0; k < n; k++)
            r[k] -= dz[n + k] + prk_component(prk, a, prk->s, prk->groups.N, k);
        return;
    }
    for (int k = 0; k < n; k++) r[k] = dP[k] - dz[n + k];
    for (int j = 0; j < prk->s; j++)
        pattern_add_product(prk->system, -prk->h * a[j].value,
                            prk->D + (size_t)j * 4 * prk->nz + 3 * prk->nz, dz, r);
}

/* R as without constraints, S, d(g(Q_i)/h) = g_q s/h, dpsi = psi_q s at the end. */
static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct constrained_view at = constrained_view(interval);
    const struct constrained_plan *plan = &at.plan;
    const int last = plan->s - 1, nzc = at.prk.system->nzc;
    const struct constrained_node node = constrained_node(&at, last);
    prk_tangent.residual(interval, dz, r);
    for (int i = 1; i < plan->s; i++)
        vary_rows(&at, 1 / at.prk.h, at.d + i * 2 * nzc, vary_point(&at, i, dz),
                  r + constrained_equation(plan, i));
    const real *s = vary_point(&at, last, dz);
    vary_rows(&at, 1, node.d + nzc, s, r + constrained_equation(plan, plan->s));
    vary_node(&at, dz, s, r + plan->nodes);
}

/* As without constraints, plus the variation of the constraint forces with d(h Lambda_j): b_j
 * w_lambda d(h Lambda_j) in p. */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct constrained_view at = constrained_view(interval);
    const struct prk_view *prk = &at.prk;
    const bool is_on_groups = prk->groups.lie_product;
    for (int j = 0; is_on_groups && j < prk->s; j++)
        constraint_jacobian_push(prk->system, at.constraint_jacobian,
                                 constrained_range(at.constraint_jacobian, j), 1 / prk->h,
                                 at.psi_N + j * at.constraint_jacobian->nz,
                                 du + constrained_lambda(&at.plan, j), prk->groups.N + j * prk->n);
    prk_tangent.update(interval, dz, du, dz1);
    for (int j = 0; !is_on_groups && j < prk->s; j++)
        constraint_jacobian_push(
            prk->system, at.constraint_jacobian, constrained_range(at.constraint_jacobian, j),
            prk->tableau->b[j].value, at.psi_V + j * at.constraint_jacobian->nz,
            du + constrained_lambda(&at.plan, j), dz1 + prk->n);
}

const struct scheme_tangent constrained_tangent = {residual_tangent, update_tangent};
