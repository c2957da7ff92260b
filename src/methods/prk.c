/* Partitioned Runge-Kutta methods on Lagrangian systems.
 *
 * The discrete Hamilton-Pontryagin principle with quadrature b_i and stages
 * Q_i = q + h sum_j a_ij V_j is stationary (with the forces' work, W = L_q + f) where
 *     R_i = L_v(Q_i,V_i) - p - h sum_j ahat_ij W(Q_j,V_j) = 0,
 *     q1 = q + h sum_j b_j V_j,   p1 = p + h sum_j bhat_j W_j
 * with ahat_ij = b_j (1 - a_ji/b_i), bhat = b (Marsden and West, 2001; Bou-Rabee, 2007, 2.5).
 * With ahat = a the same residual is the Runge-Kutta method for q' = v, p' = W, p = L_v. */
/* SPDX-License-Identifier: MIT */
#include "methods/prk.h"

#include <string.h>

#include "base/sum.h"
#include "methods/interval.h"
#include "spaces/product.h"

/* Asked of the problem, which a specialised stepper knows: what serves groups only is then left
 * out of it. */
STEP_INLINE bool is_on_groups(const struct noe_interval *interval) {
    return interval_problem(interval)->chart;
}

void prk_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n,
              s = prk_tableau(interval_problem(interval))->s;
    for (int i = 0; i < s; i++) memcpy(u + i * n, interval->velocity, (size_t)n * sizeof *u);
}

/* Evaluates the system at every stage: points from V, then p and w, with their derivatives if
 * asked for. */
STEP_INLINE void evaluate(struct noe_interval *interval, const struct prk_view *at, const real *V,
                          bool derivatives) {
    const struct noe_system *system = at->system;
    if (is_on_groups(interval)) {
        prk_groups_evaluate(interval, at, V, derivatives);
        return;
    }
    for (int i = 0; i < at->s; i++) {
        real *Q = at->Q + i * at->np, *P = at->P + i * at->n, *W = at->W + i * at->n;
        const real time = interval_time(interval, at->tableau->c[i]);
        prk_point(at, at->tableau->a[i], at->s, V, interval->from->q, Q);
        if (derivatives)
            system->second(at->self, time, Q, V + i * at->n, P, W, at->D + (size_t)i * 4 * at->nz);
        else
            system->first(at->self, time, Q, V + i * at->n, P, W);
    }
    interval->evaluations += at->s;
}

/* R_i = P_i - p - h sum_j ahat_ij W_j. */
STEP_INLINE void assemble_residual(const struct noe_interval *interval, const struct prk_view *at,
                                   real *r) {
    const real *p = prk_momentum(interval, at), h = at->h;
    const scalar c = at->tableau->ahat[0][0].high;
    if (prk_is_single(at, at->s)) {
        for (int k = 0; k < at->n; k++) r[k] = at->P[k] - p[k] - h * (c * at->W[k]);
        return;
    }
    for (int i = 0; i < at->s; i++, r += at->n) {
        const real *P = at->P + i * at->n;
        for (int k = 0; k < at->n; k++)
            r[k] = P[k] - p[k] - prk_component(at, at->tableau->ahat[i], at->s, at->W, k);
    }
}

void prk_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct prk_view at = prk_view(interval);
    evaluate(interval, &at, u, false);
    assemble_residual(interval, &at, r);
}

/* dR_i/dV_j = delta_ij p_v(i) + h a_ij p_q(i) - h ahat_ij w_v(j) - h^2 sum_l ahat_il a_lj w_q(l).
 */
STEP_INLINE void jacobian_block(const struct prk_view *at, int i, int j, real *restrict block) {
    const struct tableau *t = at->tableau;
    const size_t nz = at->nz;
    const real *pv = at->D + (size_t)i * 4 * nz, *pq = pv + nz;
    const real *wv = at->D + (size_t)j * 4 * nz + 2 * nz;
    if (at->s == 1 && prk_is_separable(at)) { /* in one pass */
        const real factor = at->h * at->h * t->ahat[0][0].value * t->a[0][0].value;
        const real *wq = at->D + 3 * nz;
        for (size_t e = 0; e < nz; e++) block[e] = pv[e] - factor * wq[e];
        return;
    }
    const scalar diagonal = i == j;
    const real ha = at->h * t->a[i][j].value, hahat = at->h * t->ahat[i][j].value;
    if (prk_is_separable(at))
        for (size_t e = 0; e < nz; e++) block[e] = diagonal * pv[e];
    else
        for (size_t e = 0; e < nz; e++) block[e] = diagonal * pv[e] + ha * pq[e] - hahat * wv[e];
    for (int l = 0; l < at->s; l++) {
        if (t->ahat[i][l].value == 0 || t->a[l][j].value == 0) continue;
        const real factor = at->h * at->h * t->ahat[i][l].value * t->a[l][j].value;
        const real *wq = at->D + (size_t)l * 4 * nz + 3 * nz;
        for (size_t e = 0; e < nz; e++) block[e] -= factor * wq[e];
    }
}

void prk_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r, noe_real *values) {
    const struct prk_view at = prk_view(interval);
    evaluate(interval, &at, u, true);
    assemble_residual(interval, &at, r);
    for (int i = 0; i < at.s; i++)
        for (int j = 0; j < at.s; j++) {
            if (!at.tableau->couples[i][j] && !is_on_groups(interval)) continue;
            jacobian_block(&at, i, j, values);
            if (is_on_groups(interval)) prk_groups_add(&at, j, values);
            values += at.nz;
        }
}

/* The stages hold the forces of the last iterate u + d. The forces of u follow to first order,
 * W_j -= w_v(j) d_j + w_q(j) h sum_l a_jl d_l, with the same error that Newton's method left. */
void prk_finish(struct noe_interval *interval, const noe_real *u) {
    const struct prk_view at = prk_view(interval);
    const real *d = interval->correction;
    if (is_on_groups(interval)) {
        prk_groups_finish(interval, &at, u);
        return;
    }
    for (int j = 0; j < at.s && d; j++) {
        const real *D = at.D + (size_t)j * 4 * at.nz;
        prk_sum(&at, at.tableau->a[j], at.s, d, at.x);
        if (!prk_is_separable(&at))
            pattern_add_product(at.system, real_of(-1), D + 2 * at.nz, d + j * at.n,
                                at.W + j * at.n);
        pattern_add_product(at.system, real_of(-1), D + 3 * at.nz, at.x, at.W + j * at.n);
    }
    prk_update(interval, &at, u);
}
