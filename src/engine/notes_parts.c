/* Parts of noted steps, taken in all lanes at once: each from where its own step began, and with a
 * length of its own. */
/* SPDX-License-Identifier: MIT */
#include "engine/notes.h"

void notes_parts_place(void *memory, int lane, int i) {
    struct notes *notes = memory;
    const scalar *head = notes->row + (lane * NOTES_ROOM + i) * notes->nrow;
    const scalar *row = head + notes_head(work_problem(notes->part)->system);
    for (int k = 0; k < notes->nstate; k++) REAL_LANE(notes->placed[k], lane) = row[k];
    for (int k = 0; k < 3; k++) REAL_LANE(notes->bracket[k], lane) = head[2 + 2 * k];
}

/* Takes the parts of length h, where it is not 0. */
static void notes_go(struct notes *notes, real h) {
    struct noe_work *part = notes->part;
    struct notes_array array[NOTES_ARRAYS];
    const real *placed = notes->placed;
    notes_arrays(part, part->now, array);
    for (int a = 0; a < NOTES_ARRAYS; a++)
        for (int i = 0; i < array[a].count; i++) array[a].numbers[i] = *placed++;
    part->now->k = 0;
    part->has_start = true;
    part->outcome = outcome_of(NOE_OK);
    part->interval.is_active = h > 0;
    advance_given(part, h);
#ifdef NOE_SIGHT
    part->interval.skips_points = true;
#endif
    batch_hold_lost(part, advance_take(part, work_problem(part)->use_kernel, 1));
    const noe_outcome outcome = advance_energy(part, &notes->energy);
    batch_hold_lost(part, outcome);
    cross_evaluate(part, notes->values);
}

void notes_parts_take(void *memory, const scalar *length) {
    real h;
    for (int lane = 0; lane < REAL_LANES; lane++) REAL_LANE(h, lane) = length[lane];
    notes_go(memory, h);
}

/* --- One plain zero in each lane, by the ways of study/crossing_search.c. */

/* A bracket low < high of the zero, what the function is there, and a third point. */
struct notes_bracket {
    real low, high, other, f_low, f_high, f_other;
    truth has_other, high_is_part;
};

/* The next point to try. */
STEP_INLINE real notes_point(const struct notes_bracket *b) {
    const real a = b->low, fa = b->f_low, fb = b->f_high, fc = b->f_other;
    const real secant = a + (b->high - a) * (fa / (fa - fb));
    const real point = a * (fb * fc) / ((fa - fb) * (fa - fc)) +
                       b->high * (fa * fc) / ((fb - fa) * (fb - fc)) +
                       b->other * (fa * fb) / ((fc - fa) * (fc - fb));
    return real_select(b->has_other & (point > a) & (point < b->high), point, secant);
}

/* The point takes the place of an end of the bracket, which becomes the third point. */
STEP_INLINE void notes_narrow(struct notes_bracket *b, real point, real f, truth where) {
    const truth is_beyond = where & (f * b->f_low <= 0), is_before = where & truth_not(is_beyond);
    b->other = real_select(is_beyond, b->high, real_select(is_before, b->low, b->other));
    b->f_other = real_select(is_beyond, b->f_high, real_select(is_before, b->f_low, b->f_other));
    b->high = real_select(is_beyond, point, b->high);
    b->f_high = real_select(is_beyond, f, b->f_high);
    b->low = real_select(is_before, point, b->low);
    b->f_low = real_select(is_before, f, b->f_low);
    b->has_other |= where;
    b->high_is_part |= is_beyond;
}

#ifdef NOE_SIGHT
/* The end of a part, of which the momentum is all that counts. */
struct notes_end {
    real theta, f, p[SMALL_MAX];
};

/* Ends of two parts, the second of them now: does the line through both reach the zero with an
 * error far below the last bit, which is their distance times that of the zero? Then `root` is
 * there, and at the second in lanes that are `found`. Returns where it is either, of lanes that are
 * `going`. */
STEP_INLINE truth notes_extend(const struct notes *notes, const struct notes_end *last,
                               const struct notes_end *now, truth going, truth found,
                               struct notes_end *root) {
    const scalar left = 1e-15;
    const real distance = now->theta - last->theta, slope = (now->f - last->f) / distance;
    const real step = -now->f / slope;
    const truth is_straight =
        (noe_abs(step * distance) <= left) & (noe_abs(step) <= noe_abs(distance));
    const real part = real_select(is_straight, step / distance, real_of(0));
    found = going & (found | is_straight);
    root->theta = real_select(found, now->theta + part * distance, root->theta);
    for (int i = 0; i < work_problem(notes->part)->system->n; i++)
        root->p[i] = real_select(found, now->p[i] + part * (now->p[i] - last->p[i]), root->p[i]);
    return found;
}

/* Where the step began. */
STEP_INLINE void notes_begin(const struct notes *notes, struct notes_end *end) {
    *end = (struct notes_end){.f = notes->bracket[0]};
    for (int i = 0; i < work_problem(notes->part)->system->n; i++) end->p[i] = notes->placed[i];
}

STEP_INLINE void notes_remember(const struct notes *notes, real theta, struct notes_end *end) {
    end->theta = theta;
    end->f = notes->values[0];
    for (int i = 0; i < work_problem(notes->part)->system->n; i++)
        end->p[i] = notes->part->now->p[i];
}

/* Puts the parts there. */
STEP_INLINE void notes_put(struct notes *notes, const struct notes_end *end) {
    struct noe_work *part = notes->part;
    const int n = work_problem(part)->system->n;
    for (int i = 0; i < n; i++) part->now->p[i] = end->p[i];
    part->now->t = notes->placed[n] + end->theta * notes->runs->work->h;
    part->outcome = outcome_of(NOE_OK);
    advance_energy(part, &notes->energy);
    cross_evaluate(part, notes->values);
}
#else
/* Where points count a part is itself what it ends with, and is taken again as long as others
 * search. */
struct notes_end {
    real theta;
};

STEP_INLINE truth notes_extend(const struct notes *notes, const struct notes_end *last,
                               const struct notes_end *now, truth going, truth found,
                               struct notes_end *root) {
    (void)notes, (void)last;
    found &= going;
    root->theta = real_select(found, now->theta, root->theta);
    return found;
}

STEP_INLINE void notes_begin(const struct notes *notes, struct notes_end *end) {
    (void)notes;
    end->theta = real_of(0);
}

STEP_INLINE void notes_remember(const struct notes *notes, real theta, struct notes_end *end) {
    (void)notes;
    end->theta = theta;
}

STEP_INLINE void notes_put(struct notes *notes, const struct notes_end *end) {
    (void)notes, (void)end;
}
#endif

void notes_parts_roots(void *memory, scalar *theta) {
    enum { TRIES_MAX = 8 };
    const scalar nearly_whole = 0.99, near_enough = 1e-11, little = 1e-14;
    struct notes *notes = memory;
    const real *bracket = notes->bracket, h = notes->runs->work->h;
    struct notes_bracket b = {.f_low = bracket[0], .high = real_of(1), .f_high = bracket[1]};
    struct notes_end now = {0}, last, root = {0};
    real point = {0};
    notes_begin(notes, &last);
    for (int lane = 0; lane < REAL_LANES; lane++) REAL_LANE(point, lane) = theta[lane];
    const real range = real_larger(noe_abs(b.f_low), noe_abs(b.f_high));
    truth is_going = (point > 0) & (b.f_low * bracket[2] > 0) & (b.f_low * b.f_high < 0);
    truth is_near = truth_of(false);
    for (int tries = 0; tries < TRIES_MAX && truth_any(is_going); tries++) {
        point = real_select(is_going, notes_point(&b), point);
        is_going &= (point > b.low) & (point < b.high) & ((point <= nearly_whole) | b.high_is_part);
        notes_go(notes, real_select(is_going | (root.theta > 0), point * h, real_of(0)));
        const real f = notes->values[0], size = noe_abs(f);
        is_going &= notes->part->interval.is_active & (f == f);
        truth is_zero = is_near & (size <= little * range);
        is_zero |= size * (b.high - b.low) <= 0.5 * NOE_EPSILON * noe_abs(b.f_high - b.f_low);
        notes_remember(notes, point, &now);
        is_zero = notes_extend(notes, &last, &now, is_going, is_zero, &root);
        last = now;
        is_near = size <= near_enough * range;
        is_going &= truth_not(is_zero);
        notes_narrow(&b, point, f, is_going);
    }
    notes_put(notes, &root);
    for (int lane = 0; lane < REAL_LANES; lane++) theta[lane] = REAL_LANE(root.theta, lane);
}

void notes_parts_lane(const void *memory, int lane, struct noe_lane *there) {
    const struct notes *notes = memory;
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
