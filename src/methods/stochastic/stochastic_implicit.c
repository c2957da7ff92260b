/* The variational Euler method with noise, for any regular L.
 *
 * With the velocity v of the start, L_v(g, v) = p, the kicks of friction and noise come first,
 *
 *     m = p + h f(t, g, v) + b(t, g) dB,
 *
 * and then a step of L alone from (g, m): V is the root of
 *
 *     R(V) = L_v(g, V) - T_R(hV)^T (m + h L_q(g, V)),
 *     g1 = g tau(hV),    p1 = Ad*_tau(hV) (m + h L_q(g, V)). */
/* SPDX-License-Identifier: MIT */
#include "methods/stochastic/stochastic.h"

/* Computes L_q into `gradient`, n + 1 numbers, at the last evaluated point. */
REAL_INLINE void root_gradient(const struct stochastic_view *at, real t, const real *q,
                               const real *v, const real *w, real *gradient) {
    if (at->system->gradient)
        at->system->gradient(at->self, t, q, v, gradient);
    else
        for (int i = 0; i < at->n; i++) gradient[i] = w[i];
}

/* Computes the kicks m - p into dp, once a step. Every step has its own initial guess. */
void stochastic_initial_guess(struct noe_interval *interval, noe_real *u) {
    const struct stochastic_view at = stochastic_view(interval, STOCHASTIC_RESIDUAL);
    const struct noe_state *from = interval->from;
    const int n = at.n, m = at.m;
    real *gradient = at.K;
    for (int i = 0; i < n; i++) u[i] = interval->velocity[i];
    legendre_velocity(interval->legendre, interval->t, from->q, from->p, u);
    at.system->first(at.self, interval->t, from->q, u, at.P, at.w);
    root_gradient(&at, interval->t, from->q, u, at.w, gradient);
    stochastic_draw(interval, &at, from->k);
    noise_matrix(at.system, at.self, interval->t, from->q, u, at.b);
    for (int i = 0; i < n; i++) {
        at.dp[i] = at.h * (at.w[i] - gradient[i]);
        for (int j = 0; j < m; j++) at.dp[i] += at.b[i * m + j] * at.dB[j];
    }
    interval->evaluations++;
}

/* X, P, mom = m + h L_q and R = P - T_R^T mom from P and w. */
REAL_INLINE void root_assemble(struct noe_interval *interval, const struct stochastic_view *at,
                               const real *V, real *r) {
    const struct noe_state *from = interval->from;
    real *gradient = at->K;
    root_gradient(at, interval->t, from->q, V, at->w, gradient);
    for (int i = 0; i < at->n; i++) {
        at->X[i] = at->h * V[i];
        at->mom[i] = from->p[i] + (at->dp[i] + at->h * gradient[i]);
        r[i] = at->P[i] - at->mom[i];
    }
    interval->evaluations++;
    if (!at->lie_product) return;
    interval->retraction_load =
        lie_product_load(at->lie_product, at->tau, at->X, real_broadcast(0));
    for (int k = 0; k < at->lie_product->npieces; k++) {
        const struct lie_factor *piece = &at->lie_product->piece[k];
        const int t = piece->tangent;
        real y[SMALL_MAX];
        if (!piece->space) continue;
        free_motion_dual(piece->size, piece, at->tau, at->X + t, at->mom + t, y, NULL);
        for (int i = 0; i < piece->size; i++) r[t + i] = at->P[t + i] - y[i];
    }
}

void stochastic_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct stochastic_view at = stochastic_view(interval, STOCHASTIC_RESIDUAL);
    at.system->first(at.self, interval->t, interval->from->q, u, at.P, at.w);
    root_assemble(interval, &at, u, r);
}

/* Replaces K by T_R^T K in the rows of a group, and adds the derivative of T_R. */
REAL_INLINE void root_turn_rows(const struct stochastic_view *at, const struct lie_factor *piece,
                                real *values) {
    const int n = at->n, size = piece->size, t = piece->tangent;
    real y[SMALL_MAX], S[SMALL_SQUARE], T[SMALL_SQUARE], back[SMALL_MAX], column[SMALL_MAX];
    for (int i = 0; i < size; i++) back[i] = -at->X[t + i];
    piece->space->maps.dtau(at->tau, T, back);
    for (int j = 0; j < n; j++) {
        small_zero(size, column);
        for (int i = 0; i < size; i++)
            for (int k = 0; k < size; k++) column[i] += T[k * size + i] * at->K[(t + k) * n + j];
        for (int i = 0; i < size; i++) at->K[(t + i) * n + j] = column[i];
    }
    free_motion_dual(size, piece, at->tau, at->X + t, at->mom + t, y, S);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) values[(t + i) * n + t + j] -= at->h * S[i * size + j];
}

/* dR/dV = p_v - T_R^T h (L_q)_v - h (T_R^T mom)', where (L_q)_v = p_q^T. */
void stochastic_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                         noe_real *values) {
    const struct stochastic_view at = stochastic_view(interval, STOCHASTIC_RESIDUAL);
    const struct noe_system *system = at.system;
    const int n = at.n;
    interval_second(system, at.self, interval->t, interval->from->q, u, at.P, at.w, at.D);
    root_assemble(interval, &at, u, r);
    small_zero(n * n, values);
    small_zero(n * n, at.K);
    for (int e = 0; e < system->nz; e++) {
        const int i = system->row ? system->row[e] : e / n,
                  j = system->row ? system->col[e] : e % n;
        values[i * n + j] = at.D[e];
        at.K[j * n + i] = at.h * at.D[system->nz + e];
    }
    for (int k = 0; at.lie_product && k < at.lie_product->npieces; k++)
        if (at.lie_product->piece[k].space) root_turn_rows(&at, &at.lie_product->piece[k], values);
    for (int e = 0; e < n * n; e++) values[e] -= at.K[e];
}

void stochastic_update(struct noe_interval *interval, const noe_real *u) {
    const struct stochastic_view at = stochastic_view(interval, STOCHASTIC_RESIDUAL);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    real *change = at.w; /* change of the momentum */
    stochastic_residual(interval, u, at.V);
    for (int i = 0; i < at.n; i++) change[i] = at.dp[i] + at.h * at.K[i];
    if (at.lie_product) lie_product_coadjoint_change(at.lie_product, at.tau, at.X, at.mom, change);
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.X);
    compensated_add(at.n, to->p, to->p_carry, from->p, from->p_carry, change);
    for (int i = 0; i < at.n; i++) interval->velocity[i] = u[i];
}
