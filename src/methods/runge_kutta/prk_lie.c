/* Partitioned Runge-Kutta methods on products of groups and R^n.
 *
 * With x_i = h sum_j a_ij V_j, X = h sum_j b_j V_j, Q_i = g tau(x_i), v_i = T(x_i) V_i and P, W in
 * the coordinates of the step (Pi, F; N in the frame of g: mechanics/lie_product.h) the discrete
 * Lagrangian h sum_i b_i L(Q_i, v_i) is stationary if
 *     R_i = Pi_i - ptilde - h sum_j ahat_ij F_j = 0,
 *     ptilde = T(-X)^T B - h sum_j b_j F_j,    B = p + h sum_j b_j N_j,
 *     g1 = g tau(X),    p1 = Ad*_tau(X) B.
 * This is the residual of R^n with ptilde in place of p; on R^n ptilde = p. The last line preserves
 * the spatial momentum of a symmetry, whatever the error of the root (Bou-Rabee and Marsden, 2009;
 * docs/theory_groups.md).
 *
 * A Runge-Kutta method in the frame of g, that of Munthe-Kaas (1999), integrates x' = T(x)^-1 v and
 * m' = Ad*_tau(-x) W from x = 0, m = p, where L_v = Ad*_tau(x) m. With V = T^-1 v it has the same
 * form with
 *     Pi_i = Ad*_tau(-x_i) P_i,    F_j = N_j,    ptilde = p,    ahat = a. */
/* SPDX-License-Identifier: MIT */
#include "methods/runge_kutta/prk.h"

/* Computes X, B and ptilde. */
REAL_INLINE void groups_end(struct noe_interval *interval, const struct prk_view *at,
                            const real *V) {
    const struct prk_groups *g = &at->groups;
    const struct lie_product *lie_product = g->lie_product;
    const struct coefficient *b = at->tableau->b;
    const real *p = interval->from->p;
    prk_sum(at, b, at->s, V, g->X);
    interval->retraction_load =
        lie_product_load(lie_product, at->tau, g->X, interval->retraction_load);
    for (int k = 0; k < at->n; k++) g->B[k] = p[k] + prk_component(at, b, at->s, g->N, k);
    lie_product_dtau_minus(lie_product, at->tau, g->T, g->X);
    lie_product_apply_transpose(lie_product, g->ptilde, g->T, g->B);
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        for (int i = piece->tangent; i < piece->tangent + piece->size; i++)
            g->ptilde[i] =
                piece->space ? g->ptilde[i] - prk_component(at, b, at->s, at->W, i) : p[i];
    }
}

/* One block of K_j = d ptilde/dV_j = T(-X)^T dB/dV_j - h b_j S(-X,B) - h b_j F_V(j) - h^2 sum_l b_l
 * a_lj F_x(l) with dB/dV_j = h b_j N_V(j) + h^2 sum_l b_l a_lj N_x(l). */
REAL_INLINE void groups_slope_block(const struct prk_view *at, int j,
                                    const struct lie_block *block) {
    const struct prk_groups *g = &at->groups;
    const struct lie_product *lie_product = g->lie_product;
    const struct tableau *t = at->tableau;
    const struct lie_factor *row = &lie_product->piece[block->row],
                            *col = &lie_product->piece[block->col];
    const int n = row->size, m = col->size, nz = lie_product->nz;
    const real hb = at->h * t->b[j].value;
    const struct lie_stage own = prk_stage(at, j);
    const real *FV = own.C + 2 * nz + block->first, *NV = own.M + block->first;
    real *K = g->K + j * nz + block->first, dB[SMALL_SQUARE];
    for (int e = 0; e < n * m; e++) {
        K[e] = -hb * FV[e];
        dB[e] = hb * NV[e];
    }
    for (int l = 0; l < at->s; l++) {
        if (t->a[l][j].value == 0) continue;
        const real factor = at->h * at->h * t->b[l].value * t->a[l][j].value;
        const struct lie_stage stage = prk_stage(at, l);
        const real *Fx = stage.C + 3 * nz + block->first, *Nx = stage.M + nz + block->first;
        for (int e = 0; e < n * m; e++) {
            K[e] -= factor * Fx[e];
            dB[e] += factor * Nx[e];
        }
    }
    small_add_dual_product(n, n, m, K, g->T + row->square, dB);
    for (int e = 0; block->row == block->col && e < n * n; e++) K[e] -= hb * g->S[row->square + e];
}

/* K_j for all j, in the rows of groups. */
REAL_INLINE void groups_slopes(const struct prk_view *at) {
    const struct prk_groups *g = &at->groups;
    const struct lie_product *lie_product = g->lie_product;
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        real back[SMALL_MAX];
        if (!piece->space) continue;
        for (int i = 0; i < piece->size; i++) back[i] = -g->X[piece->tangent + i];
        piece->space->maps.dtau_dual_derivative(at->tau, g->S + piece->square, back,
                                                g->B + piece->tangent);
    }
    for (int j = 0; j < at->s; j++)
        for (int b = 0; b < lie_product->nblocks; b++)
            if (lie_product->piece[lie_product->block[b].row].space)
                groups_slope_block(at, j, &lie_product->block[b]);
}

REAL_INLINE void groups_in_lie_product(const struct prk_view *at, const struct lie_stage *stage,
                                       const real *V, bool derivatives) {
    const struct lie_product *lie_product = at->groups.lie_product;
    lie_product_forces(lie_product, at->tau, stage);
    if (derivatives)
        lie_product_system_derivatives(lie_product, at->tau, stage, (size_t)at->system->nz, V);
}

REAL_INLINE void groups_in_frame(const struct prk_view *at, const struct lie_stage *stage,
                                 bool derivatives) {
    const struct lie_product *lie_product = at->groups.lie_product;
    lie_product_frame_forces(lie_product, at->tau, stage);
    if (derivatives)
        lie_product_frame_derivatives(lie_product, at->tau, stage, (size_t)at->system->nz);
}

STEP_FOLDED void prk_groups_evaluate(struct noe_interval *interval, const struct prk_view *at,
                                     const real *V, bool derivatives) {
    const struct noe_system *system = at->system;
    const struct lie_product *lie_product = at->groups.lie_product;
    interval->retraction_load = real_broadcast(0);
    for (int i = 0; i < at->s; i++) {
        const struct lie_stage stage = prk_stage(at, i);
        const real time = interval_time(interval, at->tableau->c[i]);
        real *Q = at->Q + i * at->np;
        prk_sum(at, at->tableau->a[i], at->s, V, stage.x);
        product_retract(system, at->tau, Q, interval->from->q, stage.x);
        interval->retraction_load =
            lie_product_load(lie_product, at->tau, stage.x, interval->retraction_load);
        lie_stage_enter(lie_product, at->tau, &stage, V + i * at->n);
        if (derivatives)
            system->second(at->self, time, Q, stage.v, stage.P, stage.W, stage.D);
        else
            system->first(at->self, time, Q, stage.v, stage.P, stage.W);
        if (at->tableau->in_frame)
            groups_in_frame(at, &stage, derivatives);
        else
            groups_in_lie_product(at, &stage, V + i * at->n, derivatives);
    }
    interval->evaluations += at->s;
    if (at->tableau->in_frame) {
        for (int k = 0; k < at->n; k++) at->groups.ptilde[k] = interval->from->p[k];
        return;
    }
    groups_end(interval, at, V);
    if (derivatives) groups_slopes(at);
}

/* block -= K_j, in the rows of groups. */
STEP_FOLDED void prk_groups_add(const struct prk_view *at, int j, real *block) {
    const struct lie_product *lie_product = at->groups.lie_product;
    const real *K = at->groups.K + j * lie_product->nz;
    if (at->tableau->in_frame) return;
    for (int b = 0; b < lie_product->nblocks; b++) {
        const struct lie_factor *row = &lie_product->piece[lie_product->block[b].row],
                                *col = &lie_product->piece[lie_product->block[b].col];
        const int first = lie_product->block[b].first;
        if (!row->space) continue;
        for (int e = first; e < first + row->size * col->size; e++) block[e] -= K[e];
    }
}

/* Evaluates the stages in order for strictly lower triangular tableaux, in the frame of g. */
static noe_lane_status prk_lie_steps(struct noe_interval *interval, long count) {
    (void)count;
    const struct prk_view at = prk_view(interval);
    const struct tableau *t = at.tableau;
    const struct noe_state *from = interval->from;
    const struct noe_system *system = at.system;
    const struct lie_product *lie_product = at.groups.lie_product;
    const int n = at.n;
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    interval->taken = 1;
    interval->retraction_load = real_broadcast(0);
    for (int i = 0; i < at.s; i++) {
        const struct lie_stage stage = prk_stage(&at, i);
        real *Q = at.Q + i * at.np, *m = at.x;
        const real time = interval_time(interval, t->c[i]);
        prk_sum(&at, t->a[i], i, at.V, stage.x);
        interval->retraction_load =
            lie_product_load(lie_product, at.tau, stage.x, interval->retraction_load);
        product_retract(system, at.tau, Q, from->q, stage.x);
        for (int k = 0; k < n; k++)
            stage.P[k] = m[k] = from->p[k] + prk_component(&at, t->ahat[i], i, at.groups.N, k);
        lie_product_coadjoint_change(lie_product, at.tau, stage.x, m, stage.P);
        for (int k = 0; k < n; k++) stage.v[k] = interval->velocity[k];
        const noe_lane_status found =
            legendre_velocity(interval->legendre, time, Q, stage.P, stage.v);
        outcome = lane_status_select(outcome == NOE_OK, found, outcome);
        if (!mask_any(outcome == NOE_OK)) return outcome;
        interval_force(system, at.self, time, Q, stage.v, stage.P, stage.W);
        lie_product_frame_forces(lie_product, at.tau, &stage);
        lie_product_tangent_inverse(lie_product, at.tau, stage.T, stage.x);
        lie_product_apply(lie_product, at.V + i * n, stage.T, stage.v);
    }
    interval->correction = NULL;
    prk_lie_update(interval, &at, at.V);
    interval->evaluations += at.s;
    return lane_status_join(outcome, interval->retraction_load >= 1, NOE_NOT_CONVERGED);
}

/* The stages hold the forces of the last iterate u + d. The forces at u follow to first order, N_j
 * -= N_V(j) d_j + N_x(j) h sum_l a_jl d_l. Then g1 = g tau(X) and p1 = p + h sum_j b_j N_j +
 * (Ad*_tau(X) - 1) B. */
STEP_FOLDED void prk_lie_update(struct noe_interval *interval, const struct prk_view *at,
                                const real *u) {
    const struct prk_groups *g = &at->groups;
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const real *d = interval->correction;
    const int n = at->n;
    for (int j = 0; j < at->s && d; j++) {
        const struct lie_stage stage = prk_stage(at, j);
        prk_sum(at, at->tableau->a[j], at->s, d, at->x);
        lie_product_add_product(g->lie_product, -1, stage.M, d + j * n, stage.N);
        lie_product_add_product(g->lie_product, -1, stage.M + at->nz, at->x, stage.N);
    }
    prk_sum(at, at->tableau->b, at->s, u, g->X);
    prk_sum(at, at->tableau->b, at->s, g->N, at->x);
    for (int k = 0; k < n; k++) g->B[k] = from->p[k] + at->x[k];
    lie_product_coadjoint_change(g->lie_product, at->tau, g->X, g->B, at->x);
    product_advance(at->system, at->tau, to->q, to->q_carry, from->q, from->q_carry, g->X);
    compensated_add(n, to->p, to->p_carry, from->p, from->p_carry, at->x);
    const struct lie_stage last = prk_stage(at, at->s - 1);
    for (int k = 0; k < n; k++) interval->velocity[k] = last.v[k];
}

static bool prk_lie_serves(const struct noe_problem *problem) {
    return prk_tableau(problem)->is_explicit;
}

const struct kernel prk_lie_kernel = {
    .name = "explicit",
    .symbol = "prk_lie_kernel",
    .source = "methods/runge_kutta/prk_lie.c",
    .serves = prk_lie_serves,
    .steps = prk_lie_steps,
};
