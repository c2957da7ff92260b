/* Where the crossing functions of a system change their sign along a run.
 *
 * A sign that changed from one step to the next has a zero between. It is found by the method
 * itself: the step is taken again with length theta h until theta, between 0 and 1, is known to
 * round-off. What is found is thus as good a state of the method as the ends of its steps. */
/* SPDX-License-Identifier: MIT */
#include "study/crossing.h"

#include <string.h>

#include "base/status.h"

/* A start this near to zero, in units of the first step's change, is zero but for rounding. */
static const real start_noise = 1e6 * NOE_EPSILON;
/* A function that does not come nearer to zero than this part of its values at the ends of the
 * step has a jump or a pole there, not a zero. */
static const real jump_left = 0.01;

/* A search in the last step, of length h: a zero lies in (low, high], in units of h. */
struct search {
    struct crossing *crossing;
    struct noe_work *work;
    struct noe_moment *moment; /* of the current state */
    struct noe_error *error;
    real h, low, high;
    int target;    /* the function whose zero is being approached */
    bool is_there; /* the current state is that at `high` */
};

void crossing_layout(struct crossing *crossing, struct arena *arena,
                     const struct noe_system *system) {
    const size_t count = (size_t)system->ncrossings;
    crossing->system = system;
    crossing->side = arena_ints(arena, count);
    crossing->start = arena_reals(arena, count);
    crossing->end = arena_reals(arena, count);
    crossing->low = arena_reals(arena, count);
    crossing->high = arena_reals(arena, count);
    crossing->here = arena_reals(arena, count);
}

/* Inside a step an infinite value is one side of a pole, which is passed over. */
static enum noe_status evaluate(const struct crossing *crossing, struct noe_work *work,
                                const real *v, real *values, struct noe_error *error) {
    const struct noe_system *system = crossing->system;
    const struct noe_state *now = noe_now(work);
    const bool is_inside = values == crossing->here;
    system->crossings(system, now->t, now->q, v, values);
    for (int i = 0; i < system->ncrossings; i++)
        if (is_inside ? values[i] != values[i] : !real_is_finite(values[i]))
            return status_set(error, NOE_NOT_FINITE,
                              "step %ld, t = %.9g: the sides of '%.200s' do not differ by a "
                              "finite number",
                              now->k, (double)now->t, system->crossing[i].text);
    return NOE_OK;
}

/* Takes the last step again, to the part `theta` of its length; measures and evaluates there. */
static enum noe_status go_to(struct search *search, real theta) {
    struct noe_error why;
    enum noe_status status = noe_step_retake(search->work, theta * search->h, &why);
    if (status == NOE_OK) status = noe_measure(search->work, search->moment, &why);
    if (status != NOE_OK)
        return status_set(search->error, status, "on the way to a crossing: %.400s", why.text);
    return evaluate(search->crossing, search->work, search->moment->v, search->crossing->here,
                    search->error);
}

static int sign(real x) { return (x > 0) - (x < 0); }

static bool has_crossed(const struct crossing *crossing, int i, real value) {
    return crossing->side[i] != 0 && sign(value) != crossing->side[i];
}

/* Of the functions that have crossed at `values`, the one whose zero seems to come first after
 * `before`; -1: none has. */
static int first_crossed(const struct crossing *crossing, const real *before, const real *values) {
    int first = -1;
    real nearest = 2;
    for (int i = 0; i < crossing->system->ncrossings; i++) {
        if (!has_crossed(crossing, i, values[i])) continue;
        const real place = before[i] / (before[i] - values[i]);
        if (place >= nearest) continue;
        first = i;
        nearest = place;
    }
    return first;
}

/* The next point to try: interpolate, truncate, project (Oliveira and Takahashi, ACM TOMS 47,
 * 2020), which is never much slower than bisection and mostly as fast as the secant method.
 * `slack` is what bisection could still spare. */
static real next_point(const struct search *search, real slack) {
    const real low = search->low, high = search->high, width = high - low;
    const real at_low = search->crossing->low[search->target];
    const real at_high = search->crossing->high[search->target];
    const real middle = low + width / 2, secant = low + width * (at_low / (at_low - at_high));
    const real toward = secant < middle ? 1 : -1, shift = (real)0.2 * width * width;
    real point = noe_abs(middle - secant) > shift ? secant + toward * shift : middle;
    const real reach = noe_max(slack - width / 2, 0);
    if (noe_abs(point - middle) > reach) point = middle - toward * reach;
    return point > low && point < high ? point : middle;
}

static void swap(real **a, real **b) {
    real *kept = *a;
    *a = *b;
    *b = kept;
}

static size_t bytes(const struct crossing *crossing) {
    return (size_t)crossing->system->ncrossings * sizeof *crossing->here;
}

/* From a whole step, at whose beginning no function has crossed and at whose end some have, to the
 * first crossing: narrows (low, high] until its ends are neighbours, and ends at `high`. */
static enum noe_status narrow(struct search *search) {
    struct crossing *crossing = search->crossing;
    memcpy(crossing->low, crossing->start, bytes(crossing));
    memcpy(crossing->high, crossing->end, bytes(crossing));
    search->low = 0;
    search->high = 1;
    for (real slack = 1;; slack /= 2) {
        search->target = first_crossed(crossing, crossing->low, crossing->high);
        const bool is_exact = crossing->high[search->target] == 0;
        if (is_exact || search->high - search->low <= 2 * NOE_EPSILON) break;
        const real point = next_point(search, slack);
        const enum noe_status status = go_to(search, point);
        if (status != NOE_OK) return status;
        search->is_there = first_crossed(crossing, crossing->low, crossing->here) >= 0;
        swap(&crossing->here, search->is_there ? &crossing->high : &crossing->low);
        *(search->is_there ? &search->high : &search->low) = point;
    }
    crossing->value = crossing->high[search->target];
    if (search->is_there) return NOE_OK;
    const enum noe_status status = go_to(search, search->high);
    crossing->value = crossing->here[search->target];
    search->is_there = true;
    return status;
}

static bool is_jump(const struct crossing *crossing, int i) {
    const real low = noe_abs(crossing->low[i]), high = noe_abs(crossing->high[i]);
    const real start = noe_abs(crossing->start[i]), end = noe_abs(crossing->end[i]);
    return noe_min(low, high) > jump_left * noe_max(start, end);
}

/* Finds the first crossing. A function that jumps is left out until the next step. */
static enum noe_status find(struct search *search) {
    struct crossing *crossing = search->crossing;
    search->is_there = true;
    while (first_crossed(crossing, crossing->start, crossing->end) >= 0) {
        const enum noe_status status = narrow(search);
        if (status != NOE_OK) return status;
        if (!is_jump(crossing, search->target)) {
            crossing->found = search->target;
            return NOE_OK;
        }
        crossing->side[search->target] = 0;
        search->is_there = search->high == 1; /* for the next search begins with the whole step */
    }
    return search->is_there ? NOE_OK : go_to(search, 1);
}

enum noe_status crossing_start(struct crossing *crossing, struct noe_work *work, const real *v,
                               struct noe_error *error) {
    crossing->found = -1;
    crossing->is_first = true;
    const enum noe_status status = evaluate(crossing, work, v, crossing->start, error);
    for (int i = 0; i < crossing->system->ncrossings; i++)
        crossing->side[i] = sign(crossing->start[i]);
    return status;
}

/* The start is not a crossing: a function that is zero there has to leave zero first. */
static void forgive_start(struct crossing *crossing) {
    for (int i = 0; i < crossing->system->ncrossings; i++) {
        const real change = crossing->end[i] - crossing->start[i];
        if (noe_abs(crossing->start[i]) <= start_noise * noe_abs(change)) crossing->side[i] = 0;
    }
    crossing->is_first = false;
}

enum noe_status crossing_find(struct crossing *crossing, struct noe_work *work,
                              struct noe_moment *moment, struct noe_error *error) {
    enum noe_status status = evaluate(crossing, work, moment->v, crossing->end, error);
    if (status != NOE_OK) return status;
    if (crossing->is_first) forgive_start(crossing);
    struct search search = {crossing, work, moment, error, .h = noe_now(work)->h};
    crossing->found = -1;
    status = find(&search);
    if (status != NOE_OK || crossing->found >= 0) return status;
    swap(&crossing->start, &crossing->end);
    for (int i = 0; i < crossing->system->ncrossings; i++)
        crossing->side[i] = sign(crossing->start[i]);
    return NOE_OK;
}
