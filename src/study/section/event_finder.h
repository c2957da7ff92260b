/* Event location: zeros of the event functions of a system along a run. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SECTION_EVENT_FINDER_H
#define STUDY_SECTION_EVENT_FINDER_H

#include "base/arena.h"
#include "engine/step.h"
#include "noether.h"

/* Search for a zero in one step of length h. The bracket (low, high] is in units of h. */
struct event_search {
    int phase;
    real h, low, high, other;
    real theta;        /* substep at which the functions are required */
    bool has_other;    /* `other` holds a third interpolation point */
    bool high_is_part; /* the values at `high` belong to a substep */
    bool is_near;      /* the last point was close to the zero */
    bool is_lost;      /* the step crosses zero, but no substep does */
    int target;        /* index of the function whose zero is sought */
    int dip, tries;
};

struct event_finder {
    const struct noe_system *system;
    bool only_stops;                 /* ignore sections; only events that stop the run count */
    struct event_scan scan;          /* sides, and the functions at both ends of the last step */
    real *low, *high, *here, *other; /* function values at points of the bracket */
    real *base;                      /* function values at the start of the search */
    struct event_search search;
    struct noe_work *part; /* takes the substeps */
    bool is_first;         /* the next step is the first of the run */
    real searched;         /* fraction of the last step that has been searched */
    /* Result of the last search: index of the function or -1, fraction of the step, and function
     * value (zero to round-off). */
    int found;
    real at, value;
};

void event_finder_layout(struct event_finder *crossing, struct arena *arena,
                         const struct noe_system *system);
/* Starts at the current state of `work`, whose velocity is v. `part` is another work of the same
 * problem. */
enum noe_status event_finder_start(struct event_finder *crossing, struct noe_work *part,
                                   struct noe_work *work, const real *v, struct noe_error *error);
/* Evaluates the functions at the end of a step, whose velocity is v, if step_scan_events did
 * not. */
enum noe_status event_finder_look(struct event_finder *crossing, struct noe_work *work,
                                  const real *v, struct noe_error *error);
/* Prepares the first search in a step whose end was evaluated. */
enum noe_status event_finder_begin(struct event_finder *crossing, struct noe_work *work,
                                   struct noe_error *error);
/* Locates the next event in the last step of `work`, to round-off. `part` is then at the event and
 * measured. For an event at the end of the step, `part` is unchanged and `at` is 1. */
enum noe_status event_finder_find(struct event_finder *crossing, struct noe_work *work,
                                  struct noe_error *error);

/* Event search as a coroutine, for callers that compute substeps themselves (SIMD batches). `scan`
 * describes a step of length h, and event_finder_begin_search starts the search. event_search_next
 * then returns EVENT_PART, EVENT_FOUND or EVENT_NONE. For EVENT_PART the caller writes the
 * functions at the substep search.theta to `here` and calls event_search_answer. For EVENT_FOUND
 * the event is at the fraction `at`, which is the last substep or 1. */
void event_finder_set_directions(struct event_finder *crossing);
enum event_finder_wish { EVENT_NONE, EVENT_PART, EVENT_FOUND };
void event_finder_begin_search(struct event_finder *crossing, real h);
enum event_finder_wish event_search_next(struct event_finder *crossing);
void event_search_answer(struct event_finder *crossing);
void event_search_begin(struct event_finder *crossing, real h);
/* Ends the search with a zero at the fraction theta, the only one of the only function. Returns
 * true if its direction counts. */
bool event_search_ends(struct event_finder *crossing, real theta);
/* True if function i counts. */
bool event_search_counts(const struct event_finder *crossing, int i);

#endif
