/* Event log of a batch: per lane, the steps in which an event function changed its sign, for later
 * substeps. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_LANES_EVENT_LOG_H
#define ENGINE_LANES_EVENT_LOG_H

#include <string.h>

#include "engine/events.h"
#include "engine/lanes/batch.h"

enum {
    EVENT_LOG_BLOCK = 16,                  /* steps between checks of the stored steps */
    EVENT_LOG_ROOM = 32 + EVENT_LOG_BLOCK, /* log entries of a lane */
};

struct event_log {
    struct event_scan
        scan; /* not read; first member, because the interval of a kernel points to it */
    struct runs *runs;
    struct noe_work *part;
    bool is_first;     /* the next step is the first one, which is always logged */
    real *side, *from; /* sign of each function, and the side from which its events count */
    real *after;       /* functions and rates at the end of the last step */
    real *placed; /* start of the substeps of each lane: a state in the layout of event_log_row */
    real bracket[3];      /* one function at the ends of that step, and its side before */
    real *values;         /* functions and rates at the end of the next step, or of substeps */
    real energy;          /* energy at the end of substeps */
    real start, max, sum; /* first energy, largest deviation from it, and sum of the deviations */
    int count[REAL_LANES];
    long measured;    /* number of energies */
    int nrow, nstate; /* size of a log entry, and of the state in it */
#ifdef NOE_KERNEL_EVENTS
    /* Data of the last steps of a kernel: momenta at their starts, functions at their ends, and
     * possible sign changes. Steps up to `looked` have been checked. */
    long looked;
    real *momenta, *functions, last[NOE_KERNEL_EVENTS];
    unsigned seen; /* one bit a step */
#endif
    scalar *row; /* EVENT_LOG_ROOM entries a lane: step, time, functions, sides, state */
};

static inline int event_log_head(const struct noe_system *system) {
    return 2 + 5 * system->nevents;
}

/* The state at the start of a step, as consecutive arrays. */
struct event_log_array {
    int count;
    real *numbers;
};

#ifdef NOE_KERNEL_EVENTS
enum { EVENT_LOG_ARRAYS = 2 }; /* the group element does not change */

REAL_INLINE void event_log_arrays(const struct noe_work *work, struct noe_state *state,
                                  struct event_log_array *array) {
    array[0] = (struct event_log_array){work_problem(work)->system->n, state->p};
    array[1] = (struct event_log_array){1, &state->t};
}
#else
enum { EVENT_LOG_ARRAYS = 11 };

REAL_INLINE void event_log_arrays(const struct noe_work *work, struct noe_state *state,
                                  struct event_log_array *array) {
    const struct noe_problem *problem = work_problem(work);
    const int n = problem->system->n, m = constraint_count(problem->system);
    const struct event_log_array all[EVENT_LOG_ARRAYS] = {
        {problem->np, state->q},
        {n, state->p},
        {n, state->q_carry},
        {n, state->p_carry},
        {m, state->multipliers},
        {n + m, work->interval.velocity},
        {1, &state->t},
        {1, &state->energy},
        {1, &state->energy_target},
        {1, &state->energy_target_carry},
        {1, &state->energy_defect},
    };
    memcpy(array, all, sizeof all);
}
#endif

/* Like the functions of model/jit/batch_events.h. */
void event_substeps_place(void *memory, int lane, int i);
void event_substeps_take(void *memory, const scalar *length);
void event_substeps_roots(void *memory, scalar *theta);
void event_substeps_lane(const void *memory, int lane, struct noe_lane *there);

#endif
