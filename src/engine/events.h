/* Steps whose ends are looked at for changes of sign, and steps taken in part. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_EVENTS_H
#define ENGINE_EVENTS_H

#include "engine/advance.h"

/* As noe_work_scan_events, without words. */
enum noe_status events_steps(struct noe_work *work, long count, struct noe_event_scan *scan);
/* As noe_work_substep, without words. */
enum noe_status events_part(struct noe_work *part, const struct noe_work *work, real h,
                            real *values);

/* As noe_work_event_root. */
real events_root(struct noe_work *part, const struct noe_work *work, real before, real after);

/* The crossing functions and, behind them, their rates at the current state, whose velocity is
 * known. */
REAL_INLINE void events_evaluate(const struct noe_work *work, real *values) {
    const struct noe_system *system = work_problem(work)->system;
    const struct noe_system *self = work->interval.problem->system;
    const struct noe_state *now = work->now;
    real *rates = values + system->nevents;
    system->events(self, now->t, now->q, work->velocity, values);
    if (system->event_rates) system->event_rates(self, now->t, now->q, work->velocity, rates);
}

/* After a step the interval begins at `next`, the state before it. A step that failed has spoilt
 * `next`, and began at `now`; a kernel that took several steps has kept only the last. */
static inline bool events_can_part(const struct noe_work *work) {
    return work->interval.from == work->next && work->now->k == work->next->k + 1;
}

#endif
