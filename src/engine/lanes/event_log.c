/* Steps of runs side by side whose ends are looked at for changes of sign. A step in which a run's
 * crossing functions have changed is noted, and the runs go on. */
/* SPDX-License-Identifier: MIT */
#include "engine/lanes/event_log.h"

/* Run twice: to measure, and to carve. */
static struct notes *notes_layout(struct arena *arena, const struct noe_problem *problem) {
    struct notes measured = {0}, *carved = arena_take(arena, sizeof measured);
    struct notes *notes = carved ? carved : &measured;
    const struct noe_system *system = problem->system;
    const int c = system->ncrossings, m = constraint_count(system);
#ifdef NOE_SIGHT
    notes->nstate = system->n + 1;
    notes->momenta = arena_reals(arena, (size_t)(NOTES_BLOCK * system->n));
    notes->functions = arena_reals(arena, (size_t)(NOTES_BLOCK * c));
    (void)m;
#else
    notes->nstate = 5 + problem->np + 4 * system->n + 2 * m;
#endif
    notes->nrow = notes_head(system) + notes->nstate;
    notes->side = arena_reals(arena, (size_t)c);
    notes->from = arena_reals(arena, (size_t)c);
    notes->after = arena_reals(arena, 2 * (size_t)c);
    notes->values = arena_reals(arena, 2 * (size_t)c);
    notes->placed = arena_reals(arena, (size_t)notes->nstate);
    const size_t numbers = (size_t)REAL_LANES * NOTES_ROOM * (size_t)notes->nrow;
    notes->row = arena_take(arena, numbers * sizeof(scalar));
    notes->part = work_layout(arena, problem);
    return carved;
}

static size_t notes_bytes(const struct noe_problem *problem) {
    struct arena arena = {0};
    notes_layout(&arena, problem);
    return arena.used;
}

static enum noe_status notes_open(void *memory, void *batch, const struct noe_problem *problem) {
    struct arena arena = {memory, 0};
    struct notes *notes = notes_layout(&arena, problem);
    notes->runs = batch;
    const enum noe_status status = work_open(notes->part, &notes->runs->problem);
    notes->part->legendre.system = &notes->runs->system;
    for (int i = 0; i < problem->system->ncrossings; i++) {
        const enum noe_crossing_direction direction = problem->system->crossing[i].direction;
        notes->from[i] = real_of(direction == NOE_RISING ? -1 : direction == NOE_FALLING ? 1 : 0);
    }
    return status;
}

static void notes_close(void *memory) { work_close(((struct notes *)memory)->part); }

STEP_INLINE real notes_sign(real x) {
    return real_select(x > 0, real_of(1), real_select(x < 0, real_of(-1), real_of(0)));
}

/* --- Noting. */

/* Notes step k of a lane, which began at the state. */
static void notes_write(struct notes *notes, int lane, long k, struct noe_state *state,
                        const real *values) {
    const int c = work_problem(notes->part)->system->ncrossings;
    struct notes_array array[NOTES_ARRAYS];
    scalar *row = notes->row + (lane * NOTES_ROOM + notes->count[lane]++) * notes->nrow;
    *row++ = (scalar)k;
    *row++ = REAL_LANE(state->t, lane);
    for (int i = 0; i < 2 * c; i++) *row++ = REAL_LANE(notes->after[i], lane);
    for (int i = 0; i < 2 * c; i++) *row++ = REAL_LANE(values[i], lane);
    for (int i = 0; i < c; i++) *row++ = REAL_LANE(notes->side[i], lane);
    notes_arrays(notes->runs->work, state, array);
    for (int a = 0; a < NOTES_ARRAYS; a++)
        for (int i = 0; i < array[a].count; i++) *row++ = REAL_LANE(array[a].numbers[i], lane);
}

/* Where may function i have crossed zero twice? As cross_dips. */
STEP_INLINE truth notes_dips(const struct notes *notes, int i, const real *values, real h) {
    const int rate = work_problem(notes->part)->system->ncrossings + i;
    const real s = notes->side[i], f0 = s * notes->after[i], f1 = s * values[i];
    const real rate0 = s * notes->after[rate], rate1 = s * values[rate];
    const truth is_bent = (f1 > 0) & (rate0 < 0) & (rate1 > 0);
    if (!truth_any(is_bent)) return is_bent;
    return is_bent & (f0 + rate0 * ((f0 - f1 + rate1 * h) / (rate1 - rate0)) <= 0);
}

/* Where has one of the functions, with these values, changed since the step before? */
STEP_INLINE truth notes_changed(const struct notes *notes, const real *values, real h) {
    const struct noe_system *system = work_problem(notes->part)->system;
    truth has_changed = truth_of(notes->is_first);
    for (int i = 0; i < system->ncrossings; i++) {
        const real side = notes->side[i], from = notes->from[i];
        const truth is_wanted = (from == 0) | (from == side);
        has_changed |= truth_not(real_is_finite(values[i]));
        has_changed |= (side != 0) & (notes_sign(values[i]) != side) & is_wanted;
        if (system->crossing_rates) has_changed |= notes_dips(notes, i, values, h);
    }
    return has_changed;
}

/* Are all functions of all lanes on their sides, and without rates that could say more? */
STEP_INLINE bool notes_stay(const struct notes *notes, const real *values) {
    const struct noe_system *system = work_problem(notes->part)->system;
    truth is_still = truth_of(!system->crossing_rates && !notes->is_first);
    for (int i = 0; i < system->ncrossings; i++) {
        const real size = notes->side[i] * values[i];
        is_still &= (size > 0) & (size < HUGE_VAL);
    }
    return truth_all(is_still);
}

/* Notes step k, which began at the state, in lanes where a function has changed. Returns whether
 * one has no more room for those of another block. */
static bool notes_write_lanes(struct notes *notes, long k, struct noe_state *state,
                              const real *values, real h) {
    const struct noe_system *system = work_problem(notes->part)->system;
    const truth is_noted = notes_changed(notes, values, h) & notes->runs->work->interval.is_active;
    unsigned lanes = 0;
    bool is_full = false;
    for (int lane = 0; lane < REAL_LANES; lane++)
        lanes |= (unsigned)(REAL_LANE(is_noted, lane) != 0) << lane;
    for (; lanes; lanes &= lanes - 1) {
        const int lane = __builtin_ctz(lanes);
        notes_write(notes, lane, k, state, values);
        is_full |= notes->count[lane] > NOTES_ROOM - NOTES_BLOCK;
    }
    for (int i = 0; i < system->ncrossings; i++) notes->side[i] = notes_sign(values[i]);
    notes->is_first = false;
    return is_full;
}

STEP_INLINE void notes_energy(struct notes *notes, real energy) {
    const real deviation = noe_abs(energy - notes->start);
    notes->measured++;
    notes->sum += deviation;
    notes->most = real_larger(deviation, notes->most);
}

#ifdef NOE_SIGHT
/* Looks at the steps up to k that a kernel has kept since the last look, which stand in one block,
 * and notes those with changes. Returns whether a lane has no more room. */
static __attribute__((noinline)) bool notes_look(struct notes *notes, long k) {
    const struct noe_work *work = notes->runs->work;
    const struct noe_interval *interval = &work->interval;
    const int n = work_problem(work)->system->n;
    const real *functions = notes->functions;
    struct noe_state state = *interval->from;
    bool is_full = false;
    for (; notes->seen; notes->seen &= notes->seen - 1) {
        const int place = __builtin_ctz(notes->seen);
        const long step = k - k % NOTES_BLOCK + place;
        real after[2 * NOE_SIGHT] = {0};
        for (int i = 0; i < NOE_SIGHT; i++) {
            after[i] = functions[place * NOE_SIGHT + i];
            if (step > notes->looked + 1) notes->after[i] = functions[(place - 1) * NOE_SIGHT + i];
        }
        state.p = notes->momenta + place * n;
        state.t = interval->origin + (scalar)(step - 1) * interval->h;
        is_full |= notes_write_lanes(notes, step, &state, after, interval->h);
    }
    notes->looked = k;
    for (int i = 0; i < NOE_SIGHT; i++) notes->after[i] = notes->last[i];
    return is_full;
}

STEP_INLINE void interval_keeps(struct noe_interval *interval, long k, const real *p) {
    const int n = interval_problem(interval)->system->n;
    const struct notes *notes = (struct notes *)interval->signs;
    if (!notes) return;
    for (int i = 0; i < n; i++) notes->momenta[k % NOTES_BLOCK * n + i] = p[i];
}

/* As in engine/events.c: the functions depend on time and velocity alone. Every step is kept, for
 * which steps have changes nobody can guess: a kernel that turned aside for each would wait for
 * numbers that it has gone on with. It is asked to end where there is no room for more notes. */
STEP_INLINE bool interval_sees(struct noe_interval *interval, long k, const real *p) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    struct notes *notes = (struct notes *)interval->signs;
    if (!notes) return false;
    const long place = k % NOTES_BLOCK;
    const real t = interval->origin + (scalar)k * interval->h;
    real v[SMALL_MAX], values[NOE_SIGHT];
    truth is_still = truth_of(!notes->is_first);
    for (int i = 0; i < system->n; i++) v[i] = p[i];
    legendre_solve(interval->legendre, v);
    real energy = -system->lagrangian(self, t, interval->from->q, v);
    for (int i = 0; i < system->n; i++) energy += p[i] * v[i];
    notes_energy(notes, energy);
    system->crossings(self, t, interval->from->q, v, values);
    for (int i = 0; i < NOE_SIGHT; i++) {
        const real product = notes->last[i] * values[i]; /* not positive where it is too small */
        is_still &= (product > 0) & (product < HUGE_VAL);
        notes->last[i] = notes->functions[place * NOE_SIGHT + i] = values[i];
    }
    notes->seen |= (unsigned)!truth_all(is_still) << place;
    return place == NOTES_BLOCK - 1 && notes_look(notes, k);
}

static long notes_take(struct notes *notes, long count) {
    struct noe_work *work = notes->runs->work;
    const long first = work->now->k;
    advance_interval(work, work->h_next);
    work->interval.is_fixed = false;
    work->interval.skips_points = true;
    work->interval.signs = &notes->signs;
    const noe_outcome outcome = advance_take(work, true, count);
    notes_look(notes, work->now->k);
    batch_hold_lost(work, outcome);
    work->interval.signs = NULL;
    return work->now->k - first;
}
#else
static long notes_take(struct notes *notes, long count) {
    struct noe_work *work = notes->runs->work;
    const int c = work_problem(work)->system->ncrossings;
    const long first = work->now->k;
    bool is_full = false;
    while (work->now->k < first + count && !is_full) {
        batch_hold_lost(work, advance_steps(work, 1));
        if (!truth_any(work->interval.is_active)) return 0;
        advance_energy(work, &notes->energy);
        cross_evaluate(work, notes->values);
        notes_energy(notes, notes->energy);
        if (!notes_stay(notes, notes->values))
            is_full = notes_write_lanes(notes, work->now->k, work->next, notes->values, work->h);
        for (int i = 0; i < 2 * c; i++) notes->after[i] = notes->values[i];
    }
    return work->now->k - first;
}
#endif

static void notes_start(void *memory) {
    struct notes *notes = memory;
    struct noe_work *work = notes->runs->work, *part = notes->part;
    const struct noe_system *system = work_problem(work)->system;
    legendre_prepare(&part->legendre, work->now->q);
    work_restart(part);
    part->h = real_of(NAN); /* a part is never one of the steps of the run */
    for (int i = 0; i < work_problem(work)->np; i++)
        part->now->q[i] = part->next->q[i] = work->now->q[i];
    advance_energy(work, &notes->start);
    cross_evaluate(work, notes->after);
    for (int i = 0; i < system->ncrossings; i++) notes->side[i] = notes_sign(notes->after[i]);
    notes->is_first = true;
#ifdef NOE_SIGHT
    notes->looked = work->now->k;
    notes->seen = 0;
    for (int i = 0; i < NOE_SIGHT; i++) notes->last[i] = notes->after[i];
#endif
    notes->sum = notes->most = real_of(0);
    notes->measured = 0;
    memset(notes->count, 0, sizeof notes->count);
}

static long notes_steps(void *memory, long count) {
    struct notes *notes = memory;
    memset(notes->count, 0, sizeof notes->count);
    if (!truth_any(notes->runs->work->interval.is_active)) return 0;
    return notes_take(notes, notes->is_first ? 1 : count);
}

static bool notes_note(const void *memory, int lane, int i, struct noe_noted *noted) {
    const struct notes *notes = memory;
    const int c = work_problem(notes->part)->system->ncrossings;
    const scalar *row = notes->row + (lane * NOTES_ROOM + i) * notes->nrow;
    if (i >= notes->count[lane]) return false;
    *noted = (struct noe_noted){(long)row[0], row[1], row + 2, row + 2 + 2 * c, row + 2 + 4 * c};
    return true;
}

static void notes_energies(const void *memory, int lane, struct noe_deviation *energy) {
    const struct notes *notes = memory;
    const struct noe_work *work = notes->runs->work;
    const bool is_going = REAL_LANE(work->interval.is_active, lane);
    *energy = (struct noe_deviation){REAL_LANE(notes->start, lane), REAL_LANE(notes->most, lane),
                                     is_going ? REAL_LANE(notes->sum, lane) : (scalar)NAN,
                                     notes->measured};
}

const struct notes_code notes_code = {
    .bytes = notes_bytes,
    .open = notes_open,
    .close = notes_close,
    .start = notes_start,
    .steps = notes_steps,
    .note = notes_note,
    .place = notes_parts_place,
    .parts = notes_parts_take,
    .roots = notes_parts_roots,
    .part = notes_parts_lane,
    .energies = notes_energies,
};
