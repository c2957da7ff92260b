/* The discrete energy of the midpoint rule on groups. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy_nodes.h"
#include "methods/hamilton_pontryagin/midpoint.h"

STEP_INLINE struct energy_sum energy_middle(struct noe_interval *interval, const real *u) {
    const struct middle_view middle = middle_view(interval);
    struct energy_sum sum = {real_of(0), real_of(0), real_of(0)};
    energy_add_node(interval, &sum, 1, 0.5, middle.Q, u, middle.P, middle.W);
    return sum;
}

static real middle_gap(struct noe_interval *interval, const real *u, real *noise) {
    const struct energy_sum sum = energy_middle(interval, u);
    return energy_gap(interval, &sum, noise);
}

static void middle_settle(struct noe_interval *interval, const real *u, real gap) {
    (void)gap;
    const struct energy_sum sum = energy_middle(interval, u);
    energy_settle(interval, &sum);
}

const struct noe_balance energy_of_middle = {middle_gap, middle_settle, NULL};
