/* The step path of the engine, without words for failures. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ADVANCE_H
#define ENGINE_ADVANCE_H

#include "engine/work.h"

/* Puts an interval of length h, from `now` to `next`, before the method. */
void advance_interval(struct noe_work *work, real h);
/* Takes that step, or up to `count` of them by a kernel. Lanes that fail stay where they were; the
 * outcome is theirs if all do. */
noe_outcome advance_take(struct noe_work *work, bool use_kernel, long count);
/* Lanes whose step failed stay where they were, for the rest of the run. */
void advance_hold(struct noe_work *work, noe_outcome outcome, truth where);
/* `count` steps of the problem's own length, or fewer if one fails. */
noe_outcome advance_steps(struct noe_work *work, long count);

/* Velocity, energy and quantities at the current state, into the work. */
noe_outcome advance_measure(struct noe_work *work, real *energy);
/* Measures the current state and notes its deviations. */
enum noe_status advance_watch(struct noe_work *work, struct noe_watch *watch);
/* As advance_steps, with the deviations of every step noted. */
enum noe_status advance_watched(struct noe_work *work, long count, struct noe_watch *watch);

#endif
