/* Energy-momentum methods for H = K(p) + V(q) (Simo, Tarnow and Wong, 1992).
 *
 * The maps q1 = q + h k1 H_p(a p + (1-a) p1), p1 = p - h k2 H_q(a q1 + (1-a) q) keep every momentum
 * of a linear symmetry of K and V. `projection` takes a = 1/2, k1 = 1 and k2 such that the energy
 * is kept, which is a discrete gradient; `collocation` takes k1 = k2 = 1 and solves for a. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "methods/energy_preserving/energy_momentum_collocation.h"
#include "methods/method_source.h"

extern const char collocation_source_text[]; /* its step path, from the build */

enum { KIND }; /* the option's index */

static enum noe_status prepare_collocation(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->order = 2;
    problem->nu = 2 * problem->system->n + 1;
    problem->nscratch = collocation_scratch(problem);
    problem->restarts_every_step = true;
    problem->groups = 1;
    return NOE_OK;
}

static int collocation_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const int nu = problem->nu;
    for (int e = 0; row && e < nu * nu; e++) {
        row[e] = e / nu;
        col[e] = e % nu;
    }
    return nu * nu;
}

static char *collocation_source(const struct noe_problem *problem) {
    return method_source_write(
        problem, collocation_source_text, "static const int specialised_coefficients;",
        ".initial_guess = collocation_initial_guess, .residual = collocation_residual,\n"
        "    .jacobian = collocation_jacobian, .update = collocation_update");
}

static const struct noe_option options[] = {
    {"kind", NOE_WORD, 0, 0, 0, "projection collocation",
     "what keeps the energy: the size of the force, or where it is evaluated"},
    {0},
};

static const unsigned structure = NOE_ENERGY | NOE_MOMENTUM | NOE_SYMMETRIC | NOE_NEEDS_SEPARABLE |
                                  NOE_NEEDS_HAMILTONIAN | NOE_NEEDS_UNFORCED;
static const char simo[] = "Simo, Tarnow and Wong, Exact energy-momentum conserving algorithms, "
                           "Comput. Methods Appl. Mech. Eng. 100 (1992)";

static const char no_root[] =
    "the energy equation has no root where the force is nearly at right angles to the motion; "
    "discrete-gradient kind=equivariant has one";

static const struct noe_method collocation = {
    .name = "energy-momentum",
    .summary = "force and velocity at points of the step where they keep the energy",
    .reference = simo,
    .order_text = "2",
    .advice = no_root,
    .traits = structure,
    .spaces = NOE_ON_VECTORS,
    .constraints = "",
    .options = options,
    .setup = prepare_collocation,
    .sparsity = collocation_sparsity,
    .initial_guess = collocation_initial_guess,
    .residual = collocation_residual,
    .jacobian = collocation_jacobian,
    .update = collocation_update,
    .source = collocation_source,
};

static enum noe_status prepare_kind(struct noe_problem *problem, struct noe_error *error) {
    problem->order = 2;
    if (problem->option[KIND] == 0) return gradient_setup(problem, GRADIENT_FORCE, 0, error);
    problem->method = &collocation;
    return prepare_collocation(problem, error);
}

const struct noe_method noe_methods_energy_momentum[] = {
    {
        .name = "energy-momentum",
        .summary = "midpoint rule with the force scaled so that it keeps the energy",
        .reference = simo,
        .order_text = "2",
        .advice = no_root,
        .traits = structure,
        .spaces = NOE_ON_VECTORS,
        .constraints = "",
        .options = options,
        .setup = prepare_kind,
        GRADIENT_HOOKS,
    },
    {0},
};
