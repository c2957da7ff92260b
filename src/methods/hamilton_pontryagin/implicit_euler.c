/* Implicit Euler on products of groups and R^n:
 *     R = P - p - h (ad*_V P + W) = 0,    P = L_v and W at (g1, V),    g1 = g tau(hV),   p1 = P. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/implicit_euler.h"

/* Computes the end Q, P and W at Q, and ad*_V P + W in `after`. */
REAL_INLINE void implicit_euler_evaluate(struct noe_interval *interval,
                                         const struct midpoint_view *at, const real *V,
                                         bool derivatives) {
    const struct noe_system *system = at->system;
    for (int k = 0; k < at->n; k++) at->x[k] = at->h * V[k];
    interval->retraction_load =
        lie_product_load(at->lie_product, at->tau, at->x, real_broadcast(0));
    product_retract(system, at->tau, at->Q, interval->from->q, at->x);
    if (derivatives)
        system->second(at->self, interval->t1, at->Q, V, at->P, at->W, at->D);
    else
        system->first(at->self, interval->t1, at->Q, V, at->P, at->W);
    interval->evaluations++;
    for (int k = 0; k < at->n; k++) at->after[k] = at->W[k];
    lie_product_add_bracket(at->lie_product, V, at->P, at->after);
}

REAL_INLINE void implicit_euler_assemble(const struct noe_interval *interval,
                                         const struct midpoint_view *at, real *r) {
    for (int k = 0; k < at->n; k++) r[k] = at->P[k] - interval->from->p[k] - at->h * at->after[k];
}

void implicit_euler_initial_guess(struct noe_interval *interval, noe_real *u) {
    midpoint_initial_guess(interval, u);
}

void implicit_euler_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct midpoint_view at = midpoint_view(interval);
    implicit_euler_evaluate(interval, &at, u, false);
    implicit_euler_assemble(interval, &at, r);
}

/* One block of dR/dV = dP - h (A dP + B(P) + w_v + h w_q T) with dP = p_v + h p_q T and A m = ad*_V
 * m. */
REAL_INLINE void implicit_euler_block(const struct midpoint_view *at, const struct lie_block *block,
                                      const real *V, real *values) {
    const struct lie_factor *row = &at->lie_product->piece[block->row],
                            *col = &at->lie_product->piece[block->col];
    const int n = row->size, m = col->size, count = n * m;
    real dP[SMALL_SQUARE], dF[SMALL_SQUARE], moved[SMALL_SQUARE], A[SMALL_SQUARE];
    lie_product_block(at->lie_product, block, at->D, NULL, dP);
    lie_product_block(at->lie_product, block, at->D + at->nz, at->T, moved);
    for (int e = 0; e < count; e++) dP[e] += at->h * moved[e];
    lie_product_block(at->lie_product, block, at->D + 2 * at->nz, NULL, dF);
    lie_product_block(at->lie_product, block, at->D + 3 * at->nz, at->T, moved);
    for (int e = 0; e < count; e++) dF[e] += at->h * moved[e];
    if (row->space) {
        lie_product_bracket_matrix(row, V + row->tangent, A);
        small_add_product(n, n, m, dF, A, dP);
        if (block->row == block->col) {
            row->space->maps.poisson(A, at->P + row->tangent);
            for (int e = 0; e < count; e++) dF[e] += A[e];
        }
    }
    for (int e = 0; e < count; e++) values[e] = dP[e] - at->h * dF[e];
}

void implicit_euler_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                             noe_real *values) {
    const struct midpoint_view at = midpoint_view(interval);
    implicit_euler_evaluate(interval, &at, u, true);
    implicit_euler_assemble(interval, &at, r);
    lie_product_dtau(at.lie_product, at.tau, at.T, at.x);
    for (int b = 0; b < at.lie_product->nblocks; b++)
        implicit_euler_block(&at, &at.lie_product->block[b], u,
                             values + at.lie_product->block[b].first);
}

void implicit_euler_update(struct noe_interval *interval, const noe_real *u) {
    const struct midpoint_view at = midpoint_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    implicit_euler_evaluate(interval, &at, u, false);
    for (int k = 0; k < at.n; k++) at.sum[k] = at.h * at.after[k];
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.x);
    compensated_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.sum);
    for (int k = 0; k < at.n; k++) interval->velocity[k] = u[k];
}
