/* Steps whose ends are looked at for changes of sign, and steps taken in part. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CROSS_H
#define ENGINE_CROSS_H

#include "engine/advance.h"

/* As noe_steps_crossed, without words. */
enum noe_status cross_steps(struct noe_work *work, long count, struct noe_signs *signs);
/* As noe_step_part, without words. */
enum noe_status cross_part(struct noe_work *part, const struct noe_work *work, real h,
                           real *values);

/* As noe_step_root. */
real cross_root(struct noe_work *part, const struct noe_work *work, real before, real after);

/* The crossing functions and, behind them, their rates at the current state, whose velocity is
 * known. */
STEP_INLINE void cross_evaluate(const struct noe_work *work, real *values) {
    const struct noe_system *system = work_problem(work)->system;
    const struct noe_system *self = work->interval.problem->system;
    const struct noe_state *now = work->now;
    real *rates = values + system->ncrossings;
    system->crossings(self, now->t, now->q, work->velocity, values);
    if (system->crossing_rates) system->crossing_rates(self, now->t, now->q, work->velocity, rates);
}

/* After a step the interval begins at `next`, the state before it. A step that failed has spoilt
 * `next`, and began at `now`; a kernel that took several steps has kept only the last. */
static inline bool cross_can_part(const struct noe_work *work) {
    return work->interval.from == work->next && work->now->k == work->next->k + 1;
}

#endif
