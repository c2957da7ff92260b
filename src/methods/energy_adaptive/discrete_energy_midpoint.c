/* The discrete energy of the midpoint rule on Lie groups. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy_nodes.h"
#include "methods/hamilton_pontryagin/midpoint.h"

REAL_INLINE struct energy_sum energy_midpoint(struct noe_interval *interval, const real *u) {
    const struct midpoint_view middle = midpoint_view(interval);
    struct energy_sum sum = {real_broadcast(0), real_broadcast(0), real_broadcast(0)};
    energy_add_node(interval, &sum, 1, 0.5, middle.Q, u, middle.P, middle.W);
    return sum;
}

static real midpoint_energy_defect(struct noe_interval *interval, const real *u, real *noise) {
    const struct energy_sum sum = energy_midpoint(interval, u);
    return energy_gap(interval, &sum, noise);
}

static void midpoint_close_energy(struct noe_interval *interval, const real *u,
                                  real energy_defect) {
    (void)energy_defect;
    const struct energy_sum sum = energy_midpoint(interval, u);
    energy_close_energy(interval, &sum);
}

const struct energy_equation energy_of_midpoint = {midpoint_energy_defect, midpoint_close_energy,
                                                   NULL};
