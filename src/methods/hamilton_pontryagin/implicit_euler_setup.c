/* Implicit Euler method on groups: tangent map. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/implicit_euler.h"

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = midpoint_setup(problem, error);
    problem->order = 1;
    return status;
}

/* At fixed V the end varies by s = Ad_tau(x)^-1 s0, so dP = p_q s and dR = dP - dp0 - h (ad*_V dP +
 * w_q s). */
static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct midpoint_view at = midpoint_view(interval);
    const int n = at.n;
    real *s = at.sum, *dP = at.sum + n, *dF = at.after;
    lie_product_adjoint_back(at.lie_product, at.tau, at.K, at.x);
    lie_product_apply(at.lie_product, s, at.K, dz);
    small_zero(n, dP);
    small_zero(n, dF);
    pattern_add_product(at.system, 1, at.D + at.nz, s, dP);
    pattern_add_product(at.system, 1, at.D + 3 * at.nz, s, dF);
    lie_product_add_bracket(at.lie_product, interval->velocity, dP, dF);
    for (int k = 0; k < n; k++) r[k] = dP[k] - dz[n + k] - at.h * dF[k];
}

/* p1 = P(g1, V). */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct midpoint_view at = midpoint_view(interval);
    const int n = at.n;
    real *dx = at.sum;
    for (int k = 0; k < n; k++) dx[k] = at.h * du[k];
    lie_product_point_tangent(at.lie_product, at.tau, at.x, dx, dz, dz1);
    small_zero(n, dz1 + n);
    pattern_add_product(at.system, 1, at.D, du, dz1 + n);
    pattern_add_product(at.system, 1, at.D + at.nz, dz1, dz1 + n);
}

static const struct scheme_tangent tangent = {residual_tangent, update_tangent};

const struct scheme implicit_euler_scheme = {
    .source = "methods/hamilton_pontryagin/implicit_euler.c",
    .setup = setup,
    .sparsity = midpoint_sparsity,
    SCHEME_FUNCTIONS(implicit_euler),
    .tangent = &tangent,
};
