/* Steps of runs side by side that were noted, for parts of them. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_LANES_EVENT_LOG_H
#define ENGINE_LANES_EVENT_LOG_H

#include <string.h>

#include "engine/events.h"
#include "engine/lanes/batch.h"

enum {
    EVENT_LOG_BLOCK = 16, /* steps between looks at what a kernel has kept of them */
    EVENT_LOG_ROOM = 32 + EVENT_LOG_BLOCK, /* notes of a run */
};

struct event_log {
    struct event_scan scan; /* not read; first, for a kernel's interval points to it */
    struct runs *runs;
    struct noe_work *part;
    bool is_first;     /* the next step is the first: it is noted in any case */
    real *side, *from; /* of each function: its sign; the side from which crossings count */
    real *after;       /* functions and rates at the end of the last step, */
    real *placed;      /* where the parts of each lane begin: what event_log_row has of a state */
    real bracket[3];   /* of one function: at the ends of that step, and its side before */
    real *values;      /* and at the end of the next, or of parts, */
    real energy;       /* and the energy of these */
    real start, max, sum; /* the first energy; the largest deviation from it, and their sum */
    int count[REAL_LANES];
    long measured;    /* how many energies */
    int nrow, nstate; /* numbers of a note, and of the state in it */
#ifdef NOE_KERNEL_EVENTS
    /* What a kernel has kept of its last steps: the momenta where they began, the functions at
     * their ends, and whether one may have changed. Those up to `looked` have been looked at. */
    long looked;
    real *momenta, *functions, last[NOE_KERNEL_EVENTS];
    unsigned seen; /* a bit for each place */
#endif
    scalar *row; /* of each lane EVENT_LOG_ROOM notes: step, time, functions, sides, state */
};

static inline int event_log_head(const struct noe_system *system) {
    return 2 + 5 * system->nevents;
}

/* The numbers of a state that begins a step, as arrays one after the other. */
struct event_log_array {
    int count;
    real *numbers;
};

#ifdef NOE_KERNEL_EVENTS
enum { EVENT_LOG_ARRAYS = 2 }; /* the point of the group stays as it is */

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

/* As the functions of noether_ensemble.h. */
void event_substeps_place(void *memory, int lane, int i);
void event_substeps_take(void *memory, const scalar *length);
void event_substeps_roots(void *memory, scalar *theta);
void event_substeps_lane(const void *memory, int lane, struct noe_lane *there);

#endif
