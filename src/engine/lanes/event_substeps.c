/* Substeps of logged steps, taken in all lanes at once, each from the start of its own step and
 * with its own step size. */
/* SPDX-License-Identifier: MIT */
#include "engine/lanes/event_log.h"

#include "engine/event_root.h"

void event_substeps_place(void *memory, int lane, int i) {
    struct event_log *notes = memory;
    const scalar *head = notes->row + (lane * EVENT_LOG_ROOM + i) * notes->nrow;
    const scalar *row = head + event_log_head(work_problem(notes->part)->system);
    for (int k = 0; k < notes->nstate; k++) REAL_LANE(notes->placed[k], lane) = row[k];
    for (int k = 0; k < 3; k++) REAL_LANE(notes->bracket[k], lane) = head[2 + 2 * k];
}

/* Takes substeps of size h in the lanes where h is not 0. */
static void event_log_go(struct event_log *notes, real h) {
    struct noe_work *part = notes->part;
    struct event_log_array array[EVENT_LOG_ARRAYS];
    const real *placed = notes->placed;
    event_log_arrays(part, part->now, array);
    for (int a = 0; a < EVENT_LOG_ARRAYS; a++)
        for (int i = 0; i < array[a].count; i++) array[a].numbers[i] = *placed++;
    part->now->k = 0;
    part->has_start = true;
    part->outcome = lane_status_broadcast(NOE_OK);
    part->interval.is_active = h > 0;
    advance_set_step_size(part, h);
#ifdef NOE_KERNEL_EVENTS
    part->interval.skips_points = true;
#endif
    batch_hold_lost(part, advance_step(part, kernel_takes_steps(work_problem(part)), 1));
    const noe_lane_status outcome = advance_energy(part, &notes->energy);
    batch_hold_lost(part, outcome);
    events_evaluate(part, notes->values);
}

void event_substeps_take(void *memory, const scalar *length) {
    real h;
    for (int lane = 0; lane < REAL_LANES; lane++) REAL_LANE(h, lane) = length[lane];
    event_log_go(memory, h);
}

#ifdef NOE_KERNEL_EVENTS
void event_substeps_roots(void *memory, scalar *theta) {
    struct event_log *notes = memory;
    struct noe_work *part = notes->part;
    const real *bracket = notes->bracket, *placed = notes->placed;
    const struct root_step step = {.t = placed[work_problem(part)->system->n],
                                   .h = notes->runs->work->h,
                                   .p = placed,
                                   .before = bracket[0],
                                   .after = bracket[1]};
    real wanted = {0};
    for (int lane = 0; lane < REAL_LANES; lane++) REAL_LANE(wanted, lane) = theta[lane];
    const real root = root_find(part, &step, (wanted > 0) & (bracket[0] * bracket[2] > 0));
    advance_energy(part, &notes->energy);
    events_evaluate(part, notes->values);
    for (int lane = 0; lane < REAL_LANES; lane++) theta[lane] = REAL_LANE(root, lane);
}
#else
/* Root search in each lane by the algorithm of study/section/event_search.c. */

/* A bracket low < high of the root, the function values at its ends, and a third point. */
struct event_log_bracket {
    real low, high, other, f_low, f_high, f_other;
    mask has_other, high_is_part;
};

/* The next trial point. */
REAL_INLINE real event_log_point(const struct event_log_bracket *b) {
    const real a = b->low, fa = b->f_low, fb = b->f_high, fc = b->f_other;
    const real secant = a + (b->high - a) * (fa / (fa - fb));
    const real point = a * (fb * fc) / ((fa - fb) * (fa - fc)) +
                       b->high * (fa * fc) / ((fb - fa) * (fb - fc)) +
                       b->other * (fa * fb) / ((fc - fa) * (fc - fb));
    return real_select(b->has_other & (point > a) & (point < b->high), point, secant);
}

/* The point replaces an end of the bracket, which becomes the third point. */
REAL_INLINE void event_log_narrow(struct event_log_bracket *b, real point, real f, mask where) {
    const mask is_beyond = where & (f * b->f_low <= 0), is_before = where & mask_not(is_beyond);
    b->other = real_select(is_beyond, b->high, real_select(is_before, b->low, b->other));
    b->f_other = real_select(is_beyond, b->f_high, real_select(is_before, b->f_low, b->f_other));
    b->high = real_select(is_beyond, point, b->high);
    b->f_high = real_select(is_beyond, f, b->f_high);
    b->low = real_select(is_before, point, b->low);
    b->f_low = real_select(is_before, f, b->f_low);
    b->has_other |= where;
    b->high_is_part |= is_beyond;
}

void event_substeps_roots(void *memory, scalar *theta) {
    enum { TRIES_MAX = 8 };
    const scalar nearly_whole = 0.99, near_enough = 1e-11, little = 1e-14;
    struct event_log *notes = memory;
    const real *bracket = notes->bracket, h = notes->runs->work->h;
    struct event_log_bracket b = {
        .f_low = bracket[0], .high = real_broadcast(1), .f_high = bracket[1]};
    real point = {0}, root = {0};
    for (int lane = 0; lane < REAL_LANES; lane++) REAL_LANE(point, lane) = theta[lane];
    const real range = real_max(noe_abs(b.f_low), noe_abs(b.f_high));
    mask is_going = (point > 0) & (b.f_low * bracket[2] > 0) & (b.f_low * b.f_high < 0);
    mask is_near = mask_broadcast(false);
    for (int tries = 0; tries < TRIES_MAX && mask_any(is_going); tries++) {
        point = real_select(is_going, event_log_point(&b), point);
        is_going &= (point > b.low) & (point < b.high) & ((point <= nearly_whole) | b.high_is_part);
        /* A lane that has converged repeats its substep while others search. */
        event_log_go(notes, real_select(is_going | (root > 0), point * h, real_broadcast(0)));
        const real f = notes->values[0], size = noe_abs(f);
        is_going &= notes->part->interval.is_active & (f == f);
        mask is_zero = is_near & (size <= little * range);
        is_zero |= size * (b.high - b.low) <= 0.5 * NOE_EPSILON * noe_abs(b.f_high - b.f_low);
        is_zero &= is_going;
        root = real_select(is_zero, point, root);
        is_near = size <= near_enough * range;
        is_going &= mask_not(is_zero);
        event_log_narrow(&b, point, f, is_going);
    }
    for (int lane = 0; lane < REAL_LANES; lane++) theta[lane] = REAL_LANE(root, lane);
}
#endif

void event_substeps_lane(const void *memory, int lane, struct noe_lane *there) {
    const struct event_log *notes = memory;
    const struct noe_work *part = notes->part;
    *there = (struct noe_lane){
        .status = (enum noe_status)REAL_LANE(part->outcome, lane),
        .t = REAL_LANE(part->now->t, lane),
        .energy = REAL_LANE(notes->energy, lane),
        .stride = REAL_LANES,
        .q = (const scalar *)part->now->q + lane,
        .p = (const scalar *)part->now->p + lane,
        .v = (const scalar *)part->velocity + lane,
        .values = (const scalar *)notes->values + lane,
    };
}
