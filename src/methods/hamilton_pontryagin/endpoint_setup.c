/* One velocity a step: weights, pattern, and the derivative of a step. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "methods/method_source.h"
#include "methods/hamilton_pontryagin/endpoint.h"

extern const char ray_source_text[]; /* this family's step path, from the build */
extern const char ray_thesis_source_text[];

enum { CONVENTION = 1 }; /* the option's index */

bool ray_is_invariant(const struct noe_system *system) {
    const unsigned needed = NOE_LEFT_INVARIANT | NOE_AUTONOMOUS | NOE_UNFORCED;
    for (int i = 0; i < system->nfactors; i++)
        if (!system->factors[i].space->nretractions) return false;
    return (system->traits & needed) == needed;
}

enum noe_status ray_prepare(struct noe_problem *problem, struct noe_error *error) {
    const struct ray_kind *kind = problem->method->data;
    struct ray *ray = malloc(sizeof *ray);
    if (!ray) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    *ray = kind->ray;
    problem->coefficients = ray;
    problem->order = kind->order;
    problem->nu = problem->system->n;
    problem->nscratch = ray_scratch(problem);
    if (kind->thesis && problem->option[CONVENTION] != 0)
        problem->method = kind->thesis; /* points are of first order always */
    else if (kind->thesis && ray_is_invariant(problem->system))
        problem->order = 2;
    problem->use_kernel = problem->method->kernel && ray_is_direct(problem->system);
    problem->groups = 1;
    return NOE_OK;
}

int ray_pattern(const struct noe_problem *problem, int *row, int *col) {
    if (ray_is_uncoupled(problem->system)) return chart_diagonal_pattern(problem->chart, row, col);
    return chart_pattern(problem->chart, 0, 0, row, col);
}

/* At fixed V the start's point moves along s0, the end's along s1 = Ad_tau(X)^-1 s0: of each the
 * changes of P and W, in place of P and W. */
static void vary_node(const struct ray_view *at, const struct ray_node *node, const real *s) {
    small_zero(at->n, node->P);
    small_zero(at->n, node->W);
    pattern_add_product(at->system, 1, node->D + at->nz, s, node->P);
    pattern_add_product(at->system, 1, node->D + 3 * at->nz, s, node->W);
}

/* The blocks of both nodes at V, also where a step does not need them. */
static void evaluate_blocks(struct noe_interval *interval, const struct ray_view *at,
                            const real *V) {
    const struct noe_system *system = at->system;
    system->second(at->self, interval->t, interval->from->q, V, at->start.P, at->start.W,
                   at->start.D);
    system->second(at->self, interval->t1, interval->to->q, V, at->end.P, at->end.W, at->end.D);
}

/* y = T_R^T m, piece by piece. */
static void apply_dual(const struct ray_view *at) {
    for (int k = 0; k < at->chart->npieces; k++) {
        const struct chart_piece *piece = &at->chart->piece[k];
        const int t = piece->tangent;
        if (piece->space)
            drift_dual(piece->size, piece, at->tau, at->X + t, at->m + t, at->y + t, NULL);
        else
            at->y[t] = at->m[t];
    }
}

/* dR = b0 p_q(g) s0 + b1 p_q(g1) s1 - T_R^T dm, dm = dp0 + h b0 w_q(g) s0. */
void ray_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct ray_view at = ray_view(interval);
    const int n = at.n;
    const real b0 = at.ray->b0, b1 = at.ray->b1;
    real *s1 = at.dp;
    evaluate_blocks(interval, &at, interval->velocity);
    chart_adjoint_back(at.chart, at.tau, at.T, at.X);
    chart_apply(at.chart, s1, at.T, dz);
    vary_node(&at, &at.start, dz);
    vary_node(&at, &at.end, s1);
    for (int k = 0; k < n; k++) at.m[k] = dz[n + k] + at.h * b0 * at.start.W[k];
    apply_dual(&at);
    for (int k = 0; k < n; k++) r[k] = b0 * at.start.P[k] + b1 * at.end.P[k] - at.y[k];
}

/* With dX = h dV: s1 and Ad*_tau(X) m as the chart moves them, and dp1 += h b1 dW(g1). */
void ray_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                     noe_real *dz1) {
    const struct ray_view at = ray_view(interval);
    const int n = at.n;
    const real b0 = at.ray->b0, b1 = at.ray->b1;
    real *turned = at.y, *dX = at.dp, *dW = at.end.W;
    at.system->first(at.self, interval->t1, interval->to->q, interval->velocity, at.end.P, dW);
    for (int k = 0; k < n; k++) turned[k] = interval->to->p[k] - at.h * b1 * dW[k];
    for (int k = 0; k < n; k++) dX[k] = at.h * du[k];
    pattern_add_product(at.system, at.h * b0, at.start.D + 2 * at.nz, du, at.m);
    chart_vary_end(at.chart, at.tau, &(struct chart_variation){n, at.X, dX, turned, at.m}, dz, dz1);
    small_zero(n, dW);
    pattern_add_product(at.system, 1, at.end.D + 2 * at.nz, du, dW);
    pattern_add_product(at.system, 1, at.end.D + 3 * at.nz, dz1, dW);
    for (int k = 0; k < n; k++) dz1[n + k] += at.h * b1 * dW[k];
}

static const char kernel_hook[] = ".kernel = ray_kernel";
static const char energy_kernel_hook[] = ".kernel = energy_ray_kernel";
static const char hooks[] = ".guess = ray_guess, .residual = ray_residual,\n"
                            "    .jacobian = ray_jacobian, .finish = ray_finish";
static const char thesis_hooks[] =
    ".guess = ray_guess, .residual = ray_thesis_residual,\n"
    "    .jacobian = ray_thesis_jacobian, .finish = ray_thesis_finish";

char *ray_describe(const struct noe_problem *problem) {
    const struct ray *ray = ray_of(problem);
    const bool is_thesis = problem->method->residual == ray_thesis_residual;
    char coefficients[160];
    snprintf(coefficients, sizeof coefficients,
             "static const struct ray specialised_coefficients = {%a, %a};", (double)ray->b0,
             (double)ray->b1);
    return describe_method(problem, is_thesis ? ray_thesis_source_text : ray_source_text,
                           coefficients,
                           is_thesis                  ? thesis_hooks
                           : !problem->use_kernel     ? hooks
                           : problem->method->balance ? energy_kernel_hook
                                                      : kernel_hook);
}
