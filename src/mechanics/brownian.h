/* The Brownian motions of a step. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_BROWNIAN_H
#define MECHANICS_BROWNIAN_H

#include "mechanics/interval.h"

/* Draws the normal numbers of step k, of each lane from its own stream. A part of the problem's
 * step takes that part of its increments: between the ends of a step paths are taken as straight.
 */
REAL_INLINE void noise_draw(const struct noe_interval *interval, long k) {
    const struct noe_problem *problem = interval->problem;
    const int count = interval_problem(interval)->nnormals;
    if (count == 0) return;
    for (int lane = 0; lane < REAL_LANES; lane++) {
        problem->normals(interval->seed[lane], interval->member[lane], k, count, interval->drawn);
        for (int i = 0; i < count; i++) REAL_LANE(interval->normal[i], lane) = interval->drawn[i];
    }
    const real part = noe_sqrt(interval->h / problem->h);
    for (int i = 0; i < count; i++) interval->normal[i] *= part;
}

/* b at (t, q), n x nnoises, where v may be anything. */
REAL_INLINE void noise_matrix(const struct noe_system *system, const struct noe_system *self,
                              real t, const real *q, const real *v, real *b) {
    if (system->nnoises) system->noise(self, t, q, v, b);
}

#endif
