/* Brownian increments of a step: the Wiener processes of stochastic forces. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_BROWNIAN_H
#define MECHANICS_BROWNIAN_H

#include "mechanics/interval.h"

/* Draws the standard normal numbers of step k; each lane has its own random stream. A substep takes
 * its share of the increments, because the path is linear between the ends of a step. */
REAL_INLINE void noise_draw(const struct noe_interval *interval, long k) {
    const struct noe_problem *problem = interval->problem;
    const int count = interval_problem(interval)->internals->nnormals;
    if (count == 0) return;
    for (int lane = 0; lane < REAL_LANES; lane++) {
        problem->internals->normals(interval->seed[lane], interval->member[lane], k, count,
                                    interval->drawn);
        for (int i = 0; i < count; i++) REAL_LANE(interval->normal[i], lane) = interval->drawn[i];
    }
    const real part = noe_sqrt(interval->h / problem->h);
    for (int i = 0; i < count; i++) interval->normal[i] *= part;
}

/* The noise matrix b at (t, q), n x nnoises. It does not depend on v. */
REAL_INLINE void noise_matrix(const struct noe_system *system, const struct noe_system *self,
                              real t, const real *q, const real *v, real *b) {
    if (system->nnoises) system->noise(self, t, q, v, b);
}

#endif
