/* The step path of the engine, without words for failures. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ADVANCE_H
#define ENGINE_ADVANCE_H

#include "engine/work.h"

/* Puts an interval of length h, from `now` to `next`, before the method. */
void advance_interval(struct noe_work *work, real h);
/* The root of its residual by Newton's method, from what a contraction has reached, else from the
 * extrapolated guess, else from the method's own. */
noe_lane_status advance_by_newton(struct noe_work *work);
/* The root by whatever serves; where an increment is beyond the reach of its retraction there is
 * none. */
noe_lane_status advance_root(struct noe_work *work);
/* Where a kernel has not found the root of one step, Newton's method looks for it, or says why
 * there is none. */
noe_lane_status advance_newton_fallback(struct noe_work *work, noe_lane_status outcome,
                                        mask is_lost);
/* Makes what the method left in `next` the current state. Lanes that failed stay where they were;
 * the outcome is theirs if all did. */
noe_lane_status advance_accept(struct noe_work *work, noe_lane_status outcome);
/* Takes that step, or up to `count` of them by a kernel, and accepts it. */
noe_lane_status advance_step(struct noe_work *work, bool use_kernel, long count);
/* Lanes whose step failed stay where they were, for the rest of the run. */
void advance_freeze_lanes(struct noe_work *work, noe_lane_status outcome, mask where);
/* `count` steps of the problem's own length, or fewer if one fails. */
noe_lane_status advance_steps(struct noe_work *work, long count);

/* Before a step of another length: what was learnt from the problem's own steps does not apply. */
void advance_reset_history(struct noe_work *work);
/* At the start of a run: what steps look like that cross no singular configuration. */
void advance_orient(struct noe_work *work);
/* Puts an interval of a given length before the method, without what earlier steps have shown. */
void advance_set_step_size(struct noe_work *work, real h);

/* Velocity and energy at the current state, the first into the work. */
noe_lane_status advance_energy(struct noe_work *work, real *energy);
/* Velocity, energy and quantities at the current state, into the work. */
noe_lane_status advance_measure(struct noe_work *work, real *energy);

#endif
