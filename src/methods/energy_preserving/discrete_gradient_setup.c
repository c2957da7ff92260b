/* Discrete gradient methods: coefficients, sparsity pattern and tangent map. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "methods/energy_preserving/discrete_gradient_step.h"
#include "methods/runge_kutta/tableau.h"

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    const struct gradient_family *family = problem->internals->scheme_data;
    const enum gradient_kind kind = family->kind;
    const int points = family->points_option < 0 ? 0 : (int)problem->option[family->points_option];
    const struct noe_system *system = problem->system;
    const bool has_forces = !(system->traits & NOE_UNFORCED);
    if (has_forces && kind != GRADIENT_EDGES && !system->gradient)
        return status_set(error, NOE_NOT_SERVED,
                          "%s needs the gradient (L_q, L_t) of a system with forces",
                          problem->method->name);
    struct gradient *gradient = calloc(1, sizeof *gradient);
    exact c[GRADIENT_POINTS_MAX], b[GRADIENT_POINTS_MAX];
    if (!gradient) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    problem->internals->coefficients = gradient;
    gradient->kind = kind;
    gradient->points = points;
    tableau_gauss_nodes(points, c);
    tableau_gauss_weights(points, c, b);
    for (int i = 0; i < points; i++) {
        gradient->c[i] = (scalar)c[i];
        gradient->b[i] = (scalar)b[i];
    }
    problem->internals->nu = 2 * problem->system->n;
    struct scratch scratch = {0};
    gradient_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    problem->order = family->order;
    return NOE_OK;
}

static int sparsity(const struct noe_problem *problem, int *row, int *col) {
    const int N = 2 * problem->system->n;
    for (int e = 0; row && e < N * N; e++) {
        row[e] = e / N;
        col[e] = e % N;
    }
    return N * N;
}

/* Writes the derivative by y0 into K and overwrites that by y1. */
static void differentiate_start(const struct gradient_view *at) {
    if (at->gradient->kind == GRADIENT_EDGES) {
        gradient_edges(at, true, true);
        return;
    }
    struct gradient_view back = *at;
    back.y0 = at->y1;
    back.y1 = at->y0;
    for (int i = 0; i < at->N; i++) at->change[i] = -at->change[i];
    gradient_corrected(&back, true);
    for (int i = 0; i < at->N; i++) at->change[i] = -at->change[i];
}

/* r += -J K dz. */
static void add_product(const struct gradient_view *at, const real *dz, real *r) {
    const int N = at->N, n = N / 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < N; j++) {
            r[i] -= at->K[(n + i) * N + j] * dz[j];
            r[n + i] += at->K[i * N + j] * dz[j];
        }
}

/* At fixed u both ends vary by dz. */
static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct gradient_view at = gradient_view(interval);
    for (int i = 0; i < at.N; i++) r[i] = 0;
    if (at.gradient->kind == GRADIENT_EDGES)
        gradient_edges(&at, true, false);
    else
        gradient_corrected(&at, true);
    add_product(&at, dz, r);
    differentiate_start(&at);
    add_product(&at, dz, r);
}

static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct gradient_view at = gradient_view(interval);
    for (int i = 0; i < at.N; i++) dz1[i] = dz[i] + at.h * du[i];
}

static void write_coefficients(FILE *out, const struct noe_problem *problem) {
    const struct gradient *gradient = gradient_of(problem);
    fprintf(out, "{\n    .kind = %d, .points = %d,\n", (int)gradient->kind, gradient->points);
    for (int i = 0; i < gradient->points; i++)
        fprintf(out, "    .c[%d] = %a, .b[%d] = %a,\n", i, (double)gradient->c[i], i,
                (double)gradient->b[i]);
    fputs("}", out);
}

static const struct scheme_tangent tangent = {residual_tangent, update_tangent};

const struct scheme gradient_scheme = {
    .source = "methods/energy_preserving/discrete_gradient_step.c "
              "methods/energy_preserving/discrete_gradient_corrected.c "
              "methods/energy_preserving/discrete_gradient_itoh_abe.c",
    .setup = setup,
    .sparsity = sparsity,
    SCHEME_FUNCTIONS(gradient),
    .coefficients_type = "struct gradient",
    .write_coefficients = write_coefficients,
    .tangent = &tangent,
};
