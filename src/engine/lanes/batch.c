/* Batch of runs of one problem, in the SIMD lanes of `real`. */
/* SPDX-License-Identifier: MIT */
#include "engine/lanes/batch.h"

#include <string.h>

/* Called twice, to measure and to carve the memory. */
static struct runs *batch_layout(struct arena *arena, const struct noe_problem *problem,
                                 int nparameters) {
    struct runs *all = arena_take(arena, GROUPS * sizeof *all), measured;
    for (int g = 0; g < GROUPS; g++) {
        struct runs *runs = all ? &all[g] : &measured;
        runs->parameters = arena_reals(arena, (size_t)nparameters);
        runs->work = work_layout(arena, problem);
    }
    return all;
}

static size_t batch_bytes(const struct noe_problem *problem, int nparameters) {
    struct arena arena = {0};
    batch_layout(&arena, problem, nparameters);
    return arena.used;
}

static enum noe_status open_runs(struct runs *runs, const struct noe_problem *problem,
                                 int nparameters) {
    runs->problem = *problem;
    runs->system = *interval_problem(&(struct noe_interval){.problem = problem})->system;
    runs->problem.system = &runs->system;
    runs->system.parameters = runs->parameters;
    runs->nparameters = nparameters;
    const enum noe_status status = work_open(runs->work, &runs->problem);
    runs->work->legendre.system = &runs->system;
    return status;
}

static enum noe_status batch_open(void *memory, const struct noe_problem *problem,
                                  int nparameters) {
    struct arena arena = {.base = memory};
    struct runs *runs = batch_layout(&arena, problem, nparameters);
    enum noe_status status = NOE_OK;
    for (int g = 0; g < GROUPS && status == NOE_OK; g++)
        status = open_runs(&runs[g], problem, nparameters);
    for (int g = 0; g + 1 < GROUPS; g++)
        runs[g].work->interval.beside = &runs[g + 1].work->interval;
    return status;
}

static void batch_close(void *memory) {
    struct runs *runs = memory;
    for (int g = 0; g < GROUPS; g++) work_close(runs[g].work);
}

static void set_member(struct runs *runs, int lane, const struct noe_member *member,
                       const scalar *parameters) {
    struct noe_work *work = runs->work;
    const int n = runs->system.n, np = runs->problem.np;
    if (member->parameters) parameters = member->parameters;
    for (int i = 0; i < runs->nparameters; i++)
        REAL_LANE(runs->parameters[i], lane) = parameters[i];
    for (int i = 0; i < np; i++) REAL_LANE(work->now->q[i], lane) = member->q[i];
    for (int i = 0; i < n; i++) REAL_LANE(work->interval.velocity[i], lane) = member->v[i];
    for (int i = n; i < n + constraint_count(&runs->system); i++)
        REAL_LANE(work->interval.velocity[i], lane) = 0;
    REAL_LANE(work->now->t, lane) = member->t;
    work->interval.seed[lane] = member->seed;
    work->interval.member[lane] = member->number;
}

/* Starts from the states in the lanes. The first `count` lanes are in use. */
static void start_runs(struct runs *runs, int count) {
    struct noe_work *work = runs->work;
    struct noe_state *now = work->now;
    real place = {0}, sum = now->t - now->t; /* x - x is 0, or NaN if x is not finite */
    for (int lane = 0; lane < REAL_LANES; lane++) REAL_LANE(place, lane) = lane;
    legendre_prepare(&work->legendre, now->q);
    runs->system.first(&runs->system, now->t, now->q, work->interval.velocity, now->p,
                       work->velocity); /* w is not used */
    work_restart(work);
    if (constraint_count(&runs->system)) {
        const mask is_found = multipliers_demanded(&work->interval, now->t, now->q,
                                                   work->interval.velocity, now->multipliers);
        sum += real_select(is_found, real_broadcast(0), real_broadcast(NAN));
        advance_orient(work);
    }
    for (int i = 0; i < runs->problem.np; i++) sum += now->q[i] - now->q[i];
    for (int i = 0; i < runs->system.n; i++) sum += now->p[i] - now->p[i];
    work->outcome = lane_status_join(work->outcome, sum != 0, NOE_NOT_FINITE);
    work->interval.is_active = (place < count) & (sum == 0);
}

/* Idle lanes repeat the first member, so that their numbers stay finite. */
static void batch_start(void *memory, int count, const struct noe_member *member,
                        const scalar *parameters) {
    struct runs *runs = memory;
    for (int g = 0; g < GROUPS; g++) {
        for (int lane = 0; lane < REAL_LANES; lane++) {
            const int index = g * REAL_LANES + lane;
            set_member(&runs[g], lane, &member[index < count ? index : 0], parameters);
        }
        start_runs(&runs[g], count - g * REAL_LANES);
    }
}

static void batch_set_parameters(void *memory, int index, const scalar *parameters) {
    struct runs *runs = (struct runs *)memory + index / REAL_LANES;
    const int lane = index % REAL_LANES;
    real before, place = {0};
    advance_energy(runs->work, &before);
    for (int i = 0; i < runs->nparameters; i++)
        REAL_LANE(runs->parameters[i], lane) = parameters[i];
    for (int i = 0; i < REAL_LANES; i++) REAL_LANE(place, i) = i;
    work_parameters_changed(runs->work, place == lane, before);
}

/* Steps all groups of lanes at once by a kernel. Groups in which every lane has failed do not move.
 */
static void steps_together(struct runs *runs, long count) {
    bool is_going = true;
    while (count > 0 && is_going) {
        for (int g = 0; g < GROUPS; g++) advance_interval(runs[g].work, runs[g].work->h_next);
        advance_kernel_block(&runs->work->interval, count);
        count -= runs->work->interval.taken;
        is_going = false;
        for (int g = 0; g < GROUPS; g++) {
            struct noe_work *work = runs[g].work;
            if (!mask_any(work->interval.is_active)) continue;
            batch_hold_lost(work, advance_accept(work, work->interval.outcome));
            is_going = is_going || mask_any(work->interval.is_active);
        }
    }
}

static void batch_steps(void *memory, long count) {
    struct runs *runs = memory;
    if (GROUPS > 1 && kernel_takes_steps(work_problem(runs->work))) {
        steps_together(runs, count);
        return;
    }
    for (int g = 0; g < GROUPS; g++) {
        struct noe_work *work = runs[g].work;
        if (mask_any(work->interval.is_active)) batch_hold_lost(work, advance_steps(work, count));
    }
}

static void batch_measure(void *memory) {
    struct runs *runs = memory;
    for (int g = 0; g < GROUPS; g++)
        runs[g].outcome = advance_measure(runs[g].work, &runs[g].energy);
}

static void batch_lane(const void *memory, int index, struct noe_lane *result) {
    const struct runs *runs = (const struct runs *)memory + index / REAL_LANES;
    const struct noe_work *work = runs->work;
    const struct noe_state *now = work->now;
    const int lane = index % REAL_LANES;
    const bool is_good = REAL_LANE(work->outcome, lane) == NOE_OK;
    *result = (struct noe_lane){
        .status = (enum noe_status)(is_good ? REAL_LANE(runs->outcome, lane)
                                            : REAL_LANE(work->outcome, lane)),
        .k = is_good ? now->k : REAL_LANE(work->last_step, lane),
        .t = REAL_LANE(now->t, lane),
        .energy = REAL_LANE(runs->energy, lane),
        .stride = REAL_LANES,
        .q = (const scalar *)now->q + lane,
        .p = (const scalar *)now->p + lane,
        .v = (const scalar *)work->velocity + lane,
        .multipliers = now->multipliers ? (const scalar *)now->multipliers + lane : NULL,
        .values = (const scalar *)work->values + lane,
    };
}

const struct batch_code batch_code = {
    .lanes = REAL_LANES * GROUPS,
    .bytes = batch_bytes,
    .open = batch_open,
    .close = batch_close,
    .start = batch_start,
    .set_parameters = batch_set_parameters,
    .steps = batch_steps,
    .measure = batch_measure,
    .lane = batch_lane,
};
