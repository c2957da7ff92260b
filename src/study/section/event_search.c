/* The search for zeros in one step, as questions and answers: who asks where the functions are at a
 * part theta of the step is told later, and may ask of several steps at once. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "study/section/event_finder.h"

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

enum phase { BEGIN, DIP, NARROW, BEYOND, CLOSE, END };

bool event_search_counts(const struct event_finder *crossing, int i) {
    return !crossing->only_stops || !crossing->system->crossing[i].name;
}

static int sign(real x) { return (x > 0) - (x < 0); }

static bool has_crossed(const struct event_finder *crossing, int i, real value) {
    const int side = crossing->scan.side[i];
    return side != 0 && sign(value) != side && event_search_counts(crossing, i);
}

/* Of the functions that have crossed at `values`, the one whose zero seems to come first after
 * `before`; -1: none has. */
static int first_crossed(const struct event_finder *crossing, const real *before,
                         const real *values) {
    const int count = crossing->system->nevents;
    int first = -1;
    real nearest = 2;
    for (int i = 0; i < count; i++) {
        if (!has_crossed(crossing, i, values[i])) continue;
        if (count == 1) return i;
        const real place = before[i] / (before[i] - values[i]);
        if (place >= nearest && first >= 0) continue;
        first = i;
        nearest = place;
    }
    return first;
}

/* By inverse quadratic interpolation through three points (a Lagrange polynomial of theta over the
 * values), else by the secant. */
static real interpolate(const struct event_finder *crossing) {
    const struct event_search *search = &crossing->search;
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
static real next_point(const struct event_finder *crossing) {
    enum { PATIENCE = 6 };
    const struct event_search *search = &crossing->search;
    const real middle = search->low + (search->high - search->low) / 2;
    const bool is_lame = search->tries >= PATIENCE && search->tries % 3 == 0;
    const real point = is_lame ? middle : interpolate(crossing);
    return point > search->low && point < search->high ? point : middle;
}

static void swap(real **a, real **b) {
    real *kept = *a;
    *a = *b;
    *b = kept;
}

/* The current point takes the place of an end of the bracket, which becomes the third point. */
static void replace_end(struct event_finder *crossing, bool is_beyond) {
    struct event_search *search = &crossing->search;
    real *end = is_beyond ? &search->high : &search->low;
    swap(&crossing->other, &crossing->here);
    swap(&crossing->other, is_beyond ? &crossing->high : &crossing->low);
    search->other = *end;
    *end = search->theta;
    search->has_other = true;
    if (is_beyond) search->high_is_part = true;
}

/* The same without a third point. */
static void move_end(struct event_finder *crossing, bool is_beyond) {
    struct event_search *search = &crossing->search;
    swap(&crossing->here, is_beyond ? &crossing->high : &crossing->low);
    *(is_beyond ? &search->high : &search->low) = search->theta;
    search->high_is_part |= is_beyond;
}

static size_t bytes(const struct event_finder *crossing) {
    return 2 * (size_t)crossing->system->nevents * sizeof *crossing->here;
}

/* Is the current point the zero, as well as theta can be resolved? It is, too, if the point before
 * was so near that interpolation has no error left but round-off. */
static bool is_zero(struct event_finder *crossing) {
    struct event_search *search = &crossing->search;
    const int i = search->target;
    const real start = noe_abs(crossing->scan.before[i]), end = noe_abs(crossing->scan.after[i]);
    const real change = noe_abs(crossing->high[i] - crossing->low[i]);
    const real size = noe_abs(crossing->here[i]), range = noe_max(start, end);
    const bool is_last = search->is_near && size <= (real)1e-3 * near_enough * range;
    search->is_near = size <= near_enough * range;
    return is_last || size * (search->high - search->low) <= (real)0.5 * NOE_EPSILON * change;
}

/* The values at the zero are those of `here`. */
static void end_at(struct event_finder *crossing, real theta) {
    crossing->at = theta;
    crossing->value = crossing->here[crossing->search.target];
    crossing->search.phase = END;
}

/* A bracket that has closed around something else than a zero. */
static bool is_jump(const struct event_finder *crossing) {
    const int i = crossing->search.target;
    const real start = noe_abs(crossing->scan.before[i]), end = noe_abs(crossing->scan.after[i]);
    const real low = noe_abs(crossing->low[i]), high = noe_abs(crossing->high[i]);
    const real min = noe_min(noe_min(low, high), noe_abs(crossing->value));
    return crossing->search.is_lost || min > jump_left * noe_max(start, end);
}

/* Searches from the point where the last crossing was found to the end of the step. */
static void set_bracket(struct event_finder *crossing) {
    struct event_search *search = &crossing->search;
    search->low = crossing->searched;
    search->high = 1;
    search->has_other = search->high_is_part = search->is_lost = search->is_near = false;
    memcpy(crossing->low, crossing->base, bytes(crossing));
    memcpy(crossing->high, crossing->scan.after, bytes(crossing));
}

/* --- A function that has the same sign at both ends, and another between. */

/* Do the tangents of a function on one side, at the ends of the bracket, meet on the other? Where
 * it is convex, it does not cross zero twice if they do not. */
static bool may_dip(const struct event_finder *crossing, int i) {
    const struct event_search *search = &crossing->search;
    const int count = crossing->system->nevents;
    const real s = crossing->scan.side[i], width = (search->high - search->low) * search->h;
    const real f0 = s * crossing->low[i], f1 = s * crossing->high[i];
    const real rate0 = s * crossing->low[count + i], rate1 = s * crossing->high[count + i];
    if (!(f0 > 0 && f1 > 0 && width > 0 && rate0 < 0 && rate1 > 0)) return false;
    return f0 + rate0 * ((f0 - f1 + rate1 * width) / (rate1 - rate0)) <= 0;
}

/* Asks towards the minimum of a function between the ends of the bracket, where its rate is zero,
 * until it has crossed there or cannot any more. */
static bool asks_dip(struct event_finder *crossing) {
    struct event_search *search = &crossing->search;
    const int count = crossing->system->event_rates ? crossing->system->nevents : 0;
    for (; search->dip < count; search->dip++) {
        const int i = search->dip, rate = crossing->system->nevents + i;
        const real width = search->high - search->low;
        if (event_search_counts(crossing, i) && may_dip(crossing, i) && width > 1e3 * NOE_EPSILON) {
            const real part = crossing->low[rate] / (crossing->low[rate] - crossing->high[rate]);
            search->theta = search->low + width * noe_min(noe_max(part, (real)0.1), (real)0.9);
            return true;
        }
        set_bracket(crossing);
    }
    search->phase = NARROW;
    return false;
}

/* Once it has crossed, the search goes on from the beginning to there. */
static void answer_dip(struct event_finder *crossing) {
    struct event_search *search = &crossing->search;
    const int i = search->dip, rate = crossing->system->nevents + i;
    const int side = crossing->scan.side[i];
    const bool is_found = sign(crossing->here[i]) == -side;
    move_end(crossing, is_found || crossing->here[rate] * (real)side > 0);
    if (!is_found) return;
    search->low = crossing->searched;
    memcpy(crossing->low, crossing->base, bytes(crossing));
    search->phase = NARROW;
}

/* --- From a bracket, at whose beginning no function has crossed and at whose end some have, to the
 * first crossing: it becomes narrower until the function is zero to round-off or the ends are
 * neighbours. */

/* Asks for a point between the ends. Where the whole step did cross, and its parts may not, asks
 * how much more than the whole does. */
static bool asks_point(struct event_finder *crossing) {
    enum { ENOUGH = 6 };
    struct event_search *search = &crossing->search;
    if (crossing->high[search->target] == 0 && !search->high_is_part) {
        memcpy(crossing->here, crossing->high, bytes(crossing));
        end_at(crossing, search->high);
        return false;
    }
    search->theta = next_point(crossing);
    if (search->high - search->low <= 2 * NOE_EPSILON) {
        search->theta = search->high;
        search->phase = CLOSE;
    } else if (!search->high_is_part && (search->theta > nearly_whole || search->tries >= ENOUGH)) {
        search->theta = 1;
        search->has_other = false;
        search->phase = BEYOND;
    }
    return true;
}

static void answer_point(struct event_finder *crossing) {
    struct event_search *search = &crossing->search;
    const int scan_events = first_crossed(crossing, crossing->low, crossing->here);
    search->tries++;
    if (is_zero(crossing) && (scan_events < 0 || scan_events == search->target))
        end_at(crossing, search->theta);
    else
        replace_end(crossing, scan_events >= 0);
}

static void answer_beyond(struct event_finder *crossing) {
    struct event_search *search = &crossing->search;
    const real theta = search->theta;
    const bool is_beyond = first_crossed(crossing, crossing->low, crossing->here) >= 0;
    move_end(crossing, is_beyond);
    search->theta = theta == 1 ? (real)1.001 : 4 * theta - 3;
    if (is_beyond) {
        search->tries++;
        search->phase = NARROW;
    } else if (search->theta > theta_most) {
        search->is_lost = true;
        search->phase = END;
    }
}

/* --- All together. */

static bool is_wanted(const struct event_finder *crossing, int i, int side) {
    return crossing->scan.from[i] == 0 || crossing->scan.from[i] == side;
}

/* Goes on behind what was found. A jump is left out until the next step. */
static bool passes(struct event_finder *crossing) {
    const int target = crossing->search.target;
    int *side = &crossing->scan.side[target];
    const bool is_found = !is_jump(crossing), is_taken = is_wanted(crossing, target, *side);
    *side = is_found ? -*side : 0;
    crossing->search.phase = BEGIN;
    if (!is_found) return false;
    crossing->searched = crossing->at;
    memcpy(crossing->base, crossing->here, bytes(crossing));
    return is_taken;
}

static enum event_finder_wish end(struct event_finder *crossing) {
    for (int i = 0; i < crossing->system->nevents; i++)
        crossing->scan.side[i] = sign(crossing->scan.after[i]);
    crossing->search.phase = BEGIN;
    crossing->searched = 1;
    return EVENT_NONE;
}

bool event_search_ends(struct event_finder *crossing, real theta) {
    const bool is_taken = is_wanted(crossing, 0, crossing->scan.side[0]);
    end(crossing);
    crossing->found = is_taken ? 0 : -1;
    crossing->at = theta;
    crossing->value = 0;
    return is_taken;
}

void event_search_begin(struct event_finder *crossing, real h) {
    crossing->searched = 0;
    crossing->search.h = h;
    crossing->search.phase = BEGIN;
    memcpy(crossing->base, crossing->scan.before, bytes(crossing));
}

enum event_finder_wish event_search_next(struct event_finder *crossing) {
    struct event_search *search = &crossing->search;
    crossing->found = -1;
    for (;;) {
        switch (search->phase) {
        case BEGIN:
            if (crossing->searched >= 1) return end(crossing);
            set_bracket(crossing);
            search->dip = search->tries = 0;
            search->phase = DIP;
            break;
        case DIP:
            if (asks_dip(crossing)) return EVENT_PART;
            break;
        case NARROW:
            search->target = first_crossed(crossing, crossing->low, crossing->high);
            if (search->target < 0) return end(crossing);
            if (asks_point(crossing)) return EVENT_PART;
            break;
        case END:
            if (!passes(crossing)) break;
            crossing->found = search->target;
            return EVENT_FOUND;
        default: return EVENT_PART;
        }
    }
}

void event_search_answer(struct event_finder *crossing) {
    switch (crossing->search.phase) {
    case DIP: answer_dip(crossing); break;
    case NARROW: answer_point(crossing); break;
    case BEYOND: answer_beyond(crossing); break;
    default: end_at(crossing, crossing->search.theta); break;
    }
}
