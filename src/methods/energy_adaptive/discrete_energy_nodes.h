/* The discrete energy on Lie groups. With nodes at t + c_i h and velocities v_i in the Lagrangian,
 *     E_start = sum_i b_i (P_i.v_i - L_i - h (1 - c_i) w_i),   w_i = f_i.v_i - L_t,i,
 * as on R^n, because the increments of the step are fixed by its ends and do not depend on h. The
 * energy defect is a difference of energies. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_ADAPTIVE_DISCRETE_ENERGY_NODES_H
#define METHODS_ENERGY_ADAPTIVE_DISCRETE_ENERGY_NODES_H

#include "base/compensated_sum.h"
#include "methods/energy_adaptive/discrete_energy.h"

/* Sums over nodes. */
struct energy_sum {
    real start, work, size;
};

/* Adds a node of weight b at the fraction c of the interval. */
REAL_INLINE void energy_add_node(struct noe_interval *interval, struct energy_sum *sum, scalar b,
                                 scalar c, const real *Q, const real *v, const real *P,
                                 const real *W) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    const struct energy_view at = energy_view(interval);
    const real t = interval_time(interval, c), L = system->lagrangian(self, t, Q, v);
    real e = -L, power = {0}, size = noe_abs(L);
    for (int k = 0; k < system->n; k++) {
        e += P[k] * v[k];
        size += noe_abs(P[k] * v[k]);
    }
    if (system->gradient) {
        system->gradient(self, t, Q, v, at.gradient);
        power = -at.gradient[system->n];
        for (int k = 0; k < system->n; k++) power += (W[k] - at.gradient[k]) * v[k];
    }
    interval->evaluations++;
    sum->start += b * (e - interval->h * (1 - c) * power);
    sum->work += b * interval->h * power;
    sum->size += b * size;
}

/* The energy defect at the start, from that of `from` and its discrete energy. */
REAL_INLINE real energy_gap(const struct noe_interval *interval, const struct energy_sum *sum,
                            real *noise) {
    *noise = 2 * NOE_EPSILON * sum->size;
    return interval->from->energy_defect + (interval->from->energy_target - sum->start);
}

REAL_INLINE void energy_close_energy(struct noe_interval *interval, const struct energy_sum *sum) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    compensated_add(1, &to->energy_target, &to->energy_target_carry, &from->energy_target,
                    &from->energy_target_carry, &sum->work);
    to->energy = sum->start + sum->work;
    real size;
    to->energy_defect = energy_at_end(interval, &size) - to->energy_target;
}

#endif
