/* Event log of a batch: detects sign changes of the event functions in every lane. A step with a
 * sign change is logged, and the runs continue. */
/* SPDX-License-Identifier: MIT */
#include "engine/lanes/event_log.h"

/* Called twice, to measure and to carve the memory. */
static struct event_log *event_log_layout(struct arena *arena, const struct noe_problem *problem) {
    struct event_log measured = {0}, *carved = arena_take(arena, sizeof measured);
    struct event_log *notes = carved ? carved : &measured;
    const struct noe_system *system = problem->system;
    const int c = system->nevents, m = constraint_count(system);
#ifdef NOE_KERNEL_EVENTS
    notes->nstate = system->n + 1;
    notes->momenta = arena_reals(arena, (size_t)(EVENT_LOG_BLOCK * system->n));
    notes->functions = arena_reals(arena, (size_t)(EVENT_LOG_BLOCK * c));
    (void)m;
#else
    notes->nstate = 5 + problem->np + 4 * system->n + 2 * m;
#endif
    notes->nrow = event_log_head(system) + notes->nstate;
    notes->side = arena_reals(arena, (size_t)c);
    notes->from = arena_reals(arena, (size_t)c);
    notes->after = arena_reals(arena, 2 * (size_t)c);
    notes->values = arena_reals(arena, 2 * (size_t)c);
    notes->placed = arena_reals(arena, (size_t)notes->nstate);
    const size_t numbers = (size_t)REAL_LANES * EVENT_LOG_ROOM * (size_t)notes->nrow;
    notes->row = arena_take(arena, numbers * sizeof(scalar));
    notes->part = work_layout(arena, problem);
    return carved;
}

static size_t event_log_bytes(const struct noe_problem *problem) {
    struct arena arena = {0};
    event_log_layout(&arena, problem);
    return arena.used;
}

static enum noe_status event_log_open(void *memory, void *batch,
                                      const struct noe_problem *problem) {
    struct arena arena = {.base = memory};
    struct event_log *notes = event_log_layout(&arena, problem);
    notes->runs = batch;
    const enum noe_status status = work_open(notes->part, &notes->runs->problem);
    notes->part->legendre.system = &notes->runs->system;
    for (int i = 0; i < problem->system->nevents; i++) {
        const enum noe_event_direction direction = problem->system->crossing[i].direction;
        notes->from[i] = real_broadcast(direction == NOE_RISING    ? -1
                                        : direction == NOE_FALLING ? 1
                                                                   : 0);
    }
    return status;
}

static void event_log_close(void *memory) { work_close(((struct event_log *)memory)->part); }

REAL_INLINE real event_log_sign(real x) {
    return real_select(x > 0, real_broadcast(1),
                       real_select(x < 0, real_broadcast(-1), real_broadcast(0)));
}

/* Logs step k of a lane, which began at `state`. */
static void event_log_write(struct event_log *notes, int lane, long k, struct noe_state *state,
                            const real *values) {
    const int c = work_problem(notes->part)->system->nevents;
    struct event_log_array array[EVENT_LOG_ARRAYS];
    scalar *row = notes->row + (lane * EVENT_LOG_ROOM + notes->count[lane]++) * notes->nrow;
    *row++ = (scalar)k;
    *row++ = REAL_LANE(state->t, lane);
    for (int i = 0; i < 2 * c; i++) *row++ = REAL_LANE(notes->after[i], lane);
    for (int i = 0; i < 2 * c; i++) *row++ = REAL_LANE(values[i], lane);
    for (int i = 0; i < c; i++) *row++ = REAL_LANE(notes->side[i], lane);
    event_log_arrays(notes->runs->work, state, array);
    for (int a = 0; a < EVENT_LOG_ARRAYS; a++)
        for (int i = 0; i < array[a].count; i++) *row++ = REAL_LANE(array[a].numbers[i], lane);
}

/* Lanes in which function i may have crossed zero twice, as in events_dips. */
REAL_INLINE mask event_log_dips(const struct event_log *notes, int i, const real *values, real h) {
    const int rate = work_problem(notes->part)->system->nevents + i;
    const real s = notes->side[i], f0 = s * notes->after[i], f1 = s * values[i];
    const real rate0 = s * notes->after[rate], rate1 = s * values[rate];
    const mask is_bent = (f1 > 0) & (rate0 < 0) & (rate1 > 0);
    if (!mask_any(is_bent)) return is_bent;
    return is_bent & (f0 + rate0 * ((f0 - f1 + rate1 * h) / (rate1 - rate0)) <= 0);
}

/* Lanes in which a function with these values changed its sign since the previous step. */
REAL_INLINE mask event_log_changed(const struct event_log *notes, const real *values, real h) {
    const struct noe_system *system = work_problem(notes->part)->system;
    mask has_changed = mask_broadcast(notes->is_first);
    for (int i = 0; i < system->nevents; i++) {
        const real side = notes->side[i], from = notes->from[i];
        const mask is_wanted = (from == 0) | (from == side);
        has_changed |= mask_not(real_is_finite(values[i]));
        has_changed |= (side != 0) & (event_log_sign(values[i]) != side) & is_wanted;
        if (system->event_rates) has_changed |= event_log_dips(notes, i, values, h);
    }
    return has_changed;
}

/* True if no function of any lane changed its sign and there are no rates to check. */
REAL_INLINE bool event_log_stay(const struct event_log *notes, const real *values) {
    const struct noe_system *system = work_problem(notes->part)->system;
    mask is_still = mask_broadcast(!system->event_rates && !notes->is_first);
    for (int i = 0; i < system->nevents; i++) {
        const real size = notes->side[i] * values[i];
        is_still &= (size > 0) & (size < HUGE_VAL);
    }
    return mask_all(is_still);
}

/* Logs step k, which began at `state`, in the lanes with a sign change. Returns true if a lane has
 * no room for another block. */
static bool event_log_write_lanes(struct event_log *notes, long k, struct noe_state *state,
                                  const real *values, real h) {
    const struct noe_system *system = work_problem(notes->part)->system;
    const mask is_noted =
        event_log_changed(notes, values, h) & notes->runs->work->interval.is_active;
    unsigned lanes = 0;
    bool is_full = false;
    for (int lane = 0; lane < REAL_LANES; lane++)
        lanes |= (unsigned)(REAL_LANE(is_noted, lane) != 0) << lane;
    for (; lanes; lanes &= lanes - 1) {
        const int lane = __builtin_ctz(lanes);
        event_log_write(notes, lane, k, state, values);
        is_full |= notes->count[lane] > EVENT_LOG_ROOM - EVENT_LOG_BLOCK;
    }
    for (int i = 0; i < system->nevents; i++) notes->side[i] = event_log_sign(values[i]);
    notes->is_first = false;
    return is_full;
}

REAL_INLINE void event_log_energy(struct event_log *notes, real energy) {
    const real deviation = noe_abs(energy - notes->start);
    notes->measured++;
    notes->sum += deviation;
    notes->max = real_max(deviation, notes->max);
}

#ifdef NOE_KERNEL_EVENTS
/* Checks the steps up to k that a kernel has stored since the last check, which form one block, and
 * logs those with sign changes. Returns true if a lane has no more room. */
static __attribute__((noinline)) bool event_log_look(struct event_log *notes, long k) {
    const struct noe_work *work = notes->runs->work;
    const struct noe_interval *interval = &work->interval;
    const int n = work_problem(work)->system->n;
    const real *functions = notes->functions;
    struct noe_state state = *interval->from;
    bool is_full = false;
    for (; notes->seen; notes->seen &= notes->seen - 1) {
        const int place = __builtin_ctz(notes->seen);
        const long step = k - k % EVENT_LOG_BLOCK + place;
        real after[2 * NOE_KERNEL_EVENTS] = {0};
        for (int i = 0; i < NOE_KERNEL_EVENTS; i++) {
            after[i] = functions[place * NOE_KERNEL_EVENTS + i];
            if (step > notes->looked + 1)
                notes->after[i] = functions[(place - 1) * NOE_KERNEL_EVENTS + i];
        }
        state.p = notes->momenta + place * n;
        state.t = interval->origin + (scalar)(step - 1) * interval->h;
        is_full |= event_log_write_lanes(notes, step, &state, after, interval->h);
    }
    notes->looked = k;
    for (int i = 0; i < NOE_KERNEL_EVENTS; i++) notes->after[i] = notes->last[i];
    return is_full;
}

REAL_INLINE void interval_log_momentum(struct noe_interval *interval, long k, const real *p) {
    const int n = interval_problem(interval)->system->n;
    const struct event_log *notes = (struct event_log *)interval->scan;
    if (!notes) return;
    for (int i = 0; i < n; i++) notes->momenta[k % EVENT_LOG_BLOCK * n + i] = p[i];
}

/* The log has the momentum. */
REAL_INLINE void interval_keep_event_start(struct noe_interval *interval, const real *p) {
    (void)interval, (void)p;
}

/* As in engine/events.c, the functions depend on time and velocity alone. Every step is stored,
 * because sign changes are unpredictable and a branch per step would be mispredicted. The kernel
 * stops if the log has no more room. */
REAL_INLINE bool interval_has_event(struct noe_interval *interval, long k, const real *p) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    struct event_log *notes = (struct event_log *)interval->scan;
    if (!notes) return false;
    const long place = k % EVENT_LOG_BLOCK;
    const real t = interval->origin + (scalar)k * interval->h;
    real v[SMALL_MAX], values[NOE_KERNEL_EVENTS];
    mask is_still = mask_broadcast(!notes->is_first);
    for (int i = 0; i < system->n; i++) v[i] = p[i];
    legendre_solve(interval->legendre, v);
    real energy = -system->lagrangian(self, t, interval->from->q, v);
    for (int i = 0; i < system->n; i++) energy += p[i] * v[i];
    event_log_energy(notes, energy);
    system->events(self, t, interval->from->q, v, values);
    for (int i = 0; i < NOE_KERNEL_EVENTS; i++) {
        const real product = notes->last[i] * values[i]; /* not positive if it underflows */
        is_still &= (product > 0) & (product < HUGE_VAL);
        notes->last[i] = notes->functions[place * NOE_KERNEL_EVENTS + i] = values[i];
    }
    notes->seen |= (unsigned)!mask_all(is_still) << place;
    return place == EVENT_LOG_BLOCK - 1 && event_log_look(notes, k);
}

static long event_log_take(struct event_log *notes, long count) {
    struct noe_work *work = notes->runs->work;
    const long first = work->now->k;
    advance_interval(work, work->h_next);
    work->interval.is_fixed = false;
    work->interval.skips_points = true;
    work->interval.scan = &notes->scan;
    const noe_lane_status outcome = advance_step(work, true, count);
    event_log_look(notes, work->now->k);
    batch_hold_lost(work, outcome);
    work->interval.scan = NULL;
    return work->now->k - first;
}
#else
static long event_log_take(struct event_log *notes, long count) {
    struct noe_work *work = notes->runs->work;
    const int c = work_problem(work)->system->nevents;
    const long first = work->now->k;
    bool is_full = false;
    while (work->now->k < first + count && !is_full) {
        batch_hold_lost(work, advance_steps(work, 1));
        if (!mask_any(work->interval.is_active)) return 0;
        advance_energy(work, &notes->energy);
        events_evaluate(work, notes->values);
        event_log_energy(notes, notes->energy);
        if (!event_log_stay(notes, notes->values))
            is_full =
                event_log_write_lanes(notes, work->now->k, work->next, notes->values, work->h);
        for (int i = 0; i < 2 * c; i++) notes->after[i] = notes->values[i];
    }
    return work->now->k - first;
}
#endif

static void event_log_start(void *memory) {
    struct event_log *notes = memory;
    struct noe_work *work = notes->runs->work, *part = notes->part;
    const struct noe_system *system = work_problem(work)->system;
    legendre_prepare(&part->legendre, work->now->q);
    work_restart(part);
    part->h = real_broadcast(NAN); /* a substep is never a step of the run */
    for (int i = 0; i < work_problem(work)->np; i++)
        part->now->q[i] = part->next->q[i] = work->now->q[i];
    advance_energy(work, &notes->start);
    events_evaluate(work, notes->after);
    for (int i = 0; i < system->nevents; i++) notes->side[i] = event_log_sign(notes->after[i]);
    notes->is_first = true;
#ifdef NOE_KERNEL_EVENTS
    notes->looked = work->now->k;
    notes->seen = 0;
    for (int i = 0; i < NOE_KERNEL_EVENTS; i++) notes->last[i] = notes->after[i];
#endif
    notes->sum = notes->max = real_broadcast(0);
    notes->measured = 0;
    memset(notes->count, 0, sizeof notes->count);
}

static long event_log_steps(void *memory, long count) {
    struct event_log *notes = memory;
    memset(notes->count, 0, sizeof notes->count);
    if (!mask_any(notes->runs->work->interval.is_active)) return 0;
    return event_log_take(notes, notes->is_first ? 1 : count);
}

static bool event_log_note(const void *memory, int lane, int i, struct event_step *noted) {
    const struct event_log *notes = memory;
    const int c = work_problem(notes->part)->system->nevents;
    const scalar *row = notes->row + (lane * EVENT_LOG_ROOM + i) * notes->nrow;
    if (i >= notes->count[lane]) return false;
    *noted = (struct event_step){(long)row[0], row[1], row + 2, row + 2 + 2 * c, row + 2 + 4 * c};
    return true;
}

static void event_log_energies(const void *memory, int lane, struct energy_deviation *energy) {
    const struct event_log *notes = memory;
    const struct noe_work *work = notes->runs->work;
    const bool is_going = REAL_LANE(work->interval.is_active, lane);
    *energy = (struct energy_deviation){REAL_LANE(notes->start, lane), REAL_LANE(notes->max, lane),
                                        is_going ? REAL_LANE(notes->sum, lane) : (scalar)NAN,
                                        notes->measured};
}

const struct event_log_code event_log_code = {
    .bytes = event_log_bytes,
    .open = event_log_open,
    .close = event_log_close,
    .start = event_log_start,
    .steps = event_log_steps,
    .note = event_log_note,
    .place = event_substeps_place,
    .parts = event_substeps_take,
    .roots = event_substeps_roots,
    .part = event_substeps_lane,
    .energies = event_log_energies,
};
