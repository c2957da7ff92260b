/* The generalised-alpha method (generalized-alpha) on products of Lie groups and R^n.
 *
 * The Newmark formulas update positions and velocities with the acceleration variable a, and the
 * same averages update momenta with b: g1 = g tau(h x),    x = v + h ((1/2 - beta) a + beta a1), v1
 * = v + h ((1 - gamma) a + gamma a1),    L_v(g1, v1) = p + h ((1 - gamma) b + gamma b1), (1 -
 * alpha_m) b1 + alpha_m b = (1 - alpha_f) F1 + alpha_f F,    F = ad*_v p + W = p'. So a and b
 * belong to the time h (alpha_m - alpha_f) after a step. If the mass matrix is constant, b = Ma,
 * and this is the method of Chung and Hulbert (1993) on Lie groups by Bruels and Cardona (2010).
 * Otherwise no derivative of the mass matrix is needed. The unknown is x.
 *
 * With constraints W contains the constraint forces. Their multipliers lambda at the end, times h,
 * are unknowns too, with the equation g(t1, g1) = 0: a differential-algebraic system of index 3
 * (Arnold, Cardona and Bruels, 2016). The hidden constraint g' = 0 is not enforced at the end. */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/generalized_alpha_step.h"

#include <string.h>

/* Computes v1 and a1 from x, and the multipliers behind v1. */
REAL_INLINE void alpha_end(const struct alpha_view *at, const real *x) {
    for (int i = at->n; i < at->n + at->m; i++) at->v1[i] = x[i] / at->h;
    const struct alpha *c = at->alpha;
    for (int k = 0; k < at->n; k++) {
        const real change = x[k] - at->v[k] - (0.5 - c->beta) * (at->h * at->a[k]);
        at->X[k] = at->h * x[k];
        at->a1[k] = change / (c->beta * at->h);
        at->v1[k] = at->v[k] + at->h * ((1 - c->gamma) * at->a[k] + c->gamma * at->a1[k]);
    }
}

/* Computes P and F = ad*_v P + W at (t, q, v). */
REAL_INLINE void alpha_force(struct noe_interval *interval, const struct alpha_view *at, real t,
                             const real *q, const real *v, real *P, real *F, bool derivatives) {
    if (derivatives)
        at->system->second(at->self, t, q, v, P, F, at->D);
    else
        at->system->first(at->self, t, q, v, P, F);
    lie_product_add_bracket(at->lie_product, v, P, F);
    interval->evaluations++;
}

/* With constraints: computes v' and the multipliers, which are stored behind v. */
static mask alpha_rate_constrained(struct noe_interval *interval, const struct alpha_view *at,
                                   real t, const real *q, real *v, real *rate) {
    const mask is_regular = multipliers_demanded(interval, t, q, v, v + at->n);
    for (int k = 0; k < at->n; k++) rate[k] = interval->multipliers->x[k];
    return is_regular;
}

/* Solves p_v v' = F - p_q v - p_t for v'. p_t is a finite difference, which vanishes if L_v does
 * not depend on time. */
REAL_INLINE mask alpha_rate(struct noe_interval *interval, const struct alpha_view *at, real t,
                            const real *q, real *v, real *rate) {
    if (at->m) return alpha_rate_constrained(interval, at, t, q, v, rate);
    const real e = 0.1 * at->h;
    real *P = at->P1, *F = at->F1, *later = at->sum, *W = at->v1;
    struct linear *mass = &interval->legendre->mass;
    at->system->first(at->self, t - e, q, v, P, W);
    at->system->first(at->self, t + e, q, v, later, W);
    for (int k = 0; k < at->n; k++) rate[k] = -(later[k] - P[k]) / (2 * e);
    alpha_force(interval, at, t, q, v, P, F, true);
    for (int k = 0; k < at->n; k++) rate[k] += F[k];
    pattern_add_product(at->system, real_broadcast(-1), at->D + at->nz, v, rate);
    const mask is_regular = linear_factor(mass, at->n, at->D);
    linear_solve(mass, at->n, rate);
    return is_regular;
}

/* Projects Q to the constraints by a Newton iteration, dx = -p_v^-1 psi^T mu with psi dx = -g. Off
 * the constraints the constraint forces would change conserved momenta. */
REAL_INLINE void alpha_return(struct noe_interval *interval, const struct alpha_view *at, real t,
                              const real *v) {
    enum { PASSES = 5 }; /* reaches the last bit from an error of e^3 in any precision */
    struct multipliers *to = interval->multipliers;
    for (int i = 0; at->m && i < PASSES; i++) {
        multipliers_demanded(interval, t, at->Q, v, at->v1 + at->n);
        for (int k = 0; k < at->n; k++) to->x[k] = real_broadcast(0);
        for (int a = 0; a < at->m; a++) to->x[at->n + a] = -to->c[a];
        linear_solve(&to->linear, at->n + at->m, to->x);
        for (int k = 0; k < at->n; k++) at->X[k] = to->x[k];
        product_retract(at->system, at->tau, at->Q, at->Q, at->X);
    }
}

/* The derivatives of v and p (that is, F) after the time e = s h, at g tau(e v + e^2 v'/2) and v +
 * e v'. */
REAL_INLINE mask alpha_ahead(struct noe_interval *interval, const struct alpha_view *at, real s,
                             const real *rate, real *ahead, real *F) {
    const real e = s * at->h;
    real *v = at->a1, *P = at->P1;
    for (int k = 0; k < at->n; k++) {
        at->X[k] = e * at->v[k] + e * e / 2 * rate[k];
        v[k] = at->v[k] + e * rate[k];
    }
    product_retract(at->system, at->tau, at->Q, interval->from->q, at->X);
    alpha_return(interval, at, interval->t + e, v);
    const mask is_regular = alpha_rate(interval, at, interval->t + e, at->Q, v, ahead);
    alpha_force(interval, at, interval->t + e, at->Q, v, P, F, false);
    return is_regular;
}

/* Computes a and b from the state alone: the derivatives at the time h (alpha_m - alpha_f) after
 * it, by one-sided or central finite differences over s h. */
REAL_INLINE void alpha_begin(struct noe_interval *interval, const struct alpha_view *at) {
    const scalar s = 0.1;
    const struct alpha *c = at->alpha;
    const scalar far = (c->alpha_m - c->alpha_f) / (c->is_central ? 2 * s : s);
    real *rate = at->rate, *ahead = at->ahead, *F = at->Fs;
    mask is_good = alpha_rate(interval, at, interval->t, interval->from->q, at->v, rate);
    for (int k = 0; k < at->n; k++) {
        ahead[k] = at->a[k] = rate[k];
        F[k] = at->b[k] = at->F[k];
    }
    if (c->is_central) is_good &= alpha_ahead(interval, at, real_broadcast(-s), rate, ahead, F);
    for (int k = 0; k < at->n; k++) {
        at->a[k] -= far * ahead[k];
        at->b[k] -= far * F[k];
    }
    is_good &= alpha_ahead(interval, at, real_broadcast(s), rate, ahead, F);
    for (int k = 0; k < at->n; k++) {
        at->a[k] = real_select(is_good, at->a[k] + far * ahead[k], real_broadcast(NAN));
        at->b[k] += far * F[k];
    }
}

/* Computes v and F at the start of the interval, and a and b if there is no previous step. */
REAL_INLINE void alpha_start(struct noe_interval *interval, const struct alpha_view *at) {
    const struct noe_state *from = interval->from;
    memcpy(at->v, interval->velocity, (size_t)at->n * sizeof *at->v);
    for (int a = 0; a < at->m; a++) at->v[at->n + a] = from->multipliers[a];
    const noe_lane_status outcome =
        legendre_velocity(interval->legendre, interval->t, from->q, from->p, at->v);
    alpha_force(interval, at, interval->t, from->q, at->v, at->P1, at->F, false);
    if (!interval->has_previous_step) alpha_begin(interval, at);
    for (int k = 0; k < at->n; k++)
        at->F[k] = real_select(outcome == NOE_OK, at->F[k], real_broadcast(NAN));
}

void alpha_initial_guess(struct noe_interval *interval, noe_real *u) {
    const struct alpha_view at = alpha_view(interval);
    for (int k = 0; k < at.n; k++) u[k] = interval->velocity[k];
    const scalar known = interval_problem(interval)->internals->is_least_squares ? 0 : 1;
    for (int a = 0; a < at.m; a++) u[at.n + a] = known * at.h * interval->from->multipliers[a];
}

REAL_INLINE void alpha_evaluate(struct noe_interval *interval, const struct alpha_view *at,
                                const real *x, bool derivatives) {
    alpha_start(interval, at);
    alpha_end(at, x);
    interval->retraction_load =
        lie_product_load(at->lie_product, at->tau, at->X, real_broadcast(0));
    product_retract(at->system, at->tau, at->Q, interval->from->q, at->X);
    alpha_force(interval, at, interval->t1, at->Q, at->v1, at->P1, at->F1, derivatives);
    if (!at->m) return;
    if (derivatives)
        at->system->constraints_second(at->self, interval->t1, at->Q, at->v1, at->c, at->d);
    else
        at->system->constraints(at->self, interval->t1, at->Q, at->v1, at->c);
}

/* Computes b1 and p1 - p. */
REAL_INLINE void alpha_momentum(const struct alpha_view *at, real *b1, real *change) {
    const struct alpha *c = at->alpha;
    for (int k = 0; k < at->n; k++) {
        b1[k] = ((1 - c->alpha_f) * at->F1[k] + c->alpha_f * at->F[k] - c->alpha_m * at->b[k]) /
                (1 - c->alpha_m);
        change[k] = at->h * ((1 - c->gamma) * at->b[k] + c->gamma * b1[k]);
    }
}

/* R = L_v(g1, v1) - p - h ((1 - gamma) b + gamma b1). */
REAL_INLINE void alpha_assemble(const struct noe_interval *interval, const struct alpha_view *at,
                                real *r) {
    alpha_momentum(at, at->b1, at->sum);
    for (int k = 0; k < at->n; k++) r[k] = at->P1[k] - interval->from->p[k] - at->sum[k];
    for (int a = 0; a < at->m; a++) r[at->n + a] = at->c[a] / at->h;
}

void alpha_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct alpha_view at = alpha_view(interval);
    alpha_evaluate(interval, &at, u, false);
    alpha_assemble(interval, &at, r);
}

/* One block of dR = dP - h gamma (1 - alpha_f)/(1 - alpha_m) dF. With dv1 = (gamma/beta) dx and the
 * variation h T dx of g1, dP = (gamma/beta) p_v + h p_q T and dF = A dP + (gamma/beta) (B(P) + w_v)
 * + h w_q T, where A m = ad*_v1 m. */
REAL_INLINE void alpha_block(const struct alpha_view *at, const struct lie_block *block,
                             real *values) {
    const struct lie_factor *row = &at->lie_product->piece[block->row];
    const int n = row->size, m = at->lie_product->piece[block->col].size, count = n * m;
    const struct alpha *c = at->alpha;
    const scalar ratio = c->gamma / c->beta;
    const real weight = at->h * (c->gamma * (1 - c->alpha_f) / (1 - c->alpha_m));
    real dF[SMALL_SQUARE], moved[SMALL_SQUARE], A[SMALL_SQUARE];
    lie_product_block(at->lie_product, block, at->D, NULL, values);
    lie_product_block(at->lie_product, block, at->D + at->nz, at->T, moved);
    for (int e = 0; e < count; e++) values[e] = ratio * values[e] + at->h * moved[e];
    lie_product_block(at->lie_product, block, at->D + 2 * at->nz, NULL, dF);
    lie_product_block(at->lie_product, block, at->D + 3 * at->nz, at->T, moved);
    if (row->space && block->row == block->col) {
        row->space->maps.poisson(A, at->P1 + row->tangent);
        for (int e = 0; e < count; e++) dF[e] += A[e];
    }
    for (int e = 0; e < count; e++) dF[e] = ratio * dF[e] + at->h * moved[e];
    if (row->space) {
        lie_product_bracket_matrix(row, at->v1 + row->tangent, A);
        small_add_product(n, n, m, dF, A, values);
    }
    for (int e = 0; e < count; e++) values[e] -= weight * dF[e];
}

/* dR/d(h lambda) = -gamma (1 - alpha_f)/(1 - alpha_m) w_lambda, d(g/h)/dx = g_q T. */
REAL_INLINE void alpha_reactions(const struct alpha_view *at, real *values) {
    const struct alpha *c = at->alpha;
    const struct constraint_jacobian *constraint_jacobian = at->constraint_jacobian;
    real *moved = values + constraint_jacobian->nz;
    constraint_jacobian_right(constraint_jacobian, at->d, NULL, moved);
    constraint_jacobian_scale_signed(
        at->system, constraint_jacobian, constraint_jacobian_all(constraint_jacobian),
        real_broadcast(-c->gamma * (1 - c->alpha_f) / (1 - c->alpha_m)), moved, values);
    constraint_jacobian_right(constraint_jacobian, at->d, at->T, moved);
}

void alpha_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                    noe_real *values) {
    const struct alpha_view at = alpha_view(interval);
    alpha_evaluate(interval, &at, u, true);
    alpha_assemble(interval, &at, r);
    lie_product_dtau(at.lie_product, at.tau, at.T, at.X);
    for (int b = 0; b < at.lie_product->nblocks; b++)
        alpha_block(&at, &at.lie_product->block[b], values + at.lie_product->block[b].first);
    if (!at.m) return;
    alpha_reactions(&at, values + at.lie_product->nz);
    interval->noise =
        constraint_jacobian_noise(at.constraint_jacobian,
                                  values + at.lie_product->nz + at.constraint_jacobian->nz,
                                  interval_problem(interval)->np, at.Q) /
        at.h;
}

/* Writes the end of the step, and a and b for the next step. */
void alpha_update(struct noe_interval *interval, const noe_real *u) {
    const struct alpha_view at = alpha_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    alpha_evaluate(interval, &at, u, false);
    alpha_momentum(&at, at.b1, at.sum);
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.X);
    compensated_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.sum);
    for (int k = 0; k < at.n; k++) {
        interval->velocity[k] = at.v1[k];
        at.a[k] = at.a1[k];
        at.b[k] = at.b1[k];
    }
    for (int a = 0; a < at.m; a++)
        to->multipliers[a] = interval->velocity[at.n + a] = at.v1[at.n + a];
    interval->has_previous_step = true;
}
