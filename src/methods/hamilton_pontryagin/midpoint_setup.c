/* The midpoint rule on groups and with constraints: patterns, the derivative of a step, texts. */
/* SPDX-License-Identifier: MIT */
#include "methods/fast/rigid_body.h"
#include "methods/method_source.h"
#include "methods/hamilton_pontryagin/midpoint.h"

extern const char middle_source_text[]; /* its step path, from the build */
extern const char middle_constrained_source_text[];

enum noe_status middle_prepare(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->order = 2;
    problem->nu = problem->system->n;
    problem->nscratch = middle_scratch(problem) + body_scratch(problem);
    problem->use_kernel = problem->method->kernel && (problem->system->traits & NOE_SEPARABLE) &&
                          problem->retraction == ROTATION_CAY && body_is_rotation(problem->system);
    problem->groups = 1;
    return NOE_OK;
}

int middle_pattern(const struct noe_problem *problem, int *row, int *col) {
    return chart_pattern(problem->chart, 0, 0, row, col);
}

/* At fixed V the middle moves along s = Ad_tau(-x) s0:
 * dR = p_q s - (T(x)^T dm + T(-x)^T (dm + h w_q s))/2, dm = Ad*_tau(x) dp0. */
void middle_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct middle_view at = middle_view(interval);
    const int n = at.n;
    real *s = at.sum, *dm = at.sum + n, *dW = at.W, *other = at.P;
    chart_adjoint_back(at.chart, at.tau, at.K, at.x);
    chart_apply(at.chart, s, at.K, dz);
    for (int k = 0; k < n; k++) dm[k] = dz[n + k];
    chart_turn(at.chart, at.tau, at.x, dz + n, dm);
    small_zero(n, dW);
    pattern_add_product(at.system, at.h, at.D + 3 * at.nz, s, dW);
    for (int k = 0; k < n; k++) dW[k] += dm[k];
    chart_apply_dual(at.chart, r, at.T, dm);
    chart_apply_dual(at.chart, other, at.Tb, dW);
    for (int k = 0; k < n; k++) r[k] = -(r[k] + other[k]) / 2;
    pattern_add_product(at.system, 1, at.D + at.nz, s, r);
}

/* The chart moves (s0, dp0) to the middle and, with dB = dm + h (w_v dV + w_q s), to the end. */
void middle_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                        noe_real *dz1) {
    const struct middle_view at = middle_view(interval);
    const int n = at.n;
    real *dx = at.P, *middle = at.sum;
    for (int k = 0; k < n; k++) dx[k] = at.h / 2 * du[k];
    chart_vary_end(at.chart, at.tau, &(struct chart_variation){n, at.x, dx, at.m, dz + n}, dz,
                   middle);
    pattern_add_product(at.system, at.h, at.D + 2 * at.nz, du, middle + n);
    pattern_add_product(at.system, at.h, at.D + 3 * at.nz, middle, middle + n);
    chart_vary_end(at.chart, at.tau,
                   &(struct chart_variation){n, at.x, dx, interval->to->p, middle + n}, middle,
                   dz1);
}

char *middle_describe(const struct noe_problem *problem) {
    return describe_method(
        problem, middle_source_text, "static const int specialised_coefficients;",
        problem->use_kernel ? problem->method->balance ? ".kernel = energy_middle_kernel"
                                                       : ".kernel = middle_kernel"
                            : ".guess = middle_guess, .residual = middle_residual,\n"
                              "    .jacobian = middle_jacobian, .finish = middle_finish");
}

static size_t middle_constrained_scratch(const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const size_t n = (size_t)system->n, m = (size_t)constraint_count(system);
    return middle_scratch(problem) + 3 * n + 4 * m + (size_t)problem->np + 2 * (size_t)system->nzc +
           2 * (size_t)problem->reaction->nz + 2 * (size_t)problem->chart->square + 4 * n +
           8 * (size_t)system->nz;
}

enum noe_status middle_constrained_prepare(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = middle_prepare(problem, error);
    problem->nu += constraint_count(problem->system);
    problem->has_no_derivative = problem->is_least_squares;
    if (status == NOE_OK) problem->nscratch = middle_constrained_scratch(problem);
    return status;
}

int middle_constrained_pattern(const struct noe_problem *problem, int *row, int *col) {
    const int n = problem->system->n;
    int count = middle_pattern(problem, row, col);
    for (int side = 0; side < 2; side++)
        count += reaction_pattern(problem->reaction, reaction_all(problem->reaction), side == 0,
                                  side ? n : 0, side ? 0 : n, row ? row + count : NULL,
                                  col ? col + count : NULL);
    return count;
}

char *middle_constrained_describe(const struct noe_problem *problem) {
    return describe_method(
        problem, middle_constrained_source_text, "static const int specialised_coefficients;",
        ".guess = middle_constrained_guess, .residual = middle_constrained_residual,\n"
        "    .jacobian = middle_constrained_jacobian, .finish = middle_constrained_finish");
}
