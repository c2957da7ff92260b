/* Tangent space of the constraint manifold at a state with holonomic constraints. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_CONSTRAINT_TANGENT_SPACE_H
#define STUDY_VERIFY_CONSTRAINT_TANGENT_SPACE_H

#include "noether.h"

/* Writes unit variations (dq, dp), row by row, that span the tangent space of g = 0 and g' = 0
 * at a state with velocity v. There is room for 2n rows. Returns their number, or -1 if memory
 * runs out. */
int constraint_tangent_directions(const struct noe_system *system, noe_real t, const noe_real *q,
                                  const noe_real *v, noe_real *rows);

#endif
