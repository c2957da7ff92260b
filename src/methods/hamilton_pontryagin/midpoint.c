/* The midpoint rule on products of groups and R^n.
 *
 * L_d = h L(Q, V) at the middle Q = g tau(x) of the step, x = hV/2, g1 = Q tau(x), is stationary,
 * with the work of the forces there, where R = P - (T(x)^T m + T(-x)^T (m + hW))/2 = 0,    m =
 * Ad*_tau(x) p,    p1 = Ad*_tau(x) (m + hW). The same read backwards: it is symmetric in time with
 * every retraction. On R^n, and on groups with the exponential, it is the Gauss method with one
 * stage. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/midpoint.h"

#include <string.h>

void middle_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n;
    memcpy(u, interval->velocity, (size_t)n * sizeof *u);
}

/* x, Q, T(x), P, W, m and m + hW at V. */
STEP_FOLDED void middle_evaluate(struct noe_interval *interval, const struct middle_view *at,
                                 const real *V, bool derivatives) {
    const struct noe_system *system = at->system;
    const struct noe_state *from = interval->from;
    const real time = interval_time(interval, 0.5), half = at->h * 0.5;
    for (int k = 0; k < at->n; k++) {
        at->x[k] = half * V[k];
        at->m[k] = at->p[k];
    }
    interval->reach = chart_reach(at->chart, at->tau, at->x, real_of(0));
    product_retract(system, at->tau, at->Q, from->q, at->x);
    if (derivatives)
        system->second(at->self, time, at->Q, V, at->P, at->W, at->D);
    else
        system->first(at->self, time, at->Q, V, at->P, at->W);
    interval->evaluations++;
    chart_turn(at->chart, at->tau, at->x, at->p, at->m);
    chart_tangent(at->chart, at->tau, at->T, at->x);
    chart_tangent_back(at->chart, at->tau, at->Tb, at->x);
    for (int k = 0; k < at->n; k++) at->after[k] = at->m[k] + at->h * at->W[k];
}

STEP_FOLDED void middle_assemble(const struct middle_view *at, real *r) {
    real *other = at->sum;
    chart_apply_dual(at->chart, r, at->T, at->m);
    chart_apply_dual(at->chart, other, at->Tb, at->after);
    for (int k = 0; k < at->n; k++) r[k] = at->P[k] - 0.5 * (r[k] + other[k]);
}

void middle_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct middle_view at = middle_view(interval);
    middle_evaluate(interval, &at, u, false);
    middle_assemble(&at, r);
}

/* K = (h/4) (S(x, m) - S(-x, m + hW) + (T(x)^T + T(-x)^T) B(m) T(x)) of one group. */
STEP_INLINE void middle_diagonal(const struct middle_view *at, const struct chart_piece *piece) {
    const struct noe_space *space = piece->space;
    const int n = piece->size, t = piece->tangent;
    const real *T = at->T + piece->square, *Tb = at->Tb + piece->square;
    real *K = at->K + piece->square, S[SMALL_SQUARE], BT[SMALL_SQUARE], back[SMALL_MAX];
    for (int i = 0; i < n; i++) back[i] = -at->x[t + i];
    space->dtau_dual_slope(at->tau, K, at->x + t, at->m + t);
    space->dtau_dual_slope(at->tau, S, back, at->after + t);
    for (int e = 0; e < n * n; e++) K[e] -= S[e];
    space->poisson(S, at->m + t);
    small_zero(n * n, BT);
    small_add_product(n, n, n, BT, S, T);
    for (int e = 0; e < n * n; e++) S[e] = T[e] + Tb[e];
    small_add_dual_product(n, n, n, K, S, BT);
    for (int e = 0; e < n * n; e++) K[e] *= at->h * 0.25;
}

/* dR/dV = p_v + (h/2) p_q T - (h/2) T(-x)^T (w_v + (h/2) w_q T) - K: one block. */
STEP_INLINE void middle_block(const struct middle_view *at, const struct chart_block *block,
                              real *values) {
    const struct chart_piece *row = &at->chart->piece[block->row];
    const int n = row->size, m = at->chart->piece[block->col].size;
    const real half = at->h * 0.5;
    real moved[SMALL_SQUARE], force[SMALL_SQUARE];
    chart_part(at->chart, block, at->D, NULL, values);
    chart_part(at->chart, block, at->D + at->nz, at->T, moved);
    for (int e = 0; e < n * m; e++) values[e] += half * moved[e];
    chart_part(at->chart, block, at->D + 2 * at->nz, NULL, force);
    chart_part(at->chart, block, at->D + 3 * at->nz, at->T, moved);
    for (int e = 0; e < n * m; e++) force[e] = -half * (force[e] + half * moved[e]);
    if (row->space) small_add_dual_product(n, n, m, values, at->Tb + row->square, force);
    for (int e = 0; !row->space && e < n * m; e++) values[e] += force[e];
    for (int e = 0; row->space && block->row == block->col && e < n * n; e++)
        values[e] -= at->K[row->square + e];
}

STEP_FOLDED void middle_blocks(const struct middle_view *at, real *values) {
    for (int k = 0; k < at->chart->npieces; k++)
        if (at->chart->piece[k].space) middle_diagonal(at, &at->chart->piece[k]);
    for (int b = 0; b < at->chart->nblocks; b++)
        middle_block(at, &at->chart->block[b], values + at->chart->block[b].first);
}

void middle_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                     noe_real *values) {
    const struct middle_view at = middle_view(interval);
    middle_evaluate(interval, &at, u, true);
    middle_assemble(&at, r);
    middle_blocks(&at, values);
}

/* W was found at u + d; at u it is W - (w_v + (h/2) w_q T) d to first order. Then
 * p1 = p + (Ad* - 1) p + hW + (Ad* - 1)(m + hW), Ad* = Ad*_tau(x) at u. */
STEP_FOLDED void middle_end(struct noe_interval *interval, const struct middle_view *view,
                            const real *u) {
    const struct middle_view at = *view;
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const real *d = interval->correction, half = at.h * 0.5;
    if (d) {
        chart_apply(at.chart, at.sum, at.T, d);
        pattern_add_product(at.system, real_of(-1), at.D + 2 * at.nz, d, at.W);
        pattern_add_product(at.system, -half, at.D + 3 * at.nz, at.sum, at.W);
    }
    for (int k = 0; k < at.n; k++) {
        at.x[k] = half * u[k];
        at.sum[k] = at.kick ? at.kick[k] : real_of(0);
    }
    chart_turn(at.chart, at.tau, at.x, at.p, at.sum);
    for (int k = 0; k < at.n; k++) {
        at.sum[k] += at.h * at.W[k];
        at.after[k] = from->p[k] + at.sum[k];
    }
    chart_turn(at.chart, at.tau, at.x, at.after, at.sum);
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.x);
    product_advance(at.system, at.tau, to->q, to->q_carry, to->q, to->q_carry, at.x);
    sum_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.sum);
    for (int k = 0; k < at.n; k++) interval->velocity[k] = u[k];
}

void middle_finish(struct noe_interval *interval, const noe_real *u) {
    const struct middle_view at = middle_view(interval);
    middle_end(interval, &at, u);
}
