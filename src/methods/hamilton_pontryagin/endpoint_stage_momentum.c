/* One velocity a step, told by the velocities: the momentum of a state is L_v(g, V) with V the
 * velocity of the step that begins there, and not the momentum at the node.
 *
 * A step from (g, P) finds V with L_v(g, V) = P, ends at g1 = g tau(hV) with the node momentum
 * p1 = T(hV)^-T (b0 P + b1 L_v(g1, V)) + h b1 W(g1, V), and solves the residual of ray.c from there
 * for the next velocity, which gives the momentum L_v(g1, V1) (Bou-Rabee, 2007, 4.6). One weight
 * is 0. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "methods/hamilton_pontryagin/endpoint.h"

/* T(X)^-T P, piece by piece. */
STEP_INLINE void thesis_node_momentum(const struct ray_view *at, const real *P, real *p) {
    for (int k = 0; k < at->chart->npieces; k++) {
        const struct chart_piece *piece = &at->chart->piece[k];
        const int n = piece->size, t = piece->tangent;
        real T[SMALL_SQUARE];
        if (!piece->space) {
            p[t] = P[t];
            continue;
        }
        piece->space->dtau_inverse(at->tau, T, at->X + t);
        small_zero(n, p + t);
        small_add_dual(n, n, p + t, 1, T, P + t);
    }
}

STEP_FOLDED void ray_thesis_look_ahead(struct noe_interval *interval, struct ray_thesis *thesis) {
    const struct ray_view at = ray_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *base = &thesis->from;
    const int np = interval_problem(interval)->np;
    base->q = at.Q + np;
    base->p = base->q + np;
    thesis->V = base->p + at.n;
    memcpy(thesis->V, interval->velocity, (size_t)at.n * sizeof *thesis->V);
    const noe_outcome outcome =
        legendre_velocity(interval->legendre, interval->t, from->q, from->p, thesis->V);
    for (int k = 0; k < at.n; k++) at.X[k] = at.h * thesis->V[k];
    interval->reach = chart_reach(at.chart, at.tau, at.X, real_of(0));
    product_retract(at.system, at.tau, base->q, from->q, at.X);
    if (at.ray->b1 != 0) {
        at.system->first(at.self, interval->t1, base->q, thesis->V, at.end.P, at.end.W);
        thesis_node_momentum(&at, at.end.P, base->p);
        for (int k = 0; k < at.n; k++) base->p[k] += at.h * at.ray->b1 * at.end.W[k];
    } else {
        thesis_node_momentum(&at, from->p, base->p);
    }
    for (int k = 0; k < at.n; k++)
        base->p[k] = real_select(outcome == NOE_OK, base->p[k], real_of(NAN));
    thesis->next = *interval;
    thesis->next.from = base;
    thesis->next.t = interval->t1;
    thesis->next.t1 = interval->t1 + interval->h;
}

STEP_INLINE void thesis_look_back(struct noe_interval *interval, const struct ray_thesis *thesis) {
    interval->evaluations = thesis->next.evaluations;
    interval->reach = real_select(interval->reach >= 1, interval->reach, thesis->next.reach);
}

void ray_thesis_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    struct ray_thesis thesis;
    ray_thesis_look_ahead(interval, &thesis);
    ray_residual(&thesis.next, u, r);
    thesis_look_back(interval, &thesis);
}

void ray_thesis_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                         noe_real *values) {
    struct ray_thesis thesis;
    ray_thesis_look_ahead(interval, &thesis);
    ray_jacobian(&thesis.next, u, r, values);
    thesis_look_back(interval, &thesis);
}

void ray_thesis_finish(struct noe_interval *interval, const noe_real *u) {
    struct ray_thesis thesis;
    ray_thesis_look_ahead(interval, &thesis);
    const struct ray_view at = ray_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.X);
    at.system->first(at.self, interval->t1, to->q, u, to->p, at.end.W);
    memset(to->p_carry, 0, (size_t)at.n * sizeof *to->p_carry);
    memcpy(interval->velocity, u, (size_t)at.n * sizeof *u);
}
