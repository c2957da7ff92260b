/* Implicit Euler on products of groups and R^n:
 *     R = P - p - h (ad*_V P + W) = 0,    P = L_v and W at (g1, V),    g1 = g tau(hV),   p1 = P. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/implicit_euler.h"

/* The end Q, P, W there, and ad*_V P + W in `after`. */
STEP_INLINE void backward_evaluate(struct noe_interval *interval, const struct middle_view *at,
                                   const real *V, bool derivatives) {
    const struct noe_system *system = at->system;
    for (int k = 0; k < at->n; k++) at->x[k] = at->h * V[k];
    interval->reach = chart_reach(at->chart, at->tau, at->x, real_of(0));
    product_retract(system, at->tau, at->Q, interval->from->q, at->x);
    if (derivatives)
        system->second(at->self, interval->t1, at->Q, V, at->P, at->W, at->D);
    else
        system->first(at->self, interval->t1, at->Q, V, at->P, at->W);
    interval->evaluations++;
    for (int k = 0; k < at->n; k++) at->after[k] = at->W[k];
    chart_add_bracket(at->chart, V, at->P, at->after);
}

STEP_INLINE void backward_assemble(const struct noe_interval *interval,
                                   const struct middle_view *at, real *r) {
    for (int k = 0; k < at->n; k++) r[k] = at->P[k] - interval->from->p[k] - at->h * at->after[k];
}

void backward_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct middle_view at = middle_view(interval);
    backward_evaluate(interval, &at, u, false);
    backward_assemble(interval, &at, r);
}

/* dP = p_v + h p_q T, dR/dV = dP - h (A dP + B(P) + w_v + h w_q T), A m = ad*_V m: one block. */
STEP_INLINE void backward_block(const struct middle_view *at, const struct chart_block *block,
                                const real *V, real *values) {
    const struct chart_piece *row = &at->chart->piece[block->row],
                             *col = &at->chart->piece[block->col];
    const int n = row->size, m = col->size, count = n * m;
    real dP[SMALL_SQUARE], dF[SMALL_SQUARE], moved[SMALL_SQUARE], A[SMALL_SQUARE];
    chart_part(at->chart, block, at->D, NULL, dP);
    chart_part(at->chart, block, at->D + at->nz, at->T, moved);
    for (int e = 0; e < count; e++) dP[e] += at->h * moved[e];
    chart_part(at->chart, block, at->D + 2 * at->nz, NULL, dF);
    chart_part(at->chart, block, at->D + 3 * at->nz, at->T, moved);
    for (int e = 0; e < count; e++) dF[e] += at->h * moved[e];
    if (row->space) {
        chart_bracket_matrix(row, V + row->tangent, A);
        small_add_product(n, n, m, dF, A, dP);
        if (block->row == block->col) {
            row->space->poisson(A, at->P + row->tangent);
            for (int e = 0; e < count; e++) dF[e] += A[e];
        }
    }
    for (int e = 0; e < count; e++) values[e] = dP[e] - at->h * dF[e];
}

void backward_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values) {
    const struct middle_view at = middle_view(interval);
    backward_evaluate(interval, &at, u, true);
    backward_assemble(interval, &at, r);
    chart_tangent(at.chart, at.tau, at.T, at.x);
    for (int b = 0; b < at.chart->nblocks; b++)
        backward_block(&at, &at.chart->block[b], u, values + at.chart->block[b].first);
}

void backward_finish(struct noe_interval *interval, const noe_real *u) {
    const struct middle_view at = middle_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    backward_evaluate(interval, &at, u, false);
    for (int k = 0; k < at.n; k++) at.sum[k] = at.h * at.after[k];
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.x);
    sum_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.sum);
    for (int k = 0; k < at.n; k++) interval->velocity[k] = u[k];
}
