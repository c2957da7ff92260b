/* Classical Runge-Kutta methods on (q,p), which preserve no structure: the baselines of
 * comparisons. */
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

/* Tableaux on the numbers of (g,p), projected to the group after each step. */
#define PROJECTED                                                                                  \
    .source = "methods/runge_kutta/prk_embedded.c", .setup = prk_setup, .sparsity = prk_sparsity,  \
    .coefficients_type = "struct tableau", .write_coefficients = prk_write_coefficients

static const struct scheme projected_scheme = {PROJECTED, .kernels = KERNELS(&prk_embedded_kernel)};
static const struct scheme projected_adaptive_scheme = {PROJECTED,
                                                        .kernels = KERNELS(&prk_adaptive_kernel)};
static const struct scheme adaptive_scheme = {
    .source = "methods/runge_kutta/prk.c",
    .rule = SCHEME_STAGES,
    .setup = prk_setup,
    PRK_FUNCTIONS,
    .supports_continuation = true,
    .kernels = KERNELS(&prk_adaptive_kernel),
};

static const struct prk dopri5_family = {dopri5}, explicit_euler_family = {explicit_euler};
static const struct prk implicit_euler_family = {implicit_euler}, rk4_family = {rk4};

const struct method noe_methods_classical[] = {
    {
        .info =
            {
                .name = "dopri5",
                .summary =
                    "Dormand-Prince 5(4) with step control; on groups projected after each step",
                .reference = dormand_prince,
                .order_text = "5",
                .traits = NOE_ADAPTIVE | NOE_EXPLICIT,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = dopri5_options,
            },
        .scheme = &adaptive_scheme,
        .data = &dopri5_family,
        .on_groups = {NOE_ADAPTIVE | NOE_EXPLICIT | NOE_GROUP, &projected_adaptive_scheme,
                      &dopri5_family},
    },
    {
        .info =
            {
                .name = "explicit-euler",
                .summary = "explicit Euler on (q,p); on groups projected after each step",
                .reference = euler,
                .order_text = "1",
                .traits = NOE_EXPLICIT,
                .spaces = NOE_ON_ALL,
                .constraints = "",
            },
        .scheme = &prk_scheme,
        .data = &explicit_euler_family,
        .on_groups = {NOE_EXPLICIT | NOE_GROUP, &projected_scheme, &explicit_euler_family},
    },
    {
        .info =
            {
                .name = "implicit-euler",
                .summary = "implicit Euler on (q,p)",
                .reference = hairer_wanner,
                .order_text = "1",
                .spaces = NOE_ON_ALL,
                .constraints = "",
            },
        .scheme = &prk_scheme,
        .data = &implicit_euler_family,
        .on_groups = {NOE_GROUP, &implicit_euler_scheme, NULL}, /* g1 = g tau(h v1) */
    },
    {
        .info =
            {
                .name = "rk4",
                .summary = "the classical Runge-Kutta method on (q,p); on groups projected after "
                           "each step",
                .reference = kutta,
                .order_text = "4",
                .traits = NOE_EXPLICIT,
                .spaces = NOE_ON_ALL,
                .constraints = "",
            },
        .scheme = &prk_scheme,
        .data = &rk4_family,
        .on_groups = {NOE_EXPLICIT | NOE_GROUP, &projected_scheme, &rk4_family},
    },
    {.info.name = NULL},
};
