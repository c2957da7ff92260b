/* Where the crossing functions of a system change their sign along a run.
 *
 * A sign that changed from one step to the next has a zero between. It is found by the method
 * itself: the step is taken again with length theta h until theta is known to round-off. What is
 * found is thus as good a state of the method as the ends of its steps. A method that remembers
 * earlier steps takes a part of a step without them, and so the whole step may end elsewhere by the
 * method's error: then theta may lie a little above 1. */
/* SPDX-License-Identifier: MIT */
#include "study/crossing.h"

#include <string.h>

#include "base/status.h"

/* A start this near to zero, in units of the first step's change, is zero but for rounding. */
static const real start_noise = 1e6 * NOE_EPSILON;
/* A function that does not come nearer to zero than this part of its values at the ends of the
 * step has a jump or a pole there, not a zero. */
static const real jump_left = 0.01;
/* From so small a part of the values at the ends of the step interpolation leads to round-off. */
#ifdef NOE_QUAD
static const real near_enough = 1e-23Q;
#else
static const real near_enough = 1e-11;
#endif
/* Where the whole step is asked for as well. */
static const real nearly_whole = 0.99;
/* How far beyond the end of a step its zero may lie. */
static const real theta_most = 1.5;

/* A search in the last step, of length h: a zero lies in (low, high], in units of h. */
struct search {
    struct crossing *crossing;
    struct noe_work *work;
    struct noe_error *error;
    real h, low, high, other;
    bool has_other;    /* a third point is known */
    bool high_is_part; /* what is known at `high` is of a part of a step */
    bool is_near;      /* the last point was near the zero */
    bool is_lost;      /* parts of steps do not cross, though the whole did */
    int target;        /* the function whose zero is being approached */
};

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

static bool counts(const struct crossing *crossing, int i) {
    return !crossing->only_stops || !crossing->system->crossing[i].name;
}

/* Inside a step an infinite value is one side of a pole, which is passed over. */
static enum noe_status check(const struct crossing *crossing, const struct noe_work *work,
                             const real *values, struct noe_error *error) {
    const struct noe_system *system = crossing->system;
    const struct noe_state *now = noe_now(work);
    const bool is_inside = work == crossing->part;
    for (int i = 0; i < system->ncrossings; i++)
        if (counts(crossing, i) &&
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

/* Takes the last step again, to the part `theta` of its length. */
static enum noe_status go_to(struct search *search, real theta) {
    struct noe_error why;
    struct crossing *crossing = search->crossing;
    const enum noe_status status =
        noe_step_part(crossing->part, search->work, theta * search->h, crossing->here, &why);
    if (status != NOE_OK)
        return status_set(search->error, status, "on the way to a crossing: %.400s", why.text);
    return check(crossing, crossing->part, crossing->here, search->error);
}

static int sign(real x) { return (x > 0) - (x < 0); }

static bool has_crossed(const struct crossing *crossing, int i, real value) {
    const int side = crossing->signs.side[i];
    return side != 0 && sign(value) != side && counts(crossing, i);
}

/* Of the functions that have crossed at `values`, the one whose zero seems to come first after
 * `before`; -1: none has. */
static int first_crossed(const struct crossing *crossing, const real *before, const real *values) {
    int first = -1;
    real nearest = 2;
    for (int i = 0; i < crossing->system->ncrossings; i++) {
        if (!has_crossed(crossing, i, values[i])) continue;
        const real place = before[i] / (before[i] - values[i]);
        if (place >= nearest && first >= 0) continue;
        first = i;
        nearest = place;
    }
    return first;
}

/* By inverse quadratic interpolation through three points (a Lagrange polynomial of theta over the
 * values), else by the secant. */
static real interpolate(const struct search *search) {
    const struct crossing *crossing = search->crossing;
    const int i = search->target;
    const real a = search->low, b = search->high, c = search->other;
    const real fa = crossing->low[i], fb = crossing->high[i], fc = crossing->other[i];
    const real secant = a + (b - a) * (fa / (fa - fb));
    if (!search->has_other || fa == fc || fb == fc) return secant;
    const real point = a * (fb * fc) / ((fa - fb) * (fa - fc)) +
                       b * (fa * fc) / ((fb - fa) * (fb - fc)) +
                       c * (fa * fb) / ((fc - fa) * (fc - fb));
    return point > a && point < b ? point : secant;
}

/* The next point to try. Interpolation is left for the middle every third time once it should have
 * ended: what is interpolated is then far from a polynomial. */
static real next_point(const struct search *search, int tries) {
    enum { PATIENCE = 6 };
    const real middle = search->low + (search->high - search->low) / 2;
    const real point = tries >= PATIENCE && tries % 3 == 0 ? middle : interpolate(search);
    return point > search->low && point < search->high ? point : middle;
}

static void swap(real **a, real **b) {
    real *kept = *a;
    *a = *b;
    *b = kept;
}

/* The current point takes the place of an end of the bracket, which becomes the third point. */
static void replace_end(struct search *search, real theta, bool is_beyond) {
    struct crossing *crossing = search->crossing;
    real *end = is_beyond ? &search->high : &search->low;
    swap(&crossing->other, &crossing->here);
    swap(&crossing->other, is_beyond ? &crossing->high : &crossing->low);
    search->other = *end;
    *end = theta;
    search->has_other = true;
    if (is_beyond) search->high_is_part = true;
}

static size_t bytes(const struct crossing *crossing) {
    return 2 * (size_t)crossing->system->ncrossings * sizeof *crossing->here;
}

/* The whole step did cross: do its parts? If not, how much more than the whole? */
static enum noe_status go_beyond(struct search *search) {
    struct crossing *crossing = search->crossing;
    search->has_other = false;
    for (real theta = 1; theta <= theta_most; theta = theta == 1 ? (real)1.001 : 4 * theta - 3) {
        const enum noe_status status = go_to(search, theta);
        if (status != NOE_OK) return status;
        search->high_is_part = first_crossed(crossing, crossing->low, crossing->here) >= 0;
        swap(&crossing->here, search->high_is_part ? &crossing->high : &crossing->low);
        *(search->high_is_part ? &search->high : &search->low) = theta;
        if (search->high_is_part) return NOE_OK;
    }
    search->is_lost = true;
    return NOE_OK;
}

/* Is the current point the zero, as well as theta can be resolved? It is, too, if the point before
 * was so near that interpolation has no error left but round-off. */
static bool is_zero(struct search *search) {
    const struct crossing *crossing = search->crossing;
    const int i = search->target;
    const real start = noe_abs(crossing->signs.before[i]), end = noe_abs(crossing->signs.after[i]);
    const real slope = (crossing->high[i] - crossing->low[i]) / (search->high - search->low);
    const real size = noe_abs(crossing->here[i]), range = noe_max(start, end);
    const bool is_last = search->is_near && size <= (real)1e-3 * near_enough * range;
    search->is_near = size <= near_enough * range;
    return is_last || size <= (real)0.5 * NOE_EPSILON * noe_abs(slope);
}

static void take_found(struct search *search, real theta, const real *values) {
    search->crossing->at = theta;
    search->crossing->value = values[search->target];
}

/* From a bracket, at whose beginning no function has crossed and at whose end some have, to the
 * first crossing: narrows it until the function is zero to round-off or the ends are neighbours.
 * The values at the zero are those of `here`. */
static enum noe_status narrow(struct search *search) {
    enum { ENOUGH = 6 };
    struct crossing *crossing = search->crossing;
    for (int tries = 0;; tries++) {
        enum noe_status status = NOE_OK;
        search->target = first_crossed(crossing, crossing->low, crossing->high);
        if (crossing->high[search->target] == 0 && !search->high_is_part) {
            memcpy(crossing->here, crossing->high, bytes(crossing));
            break;
        }
        if (search->high - search->low <= 2 * NOE_EPSILON) {
            status = go_to(search, search->high);
            if (status != NOE_OK) return status;
            break;
        }
        const real point = next_point(search, tries);
        if (!search->high_is_part && (point > nearly_whole || tries >= ENOUGH)) {
            status = go_beyond(search);
            if (status != NOE_OK || search->is_lost) return status;
            continue;
        }
        status = go_to(search, point);
        if (status != NOE_OK) return status;
        const int crossed = first_crossed(crossing, crossing->low, crossing->here);
        if (is_zero(search) && (crossed < 0 || crossed == search->target)) {
            take_found(search, point, crossing->here);
            return NOE_OK;
        }
        replace_end(search, point, crossed >= 0);
    }
    take_found(search, search->high, crossing->here);
    return NOE_OK;
}

/* A bracket that has closed around something else than a zero. */
static bool is_jump(const struct search *search) {
    const struct crossing *crossing = search->crossing;
    const int i = search->target;
    const real start = noe_abs(crossing->signs.before[i]), end = noe_abs(crossing->signs.after[i]);
    const real low = noe_abs(crossing->low[i]), high = noe_abs(crossing->high[i]);
    const real least = noe_min(noe_min(low, high), noe_abs(crossing->value));
    return search->is_lost || least > jump_left * noe_max(start, end);
}

/* Searches from the point where the last crossing was found to the end of the step. */
static void set_bracket(struct search *search) {
    struct crossing *crossing = search->crossing;
    search->low = crossing->searched;
    search->high = 1;
    search->has_other = search->high_is_part = search->is_lost = search->is_near = false;
    memcpy(crossing->low, crossing->base, bytes(crossing));
    memcpy(crossing->high, crossing->signs.after, bytes(crossing));
}

/* Do the tangents of a function on one side, at the ends of the bracket, meet on the other? Where
 * it is convex, it does not cross zero twice if they do not. */
static bool may_dip(const struct search *search, int i) {
    const struct crossing *crossing = search->crossing;
    const int count = crossing->system->ncrossings;
    const real s = crossing->signs.side[i], width = (search->high - search->low) * search->h;
    const real f0 = s * crossing->low[i], f1 = s * crossing->high[i];
    const real rate0 = s * crossing->low[count + i], rate1 = s * crossing->high[count + i];
    if (!(f0 > 0 && f1 > 0 && width > 0 && rate0 < 0 && rate1 > 0)) return false;
    return f0 + rate0 * ((f0 - f1 + rate1 * width) / (rate1 - rate0)) <= 0;
}

/* Towards the minimum of function i between the ends of the bracket, where its rate is zero, until
 * it has crossed there or cannot any more. */
static enum noe_status seek_dip(struct search *search, int i, bool *is_found) {
    struct crossing *crossing = search->crossing;
    const int rate = crossing->system->ncrossings + i;
    *is_found = false;
    while (may_dip(search, i) && search->high - search->low > 1e3 * NOE_EPSILON) {
        const real width = search->high - search->low;
        const real part = crossing->low[rate] / (crossing->low[rate] - crossing->high[rate]);
        const real theta = search->low + width * noe_min(noe_max(part, (real)0.1), (real)0.9);
        const enum noe_status status = go_to(search, theta);
        if (status != NOE_OK) return status;
        *is_found = sign(crossing->here[i]) == -crossing->signs.side[i];
        const bool is_after = *is_found || crossing->here[rate] * (real)crossing->signs.side[i] > 0;
        swap(&crossing->here, is_after ? &crossing->high : &crossing->low);
        *(is_after ? &search->high : &search->low) = theta;
        search->high_is_part |= is_after;
        if (*is_found) return NOE_OK;
    }
    return NOE_OK;
}

/* Narrows the bracket to where a function has crossed, which it has not at the end of the step. */
static enum noe_status seek_dips(struct search *search) {
    struct crossing *crossing = search->crossing;
    if (!crossing->system->crossing_rates) return NOE_OK;
    for (int i = 0; i < crossing->system->ncrossings; i++) {
        bool is_found = false;
        if (!counts(crossing, i) || !may_dip(search, i)) continue;
        const enum noe_status status = seek_dip(search, i, &is_found);
        if (status != NOE_OK) return status;
        if (is_found) {
            search->low = crossing->searched;
            memcpy(crossing->low, crossing->base, bytes(crossing));
            return NOE_OK;
        }
        set_bracket(search);
    }
    return NOE_OK;
}

enum noe_status crossing_start(struct crossing *crossing, struct noe_work *part,
                               struct noe_work *work, const real *v, struct noe_error *error) {
    struct noe_signs *signs = &crossing->signs;
    crossing->part = part;
    crossing->found = -1;
    crossing->is_first = true;
    const enum noe_status status = evaluate(crossing, work, v, signs->after, error);
    for (int i = 0; i < crossing->system->ncrossings; i++) {
        const enum noe_crossing_direction direction = crossing->system->crossing[i].direction;
        signs->side[i] = sign(signs->after[i]);
        signs->from[i] = direction == NOE_RISING ? -1 : direction == NOE_FALLING ? 1 : 0;
    }
    return status;
}

enum noe_status crossing_look(struct crossing *crossing, struct noe_work *work, const real *v,
                              struct noe_error *error) {
    swap(&crossing->signs.before, &crossing->signs.after);
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

enum noe_status crossing_begin(struct crossing *crossing, struct noe_work *work,
                               struct noe_error *error) {
    if (crossing->is_first) forgive_start(crossing);
    crossing->is_first = false;
    crossing->searched = 0;
    memcpy(crossing->base, crossing->signs.before, bytes(crossing));
    return check(crossing, work, crossing->signs.after, error);
}

static bool is_wanted(const struct crossing *crossing, int i, int side) {
    return crossing->signs.from[i] == 0 || crossing->signs.from[i] == side;
}

/* Goes on behind what was found. A jump is left out until the next step. */
static void pass(struct search *search, bool is_found) {
    struct crossing *crossing = search->crossing;
    int *side = &crossing->signs.side[search->target];
    *side = is_found ? -*side : 0;
    if (!is_found) return;
    crossing->searched = crossing->at;
    memcpy(crossing->base, crossing->here, bytes(crossing));
}

enum noe_status crossing_find(struct crossing *crossing, struct noe_work *work,
                              struct noe_error *error) {
    struct noe_signs *signs = &crossing->signs;
    struct search search = {crossing, work, error, .h = noe_now(work)->h};
    crossing->found = -1;
    while (crossing->searched < 1) {
        set_bracket(&search);
        enum noe_status status = seek_dips(&search);
        if (status == NOE_OK && first_crossed(crossing, crossing->low, crossing->high) < 0) break;
        if (status == NOE_OK) status = narrow(&search);
        if (status != NOE_OK) return status;
        const int side = signs->side[search.target];
        const bool is_found = !is_jump(&search);
        pass(&search, is_found);
        if (!is_found || !is_wanted(crossing, search.target, side)) continue;
        crossing->found = search.target;
        return NOE_OK;
    }
    for (int i = 0; i < crossing->system->ncrossings; i++) signs->side[i] = sign(signs->after[i]);
    return NOE_OK;
}
