/* Hamilton-Pontryagin integrators with nodes at the ends: coefficients, sparsity pattern and
 * tangent map. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "methods/hamilton_pontryagin/endpoint.h"

bool endpoint_is_invariant(const struct noe_system *system) {
    const unsigned needed = NOE_LEFT_INVARIANT | NOE_AUTONOMOUS | NOE_UNFORCED;
    for (int i = 0; i < system->nfactors; i++)
        if (!system->factors[i].space->retractions) return false;
    return (system->traits & needed) == needed;
}

enum noe_status endpoint_setup(struct noe_problem *problem, struct noe_error *error) {
    const struct endpoint_family *kind = problem->internals->scheme_data;
    struct endpoint *endpoint = malloc(sizeof *endpoint);
    if (!endpoint) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    *endpoint = kind->endpoint;
    problem->internals->coefficients = endpoint;
    problem->order = kind->is_euler && endpoint_is_invariant(problem->system) ? 2 : kind->order;
    problem->internals->nu = problem->system->n;
    struct scratch scratch = {0};
    endpoint_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

int endpoint_sparsity(const struct noe_problem *problem, int *row, int *col) {
    if (endpoint_is_uncoupled(problem->system))
        return lie_product_diagonal_sparsity(problem->internals->lie_product, row, col);
    return lie_product_sparsity(problem->internals->lie_product, 0, 0, row, col);
}

/* At fixed V the start varies by s0 and the end by s1 = Ad_tau(X)^-1 s0. Replaces P and W of each
 * node by their variations. */
static void vary_node(const struct endpoint_view *at, const struct endpoint_node *node,
                      const real *s) {
    small_zero(at->n, node->P);
    small_zero(at->n, node->W);
    pattern_add_product(at->system, 1, node->D + at->nz, s, node->P);
    pattern_add_product(at->system, 1, node->D + 3 * at->nz, s, node->W);
}

/* Evaluates the derivative blocks of both nodes at V, even if the step itself does not need them.
 */
static void evaluate_blocks(struct noe_interval *interval, const struct endpoint_view *at,
                            const real *V) {
    const struct noe_system *system = at->system;
    system->second(at->self, interval->t, interval->from->q, V, at->start.P, at->start.W,
                   at->start.D);
    system->second(at->self, interval->t1, interval->to->q, V, at->end.P, at->end.W, at->end.D);
}

/* y = T_R^T m, factor by factor. */
static void apply_dual(const struct endpoint_view *at) {
    for (int k = 0; k < at->lie_product->npieces; k++) {
        const struct lie_factor *piece = &at->lie_product->piece[k];
        const int t = piece->tangent;
        if (piece->space)
            free_motion_dual(piece->size, piece, at->tau, at->X + t, at->m + t, at->y + t, NULL);
        else
            at->y[t] = at->m[t];
    }
}

/* dR = b0 p_q(g) s0 + b1 p_q(g1) s1 - T_R^T dm, dm = dp0 + h b0 w_q(g) s0. */
static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct endpoint_view at = endpoint_view(interval);
    const int n = at.n;
    const real b0 = at.endpoint->b0, b1 = at.endpoint->b1;
    real *s1 = at.dp;
    evaluate_blocks(interval, &at, interval->velocity);
    lie_product_adjoint_back(at.lie_product, at.tau, at.T, at.X);
    lie_product_apply(at.lie_product, s1, at.T, dz);
    vary_node(&at, &at.start, dz);
    vary_node(&at, &at.end, s1);
    for (int k = 0; k < n; k++) at.m[k] = dz[n + k] + at.h * b0 * at.start.W[k];
    apply_dual(&at);
    for (int k = 0; k < n; k++) r[k] = b0 * at.start.P[k] + b1 * at.end.P[k] - at.y[k];
}

/* With dX = h dV: s1 and the variation of Ad*_tau(X) m by lie_product_end_tangent, then dp1 += h b1
 * dW(g1). */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct endpoint_view at = endpoint_view(interval);
    const int n = at.n;
    const real b0 = at.endpoint->b0, b1 = at.endpoint->b1;
    real *turned = at.y, *dX = at.dp, *dW = at.end.W;
    at.system->first(at.self, interval->t1, interval->to->q, interval->velocity, at.end.P, dW);
    for (int k = 0; k < n; k++) turned[k] = interval->to->p[k] - at.h * b1 * dW[k];
    for (int k = 0; k < n; k++) dX[k] = at.h * du[k];
    pattern_add_product(at.system, at.h * b0, at.start.D + 2 * at.nz, du, at.m);
    lie_product_end_tangent(at.lie_product, at.tau,
                            &(struct lie_product_variation){n, at.X, dX, turned, at.m}, dz, dz1);
    small_zero(n, dW);
    pattern_add_product(at.system, 1, at.end.D + 2 * at.nz, du, dW);
    pattern_add_product(at.system, 1, at.end.D + 3 * at.nz, dz1, dW);
    for (int k = 0; k < n; k++) dz1[n + k] += at.h * b1 * dW[k];
}

const struct scheme_tangent endpoint_tangent = {residual_tangent, update_tangent};

void endpoint_write_coefficients(FILE *out, const struct noe_problem *problem) {
    const struct endpoint *endpoint = endpoint_of(problem);
    fprintf(out, "{%a, %a}", (double)endpoint->b0, (double)endpoint->b1);
}

const struct scheme endpoint_scheme = {
    .rule = SCHEME_ENDPOINT,
    .source = "methods/hamilton_pontryagin/endpoint.c",
    .setup = endpoint_setup,
    .sparsity = endpoint_sparsity,
    SCHEME_FUNCTIONS(endpoint),
    .coefficients_type = "struct endpoint",
    .write_coefficients = endpoint_write_coefficients,
    .tangent = &endpoint_tangent,
    .kernels = KERNELS(FAST(endpoint_rigid_body_kernel), FAST(endpoint_splitting_kernel)),
};
