/* The discrete energy of VPRK methods on Lie groups. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy_nodes.h"
#include "methods/runge_kutta/prk.h"

REAL_INLINE struct energy_sum energy_group_stages(struct noe_interval *interval) {
    const struct prk_view prk = prk_view(interval);
    struct energy_sum sum = {real_broadcast(0), real_broadcast(0), real_broadcast(0)};
    for (int i = 0; i < prk.s; i++) {
        const struct lie_stage stage = prk_stage(&prk, i);
        energy_add_node(interval, &sum, prk.tableau->b[i].value, prk.tableau->c[i],
                        prk.Q + i * prk.np, stage.v, stage.P, stage.W);
    }
    return sum;
}

static real group_stages_energy_defect(struct noe_interval *interval, const real *u, real *noise) {
    (void)u;
    const struct energy_sum sum = energy_group_stages(interval);
    return energy_gap(interval, &sum, noise);
}

static void group_stages_close_energy(struct noe_interval *interval, const real *u,
                                      real energy_defect) {
    (void)u, (void)energy_defect;
    const struct energy_sum sum = energy_group_stages(interval);
    energy_close_energy(interval, &sum);
}

const struct energy_equation energy_of_group_stages = {group_stages_energy_defect,
                                                       group_stages_close_energy, NULL};
