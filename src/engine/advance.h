/* The step path of the engine, without error messages. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ADVANCE_H
#define ENGINE_ADVANCE_H

#include "engine/work.h"

/* Sets up the interval of step size h from `now` to `next`. */
void advance_interval(struct noe_work *work, real h);
/* Finds the root of the residual by Newton's method, starting from the last iterate of a fixed-
 * point iteration, else from the extrapolated guess, else from the guess of the method. */
noe_lane_status advance_by_newton(struct noe_work *work);
/* Finds the root by the solver in use. Fails if an increment is outside the domain of its
 * retraction. */
noe_lane_status advance_root(struct noe_work *work);
/* Takes by Newton's method the single step at which a kernel failed, in the lanes `is_lost`. */
noe_lane_status advance_newton_fallback(struct noe_work *work, noe_lane_status outcome,
                                        mask is_lost);
/* Takes at least one and at most `count` steps by the method's kernel, in one block. */
noe_lane_status advance_kernel_block(struct noe_interval *interval, long count);
/* Makes `next` the current state. Lanes that failed keep their state. Returns their status if all
 * lanes failed. */
noe_lane_status advance_accept(struct noe_work *work, noe_lane_status outcome);
/* Takes one step, or up to `count` steps by a kernel, and accepts it. */
noe_lane_status advance_step(struct noe_work *work, bool use_kernel, long count);
/* Lanes whose step failed keep their state for the rest of the run. */
void advance_freeze_lanes(struct noe_work *work, noe_lane_status outcome, mask where);
/* Takes `count` steps of the problem's step size, or fewer if one fails. */
noe_lane_status advance_steps(struct noe_work *work, long count);

/* Resets the history of earlier steps. Required before a step of another size. */
void advance_reset_history(struct noe_work *work);
/* Determines the orientation of regular steps at the start of a run. */
void advance_orient(struct noe_work *work);
/* Sets up an interval of the given step size, without the history of earlier steps. */
void advance_set_step_size(struct noe_work *work, real h);

/* Computes velocity and energy at the current state, the velocity into the work. */
noe_lane_status advance_energy(struct noe_work *work, real *energy);
/* Computes velocity, energy and quantities at the current state, into the work. */
noe_lane_status advance_measure(struct noe_work *work, real *energy);

#endif
