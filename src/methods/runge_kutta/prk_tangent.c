/* Partitioned Runge-Kutta methods: the tangent map of a step. */
/* SPDX-License-Identifier: MIT */
#include "methods/runge_kutta/prk.h"

/* dR_i = p_q(i) dq - dp - h sum_j ahat_ij w_q(j) dq. */
static void vary_vectors(const struct prk_view *at, const real *dz, real *r) {
    for (int i = 0; i < at->s; i++, r += at->n) {
        for (int k = 0; k < at->n; k++) r[k] = -dz[at->n + k];
        pattern_add_product(at->system, 1, at->D + (size_t)i * 4 * at->nz + at->nz, dz, r);
        for (int j = 0; j < at->s; j++)
            pattern_add_product(at->system, -at->h * at->tableau->ahat[i][j].value,
                                at->D + (size_t)j * 4 * at->nz + 3 * at->nz, dz, r);
    }
}

/* Variation of a stage with g exp(e s_0) at fixed V: its point varies by s = Ad_tau(-x) s_0, dPi =
 * T^T p_q s, dF = (T^T w_q + E^T p_q) s, dN = Ad_tau(-x)^T w_q s. In the frame of g, dPi =
 * Ad_tau(-x)^T p_q s and dF = dN. Overwrites Pi, F and N. */
static void vary_stage(const struct prk_view *at, int i, const real *s0) {
    const struct lie_product *lie_product = at->groups.lie_product;
    const struct lie_stage stage = prk_stage(at, i);
    const struct noe_system *system = at->system;
    const int n = at->n;
    real *Ad = at->groups.S, *s = at->late, *pq = at->late + n, *wq = stage.v;
    lie_product_adjoint_back(lie_product, at->tau, Ad, stage.x);
    lie_product_apply(lie_product, s, Ad, s0);
    for (int k = 0; k < n; k++) pq[k] = wq[k] = 0;
    pattern_add_product(system, 1, stage.D + system->nz, s, pq);
    pattern_add_product(system, 1, stage.D + 3 * system->nz, s, wq);
    lie_product_apply_transpose(lie_product, stage.N, Ad, wq);
    if (at->tableau->in_frame) {
        lie_product_apply_transpose(lie_product, stage.Pi, Ad, pq);
        lie_product_apply_transpose(lie_product, stage.F, Ad, wq);
        return;
    }
    lie_product_apply_transpose(lie_product, stage.Pi, stage.T, pq);
    lie_product_apply_transpose(lie_product, stage.F, stage.T, wq);
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        if (piece->space)
            small_add_dual(piece->size, piece->size, stage.F + piece->tangent, 1,
                           stage.E + piece->square, pq + piece->tangent);
    }
}

/* dR_i = dPi_i - dptilde - h sum_j ahat_ij dF_j, dptilde = T(-X)^T dB - h sum_j b_j dF_j,
 * dB = dp_0 + h sum_j b_j dN_j, and dptilde = dp_0 on R^n. */
static void vary_groups(const struct prk_view *at, const real *dz, real *r) {
    const struct prk_groups *g = &at->groups;
    const struct coefficient *b = at->tableau->b;
    const int n = at->n;
    real *dp = at->x, *dB = at->late;
    for (int i = 0; i < at->s; i++) vary_stage(at, i, dz);
    for (int k = 0; k < n; k++) dB[k] = dz[n + k] + prk_component(at, b, at->s, g->N, k);
    lie_product_apply_transpose(g->lie_product, dp, g->T, dB);
    for (int k = 0; k < n; k++)
        dp[k] = at->tableau->in_frame ? dz[n + k] : dp[k] - prk_component(at, b, at->s, at->W, k);
    for (int i = 0; i < at->s; i++, r += n)
        for (int k = 0; k < n; k++)
            r[k] =
                at->P[i * n + k] - dp[k] - prk_component(at, at->tableau->ahat[i], at->s, at->W, k);
}

static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct prk_view at = prk_view(interval);
    if (at.groups.lie_product)
        vary_groups(&at, dz, r);
    else
        vary_vectors(&at, dz, r);
}

/* dq1 = dq + h sum_j b_j dV_j, dp1 = dp + h sum_j bhat_j (w_v dV_j + w_q dQ_j),
 * dQ_j = dq + h sum_l a_jl dV_l. */
static void end_vectors(const struct prk_view *at, const real *dz, const real *du, real *dz1) {
    const int n = at->n;
    prk_sum(at, at->tableau->b, at->s, du, at->x);
    for (int k = 0; k < n; k++) dz1[k] = dz[k] + at->x[k];
    for (int k = 0; k < n; k++) dz1[n + k] = dz[n + k];
    for (int j = 0; j < at->s; j++) {
        const real *D = at->D + (size_t)j * 4 * at->nz, weight = at->h * at->tableau->bhat[j].value;
        prk_sum(at, at->tableau->a[j], at->s, du, at->x);
        for (int k = 0; k < n; k++) at->x[k] += dz[k];
        pattern_add_product(at->system, weight, D + 2 * at->nz, du + j * n, dz1 + n);
        pattern_add_product(at->system, weight, D + 3 * at->nz, at->x, dz1 + n);
    }
}

/* s_1 = Ad_tau(-X) s_0 + T(X) dX, dp_1 = Ad_tau(X)^T dB + B(p_1) T(X) dX with the dN_j of
 * vary_groups and dB = dp_0 + h sum_j b_j (dN_j + N_V dV_j + N_x dx_j). */
static void end_groups(struct noe_interval *interval, const struct prk_view *at, const real *dz,
                       const real *du, real *dz1) {
    const struct prk_groups *g = &at->groups;
    const struct lie_product *lie_product = g->lie_product;
    const int n = at->n;
    real *dX = at->late, *dB = at->late + n;
    prk_sum(at, at->tableau->b, at->s, du, dX);
    for (int j = 0; j < at->s; j++) {
        const struct lie_stage stage = prk_stage(at, j);
        prk_sum(at, at->tableau->a[j], at->s, du, at->x);
        lie_product_add_product(lie_product, 1, stage.M, du + j * n, stage.N);
        lie_product_add_product(lie_product, 1, stage.M + at->nz, at->x, stage.N);
    }
    for (int k = 0; k < n; k++)
        dB[k] = dz[n + k] + prk_component(at, at->tableau->b, at->s, g->N, k);
    lie_product_end_tangent(lie_product, at->tau,
                            &(struct lie_product_variation){n, g->X, dX, interval->to->p, dB}, dz,
                            dz1);
}

static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct prk_view at = prk_view(interval);
    if (at.groups.lie_product)
        end_groups(interval, &at, dz, du, dz1);
    else
        end_vectors(&at, dz, du, dz1);
}

const struct scheme_tangent prk_tangent = {residual_tangent, update_tangent};
