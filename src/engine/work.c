/* The memory of one run. */
/* SPDX-License-Identifier: MIT */
#include "engine/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static void state_layout(struct noe_state *state, struct arena *arena,
                         const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n;
    state->q = arena_reals(arena, (size_t)problem->np);
    state->p = arena_reals(arena, n);
    state->q_carry = arena_reals(arena, n);
    state->p_carry = arena_reals(arena, n);
}

/* Run twice: to measure, and to carve. */
static void layout(struct noe_work *work, struct arena *arena, const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n;
    state_layout(&work->state[0], arena, problem);
    state_layout(&work->state[1], arena, problem);
    legendre_layout(&work->legendre, arena);
    newton_layout(&work->newton, arena, problem);
    predictor_layout(&work->predictor, arena, problem->nu);
    work->velocity = arena_reals(arena, n);
    work->variation = arena_reals(arena, 4 * n);
    work->values = arena_reals(arena, (size_t)problem->system->nvalues);
    work->interval.velocity = arena_reals(arena, n);
    work->interval.scratch = arena_reals(arena, problem->nscratch);
}

/* Releases what lies outside the block. */
static void clear(struct noe_work *work) {
    newton_clear(&work->newton);
    legendre_clear(&work->legendre);
}

enum noe_status noe_work_create(struct noe_work **result, const struct noe_problem *problem,
                                struct noe_error *error) {
    struct noe_work plan = {0};
    struct arena arena = {NULL, (sizeof plan + 63) & ~(size_t)63};
    *result = NULL;
    enum noe_status status = newton_plan(&plan.newton, problem);
    if (status != NOE_OK) return status_set(error, status, "%s", noe_status_text(status));
    legendre_plan(&plan.legendre, problem->system);
    layout(&plan, &arena, problem);
    struct noe_work *work = aligned_alloc(64, arena.used);
    if (!work) {
        clear(&plan);
        return status_set(error, NOE_NO_MEMORY, "no memory for %zu bytes", arena.used);
    }
    memset(work, 0, arena.used);
    *work = plan;
    work->bytes = arena.used;
    work->problem = problem;
    arena = (struct arena){(char *)work, (sizeof *work + 63) & ~(size_t)63};
    layout(work, &arena, problem);
    work->now = &work->state[0];
    work->next = &work->state[1];
    work->interval.problem = problem;
    work->interval.legendre = &work->legendre;
    status = newton_init(&work->newton, problem);
    if (status == NOE_OK) status = legendre_init(&work->legendre, work->now->q);
    if (status == NOE_OK) {
        *result = work;
        return NOE_OK;
    }
    noe_work_free(work);
    return status_set(error, status, "%s", noe_status_text(status));
}

void noe_work_free(struct noe_work *work) {
    if (!work) return;
    clear(work);
    free(work);
}

const struct noe_state *noe_now(const struct noe_work *work) { return work->now; }
struct noe_effort noe_work_effort(const struct noe_work *work) {
    struct noe_effort effort = work->effort;
    effort.factorisations = work->newton.factorisations;
    return effort;
}

const char *noe_work_solver(const struct noe_work *work) {
    return linear_kind_text(work->problem->use_kernel ? LINEAR_NONE : work->newton.linear.kind);
}
