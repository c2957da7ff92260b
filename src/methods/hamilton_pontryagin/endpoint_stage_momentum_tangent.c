/* Tangent map of variational Euler with stage momenta. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "methods/hamilton_pontryagin/endpoint.h"

/* (T(X)^-T P)' dX + T(X)^-T dP, factor by factor. */
static void vary_node_momentum(const struct endpoint_view *at, const real *P, const real *dX,
                               const real *dP, real *dp) {
    for (int k = 0; k < at->lie_product->npieces; k++) {
        const struct lie_factor *piece = &at->lie_product->piece[k];
        const int n = piece->size, t = piece->tangent;
        real A[SMALL_SQUARE];
        if (!piece->space) {
            dp[t] = dP[t];
            continue;
        }
        small_zero(n, dp + t);
        piece->space->maps.dtau_inverse(at->tau, A, at->X + t);
        small_add_dual(n, n, dp + t, 1, A, dP + t);
        piece->space->maps.dtau_inverse_dual_derivative(at->tau, A, at->X + t, P + t);
        small_add_apply(n, n, dp + t, 1, A, dX + t);
    }
}

/* Variation (s1, dp1) of the start of the next step with (g, P): p_v dV = dP - p_q s0, s1 =
 * Ad_tau(X)^-1 s0 + T dX, and dp1 = d(T(X)^-T P). With P1 = L_v(g1, V), whose variation is p_v dV +
 * p_q s1, dp1 = d(T(X)^-T P1) + h (w_v dV + w_q s1). Overwrites the blocks of the nodes. */
static void vary_begin(struct noe_interval *interval, const struct stage_momentum *thesis,
                       const real *dz, real *dz1) {
    const struct endpoint_view at = endpoint_view(interval);
    const struct noe_system *system = at.system;
    const int n = at.n;
    const real h = at.h;
    real *dV = thesis->dV, *dX = thesis->dX, *dP = thesis->dP, *D = at.start.D, *dp1 = dz1 + n;
    struct linear *mass = &interval->legendre->mass;
    for (int k = 0; k < n; k++) at.X[k] = h * thesis->V[k];
    system->second(at.self, interval->t, interval->from->q, thesis->V, at.end.P, at.end.W, D);
    memcpy(dV, dz + n, (size_t)n * sizeof *dV);
    pattern_add_product(system, -1, D + at.nz, dz, dV);
    linear_factor(mass, n, D);
    linear_solve(mass, n, dV);
    for (int k = 0; k < n; k++) dX[k] = h * dV[k];
    lie_product_point_tangent(at.lie_product, at.tau, at.X, dX, dz, dz1);
    if (at.endpoint->b1 == 0) {
        vary_node_momentum(&at, interval->from->p, dX, dz + n, dp1);
        return;
    }
    system->second(at.self, interval->t1, interval->to->q, thesis->V, at.end.P, at.end.W, D);
    small_zero(n, dP);
    pattern_add_product(system, 1, D, dV, dP);
    pattern_add_product(system, 1, D + at.nz, dz1, dP);
    vary_node_momentum(&at, at.end.P, dX, dP, dp1);
    pattern_add_product(system, h * at.endpoint->b1, D + 2 * at.nz, dV, dp1);
    pattern_add_product(system, h * at.endpoint->b1, D + 3 * at.nz, dz1, dp1);
}

/* Sets the increment and the end of the next step for endpoint_residual_tangent. */
static void look_behind(struct noe_interval *interval, struct stage_momentum *thesis,
                        struct noe_state *to) {
    const struct endpoint_view at = endpoint_view(interval);
    stage_momentum_look_ahead(interval, thesis);
    for (int k = 0; k < at.n; k++) at.X[k] = at.h * interval->velocity[k];
    product_retract(at.system, at.tau, at.Q, thesis->from.q, at.X);
    to->q = at.Q;
    thesis->next.to = to;
}

static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    struct stage_momentum thesis;
    struct noe_state to = {0};
    stage_momentum_look_ahead(interval, &thesis);
    vary_begin(interval, &thesis, dz, thesis.dz1);
    look_behind(interval, &thesis, &to);
    endpoint_tangent.residual(&thesis.next, thesis.dz1, r);
}

/* The end is (g1, L_v(g1, V1)). */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct endpoint_view at = endpoint_view(interval);
    const int n = at.n;
    struct stage_momentum thesis;
    stage_momentum_look_ahead(interval, &thesis);
    vary_begin(interval, &thesis, dz, thesis.dz1);
    memcpy(dz1, thesis.dz1, (size_t)n * sizeof *dz1);
    at.system->second(at.self, interval->t1, interval->to->q, interval->velocity, at.end.P,
                      at.end.W, at.start.D);
    small_zero(n, dz1 + n);
    pattern_add_product(at.system, 1, at.start.D, du, dz1 + n);
    pattern_add_product(at.system, 1, at.start.D + at.nz, dz1, dz1 + n);
}

static const struct scheme_tangent tangent = {residual_tangent, update_tangent};

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = endpoint_setup(problem, error);
    struct scratch scratch = {0};
    struct stage_momentum thesis;
    if (status != NOE_OK) return status;
    endpoint_layout(&scratch, problem);
    stage_momentum_layout(&scratch, problem, &thesis);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

const struct scheme stage_momentum_scheme = {
    .source = "methods/hamilton_pontryagin/endpoint_stage_momentum.c",
    .setup = setup,
    .sparsity = endpoint_sparsity,
    SCHEME_FUNCTIONS(stage_momentum),
    .coefficients_type = "struct endpoint",
    .write_coefficients = endpoint_write_coefficients,
    .tangent = &tangent,
};
