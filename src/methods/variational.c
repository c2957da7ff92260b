/* Variational integrators from one quadrature: symplectic Euler, Störmer-Verlet, midpoint, Gauss,
 * Lobatto. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "methods/constrained/lobatto_constrained.h"
#include "methods/hamilton_pontryagin/endpoint.h"
#include "methods/hamilton_pontryagin/midpoint.h"
#include "methods/runge_kutta/prk.h"

static void euler_a(struct tableau *tableau, struct noe_problem *problem) {
    tableau_euler(tableau, 0);
    problem->order = 1;
}

static void euler_b(struct tableau *tableau, struct noe_problem *problem) {
    tableau_euler(tableau, 1);
    problem->order = 1;
}

static void gauss_of(struct tableau *tableau, struct noe_problem *problem, int stages) {
    exact c[TABLEAU_STAGES_MAX];
    tableau_gauss_nodes(stages, c);
    tableau_collocation(tableau, stages, c);
    problem->order = 2 * stages;
}

static void lobatto_of(struct tableau *tableau, struct noe_problem *problem, int stages) {
    exact c[TABLEAU_STAGES_MAX];
    tableau_lobatto_nodes(stages, c);
    tableau_collocation(tableau, stages, c);
    problem->order = 2 * stages - 2;
}

static void midpoint(struct tableau *t, struct noe_problem *problem) { gauss_of(t, problem, 1); }
static void verlet(struct tableau *t, struct noe_problem *problem) { lobatto_of(t, problem, 2); }

static void gauss(struct tableau *t, struct noe_problem *problem) {
    gauss_of(t, problem, (int)problem->option[0]);
}

static void lobatto(struct tableau *t, struct noe_problem *problem) {
    lobatto_of(t, problem, (int)problem->option[0]);
}

#define RETRACTION(words)                                                                          \
    { "retraction", NOE_WORD, 0, 0, 0, words, "of steps on rotations and poses" }

#define REDUNDANT                                                                                  \
    {                                                                                              \
        "redundant", NOE_WORD, 0, 0, 0, "reject least-squares",                                    \
            "constraints that follow from others: not served, or with the shortest multipliers"    \
    }

static const struct noe_option midpoint_options[] = {RETRACTION(NOE_RETRACTIONS), REDUNDANT, {0}};
static const struct noe_option retraction_options[] = {RETRACTION(NOE_RETRACTIONS), {0}};
enum { CONVENTION = 1 }; /* the option's index */
static const struct noe_option euler_options[] = {
    RETRACTION(NOE_RETRACTIONS),
    {"momentum", NOE_WORD, 0, 0, 0, "node stage",
     "on groups, the momentum of a state: at the node, or L_v of the stage of the next step"},
    {0}};
static const struct noe_option gauss_options[] = {
    {"stages", NOE_INTEGER, 2, 1, 12, NULL, "number of stages s; the order is 2s"},
    RETRACTION(NOE_RETRACTIONS),
    {0},
};
static const struct noe_option lobatto_options[] = {
    {"stages", NOE_INTEGER, 3, 2, 12, NULL, "number of stages s; the order is 2s-2"},
    RETRACTION(NOE_RETRACTIONS),
    {"multiplier", NOE_WORD, 0, 0, 0, "carry recompute",
     "of nonholonomic constraints at the start of a step: the last one's, or the state's"},
    REDUNDANT,
    {0},
};

static const unsigned structure = NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_GROUP;
static const char marsden_west[] =
    "Marsden and West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001)";

static const struct prk gauss_family = {gauss}, lobatto_family = {lobatto};

/* On groups: Bou-Rabee and Marsden, Hamilton-Pontryagin integrators on Lie groups, Found. Comput.
 * Math. 9 (2009). The stage momentum is L_v of the step that begins at a state. */
static const struct endpoint_family at_start = {{1, 0}, 1, true}, at_end = {{0, 1}, 1, true};
static const struct variant euler_a_stage_momentum = {
    NOE_GROUP, &stage_momentum_scheme, &(const struct endpoint_family){{1, 0}, 1, false}};
static const struct variant euler_b_stage_momentum = {
    NOE_GROUP, &stage_momentum_scheme, &(const struct endpoint_family){{0, 1}, 1, false}};

static bool has_stage_momentum(const struct noe_problem *problem) {
    return problem->option[CONVENTION] != 0 && product_has_groups(problem->system);
}

static const struct variant *choose_euler_a(const struct noe_problem *problem) {
    return has_stage_momentum(problem) ? &euler_a_stage_momentum : NULL;
}

static const struct variant *choose_euler_b(const struct noe_problem *problem) {
    return has_stage_momentum(problem) ? &euler_b_stage_momentum : NULL;
}

const struct method noe_methods_variational[] = {
    {
        .info =
            {
                .name = "euler-a",
                .summary = "variational Euler: kick with the force at the start, then drift; on "
                           "groups of order 2 "
                           "where L does not depend on the point",
                .reference = marsden_west,
                .order_text = "1",
                .traits = structure,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = euler_options,
            },
        .scheme = &prk_scheme,
        .data = &(const struct prk){euler_a},
        .on_groups = {structure, &endpoint_scheme, &at_start},
        .choose = choose_euler_a,
    },
    {
        .info =
            {
                .name = "euler-b",
                .summary = "variational Euler: drift, then kick with the force at the end; on "
                           "groups of order 2 "
                           "where L does not depend on the point",
                .reference = marsden_west,
                .order_text = "1",
                .traits = structure,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = euler_options,
            },
        .scheme = &prk_scheme,
        .data = &(const struct prk){euler_b},
        .on_groups = {structure, &endpoint_scheme, &at_end},
        .choose = choose_euler_b,
    },
    {
        .info =
            {
                .name = "gauss",
                .summary =
                    "variational Runge-Kutta method on Gauss's nodes; on groups not symmetric",
                .reference =
                    "Hairer, Lubich and Wanner, Geometric Numerical Integration (2006), II.1, VI.6",
                .order_text = "2s",
                .traits = structure | NOE_SYMMETRIC,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = gauss_options,
            },
        .scheme = &prk_scheme,
        .data = &gauss_family,
        .on_groups = {structure, &prk_lie_scheme, &gauss_family},
    },
    {
        .info =
            {
                .name = "lobatto",
                .summary =
                    "variational partitioned Runge-Kutta method, Lobatto IIIA-IIIB; on groups not "
                    "symmetric",
                .reference = "Jay, Symplectic partitioned Runge-Kutta methods, SIAM J. Numer. "
                             "Anal. 33 (1996)",
                .order_text = "2s-2",
                .traits = structure | NOE_SYMMETRIC | NOE_NEEDS_REGULAR,
                .spaces = NOE_ON_ALL,
                .constraints = "holonomic nonholonomic",
                .options = lobatto_options,
            },
        .scheme = &prk_scheme,
        .data = &lobatto_family,
        .on_groups = {structure | NOE_NEEDS_REGULAR, &prk_lie_scheme, &lobatto_family},
        /* Jay, Symplectic partitioned Runge-Kutta methods for constrained Hamiltonian systems, SIAM
         * J. Numer. Anal. 33 (1996). */
        .constrained = {NOE_GROUP | NOE_CONSTRAINTS, &constrained_scheme, &lobatto_family},
    },
    {
        .info =
            {
                .name = "midpoint",
                .summary = "one-point discrete Lagrangian: Gauss with one stage; on groups "
                           "symmetric as well",
                .reference = marsden_west,
                .order_text = "2",
                .traits = structure | NOE_SYMMETRIC,
                .spaces = NOE_ON_ALL,
                .constraints = "holonomic",
                .options = midpoint_options,
            },
        .scheme = &prk_scheme,
        .data = &(const struct prk){midpoint},
        .on_groups = {structure | NOE_SYMMETRIC, &midpoint_scheme, NULL},
        /* One multiplier a step: Leyendecker, Marsden and Ortiz, Variational integrators for
         * constrained dynamical systems, Z. Angew. Math. Mech. 88 (2008). */
        .constrained = {structure | NOE_SYMMETRIC | NOE_CONSTRAINTS, &midpoint_constrained_scheme,
                        NULL},
    },
    {
        .info =
            {
                .name = "verlet",
                .summary = "Stoermer-Verlet: Lobatto with two stages, explicit on separable "
                           "systems; on groups "
                           "kick, drift, kick",
                .reference = "Hairer, Lubich and Wanner, Stoermer-Verlet, Acta Numerica 12 (2003)",
                .order_text = "2",
                .traits = structure | NOE_SYMMETRIC | NOE_NEEDS_REGULAR,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = retraction_options,
            },
        .scheme = &prk_scheme,
        .data = &(const struct prk){verlet},
        .on_groups = {structure | NOE_SYMMETRIC | NOE_NEEDS_REGULAR, &endpoint_scheme,
                      &(const struct endpoint_family){{0.5, 0.5}, 2, false}},
    },
    {.info.name = NULL},
};
