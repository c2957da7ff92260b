/* Symmetric compositions of Verlet steps for separable systems. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "base/status.h"
#include "methods/runge_kutta/prk.h"

/* A composition of Stormer-Verlet steps of sizes gamma_1 h, gamma_2 h, ..., symmetric about the
 * middle one. Only the first half is tabulated. The middle coefficient makes the sum 1. */
struct composition {
    int order, half;
    exact gamma[17];
};

static const struct composition compositions[] = {
    {2, 0, {0}},
    /* Suzuki, Phys. Lett. A 146 (1990): 1/(4 - 4^(1/3)). */
    {4, 2, {0.41449077179437573714235406286076Q, 0.41449077179437573714235406286076Q}},
    /* Kahan and Li, Math. Comp. 66 (1997), 9 stages. */
    {6,
     4,
     {0.39216144400731413927925056Q, 0.33259913678935943859974864Q, -0.70624617255763935980996482Q,
      0.08221359629355080023149045Q}},
    /* Kahan and Li (1997), 17 stages. */
    {8,
     8,
     {0.13020248308889008087881763Q, 0.56116298177510838456196441Q, -0.38947496264484728640807860Q,
      0.15884190655515560089621075Q, -0.39590389413323757733623154Q, 0.18453964097831570709183254Q,
      0.25837438768632204729397911Q, 0.29501172360931029887096624Q}},
    /* Sofroniou and Spaletta, Optim. Methods Softw. 20 (2005), 35 stages. */
    {10,
     17,
     {0.07879572252168641926390768Q, 0.31309610341510852776481247Q, 0.02791838323507806610952027Q,
      -0.22959284159390709415121340Q, 0.13096206107716486317465686Q, -0.26973340565451071434460973Q,
      0.07497334315589143566613711Q, 0.11199342399981020488957508Q, 0.36613344954622675119314812Q,
      -0.39910563013603589787862981Q, 0.10308739852747107731580277Q, 0.41143087395589023782070412Q,
      -0.00486636058313526176219566Q, -0.39203335370863990644808194Q, 0.05194250296244964703718290Q,
      0.05066509075992449633587434Q, 0.04967437063972987905456880Q}},
};

/* Half kicks of neighbouring Verlet steps are joined: kick (gamma_i + gamma_{i+1})/2. */
static void splitting(struct tableau *tableau, struct noe_problem *problem) {
    const struct composition *c = &compositions[(int)problem->option[0] / 2 - 1];
    const int stages = 2 * c->half + 1;
    exact kick[TABLEAU_STAGES_MAX] = {0}, drift[TABLEAU_STAGES_MAX] = {0}, middle = 1;
    for (int i = 0; i < c->half; i++) middle -= 2 * c->gamma[i];
    for (int i = 0; i < stages; i++) {
        drift[i] = i == c->half ? middle : c->gamma[i < c->half ? i : stages - 1 - i];
        kick[i] += drift[i] / 2;
        kick[i + 1] += drift[i] / 2;
    }
    tableau_kicks(tableau, stages + 1, kick, drift);
    problem->order = c->order;
}

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    const int order = (int)problem->option[0];
    if (order % 2 != 0)
        return status_set(error, NOE_BAD_INPUT,
                          "splitting: order must be 2, 4, 6, 8 or 10, found %d", order);
    return prk_setup(problem, error);
}

static const struct scheme scheme = {
    .source = "methods/runge_kutta/prk.c",
    .rule = SCHEME_STAGES,
    .setup = setup,
    PRK_FUNCTIONS,
    .supports_continuation = true,
    .kernels = KERNELS(&prk_splitting_kernel),
};

static const struct noe_option options[] = {
    {"order", NOE_INTEGER, 4, 2, 10, NULL, "2, 4, 6, 8 or 10"},
    {0},
};

const struct method noe_methods_splitting[] = {
    {
        .info =
            {
                .name = "splitting",
                .summary = "symmetric compositions of Verlet steps, explicit",
                .reference = "Kahan and Li (1997); Sofroniou and Spaletta (2005); see the table of "
                             "coefficients",
                .order_text = "order",
                .traits = NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_SYMMETRIC | NOE_NEEDS_SEPARABLE |
                          NOE_EXPLICIT,
                .spaces = NOE_ON_VECTORS,
                .constraints = "",
                .options = options,
            },
        .scheme = &scheme,
        .data = &(const struct prk){splitting},
    },
    {.info.name = NULL},
};
