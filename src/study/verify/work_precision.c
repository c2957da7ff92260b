/* Work-precision diagram of a method: error against a reference solution, and cost. */
/* SPDX-License-Identifier: MIT */
#include "study/verify/work_precision.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "engine/monitor.h"
#include "engine/step.h"

/* Short runs are repeated, and the fastest counts. */
enum { REPEATS_LEAST = 3 };
static const double SECONDS_ENOUGH = 0.05, SECONDS_MOST = 1;

static bool is_adaptive(const struct noe_problem *problem) {
    return problem->traits & NOE_ADAPTIVE;
}

static long count_steps(const struct convergence_task *task, const struct noe_problem *problem) {
    return (long)noe_floor((task->until - task->from) / problem->h + (real)0.5);
}

/* A step of the method's choice that does not pass `until`. */
static enum noe_status step_up_to(struct noe_work *work, real until, struct noe_error *error) {
    const real before = noe_work_state(work)->t;
    const enum noe_status status = noe_work_step(work, error);
    if (status != NOE_OK || noe_work_state(work)->t <= until) return status;
    return noe_work_restep(work, until - before, error);
}

/* Integrates to the end of the horizon; `monitor` may be NULL. */
static enum noe_status advance(struct noe_work *work, const struct convergence_task *task,
                               const struct noe_problem *problem, struct noe_monitor *monitor,
                               struct noe_error *error) {
    if (!is_adaptive(problem)) {
        const long steps = count_steps(task, problem);
        return monitor ? noe_work_steps_monitored(work, steps, monitor, error)
                       : noe_work_steps(work, steps, error);
    }
    const real nearly = task->until - 8 * NOE_EPSILON * noe_abs(task->until);
    enum noe_status status = NOE_OK;
    while (status == NOE_OK && noe_work_state(work)->t < nearly) {
        status = step_up_to(work, task->until, error);
        if (status == NOE_OK && monitor) status = step_update_monitor(work, monitor, error);
    }
    return status;
}

/* One run with the energy monitored. It also warms up the caches for the timed runs. */
static enum noe_status measure(struct work_precision_row *row, struct noe_work *work,
                               const struct convergence_reference *reference,
                               const struct convergence_task *task,
                               const struct noe_problem *problem, real *values,
                               struct noe_error *error) {
    const size_t nvalues = (size_t)problem->system->nvalues;
    struct noe_observation moment;
    enum noe_status status = noe_work_start(work, task->from, task->q, task->v, error);
    if (status == NOE_OK) status = noe_work_observe(work, &moment, error);
    if (status != NOE_OK) return status;
    if (nvalues) memcpy(values, moment.values, nvalues * sizeof *values);
    struct noe_monitor monitor = {
        .energy = moment.energy, .values = values, .value_max = values + nvalues, .bad_value = -1};
    status = advance(work, task, problem, &monitor, error);
    if (status != NOE_OK) return status;
    const struct noe_step_stats effort = noe_work_stats(work);
    row->steps = effort.steps;
    row->h = (task->until - task->from) / (real)row->steps;
    row->evaluations = effort.evaluations;
    row->energy_error = monitor.energy_max;
    row->error = convergence_distance(reference, problem->np, noe_work_state(work));
    if (real_is_finite(row->error) && real_is_finite(row->energy_error)) return NOE_OK;
    return status_set(error, NOE_NOT_FINITE, "the end state is not finite");
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum noe_status take_time(struct work_precision_row *row, struct noe_work *work,
                                 const struct convergence_task *task,
                                 const struct noe_problem *problem, struct noe_error *error) {
    enum noe_status status = NOE_OK;
    double spent = 0;
    for (int i = 0; status == NOE_OK && spent < SECONDS_MOST; i++) {
        if (i >= REPEATS_LEAST && spent > SECONDS_ENOUGH) break;
        status = noe_work_start(work, task->from, task->q, task->v, error);
        if (status != NOE_OK) break;
        const double began = processor_seconds();
        status = advance(work, task, problem, NULL, error);
        const double seconds = processor_seconds() - began;
        if (i == 0 || seconds < row->seconds) row->seconds = seconds;
        spent += seconds;
    }
    return status;
}

enum noe_status work_precision_measure(struct work_precision_row *row,
                                       const struct convergence_reference *reference,
                                       const struct convergence_task *task,
                                       const struct noe_problem *problem, struct noe_error *error) {
    struct noe_work *work = NULL;
    real *values = calloc(2 * (size_t)problem->system->nvalues + 1, sizeof *values);
    if (!values) return status_set(error, NOE_NO_MEMORY, "out of memory");
    enum noe_status status = noe_work_create(&work, problem, error);
    if (status == NOE_OK) status = measure(row, work, reference, task, problem, values, error);
    if (status == NOE_OK) status = take_time(row, work, task, problem, error);
    noe_work_free(work);
    free(values);
    return status;
}
