/* Snapshots of an integration: its structures and arrays as bytes. Pointers are rebuilt on
 * restart. */
/* SPDX-License-Identifier: MIT */
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

/* Copies all fields but the pointers. */
static void take_frame(struct trajectory_loop *loop, const struct frame *frame) {
    struct trajectory *result = loop->result;
    const struct trajectory_loop fresh = *loop;
    void *block = result->block;
    *result = frame->result;
    result->block = block;
    result->solver = "none";
    *loop = frame->loop;
    loop->result = result;
    loop->settings = fresh.settings;
    loop->system = fresh.system;
    loop->work = fresh.work;
    loop->part = fresh.part;
    loop->image = fresh.image;
    loop->began = loop->kept = fresh.began;
    if (loop->next_look <= result->steps) loop->next_look = result->steps + 1; /* skipped */
    loop->crossing.system = fresh.system;
    loop->crossing.part = fresh.part;
    loop->moment = loop->monitor.moment = (struct noe_observation){0};
    struct arena arena = {.base = block};
    trajectory_layout(&arena, loop);
    loop->monitor.values = result->start.values;
    loop->monitor.value_max = result->value_max_error;
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
    const size_t arrays = array_bytes(loop);
    memcpy(&frame, at, sizeof frame);
    at += sizeof frame;
    memcpy(loop->result->block, at, arrays);
    enum noe_status status = noe_work_snapshot_restore(loop->work, at + arrays, error);
    if (status == NOE_OK) status = check_end(loop, error);
    if (status == NOE_OK) take_frame(loop, &frame);
    return status;
}
