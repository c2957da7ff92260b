/* Members of an ensemble that one thread advances together: SIMD lanes of a batch, or a single run
 * if its tangent map is needed. */
/* SPDX-License-Identifier: MIT */
#include "study/ensemble/ensemble_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "model/model.h"
#include "study/tangent_dynamics.h"

struct ensemble_alone {
    const struct noe_model *model;
    struct noe_problem problem; /* problem with its own system */
    struct noe_system system;   /* system whose parameters are those of the member */
    struct noe_work *work;
    struct tangent tangent;
    struct noe_observation moment;
    real *parameters, *values;
    enum noe_status status; /* reason why the run ended early */
};

static void alone_layout(struct ensemble_alone *alone, struct arena *arena) {
    const struct noe_model *model = alone->model;
    alone->parameters =
        arena_reals(arena, (size_t)(model->system->nparameters + model->system->nprepared));
    alone->values = arena_reals(arena, (size_t)alone->system.nvalues);
    tangent_layout(&alone->tangent, arena, &alone->system);
}

static enum noe_status alone_open(struct ensemble_alone **made,
                                  const struct ensemble_settings *settings,
                                  struct noe_error *error) {
    struct ensemble_alone measured = {.model = settings->model,
                                      .problem = *settings->problem,
                                      .system = *settings->problem->system};
    struct arena arena = {0};
    const size_t own = (sizeof measured + 63) / 64 * 64;
    alone_layout(&measured, &arena);
    struct ensemble_alone *alone = aligned_alloc(64, own + arena.used);
    *made = alone;
    if (!alone) return status_set(error, NOE_NO_MEMORY, "out of memory for a member");
    memset((void *)alone, 0, own + arena.used);
    *alone = measured;
    arena = (struct arena){.base = (char *)alone + own};
    alone_layout(alone, &arena);
    alone->system.parameters = alone->parameters;
    alone->problem.system = &alone->system;
    return noe_work_create(&alone->work, &alone->problem, error);
}

enum noe_status ensemble_runs_open(struct ensemble_runs *runs,
                                   const struct ensemble_settings *settings,
                                   struct noe_error *error) {
    const struct noe_batch_settings how = {.lanes = settings->lanes};
    if (tangent_count(settings->problem->system)) return alone_open(&runs->alone, settings, error);
    return noe_batch_create(&runs->batch, settings->problem, settings->model, &how, error);
}

void ensemble_runs_close(struct ensemble_runs *runs) {
    noe_batch_free(runs->batch);
    if (runs->alone) noe_work_free(runs->alone->work);
    free(runs->alone);
    *runs = (struct ensemble_runs){0};
}

int ensemble_runs_lanes(const struct ensemble_runs *runs) {
    return runs->alone ? 1 : noe_batch_lanes(runs->batch);
}

const char *ensemble_runs_text(const struct ensemble_runs *runs) {
    return runs->alone ? "one run at a time: its tangent goes along" : noe_batch_text(runs->batch);
}

/* A member that cannot start has failed. */
static void alone_start(struct ensemble_alone *alone, const struct noe_member *member) {
    const size_t bytes = (size_t)alone->model->system->nparameters * sizeof(real);
    memcpy(alone->parameters, member->parameters, bytes);
    model_prepare(alone->model, alone->parameters);
    tangent_start(&alone->tangent, member->t);
    alone->status = noe_work_start(alone->work, member->t, member->q, member->v, NULL);
}

enum noe_status ensemble_runs_start(struct ensemble_runs *runs, int count,
                                    const struct noe_member *member, struct noe_error *error) {
    if (!runs->alone) return noe_batch_start(runs->batch, count, member, error);
    alone_start(runs->alone, member);
    return NOE_OK;
}

void ensemble_runs_steps(struct ensemble_runs *runs, long count) {
    struct ensemble_alone *alone = runs->alone;
    if (!alone) {
        noe_batch_steps(runs->batch, count);
        return;
    }
    for (long i = 0; i < count && alone->status == NOE_OK; i++)
        alone->status = tangent_step(&alone->tangent, alone->work, NULL);
}

void ensemble_runs_measure(struct ensemble_runs *runs) {
    struct ensemble_alone *alone = runs->alone;
    if (!alone) {
        noe_batch_observe(runs->batch);
        return;
    }
    if (alone->status != NOE_OK) return;
    alone->status = noe_work_observe(alone->work, &alone->moment, NULL);
    if (alone->status != NOE_OK) return;
    memcpy(alone->values, alone->moment.values, (size_t)alone->system.nvalues * sizeof(real));
    tangent_show(&alone->tangent, alone->values);
}

void ensemble_runs_lane(const struct ensemble_runs *runs, int lane, struct noe_lane *now) {
    const struct ensemble_alone *alone = runs->alone;
    if (!alone) {
        noe_batch_lane(runs->batch, lane, now);
        return;
    }
    const struct noe_state *state = noe_work_state(alone->work);
    *now = (struct noe_lane){.status = alone->status,
                             .k = state->k,
                             .t = state->t,
                             .energy = alone->moment.energy,
                             .stride = 1,
                             .q = state->q,
                             .p = state->p,
                             .v = alone->moment.v,
                             .values = alone->values,
                             .multipliers = state->multipliers};
}
