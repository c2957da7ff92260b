/* One integration with everything a run reports: drift over all steps, rows, effort. */
/* SPDX-License-Identifier: MIT */
#include "study/trajectory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/status.h"

/* What the loop holds beside the result. */
struct loop {
    struct trajectory *result;
    const struct trajectory_settings *settings;
    const struct noe_system *system;
    struct noe_work *work;
    struct noe_moment moment; /* of the current state */
    real energy_error_sum;
    real *row;
    long measured; /* steps in the drift */
    int bad_value; /* first quantity that was not finite, or -1 */
    long bad_step;
};

long trajectory_step_count(real from, real until, real h, bool *fits) {
    const real quotient = (until - from) / h, nearest = noe_floor(quotient + (real)0.5);
    *fits = noe_abs(quotient - nearest) <= (real)1e-6;
    if (!(quotient < (real)9e15)) return -1;
    return (long)(*fits ? nearest : noe_floor(quotient));
}

static void layout_moment(struct arena *arena, struct trajectory_moment *moment, int np, int n,
                          int nvalues) {
    moment->q = arena_reals(arena, (size_t)np);
    moment->v = arena_reals(arena, (size_t)n);
    moment->p = arena_reals(arena, (size_t)n);
    moment->values = arena_reals(arena, (size_t)nvalues);
}

static void layout(struct arena *arena, struct loop *loop, const struct noe_problem *problem) {
    const int n = problem->system->n, nvalues = problem->system->nvalues;
    layout_moment(arena, &loop->result->start, problem->np, n, nvalues);
    layout_moment(arena, &loop->result->final, problem->np, n, nvalues);
    loop->result->value_max_error = arena_reals(arena, (size_t)nvalues);
    loop->row = arena_reals(arena, (size_t)(2 + problem->np + 2 * n + nvalues));
}

static enum noe_status allocate(struct loop *loop) {
    struct arena arena = {0};
    layout(&arena, loop, loop->settings->problem);
    loop->result->block = aligned_alloc(64, arena.used + 64);
    if (!loop->result->block)
        return status_set(&loop->result->error, NOE_NO_MEMORY, "out of memory");
    memset(loop->result->block, 0, arena.used);
    arena = (struct arena){.base = loop->result->block};
    layout(&arena, loop, loop->settings->problem);
    return noe_work_create(&loop->work, loop->settings->problem, &loop->result->error);
}

static void copy(size_t count, real *to, const real *from) {
    if (count && from) memcpy(to, from, count * sizeof *to);
}

static void take_moment(const struct loop *loop, struct trajectory_moment *moment) {
    const struct noe_state *now = noe_now(loop->work);
    moment->t = now->t;
    moment->energy = loop->moment.energy;
    copy((size_t)loop->settings->problem->np, moment->q, now->q);
    copy((size_t)loop->system->n, moment->p, now->p);
    copy((size_t)loop->system->n, moment->v, loop->moment.v);
    copy((size_t)loop->system->nvalues, moment->values, loop->moment.values);
}

static real *append(real *at, size_t count, const real *from) {
    copy(count, at, from);
    return at + count;
}

static real *append_quantities(const struct loop *loop, real *at, enum noe_quantity_kind kind) {
    for (int i = 0; i < loop->system->nquantities; i++) {
        const struct noe_quantity *quantity = &loop->system->quantity[i];
        if (quantity->kind == kind)
            at = append(at, (size_t)(quantity->rows * quantity->cols),
                        loop->moment.values + quantity->first);
    }
    return at;
}

/* The order of columns is that of columns_create. */
static enum noe_status write_row(struct loop *loop) {
    if (!loop->settings->format) return NOE_OK;
    const struct noe_state *now = noe_now(loop->work);
    const size_t n = (size_t)loop->system->n;
    real *at = append(loop->row, 1, &now->t);
    at = append(at, (size_t)loop->settings->problem->np, now->q);
    at = append(at, n, loop->moment.v);
    at = append(at, n, now->p);
    at = append(at, 1, &loop->moment.energy);
    at = append_quantities(loop, at, NOE_INVARIANT);
    append_quantities(loop, at, NOE_OBSERVE);
    loop->result->rows++;
    return loop->settings->format->row(loop->settings->file, loop->row, &loop->result->error);
}

static enum noe_status start(struct loop *loop) {
    const struct trajectory_settings *settings = loop->settings;
    struct trajectory *result = loop->result;
    enum noe_status status =
        noe_start(loop->work, settings->from, settings->q, settings->v, &result->error);
    if (status == NOE_OK) status = noe_measure(loop->work, &loop->moment, &result->error);
    if (status != NOE_OK) return status;
    if (!real_is_finite(loop->moment.energy))
        return status_set(&result->error, NOE_NOT_FINITE,
                          "the energy at the start is not a finite number; check the start values "
                          "and the Lagrangian there");
    loop->moment.v = settings->v; /* as given, free of the rounding of a Legendre transform */
    take_moment(loop, &result->start);
    result->has_started = true;
    result->step_first = result->step_last = result->step_min = result->step_max =
        settings->problem->h;
    return write_row(loop);
}

static void note_step(struct trajectory *result, long k, real h) {
    if (k == 1) result->step_first = result->step_min = result->step_max = h;
    result->step_last = h;
    if (h < result->step_min) result->step_min = h;
    if (h > result->step_max) result->step_max = h;
}

/* The deviations from the start at the current state. */
static enum noe_status note_drift(struct loop *loop) {
    struct trajectory *result = loop->result;
    const real energy_error = noe_abs(loop->moment.energy - result->start.energy);
    result->energy_max_error = noe_max(result->energy_max_error, energy_error);
    loop->energy_error_sum += energy_error;
    loop->measured++;
    for (int i = 0; i < loop->system->nvalues; i++) {
        const real error = noe_abs(loop->moment.values[i] - result->start.values[i]);
        result->value_max_error[i] = noe_max(result->value_max_error[i], error);
        if (!real_is_finite(loop->moment.values[i]) && loop->bad_value < 0) {
            loop->bad_value = i;
            loop->bad_step = noe_now(loop->work)->k;
        }
    }
    if (real_is_finite(loop->moment.energy)) return NOE_OK;
    return status_set(&result->error, NOE_NOT_FINITE,
                      "step %ld, t = %.9g: the energy is not a finite number; the model is "
                      "undefined there",
                      result->steps, (double)noe_now(loop->work)->t);
}

static enum noe_status step(struct loop *loop) {
    enum noe_status status = noe_step(loop->work, &loop->result->error);
    if (status == NOE_OK) {
        const struct noe_state *now = noe_now(loop->work);
        note_step(loop->result, ++loop->result->steps, now->h);
        status = noe_measure(loop->work, &loop->moment, &loop->result->error);
    }
    return status == NOE_OK ? note_drift(loop) : status;
}

static bool goes_on(const struct loop *loop) {
    const struct trajectory_settings *settings = loop->settings;
    if (settings->steps >= 0) return loop->result->steps < settings->steps;
    return noe_now(loop->work)->t < settings->until;
}

static enum noe_status integrate(struct loop *loop) {
    const struct trajectory_settings *settings = loop->settings;
    long to_row = settings->sample, to_progress = 1;
    enum noe_status status = NOE_OK;
    while (status == NOE_OK && goes_on(loop)) {
        if (settings->interrupt && *settings->interrupt)
            return status_set(&loop->result->error, NOE_INTERRUPTED, "interrupted");
        status = step(loop);
        if (status != NOE_OK) break;
        if (--to_row == 0) {
            to_row = settings->sample;
            status = write_row(loop);
        }
        if (settings->progress && --to_progress == 0)
            to_progress = settings->progress(settings->progress_data, loop->result->steps,
                                             noe_now(loop->work)->t);
    }
    return status;
}

/* A quantity that is not finite does not end the run, but the run is not called a success. */
static enum noe_status judge_values(struct loop *loop) {
    if (loop->bad_value < 0) return NOE_OK;
    for (int i = 0; i < loop->system->nquantities; i++) {
        const struct noe_quantity *quantity = &loop->system->quantity[i];
        if (loop->bad_value >= quantity->first + quantity->rows * quantity->cols) continue;
        return status_set(&loop->result->error, NOE_NOT_FINITE,
                          "the quantity '%s' is not a finite number, first at step %ld",
                          quantity->name, loop->bad_step);
    }
    return NOE_OK;
}

static void finish(struct loop *loop) {
    struct trajectory *result = loop->result;
    if (result->has_started) {
        if (noe_measure(loop->work, &loop->moment, NULL) != NOE_OK)
            loop->moment.energy = noe_sqrt((real)-1); /* the failure is reported already */
        take_moment(loop, &result->final);
        if (loop->measured)
            result->energy_mean_error = loop->energy_error_sum / (real)loop->measured;
        const bool last_row_missing = result->steps % loop->settings->sample != 0;
        if (last_row_missing && result->error.status != NOE_IO && write_row(loop) != NOE_OK)
            result->error.status = NOE_IO;
    }
    result->effort = noe_work_effort(loop->work);
    result->solver = noe_work_solver(loop->work);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum noe_status trajectory_run(struct trajectory *result,
                               const struct trajectory_settings *settings) {
    *result = (struct trajectory){.solver = "none"};
    struct loop loop = {.result = result,
                        .settings = settings,
                        .system = settings->problem->system,
                        .bad_value = -1};
    enum noe_status status = allocate(&loop);
    if (status == NOE_OK) {
        const double began = seconds_now();
        status = start(&loop);
        if (status == NOE_OK) {
            for (int i = loop.system->nvalues; i-- > 0;)
                if (!real_is_finite(result->start.values[i])) loop.bad_value = i;
            status = integrate(&loop);
        }
        if (status == NOE_OK) status = judge_values(&loop);
        result->error.status = status;
        finish(&loop);
        result->wall_seconds = seconds_now() - began;
    } else {
        result->error.status = status;
    }
    noe_work_free(loop.work);
    return result->error.status;
}

void trajectory_clear(struct trajectory *result) {
    free(result->block);
    *result = (struct trajectory){0};
}
