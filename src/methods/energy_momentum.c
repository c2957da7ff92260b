/* Energy-momentum methods for H = K(p) + V(q) (Simo, Tarnow and Wong, 1992).
 *
 * The maps q1 = q + h k1 H_p(a p + (1-a) p1), p1 = p - h k2 H_q(a q1 + (1-a) q) preserve every
 * momentum map of a linear symmetry of K and V. `projection` takes a = 1/2, k1 = 1 and solves for
 * the k2 that preserves energy, which gives a discrete gradient method. `collocation` takes k1 = k2
 * = 1 and solves for a. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "methods/energy_preserving/energy_momentum_collocation.h"

enum { KIND }; /* index of the option */

static enum noe_status collocation_setup(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->order = 2;
    problem->internals->nu = 2 * problem->system->n + 1;
    struct scratch scratch = {0};
    collocation_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    problem->internals->restarts_every_step = true;
    return NOE_OK;
}

static int collocation_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const int nu = problem->internals->nu;
    for (int e = 0; row && e < nu * nu; e++) {
        row[e] = e / nu;
        col[e] = e % nu;
    }
    return nu * nu;
}

static const struct scheme collocation_scheme = {
    .source = "methods/energy_preserving/energy_momentum_collocation.c",
    .setup = collocation_setup,
    .sparsity = collocation_sparsity,
    SCHEME_FUNCTIONS(collocation),
};

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

/* Force and velocity at points of the step where they keep the energy. */
static const struct variant collocation = {structure, &collocation_scheme, NULL};

static const struct variant *choose(const struct noe_problem *problem) {
    return problem->option[KIND] == 0 ? NULL : &collocation;
}

const struct method noe_methods_energy_momentum[] = {
    {
        .info =
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
            },
        .scheme = &gradient_scheme,
        .data = &(const struct gradient_family){GRADIENT_FORCE, 2, -1},
        .choose = choose,
    },
    {.info.name = NULL},
};
