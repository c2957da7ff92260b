/* Snapshot of a run: a copy of its block of memory. Restoring it rebuilds the pointers. */
/* SPDX-License-Identifier: MIT */
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
    image.nu = problem->nu;
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

/* Restores the pointers out of the block from an open work. */
static void keep_outside(struct noe_work *work, const struct noe_work *open) {
    work->problem = open->problem;
    work->own = open->own;
    work->by_newton = open->by_newton;
    work->newton_fallback = open->newton_fallback;
    work->continuation_solve = open->continuation_solve;
    work->legendre.system = open->legendre.system;
    work->interval.problem = open->interval.problem;
    work->interval.legendre = open->interval.legendre;
    work->interval.length = open->interval.length;
    work->interval.multipliers = open->interval.multipliers;
    work->interval.scan = NULL;
    work->interval.correction = NULL;
    work->interval.beside = NULL;
    work->newton.linear.sparse = open->newton.linear.sparse;
    work->legendre.mass.sparse = open->legendre.mass.sparse;
    work->multipliers.linear.sparse = open->multipliers.linear.sparse;
    work->multipliers.schur.sparse = open->multipliers.schur.sparse;
}

/* The state of the two that `at` was when the block was at another address. */
static struct noe_state *find_state(struct noe_work *work, const struct noe_work *saved,
                                    const struct noe_state *at) {
    const bool now_is_first = saved->now < saved->next;
    if (at != saved->now && at != saved->next) return NULL;
    return &work->state[(at == saved->now) != now_is_first];
}

enum noe_status noe_work_snapshot_restore(struct noe_work *work, const void *bytes,
                                          struct noe_error *error) {
    const struct snapshot expected = snapshot_of(work->problem);
    if (memcmp(bytes, &expected, sizeof expected) != 0)
        return status_set(error, NOE_BAD_INPUT,
                          "these are the bytes of another problem, or of another build");
    const struct noe_work open = *work;
    struct noe_work saved;
    memcpy(work, (const char *)bytes + sizeof expected, expected.block);
    memcpy(&saved, work, sizeof saved);
    keep_outside(work, &open);
    work->now = find_state(work, &saved, saved.now);
    work->next = find_state(work, &saved, saved.next);
    work->interval.from = find_state(work, &saved, saved.interval.from);
    work->interval.to = find_state(work, &saved, saved.interval.to);
    struct arena arena = {.base = (char *)work};
    work_layout(&arena, work->problem);
    linear_renew(&work->newton.linear);
    linear_renew(&work->legendre.mass);
    linear_renew(&work->multipliers.linear);
    linear_renew(&work->multipliers.schur);
    return NOE_OK;
}
