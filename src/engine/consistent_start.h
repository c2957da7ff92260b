/* The start of a run with constraints. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CONSISTENT_START_H
#define ENGINE_CONSISTENT_START_H

#include "engine/work.h"

/* Checks that the state in `now` meets its constraints and that these do not follow from one
 * another, and finds the multipliers it demands. */
enum noe_status consistent_start(struct noe_work *work, struct noe_error *error);

/* How near the constraints are to being dependent at the current state: the smallest singular value
 * of psi_v, beside its largest row; -1 where that cannot be said. */
real consistent_least_singular(struct noe_work *work, real *row);
/* The least of it on the way that a step begins, where that step has failed. */
real consistent_least_on_way(struct noe_work *work, real *row);

#endif
