/* Event detection and substeps. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_EVENTS_H
#define ENGINE_EVENTS_H

#include "engine/advance.h"

/* Detection of sign changes of the system's event functions at the ends of steps. Zero-initialise
 * it, then set the pointers, the sides and the reference energy. */
struct event_scan {
    int *side; /* sign of each function; 0: it has not left zero yet */
    int *from; /* the side from which a crossing counts; 0: both */
    /* The functions, and behind them their rates, at the ends of the last step. */
    real *before, *after;
    /* The caller does not need group elements. If no event depends on them the kernel may skip
     * updating q, which is then invalid for the rest of the run. */
    bool skips_points;
    bool has_changed;            /* an event may lie in the last step */
    real energy;                 /* reference value */
    real energy_max, energy_sum; /* largest deviation of the energy, and the sum of deviations */
    long count;                  /* steps recorded */
    bool has_failed;             /* the energy was not finite, or there was no velocity */
};

/* As step_scan_events, without a message. */
enum noe_status events_steps(struct noe_work *work, long count, struct event_scan *scan);
/* As step_substep, without a message. */
enum noe_status events_part(struct noe_work *part, const struct noe_work *work, real h,
                            real *values);

/* As step_event_root. */
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
