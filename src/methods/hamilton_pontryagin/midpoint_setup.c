/* The midpoint rule on groups and with constraints: sparsity patterns and tangent map. */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/midpoint_constrained.h"
#include "methods/hamilton_pontryagin/midpoint.h"

enum noe_status midpoint_setup(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->order = 2;
    problem->internals->nu = problem->system->n;
    struct scratch scratch = {0};
    midpoint_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

int midpoint_sparsity(const struct noe_problem *problem, int *row, int *col) {
    return lie_product_sparsity(problem->internals->lie_product, 0, 0, row, col);
}

/* At fixed V the midpoint varies by s = Ad_tau(-x) s0, so dR = p_q s - (T(x)^T dm + T(-x)^T (dm + h
 * w_q s))/2 with dm = Ad*_tau(x) dp0. */
static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct midpoint_view at = midpoint_view(interval);
    const int n = at.n;
    real *s = at.sum, *dm = at.sum + n, *dW = at.W, *other = at.P;
    lie_product_adjoint_back(at.lie_product, at.tau, at.K, at.x);
    lie_product_apply(at.lie_product, s, at.K, dz);
    for (int k = 0; k < n; k++) dm[k] = dz[n + k];
    lie_product_coadjoint_change(at.lie_product, at.tau, at.x, dz + n, dm);
    small_zero(n, dW);
    pattern_add_product(at.system, at.h, at.D + 3 * at.nz, s, dW);
    for (int k = 0; k < n; k++) dW[k] += dm[k];
    lie_product_apply_transpose(at.lie_product, r, at.T, dm);
    lie_product_apply_transpose(at.lie_product, other, at.Tb, dW);
    for (int k = 0; k < n; k++) r[k] = -(r[k] + other[k]) / 2;
    pattern_add_product(at.system, 1, at.D + at.nz, s, r);
}

/* Transports (s0, dp0) to the midpoint and, with dB = dm + h (w_v dV + w_q s), to the end. */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct midpoint_view at = midpoint_view(interval);
    const int n = at.n;
    real *dx = at.P, *middle = at.sum;
    for (int k = 0; k < n; k++) dx[k] = at.h / 2 * du[k];
    lie_product_end_tangent(at.lie_product, at.tau,
                            &(struct lie_product_variation){n, at.x, dx, at.m, dz + n}, dz, middle);
    pattern_add_product(at.system, at.h, at.D + 2 * at.nz, du, middle + n);
    pattern_add_product(at.system, at.h, at.D + 3 * at.nz, middle, middle + n);
    lie_product_end_tangent(
        at.lie_product, at.tau,
        &(struct lie_product_variation){n, at.x, dx, interval->to->p, middle + n}, middle, dz1);
}

const struct scheme_tangent midpoint_tangent = {residual_tangent, update_tangent};

const struct scheme midpoint_scheme = {
    .rule = SCHEME_MIDPOINT,
    .source = "methods/hamilton_pontryagin/midpoint.c",
    .setup = midpoint_setup,
    .sparsity = midpoint_sparsity,
    SCHEME_FUNCTIONS(midpoint),
    .tangent = &midpoint_tangent,
    .kernels = KERNELS(FAST(midpoint_rigid_body_kernel)),
};

static enum noe_status constrained_setup(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = midpoint_setup(problem, error);
    problem->internals->nu += constraint_count(problem->system);
    problem->internals->has_no_derivative = problem->internals->is_least_squares;
    if (status != NOE_OK) return status;
    struct scratch scratch = {0};
    middle_joint_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

static int constrained_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const int n = problem->system->n;
    int count = midpoint_sparsity(problem, row, col);
    for (int side = 0; side < 2; side++)
        count += constraint_jacobian_sparsity(
            problem->internals->constraint_jacobian,
            constraint_jacobian_all(problem->internals->constraint_jacobian), side == 0,
            side ? n : 0, side ? 0 : n, row ? row + count : NULL, col ? col + count : NULL);
    return count;
}

const struct scheme midpoint_constrained_scheme = {
    .rule = SCHEME_MIDPOINT,
    .source = "methods/constrained/midpoint_constrained.c",
    .setup = constrained_setup,
    .sparsity = constrained_sparsity,
    SCHEME_FUNCTIONS(midpoint_constrained),
    .tangent = &midpoint_constrained_tangent,
    .needs_lie_product = true,
    .checks_orientation = true,
};
