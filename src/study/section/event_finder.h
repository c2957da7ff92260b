/* Where the crossing functions of a system change their sign along a run. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SECTION_EVENT_FINDER_H
#define STUDY_SECTION_EVENT_FINDER_H

#include "base/arena.h"
#include "engine/step.h"
#include "noether.h"

/* A search in one step, of length h: a zero lies in (low, high], in units of h. */
struct event_search {
    int phase;
    real h, low, high, other;
    real theta;        /* where the functions are asked for */
    bool has_other;    /* a third point is known */
    bool high_is_part; /* what is known at `high` is of a part of a step */
    bool is_near;      /* the last point was near the zero */
    bool is_lost;      /* parts of steps do not cross, though the whole did */
    int target;        /* the function whose zero is being approached */
    int dip, tries;
};

struct event_finder {
    const struct noe_system *system;
    bool only_stops;                 /* what sections say does not count */
    struct event_scan scan;          /* sides, and the functions at the ends of the last step */
    real *low, *high, *here, *other; /* in a search: at points of the last step, */
    real *base;                      /* and where it began */
    struct event_search search;
    struct noe_work *part; /* where parts of steps are taken */
    bool is_first;         /* the next step is the first of the run */
    real searched;         /* up to this part of the last step */
    /* What was found in the last step: which function, or -1; at which part of its length; what it
     * is there, zero to round-off. */
    int found;
    real at, value;
};

void event_finder_layout(struct event_finder *crossing, struct arena *arena,
                         const struct noe_system *system);
/* Begins at the current state of `work`, whose velocity is v. `part` is another work of the same
 * problem. */
enum noe_status event_finder_start(struct event_finder *crossing, struct noe_work *part,
                                   struct noe_work *work, const real *v, struct noe_error *error);
/* Looks at the end of a step, whose velocity is v, where step_scan_events did not. */
enum noe_status event_finder_look(struct event_finder *crossing, struct noe_work *work,
                                  const real *v, struct noe_error *error);
/* Before the first search in a step whose end was looked at. */
enum noe_status event_finder_begin(struct event_finder *crossing, struct noe_work *work,
                                   struct noe_error *error);
/* The next crossing in the last step of `work`, to round-off. It is found in `part`, which is there
 * afterwards and measured; at the very end of the step `part` is where it was, and `at` is 1. */
enum noe_status event_finder_find(struct event_finder *crossing, struct noe_work *work,
                                  struct noe_error *error);

/* The same without works, for who takes parts of steps otherwise. `signs` has what is known of a
 * step of length h, begun by event_finder_begin_search; then `next` says what there is: the
 * functions at the part search.theta are to be put into `here` and answered; or one of them crosses
 * zero at the part `at`, the last that was asked for, or 1; or there are no more. */
void event_finder_set_directions(struct event_finder *crossing);
enum event_finder_wish { EVENT_NONE, EVENT_PART, EVENT_FOUND };
void event_finder_begin_search(struct event_finder *crossing, real h);
enum event_finder_wish event_search_next(struct event_finder *crossing);
void event_search_answer(struct event_finder *crossing);
void event_search_begin(struct event_finder *crossing, real h);
/* The only function is zero at the part theta, and nowhere else in the step. Returns whether that
 * is a crossing that counts. */
bool event_search_ends(struct event_finder *crossing, real theta);
/* Does function i count? */
bool event_search_counts(const struct event_finder *crossing, int i);

#endif
