/* Snapshot of a run: a copy of its block of memory. Only numbers are restored from it, and those
 * that are indices are checked, because a snapshot may come from a file: pointers, sizes and
 * sparsity patterns stay those of the open run. */
/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <string.h>

#include "base/status.h"
#include "engine/work.h"

/* Header of a snapshot: identifies the problem and the build. */
struct snapshot {
    size_t block, front; /* size of the block and of the structure at its start */
    int n, nu;
    char method[48];
};

static size_t block_bytes(const struct noe_problem *problem) {
    struct arena arena = {0};
    work_layout(&arena, problem);
    return arena.used;
}

static struct snapshot snapshot_of(const struct noe_problem *problem) {
    struct snapshot image;
    memset(&image, 0, sizeof image); /* padding too, because snapshots are compared */
    image.block = block_bytes(problem);
    image.front = sizeof(struct noe_work);
    image.n = problem->system->n;
    image.nu = problem->internals->nu;
    strncpy(image.method, problem->method->name, sizeof image.method - 1);
    return image;
}

size_t noe_work_snapshot_size(const struct noe_work *work) {
    return sizeof(struct snapshot) + block_bytes(work->problem);
}

void noe_work_snapshot_save(const struct noe_work *work, void *bytes) {
    const struct snapshot image = snapshot_of(work->problem);
    memcpy(bytes, &image, sizeof image);
    memcpy((char *)bytes + sizeof image, work, image.block);
}

/* Reads a flag whose byte may have any value. */
static bool flag(const bool *saved) {
    unsigned char byte;
    memcpy(&byte, saved, sizeof byte);
    return byte != 0;
}

/* True if x is a count that may be increased without overflow. */
static bool is_count(long x) { return x >= 0 && x < LONG_MAX / 4; }

/* Range of pivot k of a factorisation: a row, an offset to a row of the band, or a row counted
 * from 1. */
static bool is_pivot(const struct linear *linear, int k, int pivot) {
    const int last = linear->n - 1;
    switch (linear->kind) {
    case LINEAR_BANDED: return pivot >= 0 && pivot <= linear->band.below && pivot <= last - k;
    case LINEAR_LAPACK: return pivot >= 1 && pivot <= last + 1;
    default: return pivot >= 0 && pivot <= last;
    }
}

/* Restores the factors of a linear system, whose matrix has been restored. `image` is the block of
 * the snapshot. Without a factorisation all pivots are zero. */
static bool restore_linear(const struct noe_work *work, struct linear *linear,
                           const struct linear *saved, const char *image) {
    bool has_factors = false;
    if (linear->n == 0) return true;
    const char *from = image + ((const char *)linear->pivot - (const char *)work);
    memcpy(linear->pivot, from, (size_t)linear->n * sizeof *linear->pivot);
    for (int k = 0; k < linear->n; k++) has_factors |= linear->pivot[k] != 0;
    for (int k = 0; k < linear->n; k++) {
        if (!has_factors && linear->kind == LINEAR_LAPACK) linear->pivot[k] = k + 1;
        if (!is_pivot(linear, k, linear->pivot[k])) return false;
    }
    linear->rank = saved->rank;
    linear->band.has_swaps = flag(&saved->band.has_swaps);
    linear->band.form = saved->band.form;
    linear->has_pivots = flag(&saved->has_pivots);
    linear->keeps_pivots = flag(&saved->keeps_pivots);
    linear_renew(linear);
    return linear->rank >= -1 && linear->rank <= linear->n &&
           saved->band.form <= TRIDIAGONAL_SWAPPED;
}

static bool restore_state(struct noe_state *state, const struct noe_state *saved) {
    state->k = saved->k;
    state->t = saved->t;
    state->h = saved->h;
    state->energy = saved->energy;
    state->energy_target = saved->energy_target;
    state->energy_target_carry = saved->energy_target_carry;
    state->energy_defect = saved->energy_defect;
    return is_count(state->k);
}

/* Restores which of the two states is current, and which are the ends of the last interval. */
static void restore_ends(struct noe_work *work, const struct noe_work *saved) {
    const bool now_is_first = saved->now < saved->next;
    const bool comes_from_now = saved->interval.from == saved->now;
    const bool has_interval = saved->interval.from != NULL;
    work->now = &work->state[!now_is_first];
    work->next = &work->state[now_is_first];
    work->interval.from = !has_interval ? NULL : comes_from_now ? work->now : work->next;
    work->interval.to = !has_interval ? NULL : comes_from_now ? work->next : work->now;
}

static bool restore_interval(struct noe_interval *interval, const struct noe_interval *saved) {
    interval->t = saved->t;
    interval->h = saved->h;
    interval->t1 = saved->t1;
    interval->origin = saved->origin;
    interval->taken = saved->taken;
    interval->good_steps = saved->good_steps;
    interval->skips_points = flag(&saved->skips_points);
    interval->is_fixed = flag(&saved->is_fixed);
    interval->has_previous_step = flag(&saved->has_previous_step);
    memcpy(interval->seed, saved->seed, sizeof interval->seed);
    memcpy(interval->member, saved->member, sizeof interval->member);
    interval->scan = NULL;
    interval->correction = NULL;
    interval->beside = NULL;
    interval->multiplier_drift = saved->multiplier_drift;
    interval->has_turned = flag(&saved->has_turned);
    interval->noise = saved->noise;
    interval->retraction_load = saved->retraction_load;
    interval->h_next = saved->h_next;
    interval->is_active = flag(&saved->is_active);
    interval->outcome = saved->outcome;
    interval->evaluations = saved->evaluations;
    interval->rejected = saved->rejected;
    interval->iterations = saved->iterations;
    interval->iterations_max = saved->iterations_max;
    interval->factorisations = saved->factorisations;
    interval->residual = saved->residual;
    return is_count(interval->taken) && is_count(interval->good_steps) &&
           is_count(interval->evaluations) && is_count(interval->rejected) &&
           is_count(interval->iterations) && is_count(interval->iterations_max) &&
           is_count(interval->factorisations);
}

static bool restore_newton(struct newton *newton, const struct newton *saved) {
    newton->has_weights = flag(&saved->has_weights);
    newton->has_factors = flag(&saved->has_factors);
    newton->curvature = saved->curvature;
    newton->has_strayed = flag(&saved->has_strayed);
    newton->first = saved->first;
    newton->iterations = saved->iterations;
    newton->factorisations = saved->factorisations;
    newton->sign = saved->sign;
    newton->normal = saved->normal;
    newton->residual = saved->residual;
    return is_count(newton->iterations) && is_count(newton->factorisations);
}

static bool restore_predictor(struct predictor *predictor, const struct predictor *saved) {
    predictor->age = saved->age;
    predictor->known = saved->known;
    predictor->degree = saved->degree;
    return predictor->age >= 0 && predictor->age < INT_MAX && predictor->known >= 0 &&
           predictor->known <= PREDICTOR_DEPTH && predictor->degree >= 0 &&
           predictor->degree <= PREDICTOR_DEPTH;
}

static bool restore_fixed_point(struct fixed_point *fixed_point, const struct fixed_point *saved) {
    fixed_point->wait = saved->wait;
    fixed_point->pause = saved->pause;
    fixed_point->iterations = saved->iterations;
    fixed_point->has_solved = flag(&saved->has_solved);
    fixed_point->has_iterate = flag(&saved->has_iterate);
    fixed_point->rate = saved->rate;
    fixed_point->residual = saved->residual;
    return fixed_point->wait >= 0 && fixed_point->pause >= 0 && fixed_point->pause < INT_MAX / 4 &&
           fixed_point->iterations >= 0;
}

static bool restore_length(struct step_size_search *length, const struct step_size_search *saved) {
    length->start = saved->start;
    length->first = saved->first;
    length->part = saved->part;
    length->slope = saved->slope;
    length->slope_error = saved->slope_error;
    length->energy_defect = saved->energy_defect;
    length->last_gap = saved->last_gap;
    length->is_held = flag(&saved->is_held);
    length->reason = saved->reason;
    memcpy(length->past, saved->past, sizeof length->past);
    length->known = saved->known;
    length->tries = saved->tries;
    length->held = saved->held;
    return length->known >= 0 && length->known <= EXTRAPOLATION_DEPTH && is_count(length->tries) &&
           is_count(length->held);
}

static bool restore_effort(struct noe_step_stats *effort, const struct noe_step_stats *saved) {
    *effort = *saved;
    return is_count(effort->steps) && is_count(effort->iterations) &&
           is_count(effort->evaluations) && is_count(effort->factorisations) &&
           is_count(effort->rejected) && is_count(effort->lengths) && is_count(effort->held) &&
           is_count(effort->iterations_max);
}

/* Restores the numbers of the structure. False if an index or a count is out of its range. */
static bool restore_numbers(struct noe_work *work, const struct noe_work *saved) {
    work->t0 = saved->t0;
    work->t0_before = saved->t0_before;
    work->h = saved->h;
    work->h_next = saved->h_next;
    work->follow.reached = saved->follow.reached;
    work->has_guess = flag(&saved->has_guess);
    work->multipliers.normal = saved->multipliers.normal;
    work->outcome = saved->outcome;
    work->last_step = saved->last_step;
    work->has_start = flag(&saved->has_start);
    work->has_singular_mass = flag(&saved->has_singular_mass);
    work->adaptive_step.iterations = saved->adaptive_step.iterations;
    restore_ends(work, saved);
    return restore_state(&work->state[0], &saved->state[0]) &
           restore_state(&work->state[1], &saved->state[1]) &
           restore_interval(&work->interval, &saved->interval) &
           restore_newton(&work->newton, &saved->newton) &
           restore_predictor(&work->predictor, &saved->predictor) &
           restore_fixed_point(&work->fixed_point, &saved->fixed_point) &
           restore_length(&work->adaptive_step.length, &saved->adaptive_step.length) &
           restore_predictor(&work->adaptive_step.predictor, &saved->adaptive_step.predictor) &
           restore_effort(&work->effort, &saved->effort) & is_count(work->adaptive_step.iterations);
}

enum noe_status noe_work_snapshot_restore(struct noe_work *work, const void *bytes,
                                          struct noe_error *error) {
    const struct snapshot expected = snapshot_of(work->problem);
    if (memcmp(bytes, &expected, sizeof expected) != 0)
        return status_set(error, NOE_BAD_INPUT,
                          "these are the bytes of another problem, or of another build");
    const char *image = (const char *)bytes + sizeof expected;
    struct noe_work saved;
    memcpy(&saved, image, sizeof saved);
    struct arena arena = {.base = (char *)work, .image = image};
    work_layout(&arena, work->problem);
    const bool is_valid =
        restore_numbers(work, &saved) &
        restore_linear(work, &work->newton.linear, &saved.newton.linear, image) &
        restore_linear(work, &work->legendre.mass, &saved.legendre.mass, image) &
        restore_linear(work, &work->multipliers.linear, &saved.multipliers.linear, image) &
        restore_linear(work, &work->multipliers.schur, &saved.multipliers.schur, image);
    if (is_valid) return NOE_OK;
    work->has_start = false;
    return status_set(error, NOE_BAD_INPUT,
                      "a number of the snapshot is out of its range: the bytes are damaged");
}
