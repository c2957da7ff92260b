/* Hamilton-Pontryagin integrators with one velocity per step and nodes at the ends of the step, on
 * products of Lie groups and R^n.
 *
 * The discrete Lagrangian L_d = h (b0 L(g, V) + b1 L(g1, V)), g1 = g tau(X), X = hV, with the work
 * of forces at the same nodes, is stationary if
 *     R = b0 P(g, V) + b1 P(g1, V) - T_R(X)^T m = 0,    m = p + h b0 W(g, V),
 *     p1 = Ad*_tau(X) m + h b1 W(g1, V),
 * with P = L_v, W = L_q + f and the right trivialised tangent T_R = Ad_tau T, which is T(-X) if
 * tau(-X) is tau(X)^-1. The terms of W(g1, V) in R cancel (docs/theory_groups.md). b0 = 1, b1 = 0
 * is the integrator of Bou-Rabee and Marsden (2009). If L = V.MV/2 - U, a step is a kick, a drift M
 * V = T_R(hV)^T m that does not depend on the potential, and a kick. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/endpoint.h"

#include <string.h>

void endpoint_initial_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n;
    memcpy(u, interval->velocity, (size_t)n * sizeof *u);
}

REAL_INLINE void endpoint_duals(const struct endpoint_view *at, bool derivatives) {
    for (int k = 0; k < at->lie_product->npieces; k++) {
        const struct lie_factor *piece = &at->lie_product->piece[k];
        const int t = piece->tangent;
        if (piece->space)
            free_motion_dual(piece->size, piece, at->tau, at->X + t, at->m + t, at->y + t,
                             derivatives ? at->S + piece->square : NULL);
        else
            at->y[t] = at->m[t];
    }
}

REAL_INLINE void endpoint_node(const struct endpoint_view *at, const struct endpoint_node *node,
                               real t, const real *q, const real *V, bool derivatives) {
    if (derivatives)
        at->system->second(at->self, t, q, V, node->P, node->W, node->D);
    else
        at->system->first(at->self, t, q, V, node->P, node->W);
}

/* Computes X, and P and W at the nodes with a nonzero weight. If L is separable, P = MV and W at
 * the start. */
REAL_INLINE void endpoint_evaluate(struct noe_interval *interval, const struct endpoint_view *at,
                                   const real *V, bool derivatives) {
    const struct noe_state *from = interval->from;
    const struct endpoint *endpoint = at->endpoint;
    for (int k = 0; k < at->n; k++) at->X[k] = at->h * V[k];
    interval->retraction_load =
        lie_product_load(at->lie_product, at->tau, at->X, real_broadcast(0));
    small_zero(at->n, at->start.W);
    if (endpoint_is_separable(at)) {
        if (endpoint->b0 != 0)
            interval_force(at->system, at->self, interval->t, from->q, V, at->start.P, at->start.W);
        small_zero(at->n, at->start.P);
        pattern_add_product(at->system, real_broadcast(1), interval->legendre->blocks, V,
                            at->start.P);
        interval->evaluations += endpoint->b0 != 0;
        return;
    }
    if (endpoint->b0 != 0) endpoint_node(at, &at->start, interval->t, from->q, V, derivatives);
    if (endpoint->b1 != 0) {
        product_retract(at->system, at->tau, at->Q, from->q, at->X);
        endpoint_node(at, &at->end, interval->t1, at->Q, V, derivatives);
    }
    interval->evaluations += (endpoint->b0 != 0) + (endpoint->b1 != 0);
}

/* True if b0 P(g, V) + b1 P(g1, V) is P at the start. */
REAL_INLINE bool endpoint_has_one_momentum(const struct endpoint_view *at) {
    return endpoint_is_separable(at) || at->endpoint->b1 == 0;
}

REAL_INLINE void endpoint_assemble(const struct noe_interval *interval,
                                   const struct endpoint_view *at, real *r, bool derivatives) {
    const scalar b0 = at->endpoint->b0, b1 = at->endpoint->b1;
    const real weight = at->h * b0;
    for (int k = 0; k < at->n; k++) at->m[k] = interval->from->p[k] + weight * at->start.W[k];
    endpoint_duals(at, derivatives);
    for (int k = 0; k < at->n; k++) {
        const real P = endpoint_has_one_momentum(at) ? at->start.P[k]
                       : b0 == 0                     ? at->end.P[k]
                                                     : b0 * at->start.P[k] + b1 * at->end.P[k];
        r[k] = P - at->y[k];
    }
}

void endpoint_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct endpoint_view at = endpoint_view(interval);
    endpoint_evaluate(interval, &at, u, false);
    endpoint_assemble(interval, &at, r, false);
}

/* values += factor (part of D), or factor (part of D) T if T is not NULL. */
REAL_INLINE void endpoint_add_part(const struct endpoint_view *at, const struct lie_block *block,
                                   scalar factor, const real *part, const real *T, real *values) {
    const int count =
        at->lie_product->piece[block->row].size * at->lie_product->piece[block->col].size;
    real A[SMALL_SQUARE];
    lie_product_block(at->lie_product, block, part, T, A);
    for (int e = 0; e < count; e++) values[e] += factor * A[e];
}

/* b0 p_v(g) - T(-X)^T h b0 w_v(g). */
REAL_INLINE void endpoint_add_start(const struct endpoint_view *at, const struct lie_block *block,
                                    real *values) {
    const struct lie_factor *row = &at->lie_product->piece[block->row];
    const int n = row->size, m = at->lie_product->piece[block->col].size;
    real force[SMALL_SQUARE], T[SMALL_SQUARE], back[SMALL_MAX];
    small_zero(n * m, force);
    endpoint_add_part(at, block, -at->endpoint->b0, at->start.D + 2 * at->nz, NULL, force);
    for (int e = 0; e < n * m; e++) force[e] *= at->h;
    for (int e = 0; !row->space && e < n * m; e++) values[e] += force[e];
    if (row->space) {
        for (int i = 0; i < n; i++) back[i] = -at->X[row->tangent + i];
        row->space->maps.dtau(at->tau, T, back);
        small_add_dual_product(n, n, m, values, T, force);
    }
    endpoint_add_part(at, block, at->endpoint->b0, at->start.D, NULL, values);
}

/* b1 (p_v(g1) + h p_q(g1) T(X)). */
REAL_INLINE void endpoint_add_end(const struct endpoint_view *at, const struct lie_block *block,
                                  real *values) {
    const int count =
        at->lie_product->piece[block->row].size * at->lie_product->piece[block->col].size;
    real moved[SMALL_SQUARE];
    small_zero(count, moved);
    endpoint_add_part(at, block, at->endpoint->b1, at->end.D + at->nz, at->T, moved);
    for (int e = 0; e < count; e++) values[e] += at->h * moved[e];
    endpoint_add_part(at, block, at->endpoint->b1, at->end.D, NULL, values);
}

/* One block of dR/dV = b0 p_v(g) + b1 (p_v(g1) + h p_q(g1) T(X)) - h S - T(-X)^T h b0 w_v(g) with S
 * = (T_R(X)^T m)'. */
REAL_INLINE void endpoint_block(const struct noe_interval *interval, const struct endpoint_view *at,
                                const struct lie_block *block, real *values) {
    const struct lie_factor *row = &at->lie_product->piece[block->row],
                            *col = &at->lie_product->piece[block->col];
    const int n = row->size, m = col->size;
    small_zero(n * m, values);
    if (endpoint_is_separable(at)) {
        endpoint_add_part(at, block, 1, interval->legendre->blocks, NULL, values);
    } else {
        if (at->endpoint->b0 != 0) endpoint_add_start(at, block, values);
        if (at->endpoint->b1 != 0) endpoint_add_end(at, block, values);
    }
    for (int e = 0; row->space && block->row == block->col && e < n * n; e++)
        values[e] -= at->h * at->S[row->square + e];
}

void endpoint_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values) {
    const struct endpoint_view at = endpoint_view(interval);
    endpoint_evaluate(interval, &at, u, true);
    endpoint_assemble(interval, &at, r, true);
    if (!endpoint_is_separable(&at)) lie_product_dtau(at.lie_product, at.tau, at.T, at.X);
    for (int b = 0; b < at.lie_product->nblocks; b++) {
        const struct lie_block *block = &at.lie_product->block[b];
        if (endpoint_is_uncoupled(at.system) && block->row != block->col) continue;
        endpoint_block(interval, &at, block, values);
        values += at.lie_product->piece[block->row].size * at.lie_product->piece[block->col].size;
    }
}

/* g1 = g tau(X), p1 = p + h b0 W(g) + (Ad*_tau(X) - 1) m + h b1 W(g1). */
void endpoint_update(struct noe_interval *interval, const noe_real *u) {
    const struct endpoint_view at = endpoint_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const real first = at.h * at.endpoint->b0, last = at.h * at.endpoint->b1;
    for (int k = 0; k < at.n; k++) at.X[k] = at.h * u[k];
    if (at.endpoint->b0 != 0 && !endpoint_is_separable(&at))
        interval_force(at.system, at.self, interval->t, from->q, u, at.start.P, at.start.W);
    for (int k = 0; k < at.n; k++) {
        at.dp[k] = first * at.start.W[k];
        at.m[k] = from->p[k] + at.dp[k];
    }
    lie_product_coadjoint_change(at.lie_product, at.tau, at.X, at.m, at.dp);
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.X);
    if (at.endpoint->b1 != 0) {
        interval_force(at.system, at.self, interval->t1, to->q, u, at.end.P, at.end.W);
        for (int k = 0; k < at.n; k++) at.dp[k] += last * at.end.W[k];
    }
    interval->evaluations++;
    compensated_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.dp);
    for (int k = 0; k < at.n; k++) interval->velocity[k] = u[k];
}
