/* Discrete gradients: coefficients, pattern, the derivative of a step, and its text. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "methods/energy_preserving/discrete_gradient_step.h"
#include "methods/method_source.h"
#include "methods/runge_kutta/tableau.h"

extern const char gradient_source_text[]; /* their step path, from the build */

enum noe_status gradient_setup(struct noe_problem *problem, enum gradient_kind kind, int points,
                               struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const bool has_forces = !(system->traits & NOE_UNFORCED);
    if (has_forces && kind != GRADIENT_EDGES && !system->gradient)
        return status_set(error, NOE_NOT_SERVED,
                          "%s needs the gradient (L_q, L_t) of a system with forces",
                          problem->method->name);
    struct gradient *gradient = calloc(1, sizeof *gradient);
    exact c[GRADIENT_POINTS_MAX], b[GRADIENT_POINTS_MAX];
    if (!gradient) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    problem->coefficients = gradient;
    gradient->kind = kind;
    gradient->points = points;
    tableau_gauss_nodes(points, c);
    tableau_gauss_weights(points, c, b);
    for (int i = 0; i < points; i++) {
        gradient->c[i] = (scalar)c[i];
        gradient->b[i] = (scalar)b[i];
    }
    problem->nu = 2 * problem->system->n;
    problem->nscratch = gradient_scratch(problem);
    problem->groups = 1;
    return NOE_OK;
}

int gradient_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const int N = 2 * problem->system->n;
    for (int e = 0; row && e < N * N; e++) {
        row[e] = e / N;
        col[e] = e % N;
    }
    return N * N;
}

/* The derivative in y0, in K; that in y1 is lost. */
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

/* At fixed u both ends move by dz. */
void gradient_residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
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

void gradient_update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                             noe_real *dz1) {
    const struct gradient_view at = gradient_view(interval);
    for (int i = 0; i < at.N; i++) dz1[i] = dz[i] + at.h * du[i];
}

/* The coefficients as C text; NULL: no memory. */
static char *write_coefficients(const struct gradient *gradient) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    fprintf(out,
            "static const struct gradient specialised_coefficients = {\n"
            "    .kind = %d, .points = %d,\n",
            (int)gradient->kind, gradient->points);
    for (int i = 0; i < gradient->points; i++)
        fprintf(out, "    .c[%d] = %a, .b[%d] = %a,\n", i, (double)gradient->c[i], i,
                (double)gradient->b[i]);
    fputs("};\n", out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

char *gradient_source(const struct noe_problem *problem) {
    char *coefficients = write_coefficients(gradient_of(problem));
    if (!coefficients) return NULL;
    char *text = method_source_write(
        problem, gradient_source_text, coefficients,
        ".initial_guess = gradient_initial_guess, .residual = gradient_residual,\n"
        "    .jacobian = gradient_jacobian, .update = gradient_update");
    free(coefficients);
    return text;
}
