/* Loops written by hand: the speed limit for a library. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

#include "solver.h"

extern const struct solver hand_oscillator_verlet, hand_oscillator_order4;
extern const struct solver hand_henon_heiles_verlet, hand_henon_heiles_order4;
/* Verlet with its two half kicks merged; velocities are known only at the end of the run. */
extern const struct solver hand_oscillator_leapfrog, hand_henon_heiles_leapfrog;
extern const struct solver hand_planets_verlet, hand_planets_order4, hand_planets_gauss;
extern const struct solver hand_pendulum_midpoint, hand_pendulum_gauss;
extern const struct solver hand_body_lgvi, hand_body_midpoint, hand_body_lgvi_energy;
extern const struct solver hand_well_midpoint, hand_well_energy;
extern const struct solver hand_free_flv, hand_free_tln, hand_free_rk4;
extern const struct solver hand_chain_verlet, hand_chain_midpoint;

/* fmax would be a call, because it must treat NaN. */
static inline double hand_larger(double x, double y) { return x > y ? x : y; }

enum { HAND_STAGES = 8 }; /* stages of the Gauss loops */

/* Nodes, weights and matrix of Gauss' collocation on [0,1]; guess[i][j] extrapolates values at
 * the nodes of one step to the nodes of the next. */
struct hand_gauss {
    double c[HAND_STAGES], b[HAND_STAGES], a[HAND_STAGES][HAND_STAGES];
    double a2[HAND_STAGES][HAND_STAGES], ba[HAND_STAGES]; /* A A and b A, for q'' = a(q) */
    double guess[HAND_STAGES][HAND_STAGES];
};

void hand_gauss(struct hand_gauss *gauss);

#endif
