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
static const struct noe_option euler_options[] = {
    RETRACTION(NOE_RETRACTIONS),
    {"convention", NOE_WORD, 0, 0, 0, "node thesis",
     "on groups, the momentum of a state: at the node, or L_v of the step that begins there"},
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
static const char all_spaces[] = "vector so3 se3 s3";
static const char marsden_west[] =
    "Marsden and West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001)";

static const char bou_rabee_marsden[] =
    "Bou-Rabee and Marsden, Hamilton-Pontryagin integrators on Lie groups, Found. Comput. Math. 9 "
    "(2009)";

static const struct noe_method euler_a_thesis = {
    .name = "euler-a",
    .summary = "variational Euler, told by its velocities",
    .reference = bou_rabee_marsden,
    .order_text = "1",
    .traits = NOE_GROUP,
    .spaces = all_spaces,
    .constraints = "",
    .options = euler_options,
    STAGE_MOMENTUM_HOOKS,
};

static const struct noe_method euler_a_on_groups = {
    .name = "euler-a",
    .summary = "variational Euler: one velocity a step, the Lagrangian at its start",
    .reference = bou_rabee_marsden,
    .order_text = "1",
    .traits = structure,
    .spaces = all_spaces,
    .constraints = "",
    .options = euler_options,
    .data = &(const struct endpoint_family){{1, 0}, 1, &euler_a_thesis},
    ENDPOINT_HOOKS(endpoint_setup),
};

static const struct noe_method euler_b_thesis = {
    .name = "euler-b",
    .summary = "variational Euler, told by its velocities",
    .reference = bou_rabee_marsden,
    .order_text = "1",
    .traits = NOE_GROUP,
    .spaces = all_spaces,
    .constraints = "",
    .options = euler_options,
    STAGE_MOMENTUM_HOOKS,
};

static const struct noe_method euler_b_on_groups = {
    .name = "euler-b",
    .summary = "variational Euler: one velocity a step, the Lagrangian at its end",
    .reference = bou_rabee_marsden,
    .order_text = "1",
    .traits = structure,
    .spaces = all_spaces,
    .constraints = "",
    .options = euler_options,
    .data = &(const struct endpoint_family){{0, 1}, 1, &euler_b_thesis},
    ENDPOINT_HOOKS(endpoint_setup),
};

static const struct noe_method verlet_on_groups = {
    .name = "verlet",
    .summary = "one velocity a step, the Lagrangian at both ends: kick, drift, kick",
    .reference = bou_rabee_marsden,
    .order_text = "2",
    .traits = structure | NOE_SYMMETRIC | NOE_NEEDS_REGULAR,
    .spaces = all_spaces,
    .constraints = "",
    .options = retraction_options,
    .data = &(const struct endpoint_family){{0.5, 0.5}, 2, NULL},
    ENDPOINT_HOOKS(endpoint_setup),
};

static const struct noe_method gauss_on_groups = {
    .name = "gauss",
    .summary = "variational Runge-Kutta method on Gauss's nodes",
    .reference = "Hairer, Lubich and Wanner, Geometric Numerical Integration (2006), II.1, VI.6",
    .order_text = "2s",
    .traits = structure,
    .spaces = all_spaces,
    .constraints = "",
    .options = gauss_options,
    .data = &(const struct prk){gauss},
    PRK_HOOKS(prk_setup, prk_explicit_steps),
    .source = prk_source,
};

static const struct noe_method lobatto_on_groups = {
    .name = "lobatto",
    .summary = "variational partitioned Runge-Kutta method, Lobatto IIIA-IIIB",
    .reference = "Jay, Symplectic partitioned Runge-Kutta methods, SIAM J. Numer. Anal. 33 (1996)",
    .order_text = "2s-2",
    .traits = structure | NOE_NEEDS_REGULAR,
    .spaces = all_spaces,
    .constraints = "",
    .options = lobatto_options,
    .data = &(const struct prk){lobatto},
    PRK_HOOKS(prk_setup, prk_explicit_steps),
    .source = prk_source,
};

static const struct noe_method lobatto_constrained = {
    .name = "lobatto",
    .summary = "Lobatto IIIA-IIIB with constraints, of positions and velocities, at every step",
    .reference = "Jay, Symplectic partitioned Runge-Kutta methods for constrained Hamiltonian "
                 "systems, SIAM J. Numer. Anal. 33 (1996)",
    .order_text = "2s-2",
    .traits = NOE_GROUP | NOE_CONSTRAINTS,
    .spaces = all_spaces,
    .constraints = "holonomic nonholonomic",
    .options = lobatto_options,
    .data = &(const struct prk){lobatto},
    .checks_orientation = true,
    CONSTRAINED_HOOKS,
};

static const struct noe_method midpoint_on_groups = {
    .name = "midpoint",
    .summary = "one-point discrete Lagrangian in the middle of a step, symmetric in time",
    .reference = bou_rabee_marsden,
    .order_text = "2",
    .traits = structure | NOE_SYMMETRIC,
    .spaces = all_spaces,
    .constraints = "",
    .options = midpoint_options,
    MIDPOINT_HOOKS,
    .kernel = midpoint_rigid_body_steps,
};

static const struct noe_method midpoint_constrained = {
    .name = "midpoint",
    .summary = "one-point discrete Lagrangian with constraints of positions, one multiplier a step",
    .reference =
        "Leyendecker, Marsden and Ortiz, Variational integrators for constrained dynamical "
        "systems, Z. Angew. Math. Mech. 88 (2008)",
    .order_text = "2",
    .traits = NOE_GROUP | NOE_MOMENTUM,
    .spaces = all_spaces,
    .constraints = "holonomic",
    .options = midpoint_options,
    .needs_lie_product = true,
    .checks_orientation = true,
    MIDPOINT_CONSTRAINED_HOOKS,
};

const struct noe_method noe_methods_variational[] = {
    {
        .name = "euler-a",
        .summary =
            "variational Euler: kick with the force at the start, then drift; on groups of order 2 "
            "where L does not depend on the point",
        .reference = marsden_west,
        .order_text = "1",
        .traits = structure,
        .spaces = all_spaces,
        .constraints = "",
        .data = &(const struct prk){euler_a},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .options = euler_options,
        .on_groups = &euler_a_on_groups,
        .source = prk_source,
    },
    {
        .name = "euler-b",
        .summary =
            "variational Euler: drift, then kick with the force at the end; on groups of order 2 "
            "where L does not depend on the point",
        .reference = marsden_west,
        .order_text = "1",
        .traits = structure,
        .spaces = all_spaces,
        .constraints = "",
        .data = &(const struct prk){euler_b},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .options = euler_options,
        .on_groups = &euler_b_on_groups,
        .source = prk_source,
    },
    {
        .name = "gauss",
        .summary = "variational Runge-Kutta method on Gauss's nodes; on groups not symmetric",
        .reference =
            "Hairer, Lubich and Wanner, Geometric Numerical Integration (2006), II.1, VI.6",
        .order_text = "2s",
        .traits = structure | NOE_SYMMETRIC,
        .spaces = all_spaces,
        .constraints = "",
        .options = gauss_options,
        .data = &(const struct prk){gauss},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .on_groups = &gauss_on_groups,
        .source = prk_source,
    },
    {
        .name = "lobatto",
        .summary = "variational partitioned Runge-Kutta method, Lobatto IIIA-IIIB; on groups not "
                   "symmetric",
        .reference =
            "Jay, Symplectic partitioned Runge-Kutta methods, SIAM J. Numer. Anal. 33 (1996)",
        .order_text = "2s-2",
        .traits = structure | NOE_SYMMETRIC | NOE_NEEDS_REGULAR,
        .spaces = all_spaces,
        .constraints = "holonomic nonholonomic",
        .options = lobatto_options,
        .data = &(const struct prk){lobatto},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .on_groups = &lobatto_on_groups,
        .constrained = &lobatto_constrained,
        .source = prk_source,
    },
    {
        .name = "midpoint",
        .summary =
            "one-point discrete Lagrangian: Gauss with one stage; on groups symmetric as well",
        .reference = marsden_west,
        .order_text = "2",
        .traits = structure | NOE_SYMMETRIC,
        .spaces = all_spaces,
        .constraints = "holonomic",
        .constrained = &midpoint_constrained,
        .data = &(const struct prk){midpoint},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .options = midpoint_options,
        .on_groups = &midpoint_on_groups,
        .source = prk_source,
    },
    {
        .name = "verlet",
        .summary =
            "Stoermer-Verlet: Lobatto with two stages, explicit on separable systems; on groups "
            "kick, drift, kick",
        .reference = "Hairer, Lubich and Wanner, Stoermer-Verlet, Acta Numerica 12 (2003)",
        .order_text = "2",
        .traits = structure | NOE_SYMMETRIC | NOE_NEEDS_REGULAR,
        .spaces = all_spaces,
        .constraints = "",
        .data = &(const struct prk){verlet},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .options = retraction_options,
        .on_groups = &verlet_on_groups,
        .source = prk_source,
    },
    {0},
};
