/* A run for callers of the library: its memory and its statistics. */
/* SPDX-License-Identifier: MIT */
#include "engine/work.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/status.h"
#include "spaces/product.h"

/* Allocates with huge pages if the arrays are long, because a step reads many arrays at once and
 * would miss the TLB. The hint may be ignored. */
static void *take_block(size_t bytes) {
    const size_t large = (size_t)2 << 20;
    if (bytes < 2 * large) return aligned_alloc(64, bytes);
    bytes = (bytes + large - 1) / large * large;
    void *block = aligned_alloc(large, bytes);
#ifdef MADV_HUGEPAGE
    if (block) madvise(block, bytes, MADV_HUGEPAGE);
#endif
    return block;
}

enum noe_status noe_work_create(struct noe_work **result, const struct noe_problem *problem,
                                struct noe_error *error) {
    struct arena arena = {0};
    work_layout(&arena, problem);
    const size_t bytes = arena.used;
    void *block = take_block(bytes);
    *result = NULL;
    if (!block) return status_set(error, NOE_NO_MEMORY, "no memory for %zu bytes", bytes);
    arena = (struct arena){.base = block};
    memset(block, 0, bytes);
    struct noe_work *work = work_layout(&arena, problem);
    const enum noe_status status = work_open(work, problem);
    if (status == NOE_OK) {
        product_identity(problem->system, work->now->q);
        legendre_prepare(&work->legendre, work->now->q);
        *result = work;
        return NOE_OK;
    }
    noe_work_free(work);
    return status_set(error, status, "%s", noe_status_text(status));
}

void noe_work_free(struct noe_work *work) {
    if (!work) return;
    work_close(work);
    free(work->own);
    free(work);
}

void noe_work_seed(struct noe_work *work, unsigned long seed, unsigned long member) {
    work->interval.seed[0] = seed;
    work->interval.member[0] = member;
}

const struct noe_state *noe_work_state(const struct noe_work *work) { return work->now; }
struct noe_step_stats noe_work_stats(const struct noe_work *work) {
    struct noe_step_stats effort = work->effort;
    effort.factorisations = work->newton.factorisations;
    return effort;
}

const char *work_solver(const struct noe_work *work) {
    const bool is_direct = kernel_is_direct(work->problem);
    if (is_direct && multipliers_use_schur(work->problem))
        return linear_kind_text(work->multipliers.schur.kind);
    return linear_kind_text(is_direct ? LINEAR_NONE : work->newton.linear.kind);
}
