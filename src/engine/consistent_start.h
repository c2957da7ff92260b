/* Consistent start of a constrained run. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CONSISTENT_START_H
#define ENGINE_CONSISTENT_START_H

#include "engine/work.h"

/* Checks that the state in `now` satisfies the constraints and that these are linearly
 * independent. */
enum noe_status consistent_start_check(struct noe_work *work, struct noe_error *error);
/* Computes the multipliers of the state. */
enum noe_status consistent_start(struct noe_work *work, struct noe_error *error);

/* The smallest singular value of psi_v at the current state, and its largest row: the distance to
 * rank deficiency. Returns -1 if it cannot be computed. */
real consistent_least_singular(struct noe_work *work, real *row);
/* The minimum of it along the path that a failed step begins. */
real consistent_least_on_way(struct noe_work *work, real *row);

#endif
