/* Methods that keep the energy by a discrete gradient of the Hamiltonian. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "methods/energy_preserving/discrete_gradient_step.h"
#include "methods/runge_kutta/prk.h"

enum { KIND, POINTS }; /* the options' indices */

/* So many that quadrature errors are round-off where steps are short enough to be useful. */
enum { POINTS_USUAL = sizeof(scalar) > 8 ? 16 : 8 };

static const struct noe_option options[] = {
    {"kind", NOE_WORD, 0, 0, 0, "gonzalez equivariant avf itoh-abe", "which discrete gradient"},
    {"points", NOE_INTEGER, POINTS_USUAL, 2, GRADIENT_POINTS_MAX, NULL,
     "avf and itoh-abe: points of the quadrature, which must be exact to keep the energy"},
    {0},
};

static const unsigned structure = NOE_ENERGY | NOE_NEEDS_HAMILTONIAN;

static enum noe_status along(struct noe_problem *problem, struct noe_error *error) {
    problem->order = 2;
    return gradient_setup(problem, GRADIENT_ALONG, 0, error);
}

static enum noe_status invariant(struct noe_problem *problem, struct noe_error *error) {
    problem->order = 2;
    return gradient_setup(problem, GRADIENT_INVARIANT, 0, error);
}

static enum noe_status edges(struct noe_problem *problem, struct noe_error *error) {
    problem->order = 1;
    return gradient_setup(problem, GRADIENT_EDGES, (int)problem->option[POINTS], error);
}

/* dH is the mean of H' on the chord: by quadrature, a Runge-Kutta method (Celledoni, McLachlan,
 * McLaren, Owren, Quispel and Wright, 2009). */
static void average(struct tableau *tableau, struct noe_problem *problem) {
    tableau_average(tableau, (int)problem->option[POINTS]);
    problem->order = 2;
}

static const struct noe_method equivariant = {
    .name = "discrete-gradient",
    .summary = "discrete gradient that every orthogonal symmetry leaves alone",
    .reference = "Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6 "
                 "(1996)",
    .order_text = "2",
    .traits = structure | NOE_SYMMETRIC | NOE_MOMENTUM,
    .spaces = NOE_ON_VECTORS,
    .constraints = "",
    .options = options,
    .setup = invariant,
    GRADIENT_HOOKS,
};

static const struct noe_method averaged = {
    .name = "discrete-gradient",
    .summary = "the vector field averaged over the chord of a step",
    .reference = "Quispel and McLaren, A new class of energy-preserving numerical integration "
                 "methods, J. Phys. A 41 (2008)",
    .order_text = "2",
    .traits = structure | NOE_SYMMETRIC,
    .spaces = NOE_ON_VECTORS,
    .constraints = "",
    .options = options,
    .data = &(const struct prk){average},
    PRK_HOOKS(prk_setup, prk_explicit_steps),
    .source = prk_source,
};

static const struct noe_method itoh_abe = {
    .name = "discrete-gradient",
    .summary = "difference quotients of the Hamiltonian, one number after the other",
    .reference = "Itoh and Abe, Hamiltonian-conserving discrete canonical equations, J. Comput. "
                 "Phys. 76 (1988)",
    .order_text = "1",
    .traits = structure,
    .spaces = NOE_ON_VECTORS,
    .constraints = "",
    .options = options,
    .setup = edges,
    GRADIENT_HOOKS,
};

/* The row of the kind that is asked for takes over. */
static enum noe_status prepare_kind(struct noe_problem *problem, struct noe_error *error) {
    static const struct noe_method *const kinds[] = {NULL, &equivariant, &averaged, &itoh_abe};
    const int kind = (int)problem->option[KIND];
    if (kind == 0) return along(problem, error);
    problem->method = kinds[kind];
    return problem->method->setup(problem, error);
}

const struct noe_method noe_methods_discrete_gradient[] = {
    {
        .name = "discrete-gradient",
        .summary = "midpoint rule corrected so that it keeps the energy",
        .reference = "Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear "
                     "Sci. 6 (1996)",
        .order_text = "2; itoh-abe 1",
        .traits = structure | NOE_SYMMETRIC,
        .spaces = NOE_ON_VECTORS,
        .constraints = "",
        .options = options,
        .setup = prepare_kind,
        GRADIENT_HOOKS,
    },
    {0},
};
