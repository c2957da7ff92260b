/* Variational partitioned Runge-Kutta methods (VPRK) on Lagrangian systems.
 *
 * The discrete Hamilton-Pontryagin principle with quadrature b_i and stages
 * Q_i = q + h sum_j a_ij V_j is stationary (with the forces' work, W = L_q + f) where
 *     R_i = L_v(Q_i,V_i) - p - h sum_j ahat_ij W(Q_j,V_j) = 0,
 *     q1 = q + h sum_j b_j V_j,   p1 = p + h sum_j bhat_j W_j
 * with ahat_ij = b_j (1 - a_ji/b_i), bhat = b (Marsden and West, 2001; Bou-Rabee, 2007, 2.5).
 * With ahat = a the same residual is the Runge-Kutta method for q' = v, p' = W, p = L_v. */
/* SPDX-License-Identifier: MIT */
#include "methods/runge_kutta/prk.h"

#include <string.h>

#include "base/compensated_sum.h"
#include "mechanics/interval.h"
#include "spaces/product.h"

/* True on Lie groups. Read from the problem, which is constant in a specialised stepper, so that
 * code for groups is removed from steppers on R^n. */
REAL_INLINE bool is_on_groups(const struct noe_interval *interval) {
    return interval_problem(interval)->internals->lie_product;
}

void prk_initial_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n,
              s = prk_tableau(interval_problem(interval))->s;
    for (int i = 0; i < s; i++) memcpy(u + i * n, interval->velocity, (size_t)n * sizeof *u);
}

/* Evaluates the system at every stage: configurations from V, then p and w, with their derivatives
 * if requested. */
REAL_INLINE void evaluate(struct noe_interval *interval, const struct prk_view *at, const real *V,
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

void prk_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct prk_view at = prk_view(interval);
    evaluate(interval, &at, u, false);
    prk_assemble(&at, prk_momentum(interval, &at), r);
}

void prk_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r, noe_real *values) {
    const struct prk_view at = prk_view(interval);
    evaluate(interval, &at, u, true);
    prk_assemble(&at, prk_momentum(interval, &at), r);
    for (int i = 0; i < at.s; i++)
        for (int j = 0; j < at.s; j++) {
            if (!at.tableau->couples[i][j] && !is_on_groups(interval)) continue;
            prk_block(&at, i, j, values);
            if (is_on_groups(interval)) prk_groups_add(&at, j, values);
            values += at.nz;
        }
}

/* The stages hold the forces of the last iterate u + d. The forces at u follow to first order, W_j
 * -= w_v(j) d_j + w_q(j) h sum_l a_jl d_l, with the remaining error of the Newton iteration. */
void prk_update(struct noe_interval *interval, const noe_real *u) {
    const struct prk_view at = prk_view(interval);
    const real *d = interval->correction;
    if (is_on_groups(interval)) {
        prk_lie_update(interval, &at, u);
        return;
    }
    for (int j = 0; j < at.s && d; j++) {
        const real *D = at.D + (size_t)j * 4 * at.nz;
        prk_sum(&at, at.tableau->a[j], at.s, d, at.x);
        if (!prk_is_separable(&at))
            pattern_add_product(at.system, real_broadcast(-1), D + 2 * at.nz, d + j * at.n,
                                at.W + j * at.n);
        pattern_add_product(at.system, real_broadcast(-1), D + 3 * at.nz, at.x, at.W + j * at.n);
    }
    prk_write_end(interval, &at, u);
}
