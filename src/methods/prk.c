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

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/sum.h"
#include "methods/interval.h"
#include "spaces/product.h"

const struct tableau *prk_tableau(const struct noe_problem *problem) {
    return problem->coefficients;
}

struct prk_view prk_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval->problem;
    const struct tableau *tableau = prk_tableau(problem);
    struct prk_view at = {
        .system = problem->system,
        .tableau = tableau,
        .n = problem->system->n,
        .np = problem->np,
        .s = tableau->s,
        .nz = (size_t)problem->system->nz,
        .h = interval->h,
    };
    at.Q = interval->scratch;
    at.V = at.Q + at.s * at.np;
    at.P = at.V + at.s * at.n;
    at.W = at.P + at.s * at.n;
    at.x = at.W + at.s * at.n;
    at.late = at.x + at.n;
    at.D = at.late + 2 * at.n;
    return at;
}

enum noe_status prk_prepare(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const struct prk *family = problem->method->data;
    struct tableau *t = malloc(sizeof *t);
    if (!t) return status_set(error, NOE_NO_MEMORY, "out of memory for a tableau");
    problem->coefficients = t;
    family->make(t, problem);
    const size_t s = (size_t)t->s, n = (size_t)system->n;
    problem->nu = t->s * system->n;
    problem->nscratch = s * ((size_t)problem->np + 3 * n + 4 * (size_t)system->nz) + 3 * n;
    const bool kicks = t->nkicks && (system->traits & NOE_SEPARABLE) && !system->factors;
    problem->use_kernel = kicks || t->is_explicit;
    return NOE_OK;
}

int prk_pattern(const struct noe_problem *problem, int *row, int *col) {
    const struct tableau *t = prk_tableau(problem);
    const struct noe_system *system = problem->system;
    const int n = system->n;
    int count = 0;
    for (int i = 0; i < t->s; i++)
        for (int j = 0; j < t->s; j++) {
            if (!t->couples[i][j]) continue;
            for (int e = 0; row && e < system->nz; e++) {
                row[count + e] = i * n + (system->row ? system->row[e] : e / n);
                col[count + e] = j * n + (system->row ? system->col[e] : e % n);
            }
            count += system->nz;
        }
    return count;
}

void prk_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval->problem->system->n, s = prk_tableau(interval->problem)->s;
    for (int i = 0; i < s; i++) memcpy(u + i * n, interval->velocity, (size_t)n * sizeof *u);
}

static real stage_time(const struct noe_interval *interval, real c) {
    return c == 1 ? interval->t1 : interval->t + c * interval->h;
}

/* Evaluates the system at every stage: points from V, then p and w, with their derivatives if
 * asked for. */
static void evaluate(struct noe_interval *interval, const struct prk_view *at, const real *V,
                     bool derivatives) {
    const struct noe_system *system = at->system;
    for (int i = 0; i < at->s; i++) {
        real *Q = at->Q + i * at->np, *P = at->P + i * at->n, *W = at->W + i * at->n;
        const real time = stage_time(interval, at->tableau->c[i]);
        prk_sum(at, at->tableau->a[i], at->s, V, at->x);
        product_retract(system, Q, interval->from->q, at->x);
        if (derivatives)
            system->second(system, time, Q, V + i * at->n, P, W, at->D + (size_t)i * 4 * at->nz);
        else
            system->first(system, time, Q, V + i * at->n, P, W);
    }
    interval->evaluations += at->s;
}

/* R_i = P_i - p - h sum_j ahat_ij W_j. */
static void assemble_residual(const struct noe_interval *interval, const struct prk_view *at,
                              real *r) {
    const real *p = interval->from->p;
    for (int i = 0; i < at->s; i++, r += at->n) {
        const real *P = at->P + i * at->n;
        prk_sum(at, at->tableau->ahat[i], at->s, at->W, at->x);
        for (int k = 0; k < at->n; k++) r[k] = P[k] - p[k] - at->x[k];
    }
}

void prk_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct prk_view at = prk_view(interval);
    evaluate(interval, &at, u, false);
    assemble_residual(interval, &at, r);
}

/* dR_i/dV_j = delta_ij p_v(i) + h a_ij p_q(i) - h ahat_ij w_v(j) - h^2 sum_l ahat_il a_lj w_q(l).
 */
static void jacobian_block(const struct prk_view *at, int i, int j, real *restrict block) {
    const struct tableau *t = at->tableau;
    const size_t nz = at->nz;
    const real *pv = at->D + (size_t)i * 4 * nz, *pq = pv + nz;
    const real *wv = at->D + (size_t)j * 4 * nz + 2 * nz;
    const real diagonal = i == j, ha = at->h * t->a[i][j].value,
               hahat = at->h * t->ahat[i][j].value;
    for (size_t e = 0; e < nz; e++) block[e] = diagonal * pv[e] + ha * pq[e] - hahat * wv[e];
    for (int l = 0; l < at->s; l++) {
        const real factor = at->h * at->h * t->ahat[i][l].value * t->a[l][j].value;
        const real *wq = at->D + (size_t)l * 4 * nz + 3 * nz;
        if (factor == 0) continue;
        for (size_t e = 0; e < nz; e++) block[e] -= factor * wq[e];
    }
}

void prk_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r, noe_real *values) {
    const struct prk_view at = prk_view(interval);
    evaluate(interval, &at, u, true);
    assemble_residual(interval, &at, r);
    for (int i = 0; i < at.s; i++)
        for (int j = 0; j < at.s; j++) {
            if (!at.tableau->couples[i][j]) continue;
            jacobian_block(&at, i, j, values);
            values += at.nz;
        }
}

void prk_update(struct noe_interval *interval, const struct prk_view *at, const real *V) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const real *last = V + (at->s - 1) * at->n;
    prk_sum(at, at->tableau->b, at->s, V, at->x);
    product_advance(at->system, to->q, to->q_carry, from->q, from->q_carry, at->x);
    prk_sum(at, at->tableau->bhat, at->s, at->W, at->x);
    sum_add(at->n, to->p, to->p_carry, from->p, from->p_carry, at->x);
    for (int k = 0; k < at->n; k++) interval->velocity[k] = last[k];
}

/* y += factor A x, where A has the given values on the system's pattern. */
static void add_product(const struct noe_system *s, real factor, const real *values, const real *x,
                        real *y) {
    for (int e = 0; s->row && e < s->nz; e++) y[s->row[e]] += factor * values[e] * x[s->col[e]];
    for (int i = 0; !s->row && i < s->n; i++)
        for (int j = 0; j < s->n; j++) y[i] += factor * values[i * s->n + j] * x[j];
}

/* The stages hold the forces of the last iterate u + d. The forces of u follow to first order,
 * W_j -= w_v(j) d_j + w_q(j) h sum_l a_jl d_l, with the same error that Newton's method left. */
void prk_finish(struct noe_interval *interval, const noe_real *u) {
    const struct prk_view at = prk_view(interval);
    const real *d = interval->correction;
    for (int j = 0; j < at.s; j++) {
        const real *D = at.D + (size_t)j * 4 * at.nz;
        prk_sum(&at, at.tableau->a[j], at.s, d, at.x);
        add_product(at.system, -1, D + 2 * at.nz, d + j * at.n, at.W + j * at.n);
        add_product(at.system, -1, D + 3 * at.nz, at.x, at.W + j * at.n);
    }
    prk_update(interval, &at, u);
}

/* dR_i = p_q(i) dq - dp - h sum_j ahat_ij w_q(j) dq. */
void prk_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct prk_view at = prk_view(interval);
    for (int i = 0; i < at.s; i++, r += at.n) {
        for (int k = 0; k < at.n; k++) r[k] = -dz[at.n + k];
        add_product(at.system, 1, at.D + (size_t)i * 4 * at.nz + at.nz, dz, r);
        for (int j = 0; j < at.s; j++)
            add_product(at.system, -at.h * at.tableau->ahat[i][j].value,
                        at.D + (size_t)j * 4 * at.nz + 3 * at.nz, dz, r);
    }
}

/* dq1 = dq + h sum_j b_j dV_j, dp1 = dp + h sum_j bhat_j (w_v dV_j + w_q dQ_j),
 * dQ_j = dq + h sum_l a_jl dV_l. */
void prk_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                     noe_real *dz1) {
    const struct prk_view at = prk_view(interval);
    const int n = at.n;
    prk_sum(&at, at.tableau->b, at.s, du, at.x);
    for (int k = 0; k < n; k++) dz1[k] = dz[k] + at.x[k];
    for (int k = 0; k < n; k++) dz1[n + k] = dz[n + k];
    for (int j = 0; j < at.s; j++) {
        const real *D = at.D + (size_t)j * 4 * at.nz, weight = at.h * at.tableau->bhat[j].value;
        prk_sum(&at, at.tableau->a[j], at.s, du, at.x);
        for (int k = 0; k < n; k++) at.x[k] += dz[k];
        add_product(at.system, weight, D + 2 * at.nz, du + j * n, dz1 + n);
        add_product(at.system, weight, D + 3 * at.nz, at.x, dz1 + n);
    }
}
