/* Runge-Kutta-Munthe-Kaas methods: a Butcher tableau in the Lie algebra at the start of each step.
 */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "methods/runge_kutta/prk.h"

enum { RKMK_RK4, RKMK_HEUN, RKMK_EULER, RKMK_GAUSS1, RKMK_GAUSS2, RKMK_GAUSS3 };

static void gauss(struct tableau *t, int stages) {
    exact c[TABLEAU_STAGES_MAX];
    tableau_gauss_nodes(stages, c);
    tableau_collocation(t, stages, c); /* its partner is itself */
}

static void make(struct tableau *t, struct noe_problem *problem) {
    const exact half = 0.5Q, third = 1 / 3.0Q, sixth = 1 / 6.0Q;
    const exact rk4[] = {0, 0, 0, 0, half, 0, 0, 0, 0, half, 0, 0, 0, 0, 1, 0};
    switch ((int)problem->option[0]) {
    case RKMK_HEUN:
        tableau_runge_kutta(t, 2, (const exact[]){0, 0, 1, 0}, (const exact[]){half, half}, NULL);
        problem->order = 2;
        break;
    case RKMK_EULER:
        tableau_runge_kutta(t, 1, (const exact[]){0}, (const exact[]){1}, NULL);
        problem->order = 1;
        break;
    case RKMK_GAUSS1:
    case RKMK_GAUSS2:
    case RKMK_GAUSS3: {
        const int stages = (int)problem->option[0] - RKMK_GAUSS1 + 1;
        gauss(t, stages);
        problem->order = 2 * stages;
        break;
    }
    default:
        tableau_runge_kutta(t, 4, rk4, (const exact[]){sixth, third, third, sixth}, NULL);
        problem->order = 4;
    }
    t->in_frame = true;
}

static const struct prk family = {make};

static const struct noe_option options[] = {
    {"tableau", NOE_WORD, RKMK_RK4, 0, 0, "rk4 heun euler gauss1 gauss2 gauss3",
     "the Runge-Kutta method"},
    {"retraction", NOE_WORD, 1, 0, 0, NOE_RETRACTIONS, "of steps on rotations and poses"},
    {0},
};

const struct method noe_methods_rkmk[] = {
    {
        .info =
            {
                .name = "rkmk",
                .summary = "Runge-Kutta in the frame of the step's start (Munthe-Kaas)",
                .reference = "Munthe-Kaas, Appl. Numer. Math. 29 (1999)",
                .order_text = "of the tableau",
                .traits = NOE_GROUP,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = options,
            },
        .scheme = &prk_scheme,
        .data = &family,
        /* The coadjoint action preserves momentum maps of left symmetries exactly. */
        .on_groups = {NOE_GROUP | NOE_MOMENTUM, &prk_lie_scheme, &family},
    },
    {.info.name = NULL},
};
