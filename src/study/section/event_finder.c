/* Where the crossing functions of a system change their sign along a run.
 *
 * A sign that changed from one step to the next has a zero between. It is found by the method
 * itself: the step is taken again with length theta h until theta is known to round-off. What is
 * found is thus as good a state of the method as the ends of its steps. A method that remembers
 * earlier steps takes a part of a step without them, and so the whole step may end elsewhere by the
 * method's error: then theta may lie a little above 1. */
/* SPDX-License-Identifier: MIT */
#include "study/section/event_finder.h"

#include <string.h>

#include "base/status.h"

/* A start this near to zero, in units of the first step's change, is zero but for rounding. */
static const real start_noise = 1e6 * NOE_EPSILON;

void crossing_layout(struct crossing *crossing, struct arena *arena,
                     const struct noe_system *system) {
    const size_t count = (size_t)system->ncrossings;
    crossing->system = system;
    crossing->signs.side = arena_ints(arena, count);
    crossing->signs.from = arena_ints(arena, count);
    crossing->signs.before = arena_reals(arena, 2 * count);
    crossing->signs.after = arena_reals(arena, 2 * count);
    crossing->low = arena_reals(arena, 2 * count);
    crossing->high = arena_reals(arena, 2 * count);
    crossing->here = arena_reals(arena, 2 * count);
    crossing->other = arena_reals(arena, 2 * count);
    crossing->base = arena_reals(arena, 2 * count);
}

/* Inside a step an infinite value is one side of a pole, which is passed over. */
static enum noe_status check(const struct crossing *crossing, const struct noe_work *work,
                             const real *values, struct noe_error *error) {
    const struct noe_system *system = crossing->system;
    const struct noe_state *now = noe_now(work);
    const bool is_inside = work == crossing->part;
    for (int i = 0; i < system->ncrossings; i++)
        if (crossing_search_counts(crossing, i) &&
            (is_inside ? values[i] != values[i] : !real_is_finite(values[i])))
            return status_set(error, NOE_NOT_FINITE,
                              "step %ld, t = %.9g: the sides of '%.200s' do not differ by a "
                              "finite number",
                              now->k, (double)now->t, system->crossing[i].text);
    return NOE_OK;
}

static enum noe_status evaluate(const struct crossing *crossing, const struct noe_work *work,
                                const real *v, real *values, struct noe_error *error) {
    const struct noe_system *system = crossing->system;
    const struct noe_state *now = noe_now(work);
    system->crossings(system, now->t, now->q, v, values);
    if (system->crossing_rates)
        system->crossing_rates(system, now->t, now->q, v, values + system->ncrossings);
    return check(crossing, work, values, error);
}

static int sign(real x) { return (x > 0) - (x < 0); }

void crossing_set_directions(struct crossing *crossing) {
    for (int i = 0; i < crossing->system->ncrossings; i++) {
        const enum noe_crossing_direction direction = crossing->system->crossing[i].direction;
        crossing->signs.from[i] = direction == NOE_RISING ? -1 : direction == NOE_FALLING ? 1 : 0;
    }
}

enum noe_status crossing_start(struct crossing *crossing, struct noe_work *part,
                               struct noe_work *work, const real *v, struct noe_error *error) {
    struct noe_signs *signs = &crossing->signs;
    crossing->part = part;
    crossing->found = -1;
    crossing->is_first = true;
    const enum noe_status status = evaluate(crossing, work, v, signs->after, error);
    crossing_set_directions(crossing);
    for (int i = 0; i < crossing->system->ncrossings; i++) signs->side[i] = sign(signs->after[i]);
    return status;
}

enum noe_status crossing_look(struct crossing *crossing, struct noe_work *work, const real *v,
                              struct noe_error *error) {
    real *before = crossing->signs.before;
    crossing->signs.before = crossing->signs.after;
    crossing->signs.after = before;
    return evaluate(crossing, work, v, crossing->signs.after, error);
}

/* The start is not a crossing: a function that is zero there has to leave zero first. */
static void forgive_start(struct crossing *crossing) {
    const struct noe_signs *signs = &crossing->signs;
    for (int i = 0; i < crossing->system->ncrossings; i++) {
        const real change = signs->after[i] - signs->before[i];
        if (noe_abs(signs->before[i]) <= start_noise * noe_abs(change)) signs->side[i] = 0;
    }
}

void crossing_begin_search(struct crossing *crossing, real h) {
    if (crossing->is_first) forgive_start(crossing);
    crossing->is_first = false;
    crossing_search_begin(crossing, h);
}

enum noe_status crossing_begin(struct crossing *crossing, struct noe_work *work,
                               struct noe_error *error) {
    crossing_begin_search(crossing, noe_now(work)->h);
    return check(crossing, work, crossing->signs.after, error);
}

/* Is there one zero, which somebody knows how to find at once? */
static bool finds_root(struct crossing *crossing, struct noe_work *work) {
    const struct noe_signs *signs = &crossing->signs;
    const bool is_plain = crossing->system->ncrossings == 1 && crossing->searched == 0 &&
                          signs->skips_points && crossing_search_counts(crossing, 0) &&
                          signs->side[0] != 0 && sign(signs->before[0]) == signs->side[0];
    const real theta =
        is_plain ? noe_step_root(crossing->part, work, signs->before[0], signs->after[0]) : 0;
    return theta > 0 && crossing_search_ends(crossing, theta);
}

enum noe_status crossing_find(struct crossing *crossing, struct noe_work *work,
                              struct noe_error *error) {
    struct noe_error why;
    if (finds_root(crossing, work)) return NOE_OK;
    while (crossing_search_next(crossing) == CROSSING_PART) {
        const real h = crossing->search.theta * crossing->search.h;
        enum noe_status status = noe_step_part(crossing->part, work, h, crossing->here, &why);
        if (status != NOE_OK)
            return status_set(error, status, "on the way to a crossing: %.400s", why.text);
        status = check(crossing, crossing->part, crossing->here, error);
        if (status != NOE_OK) return status;
        crossing_search_answer(crossing);
    }
    return NOE_OK;
}
