/* Runs of one problem side by side, in the lanes of `real`. */
/* SPDX-License-Identifier: MIT */
#include "engine/lanes.h"

#include <string.h>

#include "engine/advance.h"

#if defined NOE_LANES && NOE_LANES > 1
enum { LANES = NOE_LANES };
#define LANE(x, lane) ((x)[lane])
#else
enum { LANES = 1 };
#define LANE(x, lane) (*((void)(lane), &(x)))
#endif

struct lanes {
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
static struct lanes *lanes_layout(struct arena *arena, const struct noe_problem *problem,
                                  int nparameters) {
    struct lanes measured, *carved = arena_take(arena, sizeof measured);
    struct lanes *lanes = carved ? carved : &measured;
    lanes->parameters = arena_reals(arena, (size_t)nparameters);
    lanes->work = work_layout(arena, problem);
    return carved;
}

static size_t lanes_bytes(const struct noe_problem *problem, int nparameters) {
    struct arena arena = {0};
    lanes_layout(&arena, problem, nparameters);
    return arena.used;
}

static enum noe_status lanes_open(void *memory, const struct noe_problem *problem,
                                  int nparameters) {
    struct arena arena = {memory, 0};
    struct lanes *lanes = lanes_layout(&arena, problem, nparameters);
    lanes->problem = *problem;
    lanes->system = *interval_problem(&(struct noe_interval){.problem = problem})->system;
    lanes->problem.system = &lanes->system;
    lanes->problem.use_contraction = false; /* the lanes are taken */
    lanes->system.parameters = lanes->parameters;
    lanes->nparameters = nparameters;
    const enum noe_status status = work_open(lanes->work, &lanes->problem);
    lanes->work->legendre.system = &lanes->system;
    return status;
}

static void lanes_close(void *memory) { work_close(((struct lanes *)memory)->work); }

static void set_member(struct lanes *lanes, int lane, const struct noe_member *member) {
    struct noe_work *work = lanes->work;
    const int n = lanes->system.n, np = lanes->problem.np;
    for (int i = 0; i < lanes->nparameters; i++)
        LANE(lanes->parameters[i], lane) = member->parameters[i];
    for (int i = 0; i < np; i++) LANE(work->now->q[i], lane) = member->q[i];
    for (int i = 0; i < n; i++) LANE(work->interval.velocity[i], lane) = member->v[i];
    LANE(work->now->t, lane) = member->t;
}

/* Idle lanes repeat the first member, so that their numbers do no harm. */
static void lanes_start(void *memory, int count, const struct noe_member *member) {
    struct lanes *lanes = memory;
    struct noe_work *work = lanes->work;
    struct noe_state *now = work->now;
    real place = {0};
    for (int lane = 0; lane < LANES; lane++) {
        set_member(lanes, lane, &member[lane < count ? lane : 0]);
        LANE(place, lane) = lane;
    }
    legendre_prepare(&work->legendre, now->q);
    lanes->system.first(&lanes->system, now->t, now->q, work->interval.velocity, now->p,
                        work->velocity); /* w is not needed */
    work_restart(work);
    real sum = now->t - now->t; /* x - x is 0, or NaN where x is not finite */
    for (int i = 0; i < lanes->problem.np; i++) sum += now->q[i] - now->q[i];
    for (int i = 0; i < lanes->system.n; i++) sum += now->p[i] - now->p[i];
    work->outcome = outcome_join(work->outcome, sum != 0, NOE_NOT_FINITE);
    work->interval.is_active = (place < count) & (sum == 0);
}

static void lanes_steps(void *memory, long count) {
    struct noe_work *work = ((struct lanes *)memory)->work;
    if (!truth_any(work->interval.is_active)) return;
    const noe_outcome outcome = advance_steps(work, count);
    const truth is_lost = work->interval.is_active & (outcome != NOE_OK);
    if (truth_any(is_lost)) advance_hold(work, outcome, is_lost);
}

static void lanes_moment(void *memory, struct noe_batch_moment *moment) {
    struct lanes *lanes = memory;
    struct noe_work *work = lanes->work;
    const struct noe_state *now = work->now;
    const noe_outcome measured = advance_measure(work, &lanes->energy);
    const noe_outcome outcome = outcome_select(work->outcome == NOE_OK, measured, work->outcome);
    const lane_int k =
        lane_int_select(work->outcome == NOE_OK, lane_int_of(now->k), work->last_step);
    for (int lane = 0; lane < LANES; lane++) {
        lanes->status[lane] = (enum noe_status)LANE(outcome, lane);
        lanes->k[lane] = LANE(k, lane);
    }
    *moment = (struct noe_batch_moment){
        .status = lanes->status,
        .k = lanes->k,
        .t = (const scalar *)&now->t,
        .q = (const scalar *)now->q,
        .p = (const scalar *)now->p,
        .v = (const scalar *)work->velocity,
        .energy = (const scalar *)&lanes->energy,
        .values = (const scalar *)work->values,
    };
}

const struct lanes_code lanes_code = {
    LANES, lanes_bytes, lanes_open, lanes_close, lanes_start, lanes_steps, lanes_moment,
};
