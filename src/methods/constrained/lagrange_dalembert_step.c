/* The discrete Lagrange-d'Alembert principle with nonholonomic constraints, on R^n.
 *
 * L_d(q0, q1) = (h/2) (L(q0, V) + L(q1, V)), V = (q1 - q0)/h, is stationary up to the work of the
 * forces and of the reactions h phi_v^T lambda_k at the nodes, with phi((q0 + q1)/2, V) = 0 (Cortes
 * and Martinez, 2001):
 *     -D_1 L_d(q1, q2) = D_2 L_d(q0, q1) + (h/2) (phi_v(q1, V)^T + phi_v(q1, U)^T) lambda_1.
 * The momentum at a node stands in the middle of its reaction, p1 = D_2 L_d + (h/2) phi_v(q1, V)^T
 * lambda_1, so that a step needs the one after it: unknowns are V and h lambda_0 of this one, U and
 * h lambda_1 of the next. With A, B, C, D for (q0,V), (q1,V), (q1,U), (q2,U)
 *     E_1 = (P_A + P_B)/2 - (h/2) W_A - p0 = 0,    E_3 = phi((q0+q1)/2, V) = 0,
 *     E_2 = (P_C + P_D)/2 - (h/2) W_C - (P_A + P_B)/2 - (h/2) W_B = 0,    E_4 = phi((q1+q2)/2, U),
 * where W_A has the reaction with lambda_0, W_B and W_C that with lambda_1. The constraint holds in
 * the middle of steps; at nodes it holds to second order. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "methods/constrained/lagrange_dalembert.h"

/* Evaluates the system at one of the four points. */
REAL_INLINE void dalembert_evaluate_point(const struct dalembert_view *at, int point, real t,
                                          const real *q, const real *V, const real *impulse) {
    for (int k = 0; k < at->n; k++) at->v[k] = V[k];
    for (int a = 0; a < at->m; a++) at->v[at->n + a] = impulse[a] / at->h;
    at->system->second(at->self, t, q, at->v, at->P + point * at->n, at->W + point * at->n,
                       at->D + (size_t)point * 4 * at->nz);
    if (point != DALEMBERT_D)
        at->system->constraints_second(at->self, t, q, at->v, at->c, at->d[point]);
}

/* phi at the midpoint of two nodes. */
REAL_INLINE void dalembert_evaluate_middle(const struct dalembert_view *at, int step, real t,
                                           const real *from, const real *to, const real *V,
                                           real *r) {
    for (int k = 0; k < at->n; k++) {
        at->middle[k] = (from[k] + to[k]) * 0.5;
        at->v[k] = V[k];
    }
    at->system->constraints_second(at->self, t, at->middle, at->v, at->c, at->d[3 + step]);
    for (int a = 0; a < at->m; a++) r[a] = at->c[a];
}

/* Evaluates the system at A, B, C and D. */
REAL_INLINE void dalembert_evaluate_points(struct noe_interval *interval,
                                           const struct dalembert_view *at, const real *u) {
    const int n = at->n;
    const real *V = u, *U = u + n + at->m, *q0 = interval->from->q, h = at->h;
    const real t0 = interval->t, t1 = interval->t1;
    for (int k = 0; k < n; k++) {
        at->q1[k] = q0[k] + h * V[k];
        at->q2[k] = at->q1[k] + h * U[k];
    }
    dalembert_evaluate_point(at, DALEMBERT_A, t0, q0, V, u + n);
    dalembert_evaluate_point(at, DALEMBERT_B, t1, at->q1, V, U + n);
    dalembert_evaluate_point(at, DALEMBERT_C, t1, at->q1, U, U + n);
    dalembert_evaluate_point(at, DALEMBERT_D, t1 + h, at->q2, U, U + n);
    interval->evaluations += DALEMBERT_POINTS;
}

/* Unknowns and equations: V or E_1, h lambda_0 or E_3, U or E_2, h lambda_1 or E_4. */
REAL_INLINE void dalembert_evaluate(struct noe_interval *interval, const struct dalembert_view *at,
                                    const real *u, real *r) {
    const int n = at->n, next = n + at->m;
    const real *q0 = interval->from->q, h = at->h, *P = at->P, *W = at->W;
    dalembert_evaluate_points(interval, at, u);
    for (int k = 0; k < n; k++) {
        const real mean = (P[k] + P[n + k]) * 0.5, half = h * 0.5;
        r[k] = mean - half * W[k] - interval->from->p[k];
        r[next + k] =
            (P[2 * n + k] + P[3 * n + k]) * 0.5 - half * W[2 * n + k] - mean - half * W[n + k];
    }
    dalembert_evaluate_middle(at, 0, interval_time(interval, 0.5), q0, at->q1, u, r + n);
    dalembert_evaluate_middle(at, 1, interval->t1 + h * 0.5, at->q1, at->q2, u + next,
                              r + next + n);
}

void dalembert_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct dalembert_view at = dalembert_view(interval);
    dalembert_evaluate(interval, &at, u, r);
}

/* The blocks of E_1 in V, E_2 in V and in U. */
REAL_INLINE void dalembert_write_blocks(const struct dalembert_view *at, real *values) {
    const size_t nz = at->nz;
    const real h = at->h, half = h * 0.5;
    const real *A = at->D, *B = A + 4 * nz, *C = B + 4 * nz, *D = C + 4 * nz;
    for (size_t e = 0; e < nz; e++) {
        const size_t pv = e, pq = nz + e, wv = 2 * nz + e, wq = 3 * nz + e;
        const real mean = (A[pv] + B[pv] + h * B[pq]) * 0.5;
        values[e] = mean - half * A[wv];
        values[nz + e] = half * (C[pq] + D[pq] - h * C[wq] - B[wv] - h * B[wq]) - mean;
        values[2 * nz + e] = (C[pv] + D[pv] + h * D[pq]) * 0.5 - half * C[wv];
    }
}

/* E_1 in h lambda_0, E_2 in h lambda_1; E_3 in V; E_4 in V and U. */
REAL_INLINE void dalembert_write_reactions(const struct dalembert_view *at, real *values) {
    const int nzc = at->system->nzc;
    const struct constraint_jacobian_range all = constraint_jacobian_all(at->constraint_jacobian);
    const real h = at->h;
    const real *first = at->d[3], *second = at->d[4];
    constraint_jacobian_scale_signed(at->system, at->constraint_jacobian, all, real_broadcast(-0.5),
                                     at->d[0], values);
    for (int e = 0; e < nzc; e++)
        at->d[0][e] = at->d[1][e] + at->d[2][e]; /* the derivatives at A are no longer needed */
    constraint_jacobian_scale_signed(at->system, at->constraint_jacobian, all, real_broadcast(-0.5),
                                     at->d[0], values + nzc);
    for (int e = 0; e < nzc; e++) {
        values[2 * nzc + e] = first[e] + h * 0.5 * first[nzc + e];
        values[3 * nzc + e] = h * second[nzc + e];
        values[4 * nzc + e] = second[e] + h * 0.5 * second[nzc + e];
    }
}

void dalembert_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                        noe_real *values) {
    const struct dalembert_view at = dalembert_view(interval);
    dalembert_evaluate(interval, &at, u, r);
    dalembert_write_blocks(&at, values);
    dalembert_write_reactions(&at, values + 3 * at.nz);
}

void dalembert_initial_guess(struct noe_interval *interval, noe_real *u) {
    const struct dalembert_view at = dalembert_view(interval);
    const int next = at.n + at.m;
    for (int k = 0; k < at.n; k++) u[k] = u[next + k] = interval->velocity[k];
    for (int a = 0; a < at.m; a++)
        u[at.n + a] = u[next + at.n + a] = at.h * interval->from->multipliers[a];
}

/* p1 - p0 = (h/2) (W_A + W_B). */
void dalembert_update(struct noe_interval *interval, const noe_real *u) {
    const struct dalembert_view at = dalembert_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const int n = at.n, next = n + at.m;
    dalembert_evaluate_points(interval, &at, u);
    for (int k = 0; k < n; k++) {
        at.change[k] = at.h * u[k];
        interval->velocity[k] = (u[k] + u[next + k]) * 0.5;
    }
    compensated_add(n, to->q, to->q_carry, from->q, from->q_carry, at.change);
    for (int k = 0; k < n; k++) at.change[k] = at.h * 0.5 * (at.W[k] + at.W[n + k]);
    compensated_add(n, to->p, to->p_carry, from->p, from->p_carry, at.change);
    for (int a = 0; a < at.m; a++)
        to->multipliers[a] = interval->velocity[n + a] = u[next + n + a] / at.h;
}
