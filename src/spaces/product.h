/* Products of spaces: what a system's configuration is made of. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_PRODUCT_H
#define SPACES_PRODUCT_H

#include "noether.h"

extern const struct noe_space noe_space_vector;

/* Numbers in a point of the system's space. */
int product_point_size(const struct noe_system *system);
/* g1 = g0 tau(x), factor by factor. g1 may be g0. */
void product_retract(const struct noe_system *system, noe_real *g1, const noe_real *g0,
                     const noe_real *x);
/* g1 = g0 tau(x) with compensated round-off, factor by factor. */
void product_advance(const struct noe_system *system, noe_real *g1, noe_real *carry1,
                     const noe_real *g0, const noe_real *carry0, const noe_real *x);

#endif
