/* Event detection and substeps. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_EVENTS_H
#define ENGINE_EVENTS_H

#include "engine/advance.h"

/* Like noe_work_scan_events, without error messages. */
enum noe_status events_steps(struct noe_work *work, long count, struct noe_event_scan *scan);
/* Like noe_work_substep, without error messages. */
enum noe_status events_part(struct noe_work *part, const struct noe_work *work, real h,
                            real *values);

/* Like noe_work_event_root. */
real events_root(struct noe_work *part, const struct noe_work *work, real before, real after);

/* Evaluates the event functions, followed by their rates, at the current state, whose velocity is
 * known. */
REAL_INLINE void events_evaluate(const struct noe_work *work, real *values) {
    const struct noe_system *system = work_problem(work)->system;
    const struct noe_system *self = work->interval.problem->system;
    const struct noe_state *now = work->now;
    real *rates = values + system->nevents;
    system->events(self, now->t, now->q, work->velocity, values);
    if (system->event_rates) system->event_rates(self, now->t, now->q, work->velocity, rates);
}

/* True if the last step can be repeated as a substep. After a step the interval begins at `next`,
 * the state before it. A failed step began at `now` and has overwritten `next`. A kernel that took
 * several steps has kept only the last one. */
static inline bool events_can_part(const struct noe_work *work) {
    return work->interval.from == work->next && work->now->k == work->next->k + 1;
}

#endif
