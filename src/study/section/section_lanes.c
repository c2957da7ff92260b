/* Poincare sections of several members at once, in the SIMD lanes of a batch. The lanes advance
 * while steps with events are logged. Then the searches in all logged steps run together: each
 * requests a substep of its lane, and one pass of the batch computes all of them. */
/* SPDX-License-Identifier: MIT */
#include "study/section/section_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "methods/method.h"
#include "model/jit/batch_events.h"
#include "study/section/event_finder.h"

enum { LANES_MAX = 8 };

/* Search in the logged steps of a lane. */
struct lane {
    struct event_finder crossing;
    int note; /* index of the next logged step */
    struct event_step noted;
    bool is_searching; /* a search in `noted` is active */
    real *q, *v, *recorded;
};

struct section_lanes {
    struct section_settings course;
    struct noe_batch *batch;
    struct lane lane[LANES_MAX];
    void *block;
};

const char *section_lanes_obstacle(const struct section_settings *course) {
    const struct noe_problem *problem = course->problem;
    const struct noe_system *system = problem->system;
    if (course->steps < 0 || problem->traits & NOE_ADAPTIVE ||
        problem->internals->scheme->energy_equation)
        return "steps are not all of one length";
    if (system->nnoises) return "there is noise";
    for (int i = 0; i < system->nevents; i++)
        if (!system->crossing[i].name) return "members may stop";
    return NULL;
}

static void layout(struct section_lanes *lanes, struct arena *arena) {
    const struct noe_problem *problem = lanes->course.problem;
    const struct noe_system *system = problem->system;
    for (int i = 0; i < LANES_MAX; i++) {
        struct lane *lane = &lanes->lane[i];
        event_finder_layout(&lane->crossing, arena, system);
        lane->q = arena_reals(arena, (size_t)problem->np);
        lane->v =
            arena_reals(arena, (size_t)(system->n + system->nholonomic + system->nnonholonomic));
        lane->recorded = arena_reals(arena, (size_t)system->nrecorded);
    }
}

enum noe_status section_lanes_open(struct section_lanes **made,
                                   const struct section_settings *course,
                                   const struct noe_model *model,
                                   const struct section_lanes_how *how, struct noe_error *error) {
    const struct noe_batch_settings settings = {.lanes = how->width,
                                                .alike = how->alike ? how->alike->batch : NULL};
    struct section_lanes *lanes = calloc(1, sizeof *lanes);
    struct arena arena = {0};
    *made = lanes;
    if (!lanes) return status_set(error, NOE_NO_MEMORY, "out of memory for lanes");
    lanes->course = *course;
    layout(lanes, &arena);
    lanes->block = aligned_alloc(64, (arena.used + 127) / 64 * 64);
    if (!lanes->block) return status_set(error, NOE_NO_MEMORY, "out of memory for lanes");
    memset(lanes->block, 0, arena.used);
    arena = (struct arena){.base = lanes->block};
    layout(lanes, &arena);
    for (int i = 0; i < LANES_MAX; i++) event_finder_set_directions(&lanes->lane[i].crossing);
    return batch_create_with_events(&lanes->batch, course->problem, model, &settings, error);
}

void section_lanes_close(struct section_lanes *lanes) {
    if (!lanes) return;
    noe_batch_free(lanes->batch);
    free(lanes->block);
    free(lanes);
}

const char *section_lanes_text(const struct section_lanes *lanes) {
    return noe_batch_text(lanes->batch);
}

int section_lanes_count(const struct section_lanes *lanes) {
    return batch_is_compiled(lanes->batch) ? noe_batch_lanes(lanes->batch) : 0;
}

/* Reports the event at the last substep of the lane. An event at the end of a step has no substep
 * and is left to section_run. */
static enum noe_status take(struct section_lanes *lanes, int index, struct section_lane *member,
                            struct noe_error *error) {
    struct lane *lane = &lanes->lane[index];
    const struct noe_problem *problem = member->problem;
    const struct noe_system *system = problem->system;
    struct noe_lane there;
    member->is_lost = lane->crossing.at == 1;
    if (member->is_lost) return NOE_OK;
    batch_substep(lanes->batch, index, &there);
    section_note_energy(&member->section, there.energy);
    const bool has_points = !(system->traits & NOE_REDUCED_SECTIONS); /* records need them */
    for (int i = 0; i < problem->np && has_points; i++) lane->q[i] = there.q[i * there.stride];
    const int nv = system->n + system->nholonomic + system->nnonholonomic;
    for (int i = 0; i < nv; i++) lane->v[i] = there.v[i * there.stride];
    system->records(system, there.t, lane->q, lane->v, lane->recorded);
    const struct section_point point = {lane->crossing.found, there.t, there.energy,
                                        lane->recorded};
    return member->take(member->take_data, &point, error);
}

/* Moves to the next logged step of the lane. False if there is none. */
static bool place_next(struct section_lanes *lanes, int index) {
    struct lane *lane = &lanes->lane[index];
    if (!batch_event_step(lanes->batch, index, lane->note, &lane->noted)) return false;
    batch_place(lanes->batch, index, lane->note++);
    return true;
}

/* Starts the search in that step. */
static void begin_search(struct section_lanes *lanes, int index, struct section_lane *member) {
    struct lane *lane = &lanes->lane[index];
    struct event_scan *scan = &lane->crossing.scan;
    const int count = lane->crossing.system->nevents;
    for (int i = 0; i < 2 * count; i++) {
        scan->before[i] = lane->noted.before[i];
        scan->after[i] = lane->noted.after[i];
    }
    for (int i = 0; i < count; i++) {
        scan->side[i] = (int)lane->noted.side[i];
        member->is_lost |= !real_is_finite(scan->after[i]);
    }
    lane->crossing.is_first = lane->noted.k == 1;
    event_finder_begin_search(&lane->crossing, lanes->course.problem->h);
    lane->is_searching = true;
}

/* Length of the next substep that the search of a lane requests; 0 if the search has ended. */
static enum noe_status next_length(struct section_lanes *lanes, int index,
                                   struct section_lane *member, real *length,
                                   struct noe_error *error) {
    struct lane *lane = &lanes->lane[index];
    enum noe_status status = NOE_OK;
    *length = 0;
    while (lane->is_searching && !member->is_lost && status == NOE_OK) {
        const enum event_finder_wish wish = event_search_next(&lane->crossing);
        lane->is_searching = wish != EVENT_NONE;
        *length = wish == EVENT_PART ? lane->crossing.search.theta * lane->crossing.search.h : 0;
        if (wish == EVENT_PART) break;
        if (wish == EVENT_FOUND) status = take(lanes, index, member, error);
    }
    return status;
}

static void answer(struct section_lanes *lanes, int index, struct section_lane *member) {
    struct event_finder *crossing = &lanes->lane[index].crossing;
    const int count = crossing->system->nevents;
    struct noe_lane there;
    batch_substep(lanes->batch, index, &there);
    member->is_lost = there.status != NOE_OK;
    for (int i = 0; i < 2 * count; i++) crossing->here[i] = there.values[i * there.stride];
    for (int i = 0; i < count; i++) member->is_lost |= crossing->here[i] != crossing->here[i];
    if (!member->is_lost) event_search_answer(crossing);
}

/* Advances all searches until they have ended. */
static enum noe_status end_searches(struct section_lanes *lanes, int count,
                                    struct section_lane *member, struct noe_error *error) {
    real length[LANES_MAX] = {0};
    for (;;) {
        bool is_going = false;
        for (int i = 0; i < count; i++) {
            const enum noe_status status = next_length(lanes, i, &member[i], &length[i], error);
            if (status != NOE_OK) return status;
            is_going |= length[i] > 0;
        }
        if (!is_going) return NOE_OK;
        batch_substeps(lanes->batch, length);
        for (int i = 0; i < count; i++)
            if (length[i] > 0) answer(lanes, i, &member[i]);
    }
}

/* Locates the events in the next logged step of each lane. A single event function with a simple
 * zero needs no search. Sets `is_going` if there was a logged step. */
static enum noe_status search_next(struct section_lanes *lanes, int count,
                                   struct section_lane *member, bool *is_going,
                                   struct noe_error *error) {
    const struct noe_system *system = lanes->course.problem->system;
    const bool is_plain = system->nevents == 1 && !system->event_rates;
    bool is_placed[LANES_MAX];
    real theta[LANES_MAX] = {0};
    *is_going = false;
    for (int i = 0; i < count; i++) {
        lanes->lane[i].is_searching = false;
        is_placed[i] = !member[i].is_lost && place_next(lanes, i);
        theta[i] = is_placed[i] && is_plain && lanes->lane[i].noted.k > 1;
        *is_going |= is_placed[i];
    }
    if (is_plain && *is_going) batch_event_roots(lanes->batch, theta);
    for (int i = 0; i < count; i++) {
        struct event_finder *crossing = &lanes->lane[i].crossing;
        if (!is_placed[i]) continue;
        if (theta[i] == 0) {
            begin_search(lanes, i, &member[i]);
            continue;
        }
        crossing->found = 0;
        crossing->at = theta[i];
        const enum noe_status status = take(lanes, i, &member[i], error);
        if (status != NOE_OK) return status;
    }
    return end_searches(lanes, count, member, error);
}

/* Locates all events in the logged steps. */
static enum noe_status search(struct section_lanes *lanes, int count, struct section_lane *member,
                              struct noe_error *error) {
    enum noe_status status = NOE_OK;
    bool is_going = true;
    for (int i = 0; i < count; i++) lanes->lane[i].note = 0;
    while (is_going && status == NOE_OK)
        status = search_next(lanes, count, member, &is_going, error);
    return status;
}

static enum noe_status begin(struct section_lanes *lanes, int count, struct section_lane *member,
                             struct noe_error *error) {
    struct noe_member start[LANES_MAX] = {0};
    for (int i = 0; i < count; i++) start[i] = member[i].start;
    const enum noe_status status = noe_batch_start(lanes->batch, count, start, error);
    if (status != NOE_OK) return status;
    for (int i = 0; i < count; i++) {
        struct energy_deviation energy;
        batch_energies(lanes->batch, i, &energy);
        section_begin(&member[i].section, lanes->course.from, lanes->course.problem->h,
                      energy.start);
        member[i].is_lost |= !real_is_finite(energy.start);
    }
    return NOE_OK;
}

static void end(struct section_lanes *lanes, int index, long steps, struct section_lane *member) {
    struct section *section = &member->section;
    struct energy_deviation energy;
    struct noe_lane now;
    noe_batch_lane(lanes->batch, index, &now);
    batch_energies(lanes->batch, index, &energy);
    member->is_lost |= now.status != NOE_OK || now.k != steps || !real_is_finite(energy.sum) ||
                       !real_is_finite(now.energy);
    section->steps = steps;
    section->at_steps.count = energy.count;
    section->t_end = now.t;
    section->at_steps.final = now.energy;
    section->at_steps.max_error = energy.max;
    section_end(section, energy.sum);
}

enum noe_status section_lanes_run(struct section_lanes *lanes, int count, struct section_lane *lane,
                                  struct noe_error *error) {
    enum { BATCH_MAX = 4096 };
    const struct section_settings *course = &lanes->course;
    enum noe_status status = begin(lanes, count, lane, error);
    for (long done = 0, taken = 1; done < course->steps && taken > 0; done += taken) {
        if (status != NOE_OK) return status;
        if (course->interrupt && *course->interrupt)
            return status_set(error, NOE_INTERRUPTED, "interrupted");
        const long left = course->steps - done;
        taken = batch_scan_events(lanes->batch, left < BATCH_MAX ? left : BATCH_MAX);
        status = search(lanes, count, lane, error);
    }
    noe_batch_observe(lanes->batch);
    for (int i = 0; i < count; i++) end(lanes, i, course->steps, &lane[i]);
    return status;
}
