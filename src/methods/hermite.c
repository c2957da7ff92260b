/* One-step methods by Hermite interpolation (Sharma, 2020, chapter 4).
 *
 * A polynomial of degree 2n-1 through (q0, v0) has 2n-2 free coefficients. `variational`:
 * stationary action with both ends fixed, which is the equation of motion tested against x(1-x) P
 * with P of degree 2n-3. `galerkin`: weighted residuals against all P of that degree. The test
 * functions are, for i = 1 .. 2n-2, w_i = (P_(i-1) - P_(i+1))/2, for `galerkin` without P_(i+1) in
 * the last two, whose degree would be too high. With a constant mass matrix M, R_i = M c_i - h int
 * W w_i. Only the space of polynomials matters: derivatives above the first are solved for in every
 * step, and the motion is once differentiable. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "methods/galerkin/galerkin.h"
#include "methods/runge_kutta/tableau.h"

enum { HERMITE_MOST = 6 };

struct hermite {
    bool is_galerkin;
};

/* P_j(2x-1) for j = 0 .. count-1. */
static void legendre_values(int count, exact x, exact *value) {
    const exact y = 2 * x - 1;
    value[0] = 1;
    value[1] = y;
    for (int j = 2; j < count; j++)
        value[j] = ((2 * j - 1) * y * value[j - 1] - (j - 1) * value[j - 2]) / j;
}

/* The test function w_i and its derivative in x, from the values P_j(2x-1). */
static exact test_value(const exact *P, int i, bool is_cut) {
    return (P[i - 1] - (is_cut ? 0 : P[i + 1])) / 2;
}

static exact test_slope(const exact *P, int i, bool is_cut) {
    if (!is_cut) return -(2 * i + 1) * P[i];
    exact sum = 0; /* P_m' = (2m-1) P_(m-1) + (2m-5) P_(m-3) + ... in 2x-1 */
    for (int j = i - 2; j >= 0; j -= 2) sum += (2 * j + 1) * P[j];
    return sum;
}

/* Node k at x, with weight b in the quadrature. */
static void set_node(struct galerkin *modal, int k, exact x, exact b, bool is_galerkin) {
    enum { COUNT = GALERKIN_MODES_MAX + 2 };
    exact P[COUNT];
    const int modes = modal->modes, last = modal->nodes - 1;
    legendre_values(COUNT, x, P);
    modal->time[k] = (scalar)x;
    for (int j = 0; j < modes; j++) {
        modal->mode[k][j] = (scalar)P[j];
        modal->path[k][j] = (scalar)(j ? (P[j + 1] - P[j - 1]) / (2 * (2 * j + 1)) : x);
    }
    for (int i = 1; i < modes; i++) {
        const bool is_cut = is_galerkin && i >= modes - 2;
        modal->momentum[i][k] = (scalar)(-b * test_slope(P, i, is_cut));
        modal->force[i][k] = (scalar)(b * test_value(P, i, is_cut));
        if (k == 0) modal->start[i] = (scalar)test_value(P, i, is_cut);
        if (k == last) modal->momentum[i][k] = (scalar)test_value(P, i, is_cut);
    }
}

/* Gauss quadrature with 4n-1 points integrates quartic potentials exactly. */
static void fill(struct galerkin *modal, int n, bool is_galerkin) {
    exact c[TABLEAU_STAGES_MAX], b[TABLEAU_STAGES_MAX];
    const int points = 4 * n - 1;
    memset(modal, 0, sizeof *modal);
    modal->modes = 2 * n - 1;
    modal->nodes = points + 2;
    tableau_gauss_nodes(points, c);
    tableau_gauss_weights(points, c, b);
    for (int k = 0; k < points; k++) set_node(modal, k + 1, c[k], b[k], is_galerkin);
    set_node(modal, 0, 0, 0, is_galerkin);
    set_node(modal, points + 1, 1, 0, is_galerkin);
    modal->start[0] = modal->momentum[0][0] = 1;
}

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    const struct hermite *hermite = problem->internals->scheme_data;
    const int n = (int)problem->option[0];
    struct galerkin *modal = malloc(sizeof *modal);
    if (!modal) return status_set(error, NOE_NO_MEMORY, "out of memory for coefficients");
    problem->internals->coefficients = modal;
    fill(modal, n, hermite->is_galerkin);
    problem->order = hermite->is_galerkin ? 4 * n - 4 : 2 * n - 2;
    problem->internals->nu = modal->modes * problem->system->n;
    struct scratch scratch = {0};
    galerkin_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

static const struct scheme scheme = {
    .source = "methods/galerkin/galerkin.c",
    .setup = setup,
    .sparsity = galerkin_sparsity,
    SCHEME_FUNCTIONS(galerkin),
    .coefficients_type = "struct galerkin",
    .write_coefficients = galerkin_write_coefficients,
    .tangent = &galerkin_tangent,
    .dense_output = galerkin_dense_output,
};

static const struct noe_option variational_options[] = {
    {"n", NOE_INTEGER, 2, 2, HERMITE_MOST, NULL,
     "derivatives 0 .. n-1 at both ends: degree 2n-1, order 2n-2"},
    {0},
};

static const struct noe_option galerkin_options[] = {
    {"n", NOE_INTEGER, 2, 2, HERMITE_MOST, NULL,
     "derivatives 0 .. n-1 at both ends: degree 2n-1, order 4n-4"},
    {0},
};

static const char sharma[] =
    "Sharma, Structure-preserving Numerical Methods for Engineering Applications (2020), chapter 4";

const struct method noe_methods_hermite[] = {
    {
        .info =
            {
                .name = "hermite-galerkin",
                .summary = "one-step Galerkin method on Hermite's polynomials, once differentiable",
                .reference = sharma,
                .order_text = "4n-4",
                .traits = NOE_SYMMETRIC,
                .spaces = NOE_ON_VECTORS,
                .constraints = "",
                .options = galerkin_options,
            },
        .data = &(const struct hermite){true},
        .scheme = &scheme,
    },
    {
        .info =
            {
                .name = "hermite-variational",
                .summary =
                    "stationary action of one step on Hermite's polynomials, once differentiable",
                .reference = sharma,
                .order_text = "2n-2",
                .traits = NOE_SYMMETRIC,
                .spaces = NOE_ON_VECTORS,
                .constraints = "",
                .options = variational_options,
            },
        .data = &(const struct hermite){false},
        .scheme = &scheme,
    },
    {.info.name = NULL},
};
