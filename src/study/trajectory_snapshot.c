/* Snapshots of an integration: its structures and arrays as bytes. A restart takes only numbers
 * from them and checks those that are indices, because the bytes may come from a file. */
/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "study/trajectory_loop.h"

/* The structures. The arrays of the result and the work follow in the snapshot. */
struct frame {
    struct trajectory result;
    struct trajectory_loop loop;
};

static size_t array_bytes(const struct trajectory_loop *loop) {
    struct trajectory_loop measured = *loop;
    struct trajectory result = *loop->result;
    struct arena arena = {0};
    measured.result = &result;
    trajectory_layout(&arena, &measured);
    return arena.used;
}

static size_t image_bytes(const struct trajectory_loop *loop) {
    return sizeof(struct frame) + array_bytes(loop) + noe_work_snapshot_size(loop->work);
}

enum noe_status trajectory_snapshot_allocate(struct trajectory_loop *loop) {
    if (!loop->settings->keep) return NOE_OK;
    loop->image = calloc(1, image_bytes(loop));
    return loop->image ? NOE_OK
                       : status_set(&loop->result->error, NOE_NO_MEMORY,
                                    "no memory for %zu bytes of a checkpoint", image_bytes(loop));
}

enum noe_status trajectory_snapshot_keep(struct trajectory_loop *loop) {
    const struct trajectory_settings *settings = loop->settings;
    if (!settings->keep) return NOE_OK;
    const size_t arrays = array_bytes(loop);
    struct frame *frame = loop->image;
    char *at = (char *)(frame + 1);
    frame->result = *loop->result;
    frame->loop = *loop;
    frame->loop.spent += trajectory_seconds() - loop->began;
    memcpy(at, loop->result->block, arrays);
    noe_work_snapshot_save(loop->work, at + arrays);
    loop->kept = trajectory_seconds();
    return settings->keep(settings->keep_data, loop->result->steps, loop->image, image_bytes(loop),
                          &loop->result->error);
}

/* Reads a flag whose byte may have any value. */
static bool flag(const bool *saved) {
    unsigned char byte;
    memcpy(&byte, saved, sizeof byte);
    return byte != 0;
}

static bool is_count(long x) { return x >= 0 && x < LONG_MAX / 4; }

static void take_moment(struct trajectory_moment *moment, const struct trajectory_moment *saved) {
    moment->t = saved->t;
    moment->energy = saved->energy;
    moment->discrete_energy = saved->discrete_energy;
}

static bool take_result(struct trajectory_loop *loop, const struct trajectory *saved) {
    struct trajectory *result = loop->result;
    result->has_started = flag(&saved->has_started);
    result->steps = saved->steps;
    result->rows = saved->rows;
    take_moment(&result->start, &saved->start);
    take_moment(&result->final, &saved->final);
    result->condition_max = saved->condition_max;
    result->step_first = saved->step_first;
    result->step_last = saved->step_last;
    result->step_min = saved->step_min;
    result->step_max = saved->step_max;
    result->crossing = saved->crossing;
    result->event_value = saved->event_value;
    return is_count(result->rows) && result->steps == noe_work_state(loop->work)->k &&
           result->crossing >= -1 && result->crossing < loop->system->nevents;
}

/* The two arrays of function values are exchanged at every step. `image` holds the arrays. */
static void take_crossing(struct trajectory_loop *loop, const struct event_finder *saved,
                          const char *image) {
    struct event_finder *crossing = &loop->crossing;
    struct event_scan *scan = &crossing->scan;
    if (!loop->has_stops) return;
    crossing->part = loop->part;
    crossing->only_stops = true;
    crossing->is_first = flag(&saved->is_first);
    crossing->searched = saved->searched;
    crossing->found = -1;
    event_finder_set_directions(crossing);
    const char *sides = image + ((char *)scan->side - (char *)loop->result->block);
    for (int i = 0; i < loop->system->nevents; i++) {
        int side;
        memcpy(&side, sides + (size_t)i * sizeof side, sizeof side);
        scan->side[i] = (side > 0) - (side < 0);
    }
    if (saved->scan.before < saved->scan.after) return;
    real *before = scan->before;
    scan->before = scan->after;
    scan->after = before;
}

static bool take_tangent(struct tangent *tangent, const struct tangent *saved) {
    tangent->steps = saved->steps;
    tangent->left_out = saved->left_out;
    tangent->weighted = saved->weighted;
    tangent->mean = saved->mean;
    tangent->t_start = saved->t_start;
    tangent->t = saved->t;
    return is_count(tangent->steps) && is_count(tangent->left_out);
}

static bool take_monitor(struct trajectory_loop *loop, const struct noe_monitor *saved) {
    struct noe_monitor *monitor = &loop->monitor;
    *monitor = *saved;
    monitor->values = loop->result->start.values;
    monitor->value_max = loop->result->value_max_error;
    monitor->moment = (struct noe_observation){0};
    monitor->has_failed = flag(&saved->has_failed);
    return is_count(monitor->count) && is_count(monitor->discrete_count) &&
           is_count(monitor->bad_step) && monitor->bad_value >= -1 &&
           monitor->bad_value < loop->system->nvalues;
}

/* Restores the numbers of the structures, after the work. False if one is out of its range. */
static bool take_frame(struct trajectory_loop *loop, const struct frame *frame,
                       const char *arrays) {
    enum { LOOKS_MAX = 25000 }; /* each 500 double the distance of the next ones */
    const struct trajectory_loop *saved = &frame->loop;
    struct arena arena = {.base = loop->result->block, .image = arrays};
    trajectory_layout(&arena, loop);
    loop->looks = saved->looks;
    loop->next_look = saved->next_look;
    loop->spent = saved->spent;
    loop->aside = saved->aside;
    const bool is_valid = take_result(loop, &frame->result) &
                          take_tangent(&loop->tangent, &saved->tangent) &
                          take_monitor(loop, &saved->monitor) & is_count(loop->next_look) &
                          (loop->looks >= 0 && loop->looks < LOOKS_MAX);
    if (loop->next_look <= loop->result->steps)
        loop->next_look = loop->result->steps + 1; /* skipped */
    take_crossing(loop, &saved->crossing, arrays);
    return is_valid;
}

/* A run cannot go backwards. */
static enum noe_status check_end(const struct trajectory_loop *loop, struct noe_error *error) {
    const struct trajectory_settings *settings = loop->settings;
    const struct noe_state *now = noe_work_state(loop->work);
    if (settings->steps >= 0 && now->k > settings->steps)
        return status_set(error, NOE_BAD_INPUT,
                          "the checkpoint stands at step %ld, beyond the %ld steps asked for",
                          now->k, settings->steps);
    if (settings->steps < 0 && now->t - now->h >= settings->until)
        return status_set(error, NOE_BAD_INPUT,
                          "the checkpoint stands at t = %.9g, beyond the end asked for, %.9g",
                          (double)now->t, (double)settings->until);
    return NOE_OK;
}

enum noe_status trajectory_snapshot_load(struct trajectory_loop *loop) {
    const struct trajectory_settings *settings = loop->settings;
    struct noe_error *error = &loop->result->error;
    const char *at = settings->resume;
    struct frame frame;
    if (settings->resume_bytes != image_bytes(loop))
        return status_set(error, NOE_BAD_INPUT,
                          "the checkpoint has %zu bytes where this run has %zu: it is one of "
                          "another model, method or build",
                          settings->resume_bytes, image_bytes(loop));
    const char *arrays = at + sizeof frame;
    memcpy(&frame, at, sizeof frame);
    enum noe_status status =
        noe_work_snapshot_restore(loop->work, arrays + array_bytes(loop), error);
    if (status == NOE_OK) status = check_end(loop, error);
    if (status != NOE_OK || take_frame(loop, &frame, arrays)) return status;
    return status_set(error, NOE_BAD_INPUT,
                      "a number of the checkpoint is out of its range: it is damaged");
}
