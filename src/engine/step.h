/* Event detection for studies: steps up to an event, and substeps of the last step. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_STEP_H
#define ENGINE_STEP_H

#include "engine/events.h"

/* Takes up to `count` steps, until an event function has changed its sign or, by its rates, may
 * have done so twice, or until a step fails. The sides of the other functions are updated. */
enum noe_status step_scan_events(struct noe_work *work, long count, struct event_scan *scan,
                                 struct noe_error *error);
/* Takes in `part`, another work of the same problem, the last step of `work` with size h from the
 * state at its start, as noe_work_restep does. If `values` is not NULL it receives event functions
 * and rates at the end of the substep, and the velocity is that of noe_work_observe. `work` is
 * unchanged. Valid only directly after a call that took one step or ended with one. */
enum noe_status step_substep(struct noe_work *part, const struct noe_work *work, real h,
                             real *values, struct noe_error *error);
/* Locates the root of the single event function in the last step of `work`, to round-off, given its
 * values at the ends. `part` is left at the root, except that its group elements are those of the
 * start of the step. Returns the fraction of the step, or 0 if there is no simple root or if the
 * method offers no such search. */
real step_event_root(struct noe_work *part, const struct noe_work *work, real before, real after);

/* Updates the monitor with the current state. */
enum noe_status step_update_monitor(struct noe_work *work, struct noe_monitor *monitor,
                                    struct noe_error *error);

#endif
