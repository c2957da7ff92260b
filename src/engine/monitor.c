/* Monitor: steps with running maxima and sums of the deviations of conserved quantities. */
/* SPDX-License-Identifier: MIT */
#include "engine/monitor.h"

#include "spaces/product.h"

/* Updates the constraint residuals of the observed state. */
static void note_constraints(struct noe_work *work, struct noe_monitor *monitor) {
    const struct noe_system *system = work_problem(work)->system;
    const int nposition = system->nholonomic, m = constraint_count(system);
    real *c = work->constraint;
    if (m == 0) return;
    system->constraints(work->interval.problem->system, work->now->t, work->now->q, work->velocity,
                        c);
    for (int i = 0; i < nposition; i++)
        monitor->position_max = noe_max(monitor->position_max, noe_abs(c[i]));
    for (int i = nposition; i < nposition + m; i++)
        monitor->velocity_max = noe_max(monitor->velocity_max, noe_abs(c[i]));
}

/* Updates the deviations of the current state from the reference values. */
static enum noe_status note(struct noe_work *work, struct noe_monitor *monitor, real energy) {
    const int nvalues = work_problem(work)->system->nvalues;
    const real deviation = noe_abs(energy - monitor->energy);
    monitor->count++;
    monitor->energy_sum += deviation;
    monitor->energy_max = noe_max(monitor->energy_max, deviation);
    if (work_problem(work)->system->factors)
        monitor->group_max =
            noe_max(monitor->group_max, product_defect(work_problem(work)->system, work->now->q));
    if (work_problem(work)->internals->scheme->energy_equation &&
        !work_problem(work)->internals->guard.is_relative) {
        const real off = noe_abs(work->now->energy - work->now->energy_target);
        if (work->adaptive_step.length.is_held) {
            monitor->discrete_held_max = noe_max(monitor->discrete_held_max, off);
        } else {
            monitor->discrete_count++;
            monitor->discrete_sum += off;
            monitor->discrete_max = noe_max(monitor->discrete_max, off);
        }
    }
    note_constraints(work, monitor);
    for (int i = 0; i < nvalues; i++) {
        const real value = work->values[i], error = noe_abs(value - monitor->values[i]);
        monitor->value_max[i] = noe_max(monitor->value_max[i], error);
        if (real_is_finite(value) || monitor->bad_value >= 0) continue;
        monitor->bad_value = i;
        monitor->bad_step = work->now->k;
    }
    return real_is_finite(energy) ? NOE_OK : NOE_NOT_FINITE;
}

enum noe_status monitor_update(struct noe_work *work, struct noe_monitor *monitor) {
    monitor->moment.v = work->velocity;
    monitor->moment.values = work->values;
    monitor->moment.multipliers = work->now->multipliers;
    enum noe_status status = advance_measure(work, &monitor->moment.energy);
    if (status == NOE_OK) status = note(work, monitor, monitor->moment.energy);
    monitor->has_failed = status != NOE_OK;
    return status;
}

enum noe_status monitor_steps(struct noe_work *work, long count, struct noe_monitor *monitor) {
    for (long i = 0; i < count; i++) {
        enum noe_status status = advance_steps(work, 1);
        if (status == NOE_OK) status = monitor_update(work, monitor);
        if (status != NOE_OK) return status;
    }
    return NOE_OK;
}

#ifndef NOE_SPECIALISED
static real energy_max(const struct noe_monitor *monitor) { return monitor->energy_max; }

static real energy_mean(const struct noe_monitor *monitor) {
    return monitor->count > 0 ? monitor->energy_sum / (real)monitor->count : 0;
}

const struct monitor_statistic monitor_energy_statistics[MONITOR_STATISTICS_MAX] = {
    {"max_error", energy_max},
    {"mean_error", energy_mean},
};
#endif
