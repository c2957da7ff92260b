/* Event location: zeros of the event functions of a system along a run.
 *
 * A change of sign over a step brackets a zero. The method itself locates it: the step is repeated
 * as a substep of length theta h until theta is known to round-off. The result is as accurate a
 * state of the method as the ends of its steps. A multistep method takes substeps without its
 * history, so the substep with theta = 1 differs from the step by the method's error, and theta may
 * slightly exceed 1. */
/* SPDX-License-Identifier: MIT */
#include "study/section/event_finder.h"

#include <string.h>

#include "base/status.h"

/* An initial value below this fraction of the change over the first step counts as zero. */
static const real start_noise = 1e6 * NOE_EPSILON;

void event_finder_layout(struct event_finder *crossing, struct arena *arena,
                         const struct noe_system *system) {
    const size_t count = (size_t)system->nevents;
    crossing->system = system;
    crossing->scan.side = arena_ints(arena, count);
    crossing->scan.from = arena_ints(arena, count);
    crossing->scan.before = arena_reals(arena, 2 * count);
    crossing->scan.after = arena_reals(arena, 2 * count);
    crossing->low = arena_reals(arena, 2 * count);
    crossing->high = arena_reals(arena, 2 * count);
    crossing->here = arena_reals(arena, 2 * count);
    crossing->other = arena_reals(arena, 2 * count);
    crossing->base = arena_reals(arena, 2 * count);
}

/* Inside a step an infinite value marks a pole, which is skipped. */
static enum noe_status check(const struct event_finder *crossing, const struct noe_work *work,
                             const real *values, struct noe_error *error) {
    const struct noe_system *system = crossing->system;
    const struct noe_state *now = noe_work_state(work);
    const bool is_inside = work == crossing->part;
    for (int i = 0; i < system->nevents; i++)
        if (event_search_counts(crossing, i) &&
            (is_inside ? values[i] != values[i] : !real_is_finite(values[i])))
            return status_set(error, NOE_NOT_FINITE,
                              "step %ld, t = %.9g: the sides of '%.200s' do not differ by a "
                              "finite number",
                              now->k, (double)now->t, system->crossing[i].text);
    return NOE_OK;
}

static enum noe_status evaluate(const struct event_finder *crossing, const struct noe_work *work,
                                const real *v, real *values, struct noe_error *error) {
    const struct noe_system *system = crossing->system;
    const struct noe_state *now = noe_work_state(work);
    system->events(system, now->t, now->q, v, values);
    if (system->event_rates)
        system->event_rates(system, now->t, now->q, v, values + system->nevents);
    return check(crossing, work, values, error);
}

static int sign(real x) { return (x > 0) - (x < 0); }

void event_finder_set_directions(struct event_finder *crossing) {
    for (int i = 0; i < crossing->system->nevents; i++) {
        const enum noe_event_direction direction = crossing->system->crossing[i].direction;
        crossing->scan.from[i] = direction == NOE_RISING ? -1 : direction == NOE_FALLING ? 1 : 0;
    }
}

enum noe_status event_finder_start(struct event_finder *crossing, struct noe_work *part,
                                   struct noe_work *work, const real *v, struct noe_error *error) {
    struct event_scan *scan = &crossing->scan;
    crossing->part = part;
    crossing->found = -1;
    crossing->is_first = true;
    const enum noe_status status = evaluate(crossing, work, v, scan->after, error);
    event_finder_set_directions(crossing);
    for (int i = 0; i < crossing->system->nevents; i++) scan->side[i] = sign(scan->after[i]);
    return status;
}

enum noe_status event_finder_look(struct event_finder *crossing, struct noe_work *work,
                                  const real *v, struct noe_error *error) {
    real *before = crossing->scan.before;
    crossing->scan.before = crossing->scan.after;
    crossing->scan.after = before;
    return evaluate(crossing, work, v, crossing->scan.after, error);
}

/* The initial state is not an event: a function that is zero there must leave zero first. */
static void forgive_start(struct event_finder *crossing) {
    const struct event_scan *scan = &crossing->scan;
    for (int i = 0; i < crossing->system->nevents; i++) {
        const real change = scan->after[i] - scan->before[i];
        if (noe_abs(scan->before[i]) <= start_noise * noe_abs(change)) scan->side[i] = 0;
    }
}

void event_finder_begin_search(struct event_finder *crossing, real h) {
    if (crossing->is_first) forgive_start(crossing);
    crossing->is_first = false;
    event_search_begin(crossing, h);
}

enum noe_status event_finder_begin(struct event_finder *crossing, struct noe_work *work,
                                   struct noe_error *error) {
    event_finder_begin_search(crossing, noe_work_state(work)->h);
    return check(crossing, work, crossing->scan.after, error);
}

/* True if the step has a single simple zero that the method's kernel can locate directly. */
static bool finds_root(struct event_finder *crossing, struct noe_work *work) {
    const struct event_scan *scan = &crossing->scan;
    const bool is_plain = crossing->system->nevents == 1 && crossing->searched == 0 &&
                          scan->skips_points && event_search_counts(crossing, 0) &&
                          scan->side[0] != 0 && sign(scan->before[0]) == scan->side[0];
    const real theta =
        is_plain ? step_event_root(crossing->part, work, scan->before[0], scan->after[0]) : 0;
    return theta > 0 && event_search_ends(crossing, theta);
}

enum noe_status event_finder_find(struct event_finder *crossing, struct noe_work *work,
                                  struct noe_error *error) {
    struct noe_error why;
    if (finds_root(crossing, work)) return NOE_OK;
    while (event_search_next(crossing) == EVENT_PART) {
        const real h = crossing->search.theta * crossing->search.h;
        enum noe_status status = step_substep(crossing->part, work, h, crossing->here, &why);
        if (status != NOE_OK)
            return status_set(error, status, "on the way to a crossing: %.400s", why.text);
        status = check(crossing, crossing->part, crossing->here, error);
        if (status != NOE_OK) return status;
        event_search_answer(crossing);
    }
    return NOE_OK;
}
