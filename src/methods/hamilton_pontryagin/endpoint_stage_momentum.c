/* Variational Euler in the convention of Bou-Rabee's thesis: the stored momentum is the stage
 * momentum L_v(g, V), with V the velocity of the step that begins at g, and not the momentum at the
 * node.
 *
 * A step from (g, P) solves L_v(g, V) = P for V. It ends at g1 = g tau(hV) with the node momentum
 * p1 = T(hV)^-T (b0 P + b1 L_v(g1, V)) + h b1 W(g1, V). From there it solves the residual of
 * endpoint.c for the next velocity, which gives the stage momentum L_v(g1, V1) (Bou-Rabee,
 * 2007, 4.6). One of the weights is 0. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "methods/hamilton_pontryagin/endpoint.h"

/* T(X)^-T P, factor by factor. */
REAL_INLINE void thesis_node_momentum(const struct endpoint_view *at, const real *P, real *p) {
    for (int k = 0; k < at->lie_product->npieces; k++) {
        const struct lie_factor *piece = &at->lie_product->piece[k];
        const int n = piece->size, t = piece->tangent;
        real T[SMALL_SQUARE];
        if (!piece->space) {
            p[t] = P[t];
            continue;
        }
        piece->space->maps.dtau_inverse(at->tau, T, at->X + t);
        small_zero(n, p + t);
        small_add_dual(n, n, p + t, 1, T, P + t);
    }
}

STEP_FOLDED void stage_momentum_look_ahead(struct noe_interval *interval,
                                           struct stage_momentum *thesis) {
    struct scratch scratch = scratch_carve(interval->scratch);
    const struct endpoint_view at = endpoint_view_in(interval, &scratch);
    const struct noe_state *from = interval->from;
    struct noe_state *base = &thesis->from;
    stage_momentum_layout(&scratch, interval_problem(interval), thesis);
    memcpy(thesis->V, interval->velocity, (size_t)at.n * sizeof *thesis->V);
    const noe_lane_status outcome =
        legendre_velocity(interval->legendre, interval->t, from->q, from->p, thesis->V);
    for (int k = 0; k < at.n; k++) at.X[k] = at.h * thesis->V[k];
    interval->retraction_load = lie_product_load(at.lie_product, at.tau, at.X, real_broadcast(0));
    product_retract(at.system, at.tau, base->q, from->q, at.X);
    if (at.endpoint->b1 != 0) {
        at.system->first(at.self, interval->t1, base->q, thesis->V, at.end.P, at.end.W);
        thesis_node_momentum(&at, at.end.P, base->p);
        for (int k = 0; k < at.n; k++) base->p[k] += at.h * at.endpoint->b1 * at.end.W[k];
    } else {
        thesis_node_momentum(&at, from->p, base->p);
    }
    for (int k = 0; k < at.n; k++)
        base->p[k] = real_select(outcome == NOE_OK, base->p[k], real_broadcast(NAN));
    thesis->next = *interval;
    thesis->next.from = base;
    thesis->next.t = interval->t1;
    thesis->next.t1 = interval->t1 + interval->h;
}

REAL_INLINE void thesis_look_back(struct noe_interval *interval,
                                  const struct stage_momentum *thesis) {
    interval->evaluations = thesis->next.evaluations;
    interval->retraction_load = real_select(
        interval->retraction_load >= 1, interval->retraction_load, thesis->next.retraction_load);
}

void stage_momentum_initial_guess(struct noe_interval *interval, noe_real *u) {
    endpoint_initial_guess(interval, u);
}

void stage_momentum_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    struct stage_momentum thesis;
    stage_momentum_look_ahead(interval, &thesis);
    endpoint_residual(&thesis.next, u, r);
    thesis_look_back(interval, &thesis);
}

void stage_momentum_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                             noe_real *values) {
    struct stage_momentum thesis;
    stage_momentum_look_ahead(interval, &thesis);
    endpoint_jacobian(&thesis.next, u, r, values);
    thesis_look_back(interval, &thesis);
}

void stage_momentum_update(struct noe_interval *interval, const noe_real *u) {
    struct stage_momentum thesis;
    stage_momentum_look_ahead(interval, &thesis);
    const struct endpoint_view at = endpoint_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    product_advance(at.system, at.tau, to->q, to->q_carry, from->q, from->q_carry, at.X);
    at.system->first(at.self, interval->t1, to->q, u, to->p, at.end.W);
    memset(to->p_carry, 0, (size_t)at.n * sizeof *to->p_carry);
    memcpy(interval->velocity, u, (size_t)at.n * sizeof *u);
}
