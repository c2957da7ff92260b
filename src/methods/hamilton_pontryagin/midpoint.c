/* The variational midpoint rule (a Hamilton-Pontryagin integrator with one node) on products of Lie
 * groups and R^n.
 *
 * L_d = h L(Q, V) at the midpoint Q = g tau(x) of the step, x = hV/2, g1 = Q tau(x), with the work
 * of the forces there, is stationary if R = P - (T(x)^T m + T(-x)^T (m + hW))/2 = 0,    m =
 * Ad*_tau(x) p,    p1 = Ad*_tau(x) (m + hW). The equations are invariant under time reversal, so
 * the method is symmetric with every retraction. On R^n, and on groups with the exponential map, it
 * is the Gauss method with one stage. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/midpoint.h"

#include <string.h>

void midpoint_initial_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n;
    memcpy(u, interval->velocity, (size_t)n * sizeof *u);
}

/* Computes x, Q, T(x), P, W, m and m + hW at V. */
STEP_FOLDED void midpoint_evaluate(struct noe_interval *interval, const struct midpoint_view *at,
                                   const real *V, bool derivatives) {
    const struct noe_system *system = at->system;
    const struct noe_state *from = interval->from;
    const real time = interval_time(interval, 0.5), half = at->h * 0.5;
    for (int k = 0; k < at->n; k++) {
        at->x[k] = half * V[k];
        at->m[k] = at->p[k];
    }
    interval->retraction_load =
        lie_product_load(at->lie_product, at->tau, at->x, real_broadcast(0));
    product_retract(system, at->tau, at->Q, from->q, at->x);
    if (derivatives)
        system->second(at->self, time, at->Q, V, at->P, at->W, at->D);
    else
        system->first(at->self, time, at->Q, V, at->P, at->W);
    interval->evaluations++;
    lie_product_coadjoint_change(at->lie_product, at->tau, at->x, at->p, at->m);
    lie_product_dtau(at->lie_product, at->tau, at->T, at->x);
    lie_product_dtau_minus(at->lie_product, at->tau, at->Tb, at->x);
    for (int k = 0; k < at->n; k++) at->after[k] = at->m[k] + at->h * at->W[k];
}

STEP_FOLDED void midpoint_assemble(const struct midpoint_view *at, real *r) {
    real *other = at->sum;
    lie_product_apply_transpose(at->lie_product, r, at->T, at->m);
    lie_product_apply_transpose(at->lie_product, other, at->Tb, at->after);
    for (int k = 0; k < at->n; k++) r[k] = at->P[k] - 0.5 * (r[k] + other[k]);
}

void midpoint_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct midpoint_view at = midpoint_view(interval);
    midpoint_evaluate(interval, &at, u, false);
    midpoint_assemble(&at, r);
}

/* K = (h/4) (S(x, m) - S(-x, m + hW) + (T(x)^T + T(-x)^T) B(m) T(x)) of one group. */
REAL_INLINE void midpoint_diagonal(const struct midpoint_view *at, const struct lie_factor *piece) {
    const struct noe_space *space = piece->space;
    const int n = piece->size, t = piece->tangent;
    const real *T = at->T + piece->square, *Tb = at->Tb + piece->square;
    real *K = at->K + piece->square, S[SMALL_SQUARE], BT[SMALL_SQUARE], back[SMALL_MAX];
    for (int i = 0; i < n; i++) back[i] = -at->x[t + i];
    space->maps.dtau_dual_derivative(at->tau, K, at->x + t, at->m + t);
    space->maps.dtau_dual_derivative(at->tau, S, back, at->after + t);
    for (int e = 0; e < n * n; e++) K[e] -= S[e];
    space->maps.poisson(S, at->m + t);
    small_zero(n * n, BT);
    small_add_product(n, n, n, BT, S, T);
    for (int e = 0; e < n * n; e++) S[e] = T[e] + Tb[e];
    small_add_dual_product(n, n, n, K, S, BT);
    for (int e = 0; e < n * n; e++) K[e] *= at->h * 0.25;
}

/* One block of dR/dV = p_v + (h/2) p_q T - (h/2) T(-x)^T (w_v + (h/2) w_q T) - K. */
REAL_INLINE void midpoint_block(const struct midpoint_view *at, const struct lie_block *block,
                                real *values) {
    const struct lie_factor *row = &at->lie_product->piece[block->row];
    const int n = row->size, m = at->lie_product->piece[block->col].size;
    const real half = at->h * 0.5;
    real moved[SMALL_SQUARE], force[SMALL_SQUARE];
    lie_product_block(at->lie_product, block, at->D, NULL, values);
    lie_product_block(at->lie_product, block, at->D + at->nz, at->T, moved);
    for (int e = 0; e < n * m; e++) values[e] += half * moved[e];
    lie_product_block(at->lie_product, block, at->D + 2 * at->nz, NULL, force);
    lie_product_block(at->lie_product, block, at->D + 3 * at->nz, at->T, moved);
    for (int e = 0; e < n * m; e++) force[e] = -half * (force[e] + half * moved[e]);
    if (row->space) small_add_dual_product(n, n, m, values, at->Tb + row->square, force);
    for (int e = 0; !row->space && e < n * m; e++) values[e] += force[e];
    for (int e = 0; row->space && block->row == block->col && e < n * n; e++)
        values[e] -= at->K[row->square + e];
}

STEP_FOLDED void midpoint_blocks(const struct midpoint_view *at, real *values) {
    for (int k = 0; k < at->lie_product->npieces; k++)
        if (at->lie_product->piece[k].space) midpoint_diagonal(at, &at->lie_product->piece[k]);
    for (int b = 0; b < at->lie_product->nblocks; b++)
        midpoint_block(at, &at->lie_product->block[b], values + at->lie_product->block[b].first);
}

void midpoint_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values) {
    const struct midpoint_view at = midpoint_view(interval);
    midpoint_evaluate(interval, &at, u, true);
    midpoint_assemble(&at, r);
    midpoint_blocks(&at, values);
}

/* W was evaluated at u + d. At u it is W - (w_v + (h/2) w_q T) d to first order. Then p1 = p + (Ad*
 * - 1) p + hW + (Ad* - 1)(m + hW) with Ad* = Ad*_tau(x) at u. */
STEP_FOLDED void midpoint_end(struct noe_interval *interval, const struct midpoint_view *view,
                              const real *u) {
    const struct midpoint_view at = *view;
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const real *d = interval->correction, half = at.h * 0.5;
    if (d) {
        lie_product_apply(at.lie_product, at.sum, at.T, d);
        pattern_add_product(at.system, real_broadcast(-1), at.D + 2 * at.nz, d, at.W);
        pattern_add_product(at.system, -half, at.D + 3 * at.nz, at.sum, at.W);
    }
    for (int k = 0; k < at.n; k++) {
        at.x[k] = half * u[k];
        at.sum[k] = at.kick ? at.kick[k] : real_broadcast(0);
    }
    lie_product_coadjoint_change(at.lie_product, at.tau, at.x, at.p, at.sum);
    for (int k = 0; k < at.n; k++) {
        at.sum[k] += at.h * at.W[k];
        at.after[k] = from->p[k] + at.sum[k];
    }
    lie_product_coadjoint_change(at.lie_product, at.tau, at.x, at.after, at.sum);
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.x);
    product_advance(at.system, at.tau, to->q, to->q_carry, to->q, to->q_carry, at.x);
    compensated_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.sum);
    for (int k = 0; k < at.n; k++) interval->velocity[k] = u[k];
}

void midpoint_update(struct noe_interval *interval, const noe_real *u) {
    const struct midpoint_view at = midpoint_view(interval);
    midpoint_end(interval, &at, u);
}
