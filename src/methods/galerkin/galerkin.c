/* Hermite-Galerkin methods: one polynomial per step, whose velocity is a sum of Legendre
 * polynomials. The polynomial is also the dense output.
 *
 * On the step, with x in [0,1], v(x) = sum_j c_j P_j(2x-1) and q(x) = q0 + h int_0^x v. The
 * unknowns are all c_j: the first equation is that of the start, L_v(q0, v(0)) = p0, the others are
 * the equations of motion against test functions w_i, integrated by parts, R_i = [L_v w_i]_0^1 -
 * int_0^1 (L_v w_i' + h W w_i) dx = 0,    W = L_q + f, by a quadrature at the nodes. The end is q1
 * = q(1) = q0 + h c_0, p1 = L_v(q1, v(1)). */
/* SPDX-License-Identifier: MIT */
#include "methods/galerkin/galerkin.h"

#include "base/compensated_sum.h"

/* Initial guess: constant velocity. */
void galerkin_initial_guess(struct noe_interval *interval, noe_real *u) {
    const struct noe_problem *problem = interval_problem(interval);
    const int n = problem->system->n;
    for (int i = 0; i < problem->internals->nu; i++)
        u[i] = i < n ? interval->velocity[i] : real_broadcast(0);
}

REAL_INLINE void galerkin_place(const struct galerkin_view *at, int k, const real *u,
                                const real *q0) {
    const struct galerkin *modal = at->modal;
    const int n = at->n;
    for (int i = 0; i < n; i++) {
        real v = {0}, x = {0};
        for (int j = modal->modes - 1; j >= 0; j--) { /* small terms first */
            v += modal->mode[k][j] * u[j * n + i];
            x += modal->path[k][j] * u[j * n + i];
        }
        at->v[k * n + i] = v;
        at->q[k * n + i] = q0[i] + at->h * x;
    }
}

REAL_INLINE void galerkin_evaluate(struct noe_interval *interval, const struct galerkin_view *at,
                                   const real *u, bool derivatives) {
    const struct noe_system *system = at->system;
    const int n = at->n;
    for (int k = 0; k < at->modal->nodes; k++) {
        const real time = interval_time(interval, at->modal->time[k]);
        real *q = at->q + k * n, *v = at->v + k * n, *P = at->P + k * n, *W = at->W + k * n;
        galerkin_place(at, k, u, interval->from->q);
        if (derivatives)
            system->second(at->self, time, q, v, P, W, at->D + (size_t)k * 4 * at->nz);
        else
            system->first(at->self, time, q, v, P, W);
    }
    interval->evaluations += at->modal->nodes;
}

/* R_i = sum_k (momentum_ik P_k - h force_ik W_k) - start_i p0. */
REAL_INLINE void galerkin_assemble(const struct noe_interval *interval,
                                   const struct galerkin_view *at, real *r) {
    const struct galerkin *modal = at->modal;
    const int n = at->n;
    for (int i = 0; i < modal->modes; i++)
        for (int l = 0; l < n; l++) {
            real momentum = -modal->start[i] * interval->from->p[l], force = {0};
            for (int k = 0; k < modal->nodes; k++) {
                momentum += modal->momentum[i][k] * at->P[k * n + l];
                force += modal->force[i][k] * at->W[k * n + l];
            }
            r[i * n + l] = momentum - at->h * force;
        }
}

void galerkin_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct galerkin_view at = galerkin_view(interval);
    galerkin_evaluate(interval, &at, u, false);
    galerkin_assemble(interval, &at, r);
}

/* dR_i/dc_j = sum_k momentum_ik (mode_kj p_v + h path_kj p_q) - h force_ik (mode_kj w_v + h path_kj
 * w_q). */
REAL_INLINE void galerkin_jacobian_block(const struct galerkin_view *at, int i, int j,
                                         real *restrict block) {
    const struct galerkin *modal = at->modal;
    for (size_t e = 0; e < at->nz; e++) block[e] = real_broadcast(0);
    for (int k = 0; k < modal->nodes; k++) {
        const scalar momentum = modal->momentum[i][k], force = modal->force[i][k];
        const real mode = real_broadcast(modal->mode[k][j]), path = at->h * modal->path[k][j];
        const real *pv = galerkin_block(at, k, 0), *pq = galerkin_block(at, k, 1);
        const real *wv = galerkin_block(at, k, 2), *wq = galerkin_block(at, k, 3);
        const real by_force = at->h * force;
        if (momentum != 0)
            for (size_t e = 0; e < at->nz; e++)
                block[e] += momentum * (mode * pv[e] + path * pq[e]);
        if (force != 0)
            for (size_t e = 0; e < at->nz; e++)
                block[e] -= by_force * (mode * wv[e] + path * wq[e]);
    }
}

void galerkin_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values) {
    const struct galerkin_view at = galerkin_view(interval);
    galerkin_evaluate(interval, &at, u, true);
    galerkin_assemble(interval, &at, r);
    for (int i = 0; i < at.modal->modes; i++)
        for (int j = 0; j < at.modal->modes; j++, values += at.nz)
            galerkin_jacobian_block(&at, i, j, values);
}

/* All modes but the first have mean zero. */
void galerkin_update(struct noe_interval *interval, const noe_real *u) {
    const struct galerkin_view at = galerkin_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const int last = at.modal->nodes - 1, n = at.n;
    galerkin_place(&at, last, u, from->q);
    for (int i = 0; i < n; i++) {
        const real dq = at.h * u[i];
        compensated_add(1, &to->q[i], &to->q_carry[i], &from->q[i], &from->q_carry[i], &dq);
        interval->velocity[i] = at.v[last * n + i];
        to->p_carry[i] = real_broadcast(0);
    }
    at.system->first(at.self, interval->t1, to->q, interval->velocity, to->p, at.W + last * n);
    interval->evaluations++;
}
