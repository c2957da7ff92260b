/* Runs of one problem side by side, in the lanes of `real`. */
/* SPDX-License-Identifier: MIT */
#include "base/batch.h"

#include <string.h>

#include "engine/advance.h"

#if defined NOE_LANES && NOE_LANES > 1
enum { LANES = NOE_LANES };
#define LANE(x, lane) ((x)[lane])
#else
enum { LANES = 1 };
#define LANE(x, lane) (*((void)(lane), &(x)))
#endif

struct runs {
    struct noe_problem problem; /* with a system of its own: */
    struct noe_system system;   /* its parameters are those of the lanes */
    int nparameters;
    real *parameters;
    real energy;
    enum noe_status status[LANES];
    long k[LANES];
    struct noe_work *work;
};

/* Run twice: to measure, and to carve. */
static struct runs *batch_layout(struct arena *arena, const struct noe_problem *problem,
                                 int nparameters) {
    struct runs measured, *carved = arena_take(arena, sizeof measured);
    struct runs *runs = carved ? carved : &measured;
    runs->parameters = arena_reals(arena, (size_t)nparameters);
    runs->work = work_layout(arena, problem);
    return carved;
}

static size_t batch_bytes(const struct noe_problem *problem, int nparameters) {
    struct arena arena = {0};
    batch_layout(&arena, problem, nparameters);
    return arena.used;
}

static enum noe_status batch_open(void *memory, const struct noe_problem *problem,
                                  int nparameters) {
    struct arena arena = {memory, 0};
    struct runs *runs = batch_layout(&arena, problem, nparameters);
    runs->problem = *problem;
    runs->system = *interval_problem(&(struct noe_interval){.problem = problem})->system;
    runs->problem.system = &runs->system;
    runs->system.parameters = runs->parameters;
    runs->nparameters = nparameters;
    const enum noe_status status = work_open(runs->work, &runs->problem);
    runs->work->legendre.system = &runs->system;
    return status;
}

static void batch_close(void *memory) { work_close(((struct runs *)memory)->work); }

static void set_member(struct runs *runs, int lane, const struct noe_member *member,
                       const scalar *parameters) {
    struct noe_work *work = runs->work;
    const int n = runs->system.n, np = runs->problem.np;
    if (member->parameters) parameters = member->parameters;
    for (int i = 0; i < runs->nparameters; i++) LANE(runs->parameters[i], lane) = parameters[i];
    for (int i = 0; i < np; i++) LANE(work->now->q[i], lane) = member->q[i];
    for (int i = 0; i < n; i++) LANE(work->interval.velocity[i], lane) = member->v[i];
    LANE(work->now->t, lane) = member->t;
}

/* Idle lanes repeat the first member, so that their numbers do no harm. */
static void batch_start(void *memory, int count, const struct noe_member *member,
                        const scalar *parameters) {
    struct runs *runs = memory;
    struct noe_work *work = runs->work;
    struct noe_state *now = work->now;
    real place = {0};
    for (int lane = 0; lane < LANES; lane++) {
        set_member(runs, lane, &member[lane < count ? lane : 0], parameters);
        LANE(place, lane) = lane;
    }
    legendre_prepare(&work->legendre, now->q);
    runs->system.first(&runs->system, now->t, now->q, work->interval.velocity, now->p,
                       work->velocity); /* w is not needed */
    work_restart(work);
    real sum = now->t - now->t; /* x - x is 0, or NaN where x is not finite */
    for (int i = 0; i < runs->problem.np; i++) sum += now->q[i] - now->q[i];
    for (int i = 0; i < runs->system.n; i++) sum += now->p[i] - now->p[i];
    work->outcome = outcome_join(work->outcome, sum != 0, NOE_NOT_FINITE);
    work->interval.is_active = (place < count) & (sum == 0);
}

static void batch_steps(void *memory, long count) {
    struct noe_work *work = ((struct runs *)memory)->work;
    if (!truth_any(work->interval.is_active)) return;
    const noe_outcome outcome = advance_steps(work, count);
    const truth is_lost = work->interval.is_active & (outcome != NOE_OK);
    if (truth_any(is_lost)) advance_hold(work, outcome, is_lost);
}

static void batch_moment(void *memory, struct noe_batch_moment *moment) {
    struct runs *runs = memory;
    struct noe_work *work = runs->work;
    const struct noe_state *now = work->now;
    const noe_outcome measured = advance_measure(work, &runs->energy);
    const noe_outcome outcome = outcome_select(work->outcome == NOE_OK, measured, work->outcome);
    const lane_int k =
        lane_int_select(work->outcome == NOE_OK, lane_int_of(now->k), work->last_step);
    for (int lane = 0; lane < LANES; lane++) {
        runs->status[lane] = (enum noe_status)LANE(outcome, lane);
        runs->k[lane] = LANE(k, lane);
    }
    *moment = (struct noe_batch_moment){
        .status = runs->status,
        .k = runs->k,
        .t = (const scalar *)&now->t,
        .q = (const scalar *)now->q,
        .p = (const scalar *)now->p,
        .v = (const scalar *)work->velocity,
        .energy = (const scalar *)&runs->energy,
        .values = (const scalar *)work->values,
    };
}

const struct batch_code batch_code = {
    LANES, batch_bytes, batch_open, batch_close, batch_start, batch_steps, batch_moment,
};
