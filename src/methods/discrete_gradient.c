/* Discrete gradient methods: energy preservation by a discrete gradient of the Hamiltonian. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "methods/energy_preserving/discrete_gradient_step.h"
#include "methods/runge_kutta/prk.h"

enum { KIND, POINTS }; /* indices of the options */

/* Default number of quadrature points: quadrature errors are round-off at useful step sizes. */
enum { POINTS_USUAL = sizeof(scalar) > 8 ? 16 : 8 };

static const struct noe_option options[] = {
    {"kind", NOE_WORD, 0, 0, 0, "gonzalez equivariant avf itoh-abe", "which discrete gradient"},
    {"points", NOE_INTEGER, POINTS_USUAL, 2, GRADIENT_POINTS_MAX, NULL,
     "avf and itoh-abe: points of the quadrature, which must be exact to keep the energy"},
    {0},
};

static const unsigned structure = NOE_ENERGY | NOE_NEEDS_HAMILTONIAN;

/* Average vector field: the discrete gradient is the mean of H' on the chord. By quadrature it is a
 * Runge-Kutta method (Celledoni, McLachlan, McLaren, Owren, Quispel and Wright, 2009). */
static void average(struct tableau *tableau, struct noe_problem *problem) {
    tableau_average(tableau, (int)problem->option[POINTS]);
    problem->order = 2;
}

static const struct variant kinds[] = {
    /* Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6 (1996). */
    {structure | NOE_SYMMETRIC, &gradient_scheme,
     &(const struct gradient_family){GRADIENT_ALONG, 2, -1}},
    /* The discrete gradient of Gonzalez, invariant under every orthogonal symmetry. */
    {structure | NOE_SYMMETRIC | NOE_MOMENTUM, &gradient_scheme,
     &(const struct gradient_family){GRADIENT_INVARIANT, 2, -1}},
    /* The vector field averaged over the chord of a step: Quispel and McLaren, A new class of
     * energy-preserving numerical integration methods, J. Phys. A 41 (2008). */
    {structure | NOE_SYMMETRIC, &prk_scheme, &(const struct prk){average}},
    /* Difference quotients of the Hamiltonian, one number after the other: Itoh and Abe,
     * Hamiltonian-conserving discrete canonical equations, J. Comput. Phys. 76 (1988). */
    {structure, &gradient_scheme, &(const struct gradient_family){GRADIENT_EDGES, 1, POINTS}},
};

static const struct variant *choose(const struct noe_problem *problem) {
    return &kinds[(int)problem->option[KIND]];
}

const struct method noe_methods_discrete_gradient[] = {
    {
        .info =
            {
                .name = "discrete-gradient",
                .summary = "midpoint rule corrected so that it keeps the energy",
                .reference =
                    "Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear "
                    "Sci. 6 (1996)",
                .order_text = "2; itoh-abe 1",
                .traits = structure | NOE_SYMMETRIC,
                .spaces = NOE_ON_VECTORS,
                .constraints = "",
                .options = options,
            },
        .choose = choose,
    },
    {.info.name = NULL},
};
