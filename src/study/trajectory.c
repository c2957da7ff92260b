/* One integration with its report: drift over all steps, rows, solver statistics. */
/* SPDX-License-Identifier: MIT */
#include "study/trajectory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "engine/condition.h"
#include "engine/restep.h"
#include "engine/step.h"
#include "engine/work.h"
#include "methods/method.h"
#include "study/trajectory_loop.h"

long trajectory_step_count(real from, real until, real h, bool *fits) {
    const real quotient = (until - from) / h, nearest = noe_floor(quotient + (real)0.5);
    *fits = noe_abs(quotient - nearest) <= (real)1e-6;
    if (!(quotient < (real)9e15)) return -1;
    return (long)(*fits ? nearest : noe_floor(quotient));
}

static size_t count_constraints(const struct noe_system *system) {
    return (size_t)(system->nholonomic + system->nnonholonomic);
}

static void layout_moment(struct arena *arena, struct trajectory_moment *moment,
                          const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    const size_t n = (size_t)system->n, nc = count_constraints(system);
    moment->q = arena_reals(arena, (size_t)problem->np);
    moment->v = arena_reals(arena, n + nc);
    moment->p = arena_reals(arena, n);
    moment->values = arena_reals(arena, (size_t)system->nvalues);
    moment->multipliers = arena_reals(arena, nc);
}

void trajectory_layout(struct arena *arena, struct trajectory_loop *loop) {
    const struct noe_problem *problem = loop->settings->problem;
    const size_t n = (size_t)problem->system->n, nvalues = (size_t)problem->system->nvalues;
    layout_moment(arena, &loop->result->start, problem);
    layout_moment(arena, &loop->result->final, problem);
    event_finder_layout(&loop->crossing, arena, problem->system);
    tangent_layout(&loop->tangent, arena, problem->system);
    loop->values = arena_reals(arena, nvalues);
    loop->result->value_max_error = arena_reals(arena, nvalues);
    loop->row = arena_reals(arena, 7 + (size_t)problem->np + 2 * n + nvalues +
                                       count_constraints(problem->system));
}

static enum noe_status allocate(struct trajectory_loop *loop) {
    struct arena arena = {0};
    trajectory_layout(&arena, loop);
    loop->result->block = aligned_alloc(64, arena.used + 64);
    if (!loop->result->block)
        return status_set(&loop->result->error, NOE_NO_MEMORY, "out of memory");
    memset(loop->result->block, 0, arena.used);
    arena = (struct arena){.base = loop->result->block};
    trajectory_layout(&arena, loop);
    struct noe_error *error = &loop->result->error;
    enum noe_status status = noe_work_create(&loop->work, loop->settings->problem, error);
    if (status == NOE_OK && loop->has_stops)
        status = noe_work_create(&loop->part, loop->settings->problem, error);
    return status == NOE_OK ? trajectory_snapshot_allocate(loop) : status;
}

static void copy(size_t count, real *to, const real *from) {
    if (count && from) memcpy(to, from, count * sizeof *to);
}

/* Permutes multipliers from the order of the system to that of the statements. Returns the position
 * after them. */
static real *copy_multipliers(const struct trajectory_loop *loop, real *to) {
    const struct noe_constraint *constraint = loop->settings->constraint;
    const int count = (int)count_constraints(loop->system);
    const real *from = loop->moment.multipliers;
    for (int i = 0; i < count; i++) to[i] = from[constraint ? constraint[i].row : i];
    return to + count;
}

/* Inserts the tangent quantities among the observed quantities. */
static void join_tangent(struct trajectory_loop *loop) {
    if (!loop->tangent.count) return;
    copy((size_t)loop->system->nvalues, loop->values, loop->moment.values);
    tangent_show(&loop->tangent, loop->values);
    loop->moment.values = loop->values;
}

static void take_moment(const struct trajectory_loop *loop, struct trajectory_moment *moment) {
    const struct noe_state *now = noe_work_state(loop->work);
    moment->t = now->t;
    moment->energy = loop->moment.energy;
    moment->discrete_energy = now->energy;
    copy((size_t)loop->settings->problem->np, moment->q, now->q);
    copy((size_t)loop->system->n, moment->p, now->p);
    copy((size_t)loop->system->n, moment->v, loop->moment.v);
    copy_multipliers(loop, moment->multipliers);
    copy((size_t)loop->system->nvalues, moment->values, loop->moment.values);
}

static real *append(real *at, size_t count, const real *from) {
    copy(count, at, from);
    return at + count;
}

static real *append_quantities(const struct trajectory_loop *loop, real *at,
                               enum noe_quantity_kind kind) {
    for (int i = 0; i < loop->system->nquantities; i++) {
        const struct noe_quantity *quantity = &loop->system->quantity[i];
        if (quantity->kind == kind)
            at = append(at, (size_t)(quantity->rows * quantity->cols),
                        loop->moment.values + quantity->first);
    }
    return at;
}

/* The order of columns is that of columns_create. */
static enum noe_status write_row(struct trajectory_loop *loop) {
    const struct noe_state *now = noe_work_state(loop->work);
    const size_t n = (size_t)loop->system->n;
    struct reference *reference = loop->settings->reference;
    real difference = 0;
    enum noe_status status = NOE_OK;
    if (reference)
        status = reference_compare(reference, now, loop->moment.energy, &difference,
                                   &loop->result->error);
    if (status != NOE_OK || !loop->settings->format) return status;
    real *at = append(loop->row, 1, &now->t);
    at = append(at, (size_t)loop->settings->problem->np, now->q);
    at = append(at, n, loop->moment.v);
    at = append(at, n, now->p);
    at = copy_multipliers(loop, at);
    at = append(at, 1, &loop->moment.energy);
    at = append_quantities(loop, at, NOE_INVARIANT);
    at = append_quantities(loop, at, NOE_OBSERVE);
    if (loop->settings->problem->internals->scheme->energy_equation) {
        const real error = now->energy - now->energy_target;
        at = append(at, 1, &now->h);
        at = append(at, 1, &now->energy);
        at = append(at, 1, &error);
    }
    if (reference) {
        at = append(at, 1, &difference);
        append(at, 1, &reference->energy);
    }
    loop->result->rows++;
    return loop->settings->format->row(loop->settings->file, loop->row, &loop->result->error);
}

/* The drift is measured from the initial values. */
static void start_monitor(struct trajectory_loop *loop) {
    const struct trajectory *result = loop->result;
    loop->monitor = (struct noe_monitor){.energy = result->start.energy,
                                         .values = result->start.values,
                                         .value_max = result->value_max_error,
                                         .bad_value = -1};
    for (int i = loop->system->nvalues; i-- > 0;)
        if (!real_is_finite(result->start.values[i])) loop->monitor.bad_value = i;
}

static enum noe_status start(struct trajectory_loop *loop) {
    const struct trajectory_settings *settings = loop->settings;
    struct trajectory *result = loop->result;
    tangent_start(&loop->tangent, settings->from);
    enum noe_status status = tangent_check(settings->problem, &result->error);
    if (status == NOE_OK && loop->tangent.count && loop->has_stops)
        status =
            status_set(&result->error, NOE_NOT_SERVED,
                       "lyapunov and megno are of whole steps: they do not go with 'stop when'");
    if (status != NOE_OK) return status;
    status = noe_work_start(loop->work, settings->from, settings->q, settings->v, &result->error);
    if (status == NOE_OK) status = noe_work_observe(loop->work, &loop->moment, &result->error);
    if (status == NOE_OK && settings->reference)
        status = reference_start(settings->reference, settings->from, settings->q, settings->v,
                                 &result->error);
    if (status != NOE_OK) return status;
    if (!real_is_finite(loop->moment.energy))
        return status_set(&result->error, NOE_NOT_FINITE,
                          "the energy at the start is not a finite number; check the start values "
                          "and the Lagrangian there");
    if (!(loop->system->traits & NOE_LINEAR)) /* else the equations of motion give the velocity */
        loop->moment.v = settings->v; /* as given, without the round-off of a Legendre transform */
    take_moment(loop, &result->start);
    start_monitor(loop);
    result->has_started = true;
    result->step_first = result->step_last = result->step_min = result->step_max =
        settings->problem->h;
    status = write_row(loop);
    if (status != NOE_OK || !loop->has_stops) return status;
    copy(count_constraints(loop->system), result->start.v + loop->system->n,
         loop->moment.multipliers);
    loop->crossing.only_stops = true;
    return event_finder_start(&loop->crossing, loop->part, loop->work, result->start.v,
                              &result->error);
}

static void note_steps(struct trajectory *result, long steps, real h) {
    if (result->steps == 0) result->step_first = result->step_min = result->step_max = h;
    result->steps = steps;
    result->step_last = h;
    if (h < result->step_min) result->step_min = h;
    if (h > result->step_max) result->step_max = h;
}

/* Moves to the first event in the last step, if there is one, else to the start of the step. */
static enum noe_status find_crossing(struct trajectory_loop *loop, const real *v) {
    struct event_finder *crossing = &loop->crossing;
    struct trajectory *result = loop->result;
    enum noe_status status = event_finder_look(crossing, loop->work, v, &result->error);
    if (status == NOE_OK) status = event_finder_begin(crossing, loop->work, &result->error);
    if (status != NOE_OK) return status;
    status = event_finder_find(crossing, loop->work, &result->error);
    if (status != NOE_OK) {
        restep_back(loop->work);
        return status;
    }
    result->crossing = crossing->found;
    result->event_value = crossing->value;
    if (crossing->found < 0 || crossing->at == 1) return NOE_OK;
    return noe_work_restep(loop->work, crossing->at * noe_work_state(loop->work)->h,
                           &result->error);
}

/* True if the next step of an adaptive method would reach beyond the end time. Where the energy
 * determines the step size, a shorter step would not preserve it, and the run ends beyond. A
 * remainder below round-off is no step. */
static bool must_cut(const struct trajectory_loop *loop, real *rest) {
    const struct trajectory_settings *settings = loop->settings;
    const struct noe_problem *problem = settings->problem;
    *rest = settings->until - noe_work_state(loop->work)->t;
    return settings->steps < 0 && !problem->internals->scheme->energy_equation &&
           loop->work->h_next >= *rest * (1 - 64 * NOE_EPSILON);
}

/* Takes one step, at most up to the end time. The checkpoint is that before a shortened step, so
 * that a resumed run with a later end takes the steps of an uninterrupted one. */
static enum noe_status step_once(struct trajectory_loop *loop) {
    struct noe_error *error = &loop->result->error;
    real rest;
    if (!must_cut(loop, &rest)) return noe_work_step(loop->work, error);
    enum noe_status status = trajectory_snapshot_keep(loop);
    loop->is_cut = true;
    return status == NOE_OK ? noe_work_step_by(loop->work, rest, error) : status;
}

/* Takes one step, or a substep up to the first event. */
static enum noe_status step_to_crossing(struct trajectory_loop *loop) {
    struct trajectory *result = loop->result;
    struct noe_observation *moment = &loop->monitor.moment;
    enum noe_status status = step_once(loop);
    if (status == NOE_OK) status = noe_work_observe(loop->work, moment, &result->error);
    if (status == NOE_OK) status = find_crossing(loop, moment->v);
    if (status != NOE_OK) return status;
    return step_update_monitor(loop->work, &loop->monitor, &result->error);
}

static enum noe_status step_with_tangent(struct trajectory_loop *loop) {
    struct trajectory *result = loop->result;
    const enum noe_status status = tangent_step(&loop->tangent, loop->work, &result->error);
    if (status != NOE_OK) return status;
    return step_update_monitor(loop->work, &loop->monitor, &result->error);
}

static enum noe_status step_to_end(struct trajectory_loop *loop) {
    const enum noe_status status = step_once(loop);
    if (status != NOE_OK) return status;
    return step_update_monitor(loop->work, &loop->monitor, &loop->result->error);
}

/* Takes `count` steps, or one if an event may stop the run or tangent vectors are propagated. */
static enum noe_status step(struct trajectory_loop *loop, long count) {
    struct trajectory *result = loop->result;
    const enum noe_status status =
        loop->has_stops       ? step_to_crossing(loop)
        : loop->tangent.count ? step_with_tangent(loop)
        : loop->settings->steps < 0
            ? step_to_end(loop)
            : noe_work_steps_monitored(loop->work, count, &loop->monitor, &result->error);
    const struct noe_state *now = noe_work_state(loop->work);
    loop->moment = loop->monitor.moment;
    join_tangent(loop);
    if (now->k > result->steps) note_steps(result, now->k, now->h); /* unless the search failed */
    return status;
}

static bool goes_on(const struct trajectory_loop *loop) {
    const struct trajectory_settings *settings = loop->settings;
    if (loop->result->crossing >= 0 || loop->is_cut) return false;
    if (settings->steps >= 0) return loop->result->steps < settings->steps;
    return noe_work_state(loop->work)->t < settings->until;
}

static long min(long a, long b) { return a < b ? a : b; }

/* Number of steps until the next action. */
static long next_batch(const struct trajectory_loop *loop, long to_progress) {
    enum { BATCH_MAX = 256 };
    const struct trajectory_settings *settings = loop->settings;
    if (loop->has_stops || loop->tangent.count || settings->steps < 0) return 1;
    const long done = loop->result->steps, left = settings->steps - done;
    long to_look = settings->looks_at_condition ? loop->next_look - done : LONG_MAX;
    if (to_look > 1) to_look--; /* a step whose condition is measured is taken alone */
    const long to_row = settings->sample - done % settings->sample;
    const long to_keep =
        settings->keep_every ? settings->keep_every - done % settings->keep_every : LONG_MAX;
    return min(min(min(to_row, to_keep), to_progress), min(min(left, to_look), BATCH_MAX));
}

/* Measures the condition number of the first 500 steps, of every second of the next 1000, of every
 * fourth of the next 2000, and so on. */
static enum noe_status look_at_condition(struct trajectory_loop *loop) {
    enum { LOOKS = 500 };
    real condition;
    if (!loop->settings->looks_at_condition || loop->result->steps < loop->next_look) return NOE_OK;
    const double began = trajectory_seconds();
    const enum noe_status status = condition_of_step(loop->work, &condition, &loop->result->error);
    loop->aside += trajectory_seconds() - began;
    if (status == NOE_NO_MEMORY) return status;
    loop->result->error.status = NOE_OK; /* a singular matrix has no condition number */
    if (status != NOE_OK) condition = 0;
    if (!(condition <= loop->result->condition_max)) loop->result->condition_max = condition;
    loop->next_look = loop->result->steps + (1L << loop->looks++ / LOOKS);
    return NOE_OK;
}

/* Actions after steps: a row, a checkpoint. */
static enum noe_status record(struct trajectory_loop *loop) {
    enum { MINUTE = 60 };
    const struct trajectory_settings *settings = loop->settings;
    const long done = loop->result->steps;
    enum noe_status status = look_at_condition(loop);
    if (status == NOE_OK && done % settings->sample == 0) status = write_row(loop);
    if (status != NOE_OK || !settings->keep) return status;
    const bool is_time = settings->keep_every ? done % settings->keep_every == 0
                                              : trajectory_seconds() > loop->kept + MINUTE;
    return is_time ? trajectory_snapshot_keep(loop) : NOE_OK;
}

static enum noe_status integrate(struct trajectory_loop *loop) {
    const struct trajectory_settings *settings = loop->settings;
    long to_progress = settings->progress ? 1 : LONG_MAX;
    enum noe_status status = trajectory_snapshot_keep(loop); /* fails early */
    while (status == NOE_OK && goes_on(loop)) {
        if (settings->interrupt && *settings->interrupt) {
            status = trajectory_snapshot_keep(loop);
            return status == NOE_OK
                       ? status_set(&loop->result->error, NOE_INTERRUPTED, "interrupted")
                       : status;
        }
        const long count = next_batch(loop, to_progress);
        status = step(loop, count);
        if (status == NOE_OK) status = record(loop);
        to_progress -= count;
        if (status == NOE_OK && to_progress == 0)
            to_progress = settings->progress(settings->progress_data, loop->result->steps,
                                             noe_work_state(loop->work)->t);
    }
    return status == NOE_OK && !loop->is_cut ? trajectory_snapshot_keep(loop) : status;
}

/* A quantity that is not finite does not stop the run, but the status is then not NOE_OK. */
static enum noe_status judge_values(struct trajectory_loop *loop) {
    if (loop->monitor.bad_value < 0) return NOE_OK;
    for (int i = 0; i < loop->system->nquantities; i++) {
        const struct noe_quantity *quantity = &loop->system->quantity[i];
        if (loop->monitor.bad_value >= quantity->first + quantity->rows * quantity->cols) continue;
        return status_set(&loop->result->error, NOE_NOT_FINITE,
                          "the quantity '%s' is not a finite number, first at step %ld",
                          quantity->name, loop->monitor.bad_step);
    }
    return NOE_OK;
}

/* If the guard held the step size in every step, the energy was never preserved. */
static enum noe_status judge_guard(struct trajectory_loop *loop) {
    const struct noe_problem *problem = loop->settings->problem;
    const struct noe_step_stats effort = noe_work_stats(loop->work);
    if (!problem->internals->scheme->energy_equation || effort.held == 0 ||
        effort.held < effort.steps - 1)
        return NOE_OK;
    return status_set(
        &loop->result->error, NOE_NO_STEP,
        "guard = hold kept the first step size in all %ld steps: none of them "
        "preserves the discrete energy; try a threshold below %g, another start, or a "
        "method of fixed steps",
        effort.steps, (double)problem->internals->guard.threshold);
}

static void finish(struct trajectory_loop *loop) {
    struct trajectory *result = loop->result;
    if (result->has_started) {
        if (noe_work_observe(loop->work, &loop->moment, NULL) != NOE_OK)
            loop->moment.energy = (real)NAN; /* the failure has been reported already */
        join_tangent(loop);
        take_moment(loop, &result->final);
        for (int i = 0; monitor_energy_statistics[i].key; i++)
            result->energy_statistic[i] = monitor_energy_statistics[i].value(&loop->monitor);
        result->energy_max_error = loop->monitor.energy_max;
        result->group_error_max = loop->monitor.group_max;
        result->position_max = loop->monitor.position_max;
        result->velocity_max = loop->monitor.velocity_max;
        result->discrete_max_error = loop->monitor.discrete_max;
        result->discrete_held_max_error = loop->monitor.discrete_held_max;
        if (loop->monitor.discrete_count)
            result->discrete_mean_error =
                loop->monitor.discrete_sum / (real)loop->monitor.discrete_count;
        if (loop->monitor.count)
            result->energy_mean_error = loop->monitor.energy_sum / (real)loop->monitor.count;
        const bool last_row_missing = result->steps % loop->settings->sample != 0;
        if (last_row_missing && result->error.status != NOE_IO && write_row(loop) != NOE_OK)
            result->error.status = NOE_IO;
    }
    result->effort = noe_work_stats(loop->work);
    result->solver = work_solver(loop->work);
}

double trajectory_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum noe_status trajectory_run(struct trajectory *result,
                               const struct trajectory_settings *settings) {
    *result = (struct trajectory){.solver = "none", .crossing = -1};
    struct trajectory_loop loop = {.result = result,
                                   .settings = settings,
                                   .system = settings->problem->system,
                                   .next_look = 1};
    for (int i = 0; i < loop.system->nevents; i++) loop.has_stops |= !loop.system->crossing[i].name;
    enum noe_status status = allocate(&loop);
    if (status == NOE_OK) {
        loop.began = loop.kept = trajectory_seconds();
        status = settings->resume ? trajectory_snapshot_load(&loop) : start(&loop);
        if (status == NOE_OK) status = integrate(&loop);
        if (status == NOE_OK) status = judge_values(&loop);
        if (status == NOE_OK) status = judge_guard(&loop);
        result->error.status = status;
        finish(&loop);
        result->wall_seconds = loop.spent + trajectory_seconds() - loop.began;
        result->step_seconds = result->wall_seconds - loop.aside;
    } else {
        result->error.status = status;
    }
    noe_work_free(loop.work);
    noe_work_free(loop.part);
    free(loop.image);
    return result->error.status;
}

void trajectory_clear(struct trajectory *result) {
    free(result->block);
    *result = (struct trajectory){0};
}
