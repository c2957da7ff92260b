/* Implicit Euler on groups: the derivative of a step, and its text. */
/* SPDX-License-Identifier: MIT */
#include "methods/hamilton_pontryagin/implicit_euler.h"
#include "methods/method_source.h"

extern const char backward_source_text[]; /* its step path, from the build */

enum noe_status backward_prepare(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = middle_prepare(problem, error);
    problem->order = 1;
    return status;
}

char *backward_describe(const struct noe_problem *problem) {
    return describe_method(problem, backward_source_text,
                           "static const int specialised_coefficients;",
                           ".guess = middle_guess, .residual = backward_residual,\n"
                           "    .jacobian = backward_jacobian, .finish = backward_finish");
}

/* At fixed V the end moves along s = Ad_tau(x)^-1 s0: dP = p_q s,
 * dR = dP - dp0 - h (ad*_V dP + w_q s). */
void backward_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct middle_view at = middle_view(interval);
    const int n = at.n;
    real *s = at.sum, *dP = at.sum + n, *dF = at.after;
    chart_adjoint_back(at.chart, at.tau, at.K, at.x);
    chart_apply(at.chart, s, at.K, dz);
    small_zero(n, dP);
    small_zero(n, dF);
    pattern_add_product(at.system, 1, at.D + at.nz, s, dP);
    pattern_add_product(at.system, 1, at.D + 3 * at.nz, s, dF);
    chart_add_bracket(at.chart, interval->velocity, dP, dF);
    for (int k = 0; k < n; k++) r[k] = dP[k] - dz[n + k] - at.h * dF[k];
}

/* p1 = P(g1, V). */
void backward_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                          noe_real *dz1) {
    const struct middle_view at = middle_view(interval);
    const int n = at.n;
    real *dx = at.sum;
    for (int k = 0; k < n; k++) dx[k] = at.h * du[k];
    chart_vary_point(at.chart, at.tau, at.x, dx, dz, dz1);
    small_zero(n, dz1 + n);
    pattern_add_product(at.system, 1, at.D, du, dz1 + n);
    pattern_add_product(at.system, 1, at.D + at.nz, dz1, dz1 + n);
}
