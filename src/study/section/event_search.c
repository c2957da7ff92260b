/* Root finding within one step as a coroutine. It requests function values at a fraction theta of
 * the step and continues when they are supplied, so that a caller can interleave the searches of
 * several steps. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "study/section/event_finder.h"

/* A function that stays above this fraction of its values at the ends of the step has a jump or a
 * pole, not a zero. */
static const real jump_left = 0.01;
/* Below this fraction of the values at the ends of the step, the interpolation error is
 * negligible. */
#ifdef NOE_QUAD
static const real near_enough = 1e-23Q;
#else
static const real near_enough = 1e-11;
#endif
/* Above this fraction, the substep theta = 1 is evaluated as well. */
static const real nearly_whole = 0.99;
/* Upper limit of theta for events slightly beyond the end of a step. */
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

/* Among the functions that have changed sign at `values`, the one whose zero after `before` is
 * estimated to be the first; -1 if none has. */
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

/* Inverse quadratic interpolation through three points (a Lagrange polynomial of theta over the
 * values), or the secant. */
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

/* The next point to try. After PATIENCE iterations every third one bisects, because the function is
 * then far from a polynomial. */
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

/* Replaces an end of the bracket by the current point. The old end becomes the third point. */
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

/* Replaces an end of the bracket by the current point, without a third point. */
static void move_end(struct event_finder *crossing, bool is_beyond) {
    struct event_search *search = &crossing->search;
    swap(&crossing->here, is_beyond ? &crossing->high : &crossing->low);
    *(is_beyond ? &search->high : &search->low) = search->theta;
    search->high_is_part |= is_beyond;
}

static size_t bytes(const struct event_finder *crossing) {
    return 2 * (size_t)crossing->system->nevents * sizeof *crossing->here;
}

/* True if the current point is the zero within the resolution of theta, or if the previous point
 * was so close that only round-off is left. */
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

/* Ends the search at theta with the values in `here`. */
static void end_at(struct event_finder *crossing, real theta) {
    crossing->at = theta;
    crossing->value = crossing->here[crossing->search.target];
    crossing->search.phase = END;
}

/* True if the bracket closed around a jump or a pole. */
static bool is_jump(const struct event_finder *crossing) {
    const int i = crossing->search.target;
    const real start = noe_abs(crossing->scan.before[i]), end = noe_abs(crossing->scan.after[i]);
    const real low = noe_abs(crossing->low[i]), high = noe_abs(crossing->high[i]);
    const real min = noe_min(noe_min(low, high), noe_abs(crossing->value));
    return crossing->search.is_lost || min > jump_left * noe_max(start, end);
}

/* Sets the bracket from the last event found to the end of the step. */
static void set_bracket(struct event_finder *crossing) {
    struct event_search *search = &crossing->search;
    search->low = crossing->searched;
    search->high = 1;
    search->has_other = search->high_is_part = search->is_lost = search->is_near = false;
    memcpy(crossing->low, crossing->base, bytes(crossing));
    memcpy(crossing->high, crossing->scan.after, bytes(crossing));
}

/* Double zeros: a function that has the same sign at both ends of the bracket and the other sign
 * between them. */

/* True if the tangents at the ends of the bracket meet on the other side of zero. A convex function
 * has no zeros between them otherwise. */
static bool may_dip(const struct event_finder *crossing, int i) {
    const struct event_search *search = &crossing->search;
    const int count = crossing->system->nevents;
    const real s = crossing->scan.side[i], width = (search->high - search->low) * search->h;
    const real f0 = s * crossing->low[i], f1 = s * crossing->high[i];
    const real rate0 = s * crossing->low[count + i], rate1 = s * crossing->high[count + i];
    if (!(f0 > 0 && f1 > 0 && width > 0 && rate0 < 0 && rate1 > 0)) return false;
    return f0 + rate0 * ((f0 - f1 + rate1 * width) / (rate1 - rate0)) <= 0;
}

/* Requests a point near the minimum of a function, where its rate is zero, until it has changed
 * sign or no longer can. */
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

/* When the sign has changed, the search continues from the start of the bracket to this point. */
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

/* Bracketing: no function has changed sign at the low end, and some have at the high end. The
 * bracket shrinks until the function is zero to round-off or the ends are adjacent numbers. */

/* Requests a point inside the bracket. If the step changes sign but its substeps may not, requests
 * points slightly beyond the end. */
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
    const int first = first_crossed(crossing, crossing->low, crossing->here);
    search->tries++;
    if (is_zero(crossing) && (first < 0 || first == search->target))
        end_at(crossing, search->theta);
    else
        replace_end(crossing, first >= 0);
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

static bool is_wanted(const struct event_finder *crossing, int i, int side) {
    return crossing->scan.from[i] == 0 || crossing->scan.from[i] == side;
}

/* Continues after the zero that was found. A jump is ignored until the next step. */
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
