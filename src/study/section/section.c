/* Poincare sections of one run. */
/* SPDX-License-Identifier: MIT */
#include "study/section/section.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/status.h"
#include "study/section/event_finder.h"

struct loop {
    struct section *result;
    const struct section_settings *settings;
    const struct noe_system *system;
    struct noe_work *work, *part; /* the run, and the substeps of its steps */
    struct event_finder crossing;
    real *recorded, *v;
    void *block;
};

static void layout(struct arena *arena, struct loop *loop) {
    const struct noe_system *system = loop->system;
    const int m = system->nholonomic + system->nnonholonomic;
    event_finder_layout(&loop->crossing, arena, system);
    loop->recorded = arena_reals(arena, (size_t)system->nrecorded);
    loop->v = arena_reals(arena, (size_t)(system->n + m));
}

static enum noe_status allocate(struct loop *loop) {
    const struct noe_problem *problem = loop->settings->problem;
    struct noe_error *error = &loop->result->error;
    struct arena arena = {0};
    layout(&arena, loop);
    loop->block = aligned_alloc(64, arena.used + 64);
    if (!loop->block) return status_set(error, NOE_NO_MEMORY, "out of memory");
    memset(loop->block, 0, arena.used);
    arena = (struct arena){.base = loop->block};
    layout(&arena, loop);
    const enum noe_status status = noe_work_create(&loop->work, problem, error);
    return status == NOE_OK ? noe_work_create(&loop->part, problem, error) : status;
}

static void release(struct loop *loop) {
    noe_work_free(loop->work);
    noe_work_free(loop->part);
    free(loop->block);
}

void section_begin(struct section *section, real from, real h, real energy) {
    *section = (struct section){.stopped_by = -1, .has_started = true};
    section->t_start = section->t_end = from;
    section->step_min = section->step_max = h;
    section->energy_start = section->at_steps.final = section->at_crossings.final = energy;
}

void section_note_energy(struct section *section, real energy) {
    struct section_energy *crossings = &section->at_crossings;
    const real error = noe_abs(energy - section->energy_start);
    crossings->count++;
    crossings->final = energy;
    crossings->mean_error += error; /* a sum until the end of the run */
    crossings->max_error = noe_max(crossings->max_error, error);
}

void section_end(struct section *section, real sum) {
    struct section_energy *steps = &section->at_steps, *crossings = &section->at_crossings;
    if (steps->count) steps->mean_error = sum / (real)steps->count;
    if (crossings->count) crossings->mean_error /= (real)crossings->count;
}

static enum noe_status start(struct loop *loop) {
    const struct section_settings *settings = loop->settings;
    struct section *result = loop->result;
    struct noe_observation moment;
    enum noe_status status =
        noe_work_start(loop->work, settings->from, settings->q, settings->v, &result->error);
    if (status == NOE_OK) status = noe_work_observe(loop->work, &moment, &result->error);
    if (status != NOE_OK) return status;
    if (!real_is_finite(moment.energy))
        return status_set(&result->error, NOE_NOT_FINITE,
                          "the energy at the start is not a finite number; check the start values "
                          "and the Lagrangian there");
    section_begin(result, settings->from, settings->problem->h, moment.energy);
    loop->crossing.scan.energy = moment.energy;
    loop->crossing.scan.skips_points = true; /* only events are reported */
    const int m = loop->system->nholonomic + loop->system->nnonholonomic;
    memcpy(loop->v, settings->v, (size_t)loop->system->n * sizeof *loop->v);
    if (m) memcpy(loop->v + loop->system->n, moment.multipliers, (size_t)m * sizeof *loop->v);
    return event_finder_start(&loop->crossing, loop->part, loop->work, loop->v, &result->error);
}

/* Records the event that was found, from the work that is at it. */
static enum noe_status take(struct loop *loop, struct noe_work *there) {
    struct section *result = loop->result;
    struct noe_observation moment;
    const enum noe_status status = noe_work_observe(there, &moment, &result->error);
    if (status != NOE_OK) return status;
    const struct noe_state *now = noe_work_state(there);
    const int found = loop->crossing.found;
    if (!loop->system->crossing[found].name) {
        result->stopped_by = found;
        result->t_end = now->t;
        return NOE_OK;
    }
    section_note_energy(result, moment.energy);
    if (!loop->settings->take) return NOE_OK;
    loop->system->records(loop->system, now->t, now->q, moment.v, loop->recorded);
    const struct section_point point = {found, now->t, moment.energy, loop->recorded};
    return loop->settings->take(loop->settings->take_data, &point, &result->error);
}

/* Locates all events in the last step in order, up to one that stops the run. */
static enum noe_status search(struct loop *loop) {
    struct event_finder *crossing = &loop->crossing;
    struct noe_error *error = &loop->result->error;
    enum noe_status status = event_finder_begin(crossing, loop->work, error);
    while (status == NOE_OK && loop->result->stopped_by < 0) {
        status = event_finder_find(crossing, loop->work, error);
        if (status != NOE_OK || crossing->found < 0) break;
        status = take(loop, crossing->at == 1 ? loop->work : loop->part);
    }
    return status;
}

static bool goes_on(const struct loop *loop) {
    const struct section_settings *settings = loop->settings;
    if (loop->result->stopped_by >= 0) return false;
    if (settings->steps >= 0) return loop->result->steps < settings->steps;
    return noe_work_state(loop->work)->t < settings->until;
}

static void note_steps(struct loop *loop) {
    struct section *result = loop->result;
    const struct noe_state *now = noe_work_state(loop->work);
    const real h = now->h;
    if (now->k == result->steps) return;
    result->step_min = result->steps ? noe_min(result->step_min, h) : h;
    result->step_max = result->steps ? noe_max(result->step_max, h) : h;
    result->steps = now->k;
    result->t_end = now->t;
}

/* Number of steps until the next action. The first step is always searched, because it shows which
 * functions were zero at the start. */
static long next_batch(const struct loop *loop, long to_progress) {
    enum { BATCH_MAX = 4096 };
    const long done = loop->result->steps, left = loop->settings->steps - done;
    long batch = to_progress < BATCH_MAX ? to_progress : BATCH_MAX;
    if (left < batch) batch = left;
    return loop->settings->steps < 0 || done == 0 ? 1 : batch;
}

static enum noe_status integrate(struct loop *loop) {
    const struct section_settings *settings = loop->settings;
    struct section *result = loop->result;
    struct event_scan *scan = &loop->crossing.scan;
    long to_progress = settings->progress ? 1 : (long)1 << 40;
    enum noe_status status = NOE_OK;
    while (status == NOE_OK && goes_on(loop)) {
        if (settings->interrupt && *settings->interrupt)
            return status_set(&result->error, NOE_INTERRUPTED, "interrupted");
        const long before = result->steps;
        status = step_scan_events(loop->work, next_batch(loop, to_progress), scan, &result->error);
        note_steps(loop);
        if (status == NOE_OK && (scan->has_changed || before == 0)) status = search(loop);
        to_progress -= result->steps - before;
        if (status == NOE_OK && to_progress <= 0)
            to_progress = settings->progress(settings->progress_data, result->steps, result->t_end);
    }
    return status;
}

static void finish(struct loop *loop) {
    struct section *result = loop->result;
    const struct event_scan *scan = &loop->crossing.scan;
    struct section_energy *steps = &result->at_steps;
    struct noe_observation moment;
    if (result->has_started && noe_work_observe(loop->work, &moment, NULL) == NOE_OK)
        steps->final = moment.energy;
    steps->count = scan->count;
    steps->max_error = scan->energy_max;
    section_end(result, scan->energy_sum);
    result->effort = noe_work_stats(loop->work);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum noe_status section_run(struct section *result, const struct section_settings *settings) {
    *result = (struct section){.stopped_by = -1};
    struct loop loop = {
        .result = result, .settings = settings, .system = settings->problem->system};
    enum noe_status status = allocate(&loop);
    if (status == NOE_OK) {
        const double began = seconds_now();
        status = start(&loop);
        if (status == NOE_OK) status = integrate(&loop);
        finish(&loop);
        result->wall_seconds = seconds_now() - began;
    }
    result->error.status = status;
    release(&loop);
    return status;
}
