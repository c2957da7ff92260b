/* Directions along which a state with holonomic constraints can move. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_CONSTRAINT_TANGENT_SPACE_H
#define STUDY_VERIFY_CONSTRAINT_TANGENT_SPACE_H

#include "noether.h"

/* Writes changes (dq, dp) of length one, row by row, that keep g = 0 and g' = 0 at a state where v
 * is the velocity; they span all of them. There is room for 2n rows. Returns their number, -1
 * without memory. */
int constraint_tangent_directions(const struct noe_system *system, noe_real t, const noe_real *q,
                                  const noe_real *v, noe_real *rows);

#endif
