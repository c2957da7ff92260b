/* Event detection: steps with checks for sign changes of the event functions, and substeps. */
/* SPDX-License-Identifier: MIT */
#include "engine/events.h"

#include "engine/event_root.h"

/* A function f > 0 that falls at the start of a step and rises at its end has a minimum between
 * them. A convex f lies above its tangents, so it can cross zero only if these meet below zero. */
REAL_INLINE bool events_dips(real f0, real f1, real rate0, real rate1, real h) {
    if (!(rate0 < 0 && rate1 > 0)) return false;
    const real x = (f0 - f1 + rate1 * h) / (rate1 - rate0);
    return f0 + rate0 * x <= 0;
}

/* True if an event function changed its sign. Otherwise updates the sides to those at the end. */
REAL_INLINE bool events_compare(const struct noe_work *work, struct event_scan *scan) {
    const int count = work_problem(work)->system->nevents;
    const real *before = scan->before, *after = scan->after, h = work->now->h;
    bool has_changed = false;
    for (int i = 0; i < count; i++) {
        const int side = scan->side[i], sign = (after[i] > 0) - (after[i] < 0);
        const bool is_wanted = scan->from[i] == 0 || scan->from[i] == side;
        const real s = (real)side;
        if (!real_is_finite(after[i])) has_changed = true;
        if (side != 0 && sign != side && is_wanted) has_changed = true;
        if (side != 0 && sign == side &&
            events_dips(s * before[i], s * after[i], s * before[count + i], s * after[count + i],
                        h))
            has_changed = true;
    }
    for (int i = 0; i < count && !has_changed; i++) scan->side[i] = (after[i] > 0) - (after[i] < 0);
    return has_changed;
}

/* Computes velocity, energy and event functions at the end of a step. */
REAL_INLINE enum noe_status events_look(struct noe_work *work, struct event_scan *scan) {
    real energy;
    const enum noe_status status = advance_energy(work, &energy);
    const real deviation = noe_abs(energy - scan->energy);
    scan->has_failed = status != NOE_OK || !real_is_finite(energy);
    if (scan->has_failed) return status != NOE_OK ? status : NOE_NOT_FINITE;
    scan->count++;
    scan->energy_sum += deviation;
    scan->energy_max = noe_max(scan->energy_max, deviation);
    real *before = scan->before;
    scan->before = scan->after;
    scan->after = before;
    events_evaluate(work, scan->after);
    return NOE_OK;
}

#ifdef NOE_KERNEL_EVENTS
/* The event functions depend on time and velocity alone, and their rates are unknown. */
REAL_INLINE bool interval_has_event(struct noe_interval *interval, long k, const real *p) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    struct event_scan *scan = interval->scan;
    if (!scan) return false;
    enum { COUNT = NOE_KERNEL_EVENTS };
    const real t = interval->origin + (scalar)k * interval->h;
    real v[SMALL_MAX], values[COUNT];
    bool is_seen = legendre_velocity(interval->legendre, t, interval->from->q, p, v) != NOE_OK;
    real energy = -system->lagrangian(self, t, interval->from->q, v);
    for (int i = 0; i < system->n; i++) energy += p[i] * v[i];
    system->events(self, t, interval->from->q, v, values);
    for (int i = 0; i < COUNT; i++) {
        const int side = scan->side[i], sign = (values[i] > 0) - (values[i] < 0);
        const bool is_wanted = scan->from[i] == 0 || scan->from[i] == side;
        is_seen |= !real_is_finite(values[i]) || (side != 0 && sign != side && is_wanted);
    }
    if (is_seen || !real_is_finite(energy)) return true;
    const real deviation = noe_abs(energy - scan->energy);
    scan->count++;
    scan->energy_sum += deviation;
    scan->energy_max = noe_max(scan->energy_max, deviation);
    for (int i = 0; i < COUNT; i++) {
        scan->after[i] = values[i];
        scan->side[i] = (values[i] > 0) - (values[i] < 0);
    }
    return false;
}

REAL_INLINE void interval_keep_event_start(struct noe_interval *interval, const real *p) {
    const int n = interval_problem(interval)->system->n;
    for (int i = 0; i < n; i++) interval->event_start[i] = p[i];
}

/* The last of several steps has the event: the state before it becomes the one that `next` holds,
 * with the momentum p. */
static void events_move_start(struct noe_work *work, const real *p) {
    struct noe_interval *interval = &work->interval;
    struct noe_state *from = work->next;
    from->k = work->now->k - 1;
    from->t = interval->t = interval->origin + (scalar)from->k * interval->h;
    from->h = interval->h;
    for (int i = 0; i < work_problem(work)->system->n; i++) {
        from->p[i] = p[i];
        from->p_carry[i] = real_broadcast(0);
    }
    interval->taken = 1;
}

/* Steps of a kernel that detects events itself. It counts the steps without events. */
static enum noe_status events_advance(struct noe_work *work, long count, struct event_scan *scan) {
    if (!scan->skips_points) return advance_steps(work, 1);
    const long first = work->now->k, counted = scan->count;
    real start[SMALL_MAX];
    advance_interval(work, work->h_next);
    work->interval.is_fixed = false;
    work->interval.skips_points = true;
    work->interval.scan = scan;
    work->interval.event_start = start;
    const enum noe_status status = advance_step(work, true, count);
    work->interval.scan = NULL;
    if (status != NOE_OK) return status;
    const long taken = work->now->k - first;
    if (taken > 1 && scan->count - counted < taken) events_move_start(work, start);
    return NOE_OK;
}
#else
static enum noe_status events_advance(struct noe_work *work, long count, struct event_scan *scan) {
    (void)count, (void)scan;
    return advance_steps(work, 1);
}
#endif

enum noe_status events_steps(struct noe_work *work, long count, struct event_scan *scan) {
    const long end = work->now->k + count;
    scan->has_changed = scan->has_failed = false;
    while (work->now->k < end && !scan->has_changed) {
        const long seen = scan->count - work->now->k;
        enum noe_status status = events_advance(work, end - work->now->k, scan);
        if (status != NOE_OK) return status;
        if (scan->count - work->now->k == seen) continue; /* the kernel has counted them all */
        status = events_look(work, scan);
        if (status != NOE_OK) return status;
        scan->has_changed = events_compare(work, scan);
    }
    return NOE_OK;
}

static void events_copy(int count, real *to, const real *from) {
    for (int i = 0; i < count; i++) to[i] = from[i];
}

/* Moves `part` to the start of the last step of `work`. */
REAL_INLINE void events_place(struct noe_work *part, const struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    const int n = problem->system->n, m = constraint_count(problem->system);
    const struct noe_state *from = work->next;
    struct noe_state *now = part->now, arrays = *now;
    *now = *from;
    now->q = arrays.q;
    now->p = arrays.p;
    now->q_carry = arrays.q_carry;
    now->p_carry = arrays.p_carry;
    now->multipliers = arrays.multipliers;
    events_copy(problem->np, now->q, from->q);
    events_copy(n, now->p, from->p);
    events_copy(n, now->q_carry, from->q_carry);
    events_copy(n, now->p_carry, from->p_carry);
    events_copy(m, now->multipliers, from->multipliers);
    events_copy(n + m, part->interval.velocity, work->interval.velocity);
    part->t0 = work->interval.is_fixed ? work->t0_before : work->t0;
    part->h = work->h;
    part->h_next = work->h_next;
    for (int lane = 0; lane < REAL_LANES; lane++) {
        part->interval.seed[lane] = work->interval.seed[lane];
        part->interval.member[lane] = work->interval.member[lane];
    }
    part->has_start = true;
    part->interval.is_active = mask_broadcast(true);
}

enum noe_status events_part(struct noe_work *part, const struct noe_work *work, real h,
                            real *values) {
    real energy;
    events_place(part, work);
    advance_set_step_size(part, h);
    part->interval.skips_points = work->interval.skips_points;
    enum noe_status status = advance_step(part, kernel_takes_steps(work_problem(work)), 1);
    if (status != NOE_OK || !values) return status;
    status = advance_energy(part, &energy);
    events_evaluate(part, values);
    return status;
}

/* Compiled only if the method of the specialised stepper has the `drive` function. */
#if defined NOE_KERNEL_EVENTS || !defined NOE_SPECIALISED
real events_root(struct noe_work *part, const struct noe_work *work, real before, real after) {
    events_place(part, work);
    const struct root_step step = {work->next->t, work->now->h, work->next->p, before, after};
    return root_find(part, &step, mask_broadcast(true));
}
#endif
