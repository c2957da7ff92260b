/* What people compare with: Runge-Kutta methods on (q,p) without structure. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "mechanics/interval.h"
#include "methods/hamilton_pontryagin/implicit_euler.h"
#include "methods/runge_kutta/prk.h"

static void explicit_euler(struct tableau *tableau, struct noe_problem *problem) {
    tableau_runge_kutta(tableau, 1, (const exact[]){0}, (const exact[]){1}, NULL);
    problem->order = 1;
}

static void implicit_euler(struct tableau *tableau, struct noe_problem *problem) {
    tableau_runge_kutta(tableau, 1, (const exact[]){1}, (const exact[]){1}, NULL);
    problem->order = 1;
}

static void rk4(struct tableau *tableau, struct noe_problem *problem) {
    const exact half = 0.5Q, third = 1 / 3.0Q, sixth = 1 / 6.0Q;
    const exact a[] = {0, 0, 0, 0, half, 0, 0, 0, 0, half, 0, 0, 0, 0, 1, 0};
    tableau_runge_kutta(tableau, 4, a, (const exact[]){sixth, third, third, sixth}, NULL);
    problem->order = 4;
}

static void dopri5(struct tableau *tableau, struct noe_problem *problem) {
    enum { S = 7 };
    const exact b[S] = {35 / 384.0Q, 0, 500 / 1113.0Q, 125 / 192.0Q, -2187 / 6784.0Q,
                        11 / 84.0Q,  0};
    const exact embedded[S] = {
        5179 / 57600.0Q, 0,        7571 / 16695.0Q, 393 / 640.0Q, -92097 / 339200.0Q,
        187 / 2100.0Q,   1 / 40.0Q};
    const exact rows[S][S] = {
        {0},
        {1 / 5.0Q},
        {3 / 40.0Q, 9 / 40.0Q},
        {44 / 45.0Q, -56 / 15.0Q, 32 / 9.0Q},
        {19372 / 6561.0Q, -25360 / 2187.0Q, 64448 / 6561.0Q, -212 / 729.0Q},
        {9017 / 3168.0Q, -355 / 33.0Q, 46732 / 5247.0Q, 49 / 176.0Q, -5103 / 18656.0Q},
        {35 / 384.0Q, 0, 500 / 1113.0Q, 125 / 192.0Q, -2187 / 6784.0Q, 11 / 84.0Q},
    };
    tableau_runge_kutta(tableau, S, &rows[0][0], b, embedded);
    problem->order = 5;
}

/* Besides what a step works in, a velocity. */
static enum noe_status prepare_adaptive(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = prk_setup(problem, error);
    problem->nscratch += (size_t)problem->system->n;
    return status;
}

static const struct noe_option dopri5_options[] = {
    {"tolerance", NOE_NUMBER, 1e-9, 1e-30, 1, NULL,
     "local error allowed per step, relative to 1 + |x|"},
    {0},
};

static const char euler[] = "Euler, Institutiones calculi integralis (1768)";
static const char kutta[] = "Kutta, Z. Math. Phys. 46 (1901)";
static const char hairer_wanner[] =
    "Hairer and Wanner, Solving Ordinary Differential Equations II (1996)";
static const char dormand_prince[] = "Dormand and Prince, J. Comput. Appl. Math. 6 (1980)";

static const struct noe_method explicit_euler_on_groups = {
    .name = "explicit-euler",
    .summary = "explicit Euler on the numbers of (g,p), projected to the group after each step",
    .reference = euler,
    .order_text = "1",
    .traits = NOE_EXPLICIT | NOE_GROUP,
    .spaces = NOE_ON_ALL,
    .constraints = "",
    .data = &(const struct prk){explicit_euler},
    .setup = prk_setup,
    .sparsity = prk_sparsity,
    .kernel = embedded_kernel,
    .source = prk_source,
};

static const struct noe_method rk4_on_groups = {
    .name = "rk4",
    .summary = "the classical Runge-Kutta method on the numbers of (g,p), projected to the group "
               "after each step",
    .reference = kutta,
    .order_text = "4",
    .traits = NOE_EXPLICIT | NOE_GROUP,
    .spaces = NOE_ON_ALL,
    .constraints = "",
    .data = &(const struct prk){rk4},
    .setup = prk_setup,
    .sparsity = prk_sparsity,
    .kernel = embedded_kernel,
    .source = prk_source,
};

static const struct noe_method implicit_euler_on_groups = {
    .name = "implicit-euler",
    .summary = "implicit Euler on (g,p), g1 = g tau(h v1)",
    .reference = hairer_wanner,
    .order_text = "1",
    .traits = NOE_GROUP,
    .spaces = NOE_ON_ALL,
    .constraints = "",
    IMPLICIT_EULER_HOOKS,
};

static const struct noe_method dopri5_on_groups = {
    .name = "dopri5",
    .summary = "Dormand-Prince 5(4) on the numbers of (g,p), projected after each step",
    .reference = dormand_prince,
    .order_text = "5",
    .traits = NOE_ADAPTIVE | NOE_EXPLICIT | NOE_GROUP,
    .spaces = NOE_ON_ALL,
    .constraints = "",
    .options = dopri5_options,
    .data = &(const struct prk){dopri5},
    .setup = prepare_adaptive,
    .sparsity = prk_sparsity,
    .kernel = adaptive_kernel,
    .source = prk_source,
};

const struct noe_method noe_methods_classical[] = {
    {
        .name = "dopri5",
        .summary = "Dormand-Prince 5(4) with step control; on groups projected after each step",
        .reference = dormand_prince,
        .order_text = "5",
        .traits = NOE_ADAPTIVE | NOE_EXPLICIT,
        .spaces = NOE_ON_ALL,
        .constraints = "",
        .options = dopri5_options,
        .on_groups = &dopri5_on_groups,
        .data = &(const struct prk){dopri5},
        PRK_HOOKS(prepare_adaptive, adaptive_kernel),
        .source = prk_source,
    },
    {
        .name = "explicit-euler",
        .summary = "explicit Euler on (q,p); on groups projected after each step",
        .reference = euler,
        .order_text = "1",
        .traits = NOE_EXPLICIT,
        .spaces = NOE_ON_ALL,
        .constraints = "",
        .on_groups = &explicit_euler_on_groups,
        .data = &(const struct prk){explicit_euler},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .source = prk_source,
    },
    {
        .name = "implicit-euler",
        .summary = "implicit Euler on (q,p)",
        .reference = hairer_wanner,
        .order_text = "1",
        .spaces = NOE_ON_ALL,
        .constraints = "",
        .on_groups = &implicit_euler_on_groups,
        .data = &(const struct prk){implicit_euler},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .source = prk_source,
    },
    {
        .name = "rk4",
        .summary = "the classical Runge-Kutta method on (q,p); on groups projected after each step",
        .reference = kutta,
        .order_text = "4",
        .traits = NOE_EXPLICIT,
        .spaces = NOE_ON_ALL,
        .constraints = "",
        .on_groups = &rk4_on_groups,
        .data = &(const struct prk){rk4},
        PRK_HOOKS(prk_setup, prk_explicit_steps),
        .source = prk_source,
    },
    {0},
};
