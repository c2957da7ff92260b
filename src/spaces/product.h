/* Products of spaces: the configuration space of a system. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_PRODUCT_H
#define SPACES_PRODUCT_H

#include "base/compensated_sum.h"
#include "noether.h"

/* Numbers in a point of the system's space. */
int product_point_size(const struct noe_system *system);
/* True if a factor has a retraction that is not addition. */
bool product_has_groups(const struct noe_system *system);
/* True if a factor has positions that move with a rotation. */
bool product_has_positions(const struct noe_system *system);
/* g = the identity of every factor. */
void product_identity(const struct noe_system *system, noe_real *g);
/* The largest distance of a factor of g from its space. */
noe_real product_defect(const struct noe_system *system, const noe_real *g);
/* The two functions below, factor by factor. */
void product_retract_factors(const struct noe_system *system, int tau, noe_real *g1,
                             const noe_real *g0, const noe_real *x);
void product_advance_factors(const struct noe_system *system, int tau, noe_real *g1,
                             noe_real *carry1, const noe_real *g0, const noe_real *carry0,
                             const noe_real *x);

/* g1 = g0 tau(x). g1 may be g0. */
static inline void product_retract(const struct noe_system *system, int tau, noe_real *g1,
                                   const noe_real *g0, const noe_real *x) {
    if (system->factors) {
        product_retract_factors(system, tau, g1, g0, x);
        return;
    }
    for (int i = 0; i < system->n; i++) g1[i] = g0[i] + x[i];
}

/* g1 = g0 tau(x) with compensated round-off. */
static inline void product_advance(const struct noe_system *system, int tau, noe_real *g1,
                                   noe_real *carry1, const noe_real *g0, const noe_real *carry0,
                                   const noe_real *x) {
    if (system->factors)
        product_advance_factors(system, tau, g1, carry1, g0, carry0, x);
    else
        compensated_add(system->n, g1, carry1, g0, carry0, x);
}

#endif
